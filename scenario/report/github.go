package report

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/inorbit-hr/reliability/scenario"
)

// maxCommands is how many annotations of each level GitHub shows of one step:
// https://docs.github.com/en/actions/reference/limits
const maxCommands = 10

// GitHub writes workflow commands, which GitHub shows as annotations. It shows the
// first few of a step, so what would be dropped is counted in the last one and written
// as text.
func GitHub(w io.Writer, results []Result) error {
	out := bufio.NewWriter(w)
	total := map[scenario.Severity]int{}
	for i := range results {
		for _, d := range results[i].Diagnostics {
			total[d.Severity]++
		}
	}
	left := map[scenario.Severity]int{}
	for severity, n := range total {
		left[severity] = n
		if n > maxCommands {
			left[severity] = maxCommands - 1
		}
	}
	for i := range results {
		r := &results[i]
		for _, d := range r.Diagnostics {
			if left[d.Severity] == 0 {
				fmt.Fprintln(out, line(r.Path, d))
				continue
			}
			left[d.Severity]--
			fmt.Fprintln(out, command(r.Path, d))
		}
		if r.OK() {
			fmt.Fprintf(out, "ok %s (%s)\n", visible(r.Path), visible(r.Name))
		}
	}
	for _, severity := range []scenario.Severity{scenario.Error, scenario.Warning} {
		if n := total[severity]; n > maxCommands {
			fmt.Fprintf(out, "::%s::%d more %ss are in the log of this step\n", severity, n-maxCommands+1, severity)
		}
	}
	return out.Flush()
}

// command is a problem as a workflow command. Columns are left out of a range over
// several lines, which GitHub does not take them for.
func command(path string, d scenario.Diagnostic) string {
	s, e := d.Range.Start, d.Range.End
	place := fmt.Sprintf("line=%d,endLine=%d", s.Line, e.Line)
	if s.Line == e.Line {
		// The last column of an annotation is part of it.
		place += fmt.Sprintf(",col=%d,endColumn=%d", s.Column, max(s.Column, e.Column-1))
	}
	file := strings.TrimPrefix(filepath.ToSlash(filepath.Clean(path)), "./")
	return fmt.Sprintf("::%s file=%s,%s,title=%s::%s", d.Severity, property(visible(file)), place, property(d.Code), data(visible(d.Message)))
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return escapeData.Replace(s) }
func property(s string) string { return escapeProperty.Replace(s) }
