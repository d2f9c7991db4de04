// Package report writes what the check found: as text for people and problem matchers,
// as JSON, as SARIF for code scanning, and as GitHub's workflow commands.
//
// Whatever a file or its name holds, each thing told stays on one line, so that nothing
// in a change can speak for the checker.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/scenario/internal/address"
)

// Result is what is told of one path. It holds on to nothing of the file but what is
// told, so that thousands of files can be checked at once.
type Result struct {
	// Path is the path as the user named it.
	Path string
	// Name and SHA256 are those of the scenario; empty where the path could not be read.
	Name, SHA256 string
	// Diagnostics are sorted by position.
	Diagnostics []scenario.Diagnostic
	// Lines are the source lines, by number, on which the diagnostics start, but for
	// those with a password.
	Lines map[int]string
}

// Of is the result of a file that was checked, with what others found in it beside the
// rules of the file alone.
func Of(path string, f *scenario.File, more ...scenario.Diagnostic) Result {
	r := Result{Path: path, Name: f.Scenario.Name, SHA256: f.Hash(), Diagnostics: f.Diagnostics}
	if len(more) > 0 {
		r.Diagnostics = slices.Concat(f.Diagnostics, more)
		scenario.Sort(r.Diagnostics)
	}
	for _, d := range r.Diagnostics {
		r.keep(d.Range.Start.Line, f.Line(d.Range.Start.Line))
	}
	return r
}

// Add adds a diagnostic that starts on the source line given.
func (r *Result) Add(d scenario.Diagnostic, line string) {
	r.Diagnostics = append(slices.Clip(r.Diagnostics), d)
	scenario.Sort(r.Diagnostics)
	r.keep(d.Range.Start.Line, line)
}

// keep keeps a source line.
func (r *Result) keep(n int, line string) {
	if _, done := r.Lines[n]; done || secret(line) {
		return
	}
	if r.Lines == nil {
		r.Lines = map[int]string{}
	}
	r.Lines[n] = strings.Clone(line)
}

// masked is what an address shows where a user's name or password stood.
const masked = "***"

// secret tells whether a line holds an address with a user's name or password, which
// no log should repeat.
func secret(line string) bool {
	return slices.ContainsFunc(address.Find(line, address.Text), func(m address.Match) bool {
		return strings.Contains(m.Shown, masked)
	})
}

// OK tells whether the path has no error.
func (r *Result) OK() bool {
	for i := range r.Diagnostics {
		if r.Diagnostics[i].Severity == scenario.Error {
			return false
		}
	}
	return true
}

// Writer writes results in one format.
type Writer func(w io.Writer, results []Result) error

// formats are the formats by name.
var formats = map[string]Writer{"text": Text, "json": JSON, "sarif": SARIF, "github": GitHub}

// Formats are the names of the formats, the default first.
func Formats() []string { return []string{"text", "json", "sarif", "github"} }

// For returns the writer of a format; the empty name is text.
func For(format string) (Writer, error) {
	if format == "" {
		format = "text"
	}
	if w, ok := formats[format]; ok {
		return w, nil
	}
	return nil, fmt.Errorf("unknown format %q; the formats are %s", format, strings.Join(Formats(), ", "))
}

// visible keeps a text on one line and shows what cannot be seen: control characters,
// line separators, characters that turn the text's direction, and bytes that are not
// UTF-8.
func visible(text string) string {
	clean := true
	for _, r := range text {
		if !shown(r) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case shown(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

func shown(r rune) bool {
	return r != utf8.RuneError && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
