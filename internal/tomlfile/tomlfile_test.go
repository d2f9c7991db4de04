package tomlfile

import (
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

type settings struct {
	Format int              `toml:"format"`
	Rate   float64          `toml:"rate"`
	For    time.Duration    `toml:"for"`
	On     bool             `toml:"on"`
	Names  []string         `toml:"names"`
	Inner  inner            `toml:"inner"`
	Tables map[string]inner `toml:"tables"`
	List   []inner          `toml:"list"`
	Maybe  *inner           `toml:"maybe"`
	Quiet  string
}

type inner struct {
	Name string `toml:"name"`
	N    int    `toml:"n"`
	Deep *deep  `toml:"deep"`
}

type deep struct {
	Word string `toml:"word"`
}

// SetDefaults implements what tables of a map start with.
func (i *inner) SetDefaults() { i.N = 7 }

func TestRead(t *testing.T) {
	s := settings{Rate: 3, For: time.Minute}
	f := Read("a.toml", []byte(`format = 1
for = "1h30m"
on = true
names = ["a", "b"]
inner.name = "dotted"
maybe = { name = "x", deep = { word = "w" } }
[tables.one]
[tables."two.dots"]
n = 2
[[list]]
name = "first"
[[list]]
name = "second"
[list.deep]
word = "of the second"
`), &s)
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	if s.Rate != 3 || s.For != 90*time.Minute || !s.On || len(s.Names) != 2 || s.Inner.Name != "dotted" || s.Maybe.Deep.Word != "w" ||
		s.Tables["one"].N != 7 || s.Tables["two.dots"].N != 2 || s.List[1].Deep.Word != "of the second" || s.List[0].Deep != nil {
		t.Fatalf("%+v", s)
	}
	for key, line := range map[string]int{
		"for": 2, "names[1]": 4, "inner.name": 5, "maybe.deep.word": 6, `tables."two.dots".n`: 9,
		"list[0].name": 11, "list[1]": 12, "list[1].deep.word": 15,
	} {
		if !f.Has(key) || f.line(key) != line {
			t.Errorf("%s is on line %d (has: %v), want %d", key, f.line(key), f.Has(key), line)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"unknown key", "format = 1\nformat_ = 2\n", `a.toml:2: format_: unknown key; the file takes format, rate`},
		{"case counts", "Format = 1\n", `a.toml:1: Format: unknown key`},
		{"field without a tag", "Quiet = \"x\"\n", `a.toml:1: Quiet: unknown key`},
		{"unknown in a table", "[inner]\nname = \"x\"\nnam = 1\n", `a.toml:3: inner.nam: unknown key; [inner] takes name, n, deep`},
		{"unknown table", "[outer]\nx = 1\n", `a.toml:1: outer: unknown key`},
		{"unknown in an inline table", "maybe = { name = \"x\",\n  deep = { wort = \"\" } }", `a.toml:2: maybe.deep.wort: unknown key`},
		{"unknown in a list", "[[list]]\n[[list]]\nx = 1\n", `a.toml:3: list[1].x: unknown key`},
		{"text for a number", "rate = \"5\"\n", `a.toml:1: rate: must be a number, not text`},
		{"share for a whole number", "format = 1.5\n", `a.toml:1: format: must be a whole number, not the number 1.5`},
		{"number for text", "names = [\"a\",\n 3]\n", `a.toml:2: names[1]: must be text in quotes, not the number 3`},
		{"text for a list", "names = \"a\"\n", `a.toml:1: names: must be a list, not text`},
		{"table for a list", "[list]\nname = \"x\"\n", `a.toml:1: list: must be a list, not a table`},
		{"list for a table", "[[inner]]\n", `a.toml:1: inner: must be a table, not a list`},
		{"number for a table", "tables = 3\n", `a.toml:1: tables: must be a table, not the number 3`},
		{"number for a duration", "for = 30\n", `a.toml:1: for: must be a duration in quotes`},
		{"no duration", "for = \"5 minutes\"\n", `a.toml:1: for: "5 minutes" is not a duration`},
		{"text for truth", "on = \"yes\"\n", `a.toml:1: on: must be true or false, not text`},
		{"not a number", "rate = nan\n", `a.toml:1: rate: NaN is not a number to count with`},
		{"infinite", "rate = inf\n", `a.toml:1: rate: +Inf is not a number to count with`},
		{"a date", "rate = 2026-01-01\n", `a.toml:1: rate: must be a number, not a date or time`},
		{"defined twice", "format = 1\nformat = 2\n", `a.toml:2: not TOML`},
		{"not closed", "format = 1\n[inner\n", `a.toml:2: not TOML`},
		{"too large", strings.Repeat("#", MaxSize+1), `a.toml:1: the file has 262145 bytes; at most 262144 are read`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s settings
			err := Read("a.toml", []byte(c.content), &s).Err()
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

func TestAllProblemsAreToldInOrder(t *testing.T) {
	var s settings
	f := Read("a.toml", []byte("x = 1\n[inner]\nn = \"a\"\n"), &s)
	f.Refuse("inner.name", "missing")
	f.Refuse("tables", "missing")
	want := "a.toml:1: x: unknown key; the file takes format, rate, for, on, names, inner, tables, list, maybe\n" +
		"a.toml:1: tables: missing\n" +
		"a.toml:2: inner.name: missing\n" +
		"a.toml:3: inner.n: must be a whole number, not text"
	if got := f.Err().Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzRead holds that nothing panics, and that a file the library refuses is refused.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "format = 1", "[[list]]\n[list.deep]\nword = 'x'", "a.b.c = [{x = [1, {}]}]", "names = [ # c\n 'a', # d\n]", `"" = 1`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		var s settings
		err := Read("f.toml", []byte(content), &s).Err()
		var all map[string]any
		if toml.Unmarshal([]byte(content), &all) != nil && err == nil {
			t.Errorf("%q was read", content)
		}
	})
}
