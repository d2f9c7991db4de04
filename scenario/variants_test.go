package scenario

import (
	"bytes"
	"strings"
	"testing"
)

// place is what must stay the same of a diagnostic when a file is written otherwise.
type place struct {
	line, column int
	code         string
}

func placesIn(f *File) []place {
	var all []place
	for _, d := range f.Diagnostics {
		all = append(all, place{d.Range.Start.Line, d.Range.Start.Column, d.Code})
	}
	return all
}

func samePlaces(t *testing.T, have, want []place, source []byte) {
	t.Helper()
	if len(have) != len(want) {
		t.Errorf("%v, want %v\n%s", have, want, source)
		return
	}
	for i := range want {
		if have[i] != want[i] {
			t.Errorf("%v, want %v\n%s", have[i], want[i], source)
		}
	}
}

func eachCorpusFile(t *testing.T, do func(t *testing.T, source []byte)) {
	for _, kind := range []string{"good", "warn", "bad"} {
		for name, source := range corpusFiles(t, kind) {
			t.Run(kind+"/"+name, func(t *testing.T) { do(t, source) })
		}
	}
}

// With CRLF for LF everything stands where it stood.
func TestLineEnds(t *testing.T) {
	eachCorpusFile(t, func(t *testing.T, source []byte) {
		if bytes.Contains(source, []byte{'\r'}) {
			return
		}
		crlf := bytes.ReplaceAll(source, []byte("\n"), []byte("\r\n"))
		if len(crlf) > MaxSize {
			return
		}
		f := Check(crlf)
		samePlaces(t, placesIn(f), placesIn(Check(source)), crlf)
		holds(t, f)
	})
}

// A byte-order mark is told and moves nothing else.
func TestByteOrderMarkMovesNothing(t *testing.T) {
	eachCorpusFile(t, func(t *testing.T, source []byte) {
		marked := append([]byte("\ufeff"), source...)
		if bytes.HasPrefix(source, []byte("\ufeff")) || len(marked) > MaxSize {
			return
		}
		f := Check(marked)
		want := append([]place{{1, 1, byteOrderMark.Code}}, placesIn(Check(source))...)
		samePlaces(t, placesIn(f), want, marked)
		if f.Line(1) != Check(source).Line(1) {
			t.Errorf("line 1 is %q", f.Line(1))
		}
		holds(t, f)
	})
}

// A blank before every line moves columns by one, and what is told of the file as a
// whole not at all.
func TestIndentation(t *testing.T) {
	for _, blank := range []string{" ", "\t"} {
		eachCorpusFile(t, func(t *testing.T, source []byte) {
			if bytes.Contains(source, []byte(`"""`)) || bytes.Contains(source, []byte(`'''`)) || bytes.HasPrefix(source, []byte("\ufeff")) {
				return
			}
			lines := strings.SplitAfter(string(source), "\n")
			indented := []byte(blank + strings.Join(lines[:len(lines)-1], blank))
			if last := lines[len(lines)-1]; last != "" {
				indented = append(indented, blank+last...)
			}
			if len(indented) > MaxSize {
				return
			}
			want := placesIn(Check(source))
			for i := range want {
				if d := Check(source).Diagnostics[i]; d.Range.End.Offset > 0 {
					want[i].column++
				}
			}
			samePlaces(t, placesIn(Check(indented)), want, indented)
		})
	}
}

// Comments with characters of every width, above and behind, move lines and nothing
// else.
func TestCommentsAround(t *testing.T) {
	const comment = "# Größe 日本語 🦊\n\n"
	eachCorpusFile(t, func(t *testing.T, source []byte) {
		below := append([]byte(comment), source...)
		if len(below) > MaxSize || bytes.HasPrefix(source, []byte("\ufeff")) {
			return
		}
		want := placesIn(Check(source))
		for i := range want {
			if d := Check(source).Diagnostics[i]; d.Range.End.Offset > 0 {
				want[i].line += 2
			}
		}
		samePlaces(t, placesIn(Check(below)), want, below)
	})
}
