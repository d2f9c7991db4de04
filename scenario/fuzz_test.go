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
	// Found by fuzzing: a character of several bytes at the very end.
	f.Add([]byte("0\u200b"))
	f.Fuzz(func(t *testing.T, source []byte) {
		file := Check(source)
		holds(t, file)
		if file.OK() {
			sane(t, file)
		}
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

// sane checks what those who run a scenario rely on, once its file has no error.
func sane(t *testing.T, f *File) {
	t.Helper()
	s := f.Scenario
	is := func(ok bool, what string) {
		if !ok {
			t.Errorf("accepted, though not %s: %+v\n%s", what, s, f.Source())
		}
	}
	is(s.Format == FormatKnown && s.Name != "" && validName(s.Environment) && len(s.Targets) > 0, "a scenario")
	is(len(s.Assertions.Limits)+len(s.Assertions.Checks) > 0 || s.Objective != nil, "asserting anything")
	for _, target := range s.Targets {
		is(validName(target.Name) && validName(target.Connection) && (target.Proxy == "" || validName(target.Proxy)), "a target")
	}
	if l := s.Load; l != nil {
		_, known := s.Target(l.Target)
		is(known && l.Rate > 0 && l.Warmup >= 0 && l.Duration > l.Warmup && l.MaxInFlight >= 0 && len(l.Operations) > 0, "a load")
		is((l.Pattern == Step) == (l.Steps >= 2) && l.MeanRate() > 0 && l.Measured() > 0 && l.InFlight(s.Assertions) > 0, "a pattern")
		for _, o := range l.Operations {
			is((o.OpenAPI == "") != (o.GRPC == "") && o.Name() != "" && o.Weight >= 1 && (o.Codes == nil || o.Statuses == nil), "an operation")
		}
	}
	for _, e := range s.Timeline {
		if e.Action == ActionLog {
			is(e.Message != "" && e.Target == "", "a log entry")
			continue
		}
		target, known := s.Target(e.Target)
		is(known && target.Proxy != "" && e.For > 0 && e.At >= 0 && e.Fault.Type != "", "a fault")
		is(s.Load == nil || e.At+e.For <= s.Load.Duration, "lifted by the end of the load")
	}
	if o := s.Objective; o != nil {
		is(s.Load != nil && o.Window > 0 && (o.SuccessRate > 0 || o.P99 > 0) && o.SuccessRate < 1, "an objective")
	}
}
