package scenario

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// seeds are all files of the corpus.
func seeds(f testing.TB) [][]byte {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", "*", "*.toml"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no corpus: %v", err)
	}
	var all [][]byte
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, source)
	}
	return all
}

// FuzzCheck holds for every input: no panic, every range inside the file and in order,
// the same diagnostics twice, and nothing accepted that the TOML library refuses.
func FuzzCheck(f *testing.F) {
	for _, source := range seeds(f) {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		file := Check(source)
		holds(t, file)
		if again := Check(source); !reflect.DeepEqual(again.Diagnostics, file.Diagnostics) {
			t.Errorf("other diagnostics the second time:\n%v\n%v", file.Diagnostics, again.Diagnostics)
		}
		doc := tree.Parse(source, func(name string) bool { return fileTable.key(name) != nil })
		clean := len(doc.Problems)+len(doc.Duplicates)+len(doc.Invalid) == 0 && !doc.HasByteOrderMark()
		if p := doc.Oracle(); (p == nil) != clean && !doc.HasByteOrderMark() && len(doc.Invalid) == 0 {
			t.Errorf("the library says %v, the tree %v %v", p, doc.Problems, doc.Duplicates)
		}
	})
}

// holds checks what is true of every checked file.
func holds(t *testing.T, f *File) {
	t.Helper()
	size := len(f.Source())
	for _, d := range f.Diagnostics {
		s, e := d.Range.Start, d.Range.End
		if s.Offset < 0 || s.Offset > e.Offset || e.Offset > size {
			t.Errorf("range outside the file of %d bytes: %+v", size, d)
		}
		if s.Line < 1 || s.Column < 1 || s.Line > e.Line || s.Line == e.Line && s.Column > e.Column {
			t.Errorf("range out of order: %+v", d)
		}
		if d.Message == "" || d.Message != oneLine(d.Message) {
			t.Errorf("message is not one line of text: %q", d.Message)
		}
	}
	told := map[Diagnostic]bool{}
	for _, d := range f.Diagnostics {
		if told[d] {
			t.Errorf("told twice: %v", d)
		}
		told[d] = true
	}
	for i := 1; i < len(f.Diagnostics); i++ {
		a, b := f.Diagnostics[i-1].Range.Start, f.Diagnostics[i].Range.Start
		if a.Line > b.Line || a.Line == b.Line && a.Column > b.Column {
			t.Errorf("not sorted: %v before %v", f.Diagnostics[i-1], f.Diagnostics[i])
		}
	}
}
