package change_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/internal/change"
)

// repo is a git repository made by git itself, so that what is read is what git
// writes.
type repo struct {
	t      *testing.T
	folder string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t: t, folder: t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(arguments ...string) string {
	r.t.Helper()
	command := exec.Command("git", arguments...)
	command.Dir = r.folder
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := command.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(path, content string) {
	r.t.Helper()
	target := filepath.Join(r.folder, path)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) commit() string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "a change")
	return r.git("rev-parse", "HEAD")
}

func (r *repo) find(base, head string) change.Change {
	r.t.Helper()
	repository, err := change.Open(r.folder)
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := repository.Find(r.t.Context(), change.Ask{Base: base, Head: head})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func scenarioText(name, rate string) string {
	return "[scenario]\nformat = 1\nname = \"" + name + "\"\nenvironment = \"staging\"\n\n" +
		"[targets]\napi = { connection = \"api\" }\n\n[load]\ntarget = \"api\"\nrate = " + rate +
		"\nduration = \"1m\"\n\n[[load.operations]]\nopenapi = \"me\"\n\n[assertions]\nmax_error_rate = 0.01\n"
}

// summary is a change's files in short: path, what became of it.
func summary(c change.Change) []string {
	var lines []string
	for _, f := range c.Files {
		line := f.Path
		switch {
		case f.Deleted:
			line += " deleted"
		case f.OldPath != "":
			line += " from " + f.OldPath
		case f.Unreadable != "":
			line += " unreadable"
		case f.Touched && f.Base == nil:
			line += " added"
		case f.Touched:
			line += " altered"
		}
		lines = append(lines, line)
	}
	return lines
}

func expect(t *testing.T, c change.Change, want ...string) {
	t.Helper()
	if got := summary(c); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestOddNames(t *testing.T) {
	r := newRepo(t)
	base := r.commit()
	names := []string{
		"scenarios/plain.toml", "scenarios/with space.toml", "scenarios/-leading.toml", "scenarios/new\nline.toml",
		"scenarios/quote\"d.toml", "scenarios/tab\there.toml", "scenarios/back\\slash.toml", "scenarios/ümläut-日本.toml",
		"scenarios/[a]{b}*?.toml", "services/a b/scenarios/deep/er.toml", "scenarios/not-utf8-\xff.toml",
	}
	for i, name := range names {
		r.write(name, scenarioText("s"+string(rune('a'+i)), "100"))
	}
	r.write("scenarios/readme.md", "no scenario")
	r.write("other/thing.toml", "no = 'scenario'")
	head := r.commit()
	want := make([]string, 0, len(names))
	slices.Sort(names)
	for _, name := range names {
		want = append(want, name+" added")
	}
	c := r.find(base, head)
	expect(t, c, want...)
	for _, f := range c.Files {
		if !strings.Contains(string(f.Head), "[scenario]") {
			t.Errorf("%q has the content %q", f.Path, f.Head)
		}
	}
}

func TestWhatBecameOfFiles(t *testing.T) {
	r := newRepo(t)
	for _, name := range []string{"altered", "deleted", "kept", "mode", "moved", "moved-and-altered", "left", "linked"} {
		r.write("scenarios/"+name+".toml", scenarioText(name, "100"))
	}
	base := r.commit()
	r.write("scenarios/altered.toml", scenarioText("altered", "50"))
	r.git("rm", "-q", "scenarios/deleted.toml")
	r.git("mv", "scenarios/moved.toml", "scenarios/there.toml")
	r.git("mv", "scenarios/moved-and-altered.toml", "scenarios/there-too.toml")
	r.write("scenarios/there-too.toml", scenarioText("moved-and-altered", "7"))
	r.git("mv", "scenarios/left.toml", "left.toml")
	r.git("rm", "-q", "scenarios/linked.toml")
	if err := os.Symlink("kept.toml", filepath.Join(r.folder, "scenarios/linked.toml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(r.folder, "scenarios/mode.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("scenarios/large.toml", "# "+strings.Repeat("x", 1<<20))
	head := r.commit()
	expect(t, r.find(base, head),
		"scenarios/altered.toml altered", "scenarios/deleted.toml deleted", "scenarios/large.toml unreadable",
		"scenarios/left.toml deleted", "scenarios/linked.toml unreadable", "scenarios/there-too.toml from scenarios/moved-and-altered.toml",
		"scenarios/there.toml from scenarios/moved.toml")
}

func TestNothingChanged(t *testing.T) {
	r := newRepo(t)
	r.write("scenarios/a.toml", scenarioText("a", "100"))
	base := r.commit()
	r.write("README.md", "words")
	expect(t, r.find(base, r.commit()))
}

// A base branch that went on does not make its own changes look like ours.
func TestCountsFromTheForkPoint(t *testing.T) {
	r := newRepo(t)
	r.write("scenarios/a.toml", scenarioText("a", "100"))
	r.commit()
	r.git("checkout", "-q", "-b", "ours")
	r.write("scenarios/ours.toml", scenarioText("ours", "100"))
	head := r.commit()
	r.git("checkout", "-q", "main")
	r.write("scenarios/theirs.toml", scenarioText("theirs", "100"))
	r.write(change.SettingsPath, "format = 1\nselect = \"changed\"\n")
	base := r.commit()
	c := r.find(base, head)
	expect(t, c, "scenarios/ours.toml added")
	if c.Base != base || c.SettingsFrom != base {
		t.Errorf("settings and base are not those of the base branch's tip")
	}
}

func TestSelect(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		want           []string
	}{
		{"changed", "format = 1\nselect = \"changed\"\n", []string{"scenarios/a.toml altered"}},
		{"affected means all without a table", "format = 1\n", []string{"scenarios/a.toml altered", "scenarios/b.toml", "scenarios/c.toml"}},
		{"all", "format = 1\nselect = \"all\"\n", []string{"scenarios/a.toml altered", "scenarios/b.toml", "scenarios/c.toml"}},
		{"affected", "format = 1\n[[affected]]\npaths = [\"src/**\"]\nscenarios = [\"scenarios/b.toml\"]\n", []string{"scenarios/a.toml altered", "scenarios/b.toml"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t)
			for _, name := range []string{"a", "b", "c"} {
				r.write("scenarios/"+name+".toml", scenarioText(name, "100"))
			}
			r.write(change.SettingsPath, test.settings)
			base := r.commit()
			r.write("scenarios/a.toml", scenarioText("a", "50"))
			r.write("src/main.go", "package main")
			expect(t, r.find(base, r.commit()), test.want...)
		})
	}
}

// The settings of the head decide nothing, and a broken file of the base is a problem
// on its line, never the default.
func TestSettingsAreThoseOfTheBase(t *testing.T) {
	r := newRepo(t)
	r.write("scenarios/a.toml", scenarioText("a", "100"))
	r.write(change.SettingsPath, "format = 1\nselect = \"all\"\n[gate]\nadvisory = []\n")
	base := r.commit()
	r.write(change.SettingsPath, "format = 1\nselect = \"changed\"\n[gate]\nadvisory = [\"**\"]\n")
	head := r.commit()
	c := r.find(base, head)
	expect(t, c, "scenarios/a.toml")
	if c.Files[0].Advisory {
		t.Error("a change made itself advisory")
	}
	r.write(change.SettingsPath, "format = 1\nselekt = \"all\"\nfoo = 1\n")
	broken := r.commit()
	c = r.find(broken, broken)
	if len(c.Problems) != 2 || c.Problems[0].Line != 2 || c.Problems[1].Line != 3 {
		t.Errorf("got the problems %+v", c.Problems)
	}
}

func TestUserErrors(t *testing.T) {
	r := newRepo(t)
	head := r.commit()
	repository, err := change.Open(r.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ base, head, want string }{
		{"no-such", head, "the base revision \"no-such\" is not a commit of this repository"},
		{head, "nor-this", "the head revision \"nor-this\" is not a commit of this repository"},
		{"", head, "the base revision \"\""},
		{strings.Repeat("a", 40), head, "is not a commit"},
	} {
		_, err := repository.Find(t.Context(), change.Ask{Base: test.base, Head: test.head})
		var user *change.UserError
		if !errors.As(err, &user) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("base %q, head %q: got %v", test.base, test.head, err)
		}
	}
	_, err = change.Open(t.TempDir())
	var user *change.UserError
	if !errors.As(err, &user) || !strings.Contains(err.Error(), "is not in a git repository") {
		t.Errorf("outside a repository: got %v", err)
	}
}

func TestShallowCloneSaysSo(t *testing.T) {
	r := newRepo(t)
	base := r.commit()
	r.write("scenarios/a.toml", scenarioText("a", "100"))
	head := r.commit()
	clone := &repo{t: t, folder: filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "-q", "--depth", "1", "file://"+r.folder, clone.folder)
	repository, err := change.Open(clone.folder)
	if err != nil {
		t.Fatal(err)
	}
	_, err = repository.Find(t.Context(), change.Ask{Base: base, Head: head})
	if err == nil || !strings.Contains(err.Error(), "the clone is shallow: check out with fetch-depth: 0") {
		t.Errorf("got %v", err)
	}
}

// Folders, extensions and worktrees that git itself makes.
func TestRepositoriesOfManyKinds(t *testing.T) {
	prepare := func(t *testing.T) (*repo, string, string) {
		r := newRepo(t)
		base := r.commit()
		r.write("scenarios/a.toml", scenarioText("a", "100"))
		return r, base, r.commit()
	}
	t.Run("a folder inside", func(t *testing.T) {
		r, base, head := prepare(t)
		inside := &repo{t: t, folder: filepath.Join(r.folder, "scenarios")}
		expect(t, inside.find(base, head), "scenarios/a.toml added")
	})
	t.Run("packed", func(t *testing.T) {
		r, base, head := prepare(t)
		r.git("gc", "-q", "--aggressive", "--prune=now")
		expect(t, r.find(base, head), "scenarios/a.toml added")
	})
	t.Run("a worktree", func(t *testing.T) {
		r, base, head := prepare(t)
		other := &repo{t: t, folder: filepath.Join(t.TempDir(), "other")}
		r.git("worktree", "add", "-q", other.folder)
		expect(t, other.find(base, head), "scenarios/a.toml added")
	})
	t.Run("extensions", func(t *testing.T) {
		r, base, head := prepare(t)
		r.git("config", "core.repositoryformatversion", "1")
		r.git("config", "extensions.worktreeConfig", "true")
		r.git("config", "extensions.partialClone", "origin")
		expect(t, r.find(base, head), "scenarios/a.toml added")
	})
	t.Run("a submodule in place of a file", func(t *testing.T) {
		r, _, head := prepare(t)
		r.git("rm", "-q", "-r", "scenarios")
		r.git("update-index", "--add", "--cacheinfo", "160000,"+head+",scenarios/a.toml")
		r.git("commit", "-q", "-m", "a submodule")
		c := r.find(head, r.git("rev-parse", "HEAD"))
		expect(t, c, "scenarios/a.toml unreadable")
	})
}
