package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// UserError is something that the user can mend: the message says what and how.
type UserError struct{ Message string }

func (e *UserError) Error() string { return e.Message }

func userErrorf(format string, values ...any) error {
	return &UserError{Message: fmt.Sprintf(format, values...)}
}

// Repository is a git repository on this machine. It is read in the process: no git
// binary is needed, and none of the repository's own configuration is run.
type Repository struct{ git *git.Repository }

// Root is the folder of the checked-out files; empty in a bare repository.
func (r *Repository) Root() string {
	tree, err := r.git.Worktree()
	if err != nil {
		return ""
	}
	return tree.Filesystem.Root()
}

// Open finds the repository that holds a directory.
func Open(directory string) (*Repository, error) {
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", directory, err)
	}
	r, err := git.PlainOpenWithOptions(absolute, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrUnknownExtension) {
		r, err = openTolerant(absolute)
	}
	switch {
	case errors.Is(err, git.ErrRepositoryNotExists):
		return nil, userErrorf("%s is not in a git repository: run it inside one, or clone one first", directory)
	case err != nil:
		return nil, fmt.Errorf("opening the git repository of %s: %w", directory, err)
	}
	return &Repository{git: r}, nil
}

// harmless are the repository extensions that do not change how objects are read.
var harmless = map[string]bool{"partialclone": true, "preciousobjects": true, "worktreeconfig": true}

// tolerant hides harmless extensions from go-git, which refuses every one that it
// does not know.
type tolerant struct{ *filesystem.Storage }

func (t tolerant) Config() (*config.Config, error) {
	c, err := t.Storage.Config()
	if err != nil || c.Raw == nil {
		return c, err
	}
	section := c.Raw.Section("extensions")
	for _, option := range section.Options {
		if !harmless[strings.ToLower(option.Key)] {
			return c, nil
		}
	}
	c.Raw.RemoveSection("extensions")
	return c, nil
}

// openTolerant opens the repository whose .git folder is in directory or above it.
func openTolerant(directory string) (*git.Repository, error) {
	for {
		files := osfs.New(filepath.Join(directory, git.GitDirName))
		if info, err := files.Stat("/"); err == nil && info.IsDir() {
			return git.Open(tolerant{filesystem.NewStorage(files, cache.NewObjectLRUDefault())}, osfs.New(directory))
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			return nil, git.ErrRepositoryNotExists
		}
		directory = parent
	}
}

// Resolve names a commit by its full hash. What names the revision says where it
// came from, for the message.
func (r *Repository) Resolve(revision, what string) (string, error) {
	commit, err := r.commit(revision)
	if err != nil {
		return "", userErrorf("%s %q is not a commit of this repository%s", what, revision, r.shallowHint())
	}
	return commit.Hash.String(), nil
}

func (r *Repository) commit(revision string) (*object.Commit, error) {
	if revision == "" || strings.ContainsAny(revision, "\x00\n") {
		return nil, plumbing.ErrReferenceNotFound
	}
	hash, err := r.git.ResolveRevision(plumbing.Revision(revision))
	if err != nil {
		return nil, fmt.Errorf("resolving %s: %w", revision, err)
	}
	commit, err := r.git.CommitObject(*hash)
	if err != nil {
		return nil, fmt.Errorf("reading commit %s: %w", hash, err)
	}
	return commit, nil
}

func (r *Repository) shallowHint() string {
	if shallow, err := r.git.Storer.Shallow(); err == nil && len(shallow) > 0 {
		return "; the clone is shallow: check out with fetch-depth: 0, or fetch that commit"
	}
	return ""
}

// Find answers an event or a caller: what the head changes against the base. Where
// the two have a common ancestor in this clone, the change is counted from there, as
// GitHub does; settings are those of the base itself, or of ask.SettingsFrom.
func (r *Repository) Find(ctx context.Context, ask Ask) (Change, error) {
	c := Change{Origin: ask.Origin}
	var err error
	if c.Base, err = r.Resolve(ask.Base, "the base revision"); err != nil {
		return c, err
	}
	if c.Head, err = r.Resolve(ask.Head, "the head revision"); err != nil {
		return c, err
	}
	c.SettingsFrom = c.Base
	if ask.SettingsFrom != "" {
		if c.SettingsFrom, err = r.Resolve(ask.SettingsFrom, "the revision of the settings"); err != nil {
			return c, err
		}
	}
	if c.Settings, c.Problems, err = r.settings(c.SettingsFrom); err != nil {
		return c, err
	}
	if len(c.Problems) > 0 {
		return c, nil
	}
	return c, r.compare(ctx, &c)
}

