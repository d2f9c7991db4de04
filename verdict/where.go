package verdict

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inorbit-hr/reliability/scenario"
)

// where is a place in a scenario's file; the zero where is the file as a whole.
type where struct {
	r scenario.Range
}

func (w where) known() bool { return w.r.Start.Line > 0 }

// finder finds places in one scenario's file, which may not be there.
type finder struct {
	file *scenario.File
}

// name is the value on the line that names the scenario.
func (f finder) name() where {
	for _, path := range []string{"scenario.name", "scenario"} {
		if w, ok := f.value(path); ok {
			return w
		}
	}
	return where{}
}

// measure is the key with its value of a limit, of a check in the list of checks, or
// of a part of the objective; else the nearest thing around it.
func (f finder) measure(key string) where {
	paths := []string{"assertions." + key, "assertions"}
	if part, ok := strings.CutPrefix(key, "objective."); ok {
		paths = []string{"objective." + part, "objective"}
	} else if check, ok := strings.CutPrefix(key, "checks."); ok {
		paths = []string{"assertions.checks", "assertions"}
		if f.file != nil {
			for i, name := range f.file.Scenario.Assertions.Checks {
				if name == check {
					paths = append([]string{fmt.Sprintf("assertions.checks[%d]", i)}, paths...)
				}
			}
		}
	}
	for _, path := range paths {
		if w, ok := f.whole(path); ok {
			return w
		}
	}
	return f.name()
}

// fault is the fault of an entry of the timeline.
func (f finder) fault(entry int) (where, bool) {
	for _, path := range []string{fmt.Sprintf("timeline[%d].fault", entry), fmt.Sprintf("timeline[%d]", entry)} {
		if w, ok := f.value(path); ok {
			return w, true
		}
	}
	return where{}, false
}

func (f finder) value(path string) (where, bool) {
	if f.file == nil {
		return where{}, false
	}
	place, ok := f.file.Find(path)
	return where{place.Value}, ok
}

// whole is from the key to the end of the value, where both stand on one line.
func (f finder) whole(path string) (where, bool) {
	if f.file == nil {
		return where{}, false
	}
	place, ok := f.file.Find(path)
	r := scenario.Range{Start: place.Key.Start, End: place.Value.End}
	if r.Start.Line != r.End.Line || r.Start.Column >= r.End.Column {
		r = place.Key
	}
	return where{r}, ok
}

// spot is where an annotation stands: always inside the file.
type spot struct {
	startLine, endLine     int
	startColumn, endColumn int // 0 where there is no one line to mark
	source                 string
	sourceColumn           int
}

// place brings a place into the file's bounds; without a file it is line 1.
func (f finder) place(w where) spot {
	if f.file == nil || !w.known() {
		return spot{startLine: 1, endLine: 1, source: f.excerpt(1, 1), sourceColumn: 1}
	}
	lines := lineCount(f.file.Source())
	s := spot{startLine: min(w.r.Start.Line, lines), endLine: min(w.r.End.Line, lines)}
	if s.endLine > s.startLine && w.r.End.Column <= 1 && w.r.End.Line == s.endLine {
		s.endLine-- // it ends with the line before
	}
	s.endLine = max(s.endLine, s.startLine)
	s.sourceColumn = 1
	if s.startLine == s.endLine && s.startLine == w.r.Start.Line && w.r.Start.Column > 0 {
		behind := utf8.RuneCountInString(f.file.Line(s.startLine)) + 1
		s.startColumn = min(w.r.Start.Column, behind)
		s.endColumn = behind
		if w.r.End.Line == s.startLine {
			s.endColumn = min(w.r.End.Column, behind)
		}
		s.endColumn = max(s.endColumn, s.startColumn)
		s.sourceColumn = max(1, s.startColumn-maxSource/2)
	}
	s.source = f.excerpt(s.startLine, s.sourceColumn)
	return s
}

// excerpt is what a line has from a column on, at most maxSource code points.
func (f finder) excerpt(line, column int) string {
	if f.file == nil {
		return ""
	}
	text := f.file.Line(line)
	text = text[len(cut(text, column-1)):]
	return cut(text, maxSource)
}

// lineCount is how many lines a file has, at least 1.
func lineCount(source []byte) int {
	n := bytes.Count(source, []byte{'\n'})
	if n == 0 || !bytes.HasSuffix(source, []byte{'\n'}) {
		n++
	}
	return n
}
