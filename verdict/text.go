package verdict

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// WriteText writes the verdict for a log or a terminal: a block for each scenario, with the
// deciding lines of its file, and the title last. It is plain text without colours,
// and no line of it can be taken for a workflow command.
func (v Verdict) WriteText(w io.Writer) error {
	t := textWriter{}
	for _, p := range v.Problems {
		t.line("INVALID   %s", p.text())
	}
	if len(v.Problems) > 0 {
		t.line("")
	}
	for i := range v.Scenarios {
		t.scenario(&v.Scenarios[i], v.of(v.Scenarios[i].Path))
	}
	for _, note := range v.Notes {
		t.line("Note: %s", note)
	}
	if len(v.Notes) > 0 {
		t.line("")
	}
	t.line("Verdict: %s", v.Title)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// of are the annotations of a path, worst first.
func (v *Verdict) of(path string) []Annotation {
	var all []Annotation
	for _, a := range v.Annotations {
		if a.Path == path {
			all = append(all, a)
		}
	}
	return all
}

type textWriter struct{ b strings.Builder }

func (t *textWriter) line(format string, args ...any) {
	t.b.WriteString(logLine(fmt.Sprintf(format, args...)))
	t.b.WriteByte('\n')
}

// logLine keeps a line from being taken for a command by the runner of GitHub Actions,
// which takes "::" at a line's start and "##[" anywhere for one. Characters are
// replaced by ones that can be seen: the runner skips what cannot.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
func logLine(line string) string {
	line = strings.ReplaceAll(line, "##[", "#·[")
	if strings.HasPrefix(strings.TrimSpace(line), "::") {
		line = strings.Replace(line, "::", "·:", 1)
	}
	return strings.TrimRight(line, " \t")
}

func (t *textWriter) scenario(s *Judged, annotations []Annotation) {
	name := s.Name
	if s.Advisory {
		name += " (advisory)"
	}
	t.line("%-8s  %s  (%s)", badge(s), name, shownPath(s.Path))
	t.annotations(annotations)
	// The notice of a run that passed tells its values already.
	told := slices.ContainsFunc(annotations, func(a Annotation) bool { return a.Level == Notice })
	if !told && len(s.Measured) > 0 {
		t.line("  Measured:")
		for i := range s.Measured {
			m := &s.Measured[i]
			t.line("    %-10s  %s", m.Decision, join(": ", m.line(), m.evidence()))
		}
	}
	if s.Picture != nil {
		for _, line := range strings.Split(s.Picture.bars(), "\n") {
			t.line("  %s", line)
		}
	}
	for i := range s.Faults {
		t.line("  Fault: %s", s.Faults[i].sentence())
	}
	for _, d := range s.Differences {
		t.line("  Changed (%s): %s", d.Direction, d.Message)
	}
	t.line("")
}

// badge is a scenario's state in a column.
func badge(s *Judged) string {
	if s.State == None {
		switch {
		case s.Deleted:
			return "DELETED"
		case s.Skipped != "":
			return "SKIPPED"
		}
		return "CHECKED"
	}
	if s.State == Inconclusive {
		return "UNKNOWN"
	}
	return strings.ToUpper(string(s.State))
}

// sentence says what a fault did: "latency on engine from 1m to 3m, lifted and proved
// so; 12,000 requests met it, 12,000 were affected".
func (f *Fault) sentence() string {
	text := f.Type + " on " + f.Target
	switch {
	case f.Applied == nil:
		text += " was never applied"
	case f.Lifted == nil:
		text += " from " + clock(*f.Applied) + ", not lifted"
	case f.Proved:
		text += " from " + clock(*f.Applied) + " to " + clock(*f.Lifted) + ", shown to be lifted"
	default:
		text += " from " + clock(*f.Applied) + " to " + clock(*f.Lifted) + ", not shown to be lifted"
	}
	text += fmt.Sprintf("; %s requests met it, %s were affected", count(f.Met), count(f.Affected))
	return withReason(text, f.Note)
}

func (t *textWriter) annotations(all []Annotation) {
	for i := range all {
		a := &all[i]
		lines := strings.Split(a.Message, "\n")
		t.line("  %s: %s: %s", a.place(), a.Level, lines[0])
		t.excerpt(a)
		for _, line := range lines[1:] {
			t.line("      %s", line)
		}
	}
}

// place is file:line:column, or file:line where no one column is meant.
func (a *Annotation) place() string {
	text := fmt.Sprintf("%s:%d", shownPath(a.Path), a.StartLine)
	if a.StartColumn > 0 {
		text += fmt.Sprintf(":%d", a.StartColumn)
	}
	return text
}

// excerpt writes the source line with carets under what is meant.
func (t *textWriter) excerpt(a *Annotation) {
	if a.Source == "" {
		return
	}
	number := fmt.Sprint(a.StartLine)
	t.line("  %4s | %s", number, sourceLine(a.Source))
	if a.StartColumn == 0 {
		return
	}
	var under strings.Builder
	column := a.SourceColumn
	for _, r := range sourceLine(a.Source) {
		mark := ' '
		if column >= a.StartColumn && column < max(a.EndColumn, a.StartColumn+1) {
			mark = '^'
		}
		column++
		if r == '\t' && mark == ' ' {
			under.WriteByte('\t')
			continue
		}
		under.WriteString(strings.Repeat(string(mark), columns(r)))
	}
	if column <= a.StartColumn { // behind the line's end
		under.WriteByte('^')
	}
	t.line("  %*s | %s", max(4, len(number)), "", under.String())
}

// columns is how many columns of a terminal a character takes.
func columns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	return 1
}

// join puts what is not empty together.
func join(separator string, parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, separator)
}

// oneLine puts the lines of an annotation's message on one.
func oneLine(message string) string { return strings.ReplaceAll(message, "\n", "; ") }
