package scenario

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
)

// slips are ways to break a line with one slip of the hand. Each returns the broken
// lines; a way that does not apply returns none.
var slips = map[string]func(line string) []string{
	"a character lost": func(line string) []string {
		var all []string
		for i, c := range line {
			if strings.ContainsRune("\"'=[]{},", c) {
				all = append(all, line[:i]+line[i+1:])
			}
		}
		return all
	},
	"quotes forgotten": func(line string) []string {
		if strings.Count(line, `"`) != 2 {
			return nil
		}
		return []string{strings.ReplaceAll(line, `"`, "")}
	},
	"curly quotes": func(line string) []string {
		if strings.Count(line, `"`) != 2 {
			return nil
		}
		return []string{strings.Replace(strings.Replace(line, `"`, "“", 1), `"`, "”", 1)}
	},
	"a colon for =": func(line string) []string {
		if !strings.Contains(line, " = ") {
			return nil
		}
		return []string{strings.Replace(line, " = ", ": ", 1)}
	},
	"words behind": func(line string) []string {
		if line == "" || strings.Contains(line, "#") || strings.HasSuffix(line, "[") {
			return nil
		}
		return []string{line + " and more", line + `"`, line + "]", line + ","}
	},
	"a line break": func(line string) []string {
		if i := strings.Index(line, " = "); i >= 0 {
			return []string{line[:i+2] + "\n" + line[i+3:]}
		}
		return nil
	},
}

// One slip in a file without problems gives problems of syntax, few of them, and no
// false ones of what it hid.
func TestOneSlip(t *testing.T) {
	for name, source := range corpusFiles(t, "good") {
		if len(source) > 4000 {
			continue
		}
		lines := strings.Split(string(source), "\n")
		multiline := false
		for i, line := range lines {
			if multiline = multiline != (strings.Count(line, `"""`)%2 == 1); multiline {
				continue
			}
			for slip, broken := range slips {
				for _, b := range broken(line) {
					text := strings.Join(lines[:i], "\n") + "\n" + b + "\n" + strings.Join(lines[i+1:], "\n")
					if i == 0 {
						text = b + "\n" + strings.Join(lines[1:], "\n")
					}
					checkSlip(t, fmt.Sprintf("%s:%d: %s", name, i+1, slip), b, text)
				}
			}
		}
	}
}

func checkSlip(t *testing.T, where, broken, text string) {
	t.Helper()
	f := Check([]byte(text))
	codes := map[string]int{}
	for _, d := range f.Diagnostics {
		codes[d.Code]++
	}
	var told []string
	for code, n := range codes {
		told = append(told, fmt.Sprintf("%d %s", n, code))
	}
	sort.Strings(told)
	if len(told) > 1 || codes[syntax.Code] != len(f.Diagnostics) || len(f.Diagnostics) > 2 {
		t.Errorf("%s\n%s", where, broken)
		for _, d := range f.Diagnostics {
			t.Log("   ", show(d))
		}
	}
}

// One slip hides no other problem, but where it leaves unclear what belongs to what:
// of a problem elsewhere in the file nearly all are still told.
func TestOneSlipHidesLittle(t *testing.T) {
	const planted = `environment = "Staging EU"`
	told, all := 0, 0
	for name, source := range corpusFiles(t, "good") {
		text := strings.Replace(string(source), `environment = "staging"`, planted, 1)
		if len(source) > 4000 || text == string(source) {
			continue
		}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if line == planted || strings.Contains(text, `"""`) {
				continue
			}
			for slip, broken := range slips {
				for _, b := range broken(line) {
					all++
					lines[i] = b
					if slices.ContainsFunc(Check([]byte(strings.Join(lines, "\n"))).Diagnostics, func(d Diagnostic) bool { return d.Code == badName.Code }) {
						told++
					} else {
						t.Logf("%s:%d: %s hides it: %s", name, i+1, slip, b)
					}
				}
			}
			lines[i] = line
		}
	}
	t.Logf("told in %d of %d", told, all)
	if all < 1000 || told < all*99/100 {
		t.Errorf("told in only %d of %d", told, all)
	}
}
