package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/scenario"
)

var update = flag.Bool("update", false, "write the golden files")

const source = "[scenario]\n" +
	"format = 1\n" +
	"name = \"Größe 日本 🦊\" # a comment\n" +
	"environment = \"Staging EU\"\n" +
	"naem\t= \"\u00e9\"\n" +
	"[targets]\n" +
	"api = { connection = \"日本語\", proxy = \"edge\" }\n" +
	"search = { connection = \"search-staging\" }\n" +
	"[load]\n" +
	"target = \"api\"\nrate = 50\nduration = \"5m\"\noperations = [{ openapi = \"pets.list\" }]\n" +
	"[assertions]\n" +
	"max_error_rate = 5\n" +
	"skip = 100%,\n"

// results are one of each kind: a good file, a file with errors, warnings only, a path
// that could not be read, and a path that tries to speak for the checker.
func results(t *testing.T) []Result {
	t.Helper()
	good, err := os.ReadFile("../testdata/corpus/good/minimal.toml")
	if err != nil {
		t.Fatal(err)
	}
	warn, err := os.ReadFile("../testdata/corpus/warn/unused-target.toml")
	if err != nil {
		t.Fatal(err)
	}
	start := scenario.Position{Line: 1, Column: 1}
	unreadable := scenario.Diagnostic{
		Code: Unreadable, Severity: scenario.Error, Range: scenario.Range{Start: start, End: start}, Message: "is a directory; name the files in it",
	}
	online := scenario.Diagnostic{
		Code: "unknown-connection", Severity: scenario.Error,
		Range:   scenario.Range{Start: scenario.Position{Line: 7, Column: 22}, End: scenario.Position{Line: 8, Column: 3}},
		Message: "the account has no such connection\r\n::error::injected", Suggestion: "public-api-staging",
	}
	return []Result{
		Of("scenarios/minimal.toml", scenario.Check(good)),
		Of("./scenarios/100%,a:b.toml", scenario.Check([]byte(source)), online),
		Of("scenarios/unused.toml", scenario.Check(warn)),
		{Path: "scenarios", Diagnostics: []scenario.Diagnostic{unreadable}},
		{Path: "a\n::error::in\u202ejected\x1b[0m\xff", Diagnostics: []scenario.Diagnostic{unreadable}},
	}
}

func TestGolden(t *testing.T) {
	for name, write := range map[string]Writer{
		"text.txt": Text, "terminal.txt": Terminal, "report.json": JSON, "report.sarif": SARIF, "github.txt": GitHub,
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out, results(t)); err != nil {
				t.Fatal(err)
			}
			golden(t, name, out.Bytes())
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("not as in %s (run with -update to write it):\n%s", path, got)
	}
}

// problemMatcher is the pattern of the problem matcher that users add to their
// workflow.
func problemMatcher(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile("../../docs/problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		ProblemMatcher []struct {
			Pattern []struct{ Regexp string }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(file.ProblemMatcher[0].Pattern[0].Regexp)
}

// Every line of the text form is read by the problem matcher, or says ok.
func TestTextMatches(t *testing.T) {
	matcher := problemMatcher(t)
	var out bytes.Buffer
	if err := Text(&out, results(t)); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if !matcher.MatchString(line) && !strings.HasPrefix(line, "ok ") {
			t.Errorf("no match: %q", line)
		}
	}
}

// No line that is printed for people is a workflow command, whatever stands in names
// and messages.
func TestNothingSpeaksForTheChecker(t *testing.T) {
	for name, write := range map[string]Writer{"text": Text, "terminal": Terminal} {
		var out bytes.Buffer
		if err := write(&out, results(t)); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' || r == '\r' }) {
			trimmed := strings.TrimSpace(line)
			if strings.HasPrefix(trimmed, "::") || strings.HasPrefix(trimmed, "##[") {
				t.Errorf("%s: a command: %q", name, line)
			}
		}
		if strings.ContainsAny(out.String(), "\x1b\u202e") {
			t.Errorf("%s: control characters: %q", name, out.String())
		}
	}
}

// A password in the file reaches no output.
func TestNoPassword(t *testing.T) {
	text := "[scenario]\nnaem = \"https://user:hunter2@db.example.org/x\"\nname = https://user:hunter2@db.example.org/x\n"
	all := []Result{Of("a.toml", scenario.Check([]byte(text)))}
	for name, write := range map[string]Writer{"text": Text, "terminal": Terminal, "json": JSON, "sarif": SARIF, "github": GitHub} {
		var out bytes.Buffer
		if err := write(&out, all); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), "never addresses") {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}

func TestGitHubLimits(t *testing.T) {
	var text strings.Builder
	text.WriteString("[scenario]\nformat = 1\nname = \"x\"\nenvironment = \"staging\"\n[targets]\napi = { connection = \"a\" }\n[assertions]\nchecks = [\"surfaces\"]\n")
	for i := range 14 {
		fmt.Fprintf(&text, "wrong_%d = 1\n", i)
	}
	all := []Result{Of("a.toml", scenario.Check([]byte(text.String())))}
	var out bytes.Buffer
	if err := GitHub(&out, all); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n::error") + 1; n != maxCommands {
		t.Errorf("%d error commands, GitHub shows %d:\n%s", n, maxCommands, out.String())
	}
	if !strings.Contains(out.String(), "::error::5 more errors are in the log of this step\n") || strings.Count(out.String(), "\nerror a.toml: ") != 5 {
		t.Errorf("what is left out is not told:\n%s", out.String())
	}
}

func TestFormats(t *testing.T) {
	for _, name := range append(Formats(), "") {
		if w, err := For(name); err != nil || w == nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if len(Formats()) != len(formats) {
		t.Errorf("%v are not all formats", Formats())
	}
	if _, err := For("xml"); err == nil || !strings.Contains(err.Error(), "text, json, sarif, github") {
		t.Errorf("%v", err)
	}
}

func TestWritersTellErrors(t *testing.T) {
	for name, write := range formats {
		if err := write(fullWriter{}, results(t)); err == nil {
			t.Errorf("%s: no error though nothing was written", name)
		}
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("full") }