// compare fills in the files between the change's two commits.
func (r *Repository) compare(ctx context.Context, c *Change) error {
	headCommit, err := r.commit(c.Head)
	if err != nil {
		return err
	}
	from, note, err := r.forkPoint(c.Base, headCommit)
	if err != nil {
		return err
	}
	if note != "" {
		c.Notes = append(c.Notes, note)
	}
	baseTree, err := r.tree(ctx, from)
	if err != nil {
		return err
	}
	headTree, err := r.tree(ctx, headCommit)
	if err != nil {
		return err
	}
	c.Files, err = assemble(c.Settings, baseTree, headTree, r)
	return err
}

// settings reads .github/reliability.toml at a commit; a commit without one has the
// default settings.
func (r *Repository) settings(commit string) (Settings, []Problem, error) {
	content, err := r.ReadFile(commit, SettingsPath)
	switch {
	case errors.Is(err, ErrNoFile):
		return DefaultSettings(), nil, nil
	case err != nil:
		return Settings{}, nil, err
	}
	settings, problems := ParseSettings(content)
	return settings, problems, nil
}

// forkPoint is the commit that the change started from.
func (r *Repository) forkPoint(base string, head *object.Commit) (*object.Commit, string, error) {
	baseCommit, err := r.commit(base)
	if err != nil {
		return nil, "", err
	}
	ancestors, err := baseCommit.MergeBase(head)
	if err != nil || len(ancestors) == 0 {
		return baseCommit, "base and head have no common ancestor in this clone, so files are compared with the base itself", nil
	}
	return ancestors[0], "", nil
}

// ErrNoFile tells that a commit has no such file.
var ErrNoFile = errors.New("no such file in the commit")

// maxConfigSize bounds a configuration file or contract that is read from a commit,
// in bytes.
const maxConfigSize = 4 << 20

// ReadFile reads a regular file of a commit, at most 4 MiB.
func (r *Repository) ReadFile(commit, path string) ([]byte, error) {
	c, err := r.commit(commit)
	if err != nil {
		return nil, err
	}
	root, err := c.Tree()
	if err != nil {
		return nil, fmt.Errorf("reading the tree of %s: %w", commit, err)
	}
	entry, err := root.FindEntry(path)
	if errors.Is(err, object.ErrEntryNotFound) || errors.Is(err, object.ErrDirectoryNotFound) {
		return nil, ErrNoFile
	}
	if err != nil {
		return nil, fmt.Errorf("looking for %s in %s: %w", path, commit, err)
	}
	if !entry.Mode.IsFile() || entry.Mode == filemode.Symlink {
		return nil, userErrorf("%s is not a regular file in commit %s", path, commit)
	}
	size, err := r.size(entry.Hash.String())
	if err != nil {
		return nil, err
	}
	if size > maxConfigSize {
		return nil, userErrorf("%s has %d bytes; at most %d are read", path, size, maxConfigSize)
	}
	return r.read(entry.Hash.String())
}

// tree lists a commit: every path by its hash, which is all that is read of most.
func (r *Repository) tree(ctx context.Context, commit *object.Commit) (tree, error) {
	root, err := commit.Tree()
	if err != nil {
		return nil, fmt.Errorf("reading the tree of %s: %w", commit.Hash, err)
	}
	paths := make(tree)
	return paths, r.walk(ctx, root, "", paths)
}

// maxDepth bounds how deep folders may lie in one another.
const maxDepth = 512

// walk adds what lies below a folder. It is our own, because go-git's walker refuses
// names, such as those with a line break, that git allows.
func (r *Repository) walk(ctx context.Context, folder *object.Tree, prefix string, paths tree) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.Count(prefix, "/") > maxDepth {
		return userErrorf("the folders of the repository lie more than %d deep at %q", maxDepth, prefix)
	}
	for _, entry := range folder.Entries {
		path := prefix + entry.Name
		s := state{hash: entry.Hash.String()}
		switch entry.Mode {
		case filemode.Dir:
			below, err := r.git.TreeObject(entry.Hash)
			if err != nil {
				return fmt.Errorf("reading the folder %s: %w", path, err)
			}
			if err := r.walk(ctx, below, path+"/", paths); err != nil {
				return err
			}
			continue
		case filemode.Symlink:
			s.reason = "it is a symbolic link, which is not followed; put the file itself there"
		case filemode.Submodule:
			s.reason = "it is a submodule; put the file itself there"
		}
		paths[path] = s
	}
	return nil
}

func (r *Repository) size(hash string) (int64, error) {
	size, err := r.git.Storer.EncodedObjectSize(plumbing.NewHash(hash))
	if err != nil {
		return 0, fmt.Errorf("reading the size of object %s: %w", hash, err)
	}
	return size, nil
}

func (r *Repository) read(hash string) ([]byte, error) {
	blob, err := r.git.BlobObject(plumbing.NewHash(hash))
	if err != nil {
		return nil, fmt.Errorf("reading object %s: %w", hash, err)
	}
	reader, err := blob.Reader()
	if err != nil {
		return nil, fmt.Errorf("reading object %s: %w", hash, err)
	}
	content, err := io.ReadAll(reader)
	return content, errors.Join(err, reader.Close())
}
