package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/width"

	"github.com/inorbit-hr/reliability/scenario"
)

// Text writes a line a problem, in the form that the problem matcher reads, and a line
// for each file without an error.
func Text(w io.Writer, results []Result) error {
	return text(w, results, false)
}

// Terminal is Text for a terminal: the source line with the place marked follows each
// problem.
func Terminal(w io.Writer, results []Result) error {
	return text(w, results, true)
}

func text(w io.Writer, results []Result, source bool) error {
	out := bufio.NewWriter(w)
	for i := range results {
		r := &results[i]
		for _, d := range r.Diagnostics {
			fmt.Fprintln(out, line(r.Path, d))
			if source {
				excerpt(out, r.Lines[d.Range.Start.Line], d.Range)
			}
		}
		if r.OK() {
			fmt.Fprintf(out, "ok %s (%s)\n", visible(r.Path), visible(r.Name))
		}
	}
	return out.Flush()
}

// line is a problem on a line: error FILE: LINE:COLUMN: MESSAGE [code].
func line(path string, d scenario.Diagnostic) string {
	return fmt.Sprintf("%s %s: %d:%d: %s [%s]", d.Severity, visible(path), d.Range.Start.Line, d.Range.Start.Column, visible(d.Message), d.Code)
}

// maxExcerpt bounds a source line that is shown, in code points: a longer one would
// fill the terminal.
const maxExcerpt = 160

// excerpt writes the source line of a place, and marks the place under it.
func excerpt(out io.Writer, text string, at scenario.Range) {
	source := []rune(text)
	if len(source) == 0 || len(source) > maxExcerpt {
		return
	}
	start := min(at.Start.Column-1, len(source))
	end := len(source)
	if at.End.Line == at.Start.Line {
		end = min(at.End.Column-1, len(source))
	}
	number := fmt.Sprintf("%5d | ", at.Start.Line)
	var shownLine, mark strings.Builder
	for i, r := range source {
		cell := visible(string(r))
		if r == '\t' {
			cell = " "
		}
		shownLine.WriteString(cell)
		sign := " "
		if i >= start && i < end {
			sign = "^"
		}
		if i < end {
			mark.WriteString(strings.Repeat(sign, cells(cell)))
		}
	}
	under := mark.String()
	if start >= end {
		under += strings.Repeat(" ", max(0, start-end)) + "^"
	}
	fmt.Fprintf(out, "%s%s\n%s| %s\n", number, shownLine.String(), strings.Repeat(" ", len(number)-2), under)
}

// cells is the number of columns that a text takes on a terminal.
func cells(s string) int {
	n := 0
	for _, r := range s {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n++
		}
		n++
	}
	return n
}
