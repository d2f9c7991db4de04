// Package change finds what a change touches: which scenario files, from which
// commit, and the settings that its base branch gives them.
package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inorbit-hr/reliability/scenario"
)

// Change is one change to a repository: two commits, and the scenario files that it
// is judged by.
type Change struct {
	Origin
	// Base and Head are full commit hashes. Content and lines are those of Head.
	Base string
	Head string
	// SettingsFrom is the commit that Settings, and an embedded bench's
	// configuration, are read from: Base, or the tip of the default branch. A
	// change cannot alter its own.
	SettingsFrom string
	Settings     Settings
	// Files are the selected scenario files, sorted by path, deleted ones included.
	Files []File
	// Problems concern the change as a whole, such as settings that cannot be read.
	Problems []Problem
	// Notes are told to the reader and decide nothing.
	Notes []string
}

// Origin is where a change comes from. All of it may be empty on a laptop.
type Origin struct {
	Repository  string // host and path, such as github.com/owner/name
	PullRequest int    // 0 without one
	MergeGroup  string // the ref of a merge group
	Ref         string // the branch of a push, or of a run by hand
	BaseRef     string // the branch that the change is meant for
	Actor       string // who made it
	Fork        bool   // the head lives in another repository
}

// File is one scenario file of a change.
type File struct {
	// Path is relative to the repository, with slashes.
	Path string
	// OldPath is where the file stood at Base, when the change renamed it.
	OldPath string
	// Touched tells that the change added, altered or renamed the file; without it
	// the file was selected for what else the change touches.
	Touched bool
	// Deleted tells that Head has no such scenario any more.
	Deleted bool
	// Head is the content at Head, nil when deleted or unreadable.
	Head []byte
	// Base is the content at Base, nil when the file is new.
	Base []byte
	// Unreadable says why there is no content at Head, in words for a user.
	Unreadable string
	// Advisory tells that Base's settings show this file's result and do not let
	// it block.
	Advisory bool
}

// Problem is something wrong with the change as a whole, on a line of a file.
type Problem struct {
	Path    string
	Line    int // from 1; 0 where no line is known
	Message string
}

// state is how a path looks in one commit.
type state struct {
	hash   string
	reason string // why it is not a readable file; empty for one
}

// tree is what is needed of one commit: every path with its state.
type tree map[string]state

// source reads a commit, wherever it is kept.
type source interface {
	size(hash string) (int64, error) // bytes
	read(hash string) ([]byte, error)
}

// assemble selects the scenario files between two trees and reads them.
func assemble(settings Settings, base, head tree, from source) ([]File, error) {
	touchedPaths := differing(base, head)
	touched := make(map[string]bool)
	for _, path := range touchedPaths {
		touched[path] = true
	}
	var files []File
	for path := range head {
		if !settings.Selects(path, touched[path], touchedPaths) {
			continue
		}
		file, err := readFile(path, base, head, from)
		if err != nil {
			return nil, err
		}
		file.Touched = touched[path]
		files = append(files, file)
	}
	var deleted []File
	for _, path := range touchedPaths {
		if _, kept := head[path]; kept || !settings.IsScenario(path) {
			continue
		}
		file, err := readFile(path, base, head, from)
		if err != nil {
			return nil, err
		}
		file.Touched, file.Deleted = true, true
		deleted = append(deleted, file)
	}
	files = pairRenames(files, deleted, base, head)
	for i := range files {
		files[i].Advisory = settings.IsAdvisory(files[i].Path) && (files[i].OldPath == "" || settings.IsAdvisory(files[i].OldPath))
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// differing lists the paths whose content differs, sorted. A change of mode alone is
// none: the meaning is the same.
func differing(base, head tree) []string {
	var paths []string
	for path, s := range head {
		if before, ok := base[path]; !ok || before.hash != s.hash || before.reason != s.reason {
			paths = append(paths, path)
		}
	}
	for path := range base {
		if _, kept := head[path]; !kept {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func readFile(path string, base, head tree, from source) (File, error) {
	file := File{Path: path}
	var err error
	if s, ok := head[path]; ok {
		if file.Head, file.Unreadable, err = content(s, from); err != nil {
			return File{}, fmt.Errorf("reading %s at the head commit: %w", path, err)
		}
	}
	if s, ok := base[path]; ok {
		if file.Base, _, err = content(s, from); err != nil {
			return File{}, fmt.Errorf("reading %s at the base commit: %w", path, err)
		}
	}
	return file, nil
}

// content reads a file, or says in a user's words why it holds no scenario that can
// be read. The size is looked at before anything is loaded.
func content(s state, from source) ([]byte, string, error) {
	if s.reason != "" {
		return nil, s.reason, nil
	}
	size, err := from.size(s.hash)
	if err != nil {
		return nil, "", err
	}
	if size > scenario.MaxSize {
		return nil, fmt.Sprintf("the file has %d bytes; a scenario may have at most %d", size, scenario.MaxSize), nil
	}
	bytes, err := from.read(s.hash)
	return bytes, "", err
}

// pairRenames joins a deleted file with the added one that carries it on: the one of
// the same content, else the one of the same scenario name. What is left of the
// deleted files is deleted.
func pairRenames(files, deleted []File, base, head tree) []File {
	added := make(map[string]int) // by content, then by name
	for i, f := range files {
		if _, before := base[f.Path]; before || f.Head == nil {
			continue
		}
		added["hash "+head[f.Path].hash] = i
		if name := scenario.Check(f.Head).Scenario.Name; name != "" {
			added["name "+name] = i
		}
	}
	for _, d := range deleted {
		i, ok := added["hash "+base[d.Path].hash]
		if !ok && d.Base != nil {
			if name := scenario.Check(d.Base).Scenario.Name; name != "" {
				i, ok = added["name "+name]
			}
		}
		if ok && files[i].OldPath == "" {
			files[i].OldPath, files[i].Base = d.Path, d.Base
			continue
		}
		files = append(files, d)
	}
	return files
}
