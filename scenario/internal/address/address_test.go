package address

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"pgregory.net/rapid"
)

type sample struct {
	Kind  string `json:"kind"`
	Span  [2]int `json:"span"`
	Text  string `json:"text"`
	Where string `json:"where"`
	Why   string `json:"why"`
}

func samples(t testing.TB, file string) []sample {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		t.Fatalf("%s is empty", file)
	}
	return all
}

func (s sample) where(t testing.TB) Where {
	t.Helper()
	switch s.Where {
	case "text":
		return Text
	case "operation":
		return Operation
	}
	t.Fatalf("%q: unknown place %q", s.Text, s.Where)
	return 0
}

func TestRefused(t *testing.T) {
	for _, s := range samples(t, "refuse.jsonl") {
		got := Find(s.Text, s.where(t))
		if len(got) != 1 || got[0].Start != s.Span[0] || got[0].End != s.Span[1] || got[0].Kind != s.Kind {
			t.Errorf("%q (%s): found %+v, want %s at %v", s.Text, s.Why, got, s.Kind, s.Span)
		}
	}
}

func TestAccepted(t *testing.T) {
	for _, s := range samples(t, "accept.jsonl") {
		if got := Find(s.Text, s.where(t)); len(got) != 0 {
			t.Errorf("%q (%s): found %+v, want nothing", s.Text, s.Why, got)
		}
	}
}

// A text that is skipped as a short word holds nothing that the search would find.
func TestShortWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zA-Z0-9 -]|0x|ip-|xn-|127|localhost){0,7}`).Draw(t, "text")
		if !shortWord(text) {
			t.Skip("not short")
		}
		for _, where := range []Where{Text, Operation} {
			if got := find(text, where); len(got) != 0 {
				t.Fatalf("%q: found %+v", text, got)
			}
		}
	})
	for _, text := range []string{"a.io", "db:80", "::1", "xn--a", "a@b", "//a/b", "0x7f.1", "localhost"} {
		if len(Find(text, Text)) != 1 {
			t.Errorf("%q is not found", text)
		}
	}
}
