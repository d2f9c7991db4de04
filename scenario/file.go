package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// OK tells whether the file has no error; warnings refuse nothing.
func (f *File) OK() bool {
	for i := range f.Diagnostics {
		if f.Diagnostics[i].Severity == Error {
			return false
		}
	}
	return true
}

// Hash is the lower-case hexadecimal SHA-256 of the file's exact bytes: the name of
// its version.
func (f *File) Hash() string {
	sum := sha256.Sum256(f.source)
	return hex.EncodeToString(sum[:])
}

// Source returns the file's exact bytes. They must not be changed.
func (f *File) Source() []byte { return f.source }

// Line returns line n, counted from 1, without its end. A line that the file does not
// have is empty.
func (f *File) Line(n int) string {
	if f.doc == nil {
		return ""
	}
	return f.doc.Line(n)
}

// Find returns where a thing stands, by its path, such as scenario.name,
// targets.api.connection, load.operations[0].openapi, timeline[1].fault.latency or
// objective. A quoted key counts by its decoded name. It finds what the file has,
// right or wrong; where a list stands for one table, as [[scenario]] does, the path
// goes on in its first. A file over MaxSize has nothing.
func (f *File) Find(path string) (Place, bool) {
	if f.doc == nil || path == "" {
		return Place{}, false
	}
	n, m := find(f.doc.Root, nil, path)
	if n == nil {
		return Place{}, false
	}
	value := f.rangeOf(n.Span)
	if m == nil || n.HasHeader() {
		return Place{Key: value, Value: value}, true
	}
	return Place{Key: f.rangeOf(m.Key), Value: value}, true
}

// find follows a path; a name may hold dots, so every name that the path starts with
// is tried.
func find(n *tree.Node, m *tree.Member, path string) (*tree.Node, *tree.Member) {
	if path == "" {
		return n, m
	}
	if path[0] == '[' {
		end := strings.IndexByte(path, ']')
		if end < 0 || n.Kind != tree.List {
			return nil, nil
		}
		i, err := strconv.Atoi(path[1:end])
		if err != nil || i < 0 || i >= len(n.Items) {
			return nil, nil
		}
		return find(n.Items[i], nil, path[end+1:])
	}
	if m != nil && n.Kind == tree.List && n.Form == tree.ListHeader {
		if k := fileTable.key(m.Name); k != nil && k.kind != kindTables {
			n = n.Items[0]
		}
	}
	if n.Kind != tree.Table {
		return nil, nil
	}
	if m != nil || n.Parent() != nil {
		var ok bool
		if path, ok = strings.CutPrefix(path, "."); !ok {
			return nil, nil
		}
	}
	for _, m := range n.Members {
		rest, ok := strings.CutPrefix(path, m.Name)
		if !ok || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		if found, at := find(m.Value, m, rest); found != nil {
			return found, at
		}
	}
	return nil, nil
}

func (f *File) rangeOf(s tree.Span) Range {
	return Range{Start: f.position(s.Start), End: f.position(s.End)}
}

func (f *File) position(offset int) Position {
	line, column := f.doc.Position(offset)
	return Position{Line: line, Column: column, Offset: offset}
}

// Sort brings diagnostics into the order in which they are told: by position, then
// errors before warnings, then by code.
func Sort(all []Diagnostic) {
	slices.SortStableFunc(all, func(a, b Diagnostic) int {
		for _, d := range []int{
			a.Range.Start.Line - b.Range.Start.Line,
			a.Range.Start.Column - b.Range.Start.Column,
			strings.Compare(string(a.Severity), string(b.Severity)),
			strings.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message),
		} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
}
