package tree

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	tomltest "github.com/toml-lang/toml-test/v2"
)

// suite are the files of the TOML 1.0 test suite, valid or invalid.
func suite(t *testing.T, kind string) map[string][]byte {
	t.Helper()
	cases := tomltest.TestCases()
	names, err := fs.ReadFile(cases, "files-toml-1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for s := bufio.NewScanner(bytes.NewReader(names)); s.Scan(); {
		name := s.Text()
		if !strings.HasPrefix(name, kind+"/") || !strings.HasSuffix(name, ".toml") {
			continue
		}
		if files[name], err = fs.ReadFile(cases, name); err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 100 {
		t.Fatalf("only %d %s files", len(files), kind)
	}
	return files
}

func parse(source []byte) *Document {
	return Parse(source, func(string) bool { return false })
}

// refused tells whether anything in a document is refused by TOML 1.0.
func refused(d *Document) bool {
	return len(d.Problems)+len(d.Duplicates)+len(d.Newer)+len(d.Invalid) > 0
}

// The tree reads every valid document of TOML 1.0 as the library does.
func TestSuiteValid(t *testing.T) {
	for name, source := range suite(t, "valid") {
		t.Run(name, func(t *testing.T) {
			d := parse(source)
			if refused(d) {
				t.Fatalf("refused: %v %v %v %v", d.Problems, d.Duplicates, d.Newer, d.Invalid)
			}
			var want map[string]any
			if err := toml.Unmarshal(source, &want); err != nil {
				t.Fatal(err)
			}
			if have := plainValue(d.Root); !reflect.DeepEqual(have, plainAny(want)) {
				t.Errorf("read  %v\nwant %v", have, plainAny(want))
			}
		})
	}
}

// The tree refuses every invalid document of TOML 1.0, also those that are valid in
// TOML 1.1 and that the library reads.
func TestSuiteInvalid(t *testing.T) {
	newer := 0
	for name, source := range suite(t, "invalid") {
		t.Run(name, func(t *testing.T) {
			d := parse(source)
			if !refused(d) {
				t.Errorf("accepted:\n%s", source)
			}
			if len(d.Newer) > 0 && d.Oracle() == nil {
				newer++
			}
			// What the library refuses, the tree finds too, with its place.
			if p := d.Oracle(); p != nil && len(d.Problems)+len(d.Duplicates)+len(d.Invalid) == 0 {
				t.Errorf("only the library refuses it: %v", p)
			}
		})
	}
	if newer == 0 {
		t.Error("no form of TOML 1.1 in the suite: is it still true that the library reads them?")
	}
}

// plainValue is a value of the tree as the library would decode it; dates and times
// as text.
func plainValue(n *Node) any {
	switch n.Kind {
	case Table:
		m := map[string]any{}
		for _, member := range n.Members {
			m[member.Name] = plainValue(member.Value)
		}
		return m
	case List:
		all := []any{}
		for _, item := range n.Items {
			all = append(all, plainValue(item))
		}
		return all
	case Integer:
		i, err := strconv.ParseInt(strings.TrimPrefix(strings.ReplaceAll(n.Text, "_", ""), "+"), 0, 64)
		return fmt.Sprint(i, err)
	case Float:
		text := strings.ReplaceAll(n.Text, "_", "")
		if strings.HasSuffix(text, "nan") {
			text = "nan"
		}
		f, err := strconv.ParseFloat(text, 64)
		return plainFloat(f) + fmt.Sprint(err)
	case Bool:
		return n.Text == "true"
	case Time:
		return "a time"
	}
	return n.Text
}

func plainAny(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, v := range v {
			m[k] = plainAny(v)
		}
		return m
	case []any:
		all := []any{}
		for _, v := range v {
			all = append(all, plainAny(v))
		}
		return all
	case int64:
		return fmt.Sprint(v, error(nil))
	case float64:
		return plainFloat(v) + fmt.Sprint(error(nil))
	case bool, string:
		return v
	}
	return "a time"
}

func plainFloat(f float64) string {
	if math.IsNaN(f) {
		return "nan"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// What go-toml v2.4.3 reads though TOML 1.0 does not, and the reverse.
func TestLibraryAgainstTOML(t *testing.T) {
	reads := func(text string) bool {
		var into map[string]any
		return toml.Unmarshal([]byte(text), &into) == nil
	}
	for text, form := range map[string]Form11{
		"a = {\n b = 1 }":       TableOverLines,
		"a = { b = 1, # c\n }":  TableOverLines,
		"a = { b = 1, }":        CommaBeforeBrace,
		`a = "\e"`:              EscapeE,
		`"\e" = 1`:              EscapeE,
		`a = "\x41"`:            EscapeX,
		"a = 07:30":             TimeWithoutSeconds,
		"a = 2026-01-31T07:30":  TimeWithoutSeconds,
		"a = 2026-01-31 07:30Z": TimeWithoutSeconds,
	} {
		d := parse([]byte(text))
		if !reads(text) || len(d.Problems) > 0 || !slices.ContainsFunc(d.Newer, func(n Newer) bool { return n.Form == form }) {
			t.Errorf("%q: the library reads it %v, the tree has %v and %v", text, reads(text), d.Newer, d.Problems)
		}
	}
	for text, why := range map[string]string{
		"a = 2026-12-31T23:59:60Z": "a leap second",
		"a = 1e999":                "a number above the largest float64",
		"a = " + strings.Repeat("[", 10001) + strings.Repeat("]", 10001): "a list nested over 10,000 deep",
	} {
		if reads(text) {
			t.Errorf("the library reads %s: the reference says that it does not", why)
		}
		if d := parse([]byte(text)); len(d.Problems) != 1 {
			t.Errorf("%s: %d problems, want 1", why, len(d.Problems))
		}
	}
}
