package scenario

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// corpusFiles are the files of one kind, by name: those of the corpus, and variants of
// our own that are marked in the same way.
func corpusFiles(t testing.TB, kind string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, set := range []string{"corpus", "variants"} {
		paths, err := filepath.Glob(filepath.Join("testdata", set, kind, "*.toml"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no %s files in the %s: %v", kind, set, err)
		}
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(path)
			if set == "variants" {
				name = set + "/" + name
			}
			files[name] = source
		}
	}
	return files
}

// mark is a diagnostic that a file of the corpus asks for.
type mark struct{ place, code, gist string }

var markPattern = regexp.MustCompile(`^(\d+:\d+) ([a-z0-9-]+) (.*)$`)

// marksOf reads the marker on the first line of a file.
func marksOf(t *testing.T, source []byte, word string) []mark {
	t.Helper()
	line, _, _ := bytes.Cut(bytes.TrimPrefix(source, []byte("\ufeff")), []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	text, ok := strings.CutPrefix(string(line), "# "+word+" ")
	if !ok {
		t.Fatalf("no marker: %q", line)
	}
	var marks []mark
	for _, one := range strings.Split(text, " || ") {
		m := markPattern.FindStringSubmatch(one)
		if m == nil {
			t.Fatalf("bad marker: %q", one)
		}
		marks = append(marks, mark{m[1], m[2], m[3]})
	}
	return marks
}

// otherWords are gists that a message says in other words.
var otherWords = map[string]string{}

// normal drops case and punctuation, so that a gist is found across quotes.
func normal(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '%' || r == '.' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func show(d Diagnostic) string {
	return fmt.Sprintf("%s %d:%d %s %s", d.Severity, d.Range.Start.Line, d.Range.Start.Column, d.Code, d.Message)
}

func TestCorpusGood(t *testing.T) {
	for name, source := range corpusFiles(t, "good") {
		t.Run(name, func(t *testing.T) {
			f := Check(source)
			sane(t, f)
			for _, d := range f.Diagnostics {
				t.Error(show(d))
			}
		})
	}
}

func TestCorpusMarked(t *testing.T) {
	for kind, word := range map[string]string{"bad": "want", "warn": "warn"} {
		for name, source := range corpusFiles(t, kind) {
			t.Run(kind+"/"+name, func(t *testing.T) {
				checkMarks(t, name, Check(source), marksOf(t, source, word), kind)
			})
		}
	}
}

func checkMarks(t *testing.T, name string, f *File, marks []mark, kind string) {
	t.Helper()
	if f.OK() != (kind == "warn") {
		t.Errorf("OK() is %v", f.OK())
	}
	if len(f.Diagnostics) != len(marks) {
		t.Errorf("%d diagnostics, want %d", len(f.Diagnostics), len(marks))
	}
	for i, d := range f.Diagnostics {
		if i >= len(marks) {
			t.Error("extra:", show(d))
			continue
		}
		m := marks[i]
		place := fmt.Sprintf("%d:%d", d.Range.Start.Line, d.Range.Start.Column)
		if place != m.place || d.Code != m.code {
			t.Errorf("%s, want %s %s", show(d), m.place, m.code)
		}
		gist := m.gist
		if said := otherWords[name]; said != "" {
			gist = said
		}
		if !strings.Contains(normal(d.Message), normal(gist)) {
			t.Errorf("%s: message %q does not say %q", name, d.Message, gist)
		}
	}
	for _, m := range marks[min(len(marks), len(f.Diagnostics)):] {
		t.Errorf("missing: %v", m)
	}
}
