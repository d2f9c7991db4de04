package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// BenchmarkCheck checks one file of realistic size. Its peer, unmarshal, only reads the
// file as TOML into a map.
func BenchmarkCheck(b *testing.B) {
	source := corpusFiles(b, "good")["engine-under-latency.toml"]
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			if !Check(source).OK() {
				b.Fatal("not ok")
			}
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		b.SetBytes(int64(len(source)))
		for b.Loop() {
			var into map[string]any
			if err := toml.Unmarshal(source, &into); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// extremes are files just under MaxSize that cost the most to check.
func extremes() map[string]string {
	head := "[scenario]\nformat = 1\nname = \"x\"\nenvironment = \"staging\"\n"
	fill := func(head string, line func(i int) string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; ; i++ {
			if l := line(i); b.Len()+len(l) > MaxSize {
				return b.String()
			} else {
				b.WriteString(l)
			}
		}
	}
	one := func(unit string) string { return strings.Repeat(unit, (MaxSize-100)/len(unit)) }
	return map[string]string{
		"unknown keys":     fill(head, func(i int) string { return fmt.Sprintf("%x=1\n", i) }),
		"keys of unknown":  fill("[x]\n", func(i int) string { return fmt.Sprintf("%x=1\n", i) }),
		"unknown tables":   fill(head, func(i int) string { return fmt.Sprintf("[%x]\n", i) }),
		"targets":          fill(head+"[targets]\n", func(i int) string { return fmt.Sprintf("a%x={connection=\"a\"}\n", i) }),
		"dotted targets":   fill(head+"[targets]\n", func(i int) string { return fmt.Sprintf("a%x.connection=\"a\"\n", i) }),
		"lists of tables":  fill(head, func(int) string { return "[[timeline]]\n" }),
		"unknown lists":    fill(head, func(int) string { return "[[x]]\n" }),
		"deep header":      "[" + one("a.") + "a]\n",
		"deep key":         one("a.") + "a=1\n",
		"deep list":        "a = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\n",
		"too deep list":    "a = " + strings.Repeat("[", 60000) + "\n",
		"deep tables":      "a = " + strings.Repeat("{a=", 9000) + "1" + strings.Repeat("}", 9000) + "\n",
		"comment":          "#" + one("a") + "\n",
		"comment of hosts": "#" + one(" a.com") + "\n",
		"comment of dots":  "#" + one("a.") + "\n",
		"comment, percent": "#" + one("%25") + "\n",
		"comments":         fill(head, func(int) string { return "#\n" }),
		"text":             head + "description = \"" + one("a:1 ") + "\"\n",
		"escapes":          head + "description = \"" + one("\\n") + "\"\n",
		"text of umlauts":  head + "description = \"" + one("ä.") + "\"\n",
		"syntax errors":    fill(head, func(i int) string { return fmt.Sprintf("a%x=5m\n", i) }),
		"syntax in a list": head + "a = [\n" + one("x,\n") + "]\n",
		"odd spaces":       head + one("\u00a0"),
		"no key":           head + one("=\n"),
		"carriage returns": head + one("a=1\r"),
		"zero bytes":       one("\x00"),
		"not UTF-8":        one("\xff"),
		"quotes":           head + one("\"\n"),
		"triple quotes":    head + one("\"\"\"\n"),
		"open brackets":    head + one("a=[\n"),
		"open braces":      head + one("a={\n"),
		"one long key":     head + one("a") + " = 1\n",
		"one long name":    strings.Replace(head, "\"x\"", "\""+one("a")+"\"", 1),
		"duplicates":       fill(head+"[targets]\n", func(int) string { return "a=1\n" }),
		"faults": fill(head+"[targets]\na={connection=\"a\",proxy=\"a\"}\n", func(i int) string {
			return "[[timeline]]\nat=\"1s\"\naction=\"fault\"\ntarget=\"a\"\nfault={type=\"drop\",rate=1}\nfor=\"1s\"\n"
		}),
		"comments of hosts": fill(head, func(i int) string { return fmt.Sprintf("#a%x.com\n", i) }),
		"short comments":    fill(head, func(i int) string { return fmt.Sprintf("#a%x b.c\n", i) }),
		"list of texts":     "a = [" + fill("", func(i int) string { return fmt.Sprintf("\"a%x\",", i) })[:MaxSize-100] + "\"\"]\n",
		"list of hosts":     fill("a = [\n", func(i int) string { return fmt.Sprintf("\"a%x.com\",\n", i) }),
		"list in a list":    "a = [" + one("[],") + "]\n",
		"tables in a list":  "a = [" + one("{a=1},") + "]\n",
		"hidden characters": fill(head, func(i int) string { return fmt.Sprintf("\"a%x\u200b\"=1\n", i) }),
		"operations":        fill(head+"[load]\noperations = [\n", func(i int) string { return fmt.Sprintf("{openapi=\"a%x\"},\n", i) }) + "]\n",
		"digits":            "#" + one("1") + "\n",
		"colons":            "#" + one("1:") + "\n",
		"slashes":           "#" + one("/a") + "\n",
		"at signs":          "#" + one("a@") + "\n",
		"brackets":          "#" + one("[") + "\n",
		"hex":               "#" + one("0x1.") + "\n",
		"base64":            "#" + one("aHR0cA") + "\n",
		"spaces in text":    head + "description = \"" + one(" ") + "\"\n",
		"folded lines":      head + "description = \"\"\"" + one("a\\\n") + "\"\"\"\n",
		"hosts, escaped":    head + "description = \"" + one("a\\u002ecom ") + "\"\n",
		"long number":       head + "a = " + one("1") + "\n",
		"exponent":          head + "[load]\nrate = 1e" + one("9") + "\n",
	}
}

// BenchmarkExtremes checks the files that cost the most; the aim is 100 ms each.
func BenchmarkExtremes(b *testing.B) {
	for name, source := range extremes() {
		b.Run(name, func(b *testing.B) {
			if len(source) > MaxSize {
				b.Fatalf("%d bytes", len(source))
			}
			for b.Loop() {
				Check([]byte(source))
			}
		})
	}
}

func TestExtremes(t *testing.T) {
	for name, source := range extremes() {
		t.Run(name, func(t *testing.T) {
			f := Check([]byte(source))
			holds(t, f)
			if n := len(f.Diagnostics); n == 0 || n > maxDiagnostics+1 {
				t.Errorf("%d diagnostics", n)
			}
		})
	}
}
