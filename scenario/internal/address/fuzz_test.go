package address

import (
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzFind(f *testing.F) {
	for _, file := range []string{"refuse.jsonl", "accept.jsonl"} {
		for _, s := range samples(f, file) {
			f.Add(s.Text, s.Where == "operation")
		}
	}
	for _, unit := range worst {
		f.Add(unit+unit+unit, false)
	}
	f.Fuzz(func(t *testing.T, text string, operation bool) {
		where := Text
		if operation {
			where = Operation
		}
		found := Find(text, where)
		end := 0
		for _, m := range found {
			if m.Start < end || m.Start >= m.End || m.End > len(text) {
				t.Fatalf("%q: %+v lies outside the text or over the match before it", text, m)
			}
			end = m.End
			if m.Kind == "" || m.Shown == "" || utf8.RuneCountInString(m.Shown) > maxShown+len("...") {
				t.Fatalf("%q: %+v is not fit for a message", text, m)
			}
			for _, r := range m.Shown {
				if !unicode.IsPrint(r) {
					t.Fatalf("%q: %q would not stay on its line", text, m.Shown)
				}
			}
		}
		if again := Find(text, where); !slices.Equal(found, again) {
			t.Fatalf("%q: found %+v, then %+v", text, found, again)
		}
		if utf8.ValidString(text) {
			for _, m := range found {
				if !utf8.RuneStart(text[m.Start]) || m.End < len(text) && !utf8.RuneStart(text[m.End]) {
					t.Fatalf("%q: %+v cuts a character", text, m)
				}
			}
		}
	})
}
