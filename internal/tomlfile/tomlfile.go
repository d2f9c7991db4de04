// Package tomlfile reads the product's own configuration files: every key must be
// known, exactly as written, and every problem is told with its line. Decoding into
// structs by the TOML library compares keys without case and places no problem of a
// value, hence this package.
package tomlfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// MaxSize is the largest configuration file that is read, in bytes. The library looks
// for keys defined twice in the square of their number, so this bounds the time too.
const MaxSize = 256 << 10

// Problem is one thing that is wrong with a file.
type Problem struct {
	File    string
	Line    int    // from 1
	Key     string // the full key, such as plan.max_rate; empty where there is none
	Message string // one line, without a final stop
}

func (p Problem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Key, p.Message)
}

// Error is all problems of a file, in the order of their lines.
type Error []Problem

func (e Error) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// File is a configuration file that was read.
type File struct {
	name     string
	lines    map[string]int
	problems []Problem
}

// Read reads content into the struct that into points to, whose fields carry their
// key in the tag `toml`. Fields keep their value where the file has no key. A table of
// a map starts with what its type's SetDefaults gives it, if it has that method.
func Read(name string, content []byte, into any) *File {
	f := &File{name: name}
	if len(content) > MaxSize {
		f.problems = []Problem{{File: name, Line: 1, Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(content), MaxSize)}}
		return f
	}
	var all map[string]any
	if err := toml.Unmarshal(content, &all); err != nil {
		f.problems = []Problem{syntax(name, err)}
		return f
	}
	f.lines = index(content)
	f.decode(all, into)
	return f
}

func syntax(name string, err error) Problem {
	p := Problem{File: name, Line: 1, Message: "not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	var placed *toml.DecodeError
	if errors.As(err, &placed) {
		p.Line, _ = placed.Position()
	}
	return p
}

// Has tells whether the file has the key.
func (f *File) Has(key string) bool {
	_, ok := f.lines[key]
	return ok
}

// Refuse notes a problem of a key. Its line is that of the key, or of the innermost
// table around it that the file has.
func (f *File) Refuse(key, format string, values ...any) {
	f.problems = append(f.problems, Problem{File: f.name, Line: f.line(key), Key: key, Message: fmt.Sprintf(format, values...)})
}

func (f *File) line(key string) int {
	for key != "" {
		if line, ok := f.lines[key]; ok {
			return line
		}
		key = key[:max(strings.LastIndexAny(key, ".["), 0)]
	}
	return 1
}

// Err is nil, or an Error with all problems.
func (f *File) Err() error {
	if len(f.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(f.problems, func(a, b Problem) int { return a.Line - b.Line })
	return Error(f.problems)
}
