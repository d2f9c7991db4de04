package verdict

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func TestTextCannotHoldACommandOrAnEscape(t *testing.T) {
	var b bytes.Buffer
	if err := Judge(inputs(t)["hostile"]).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.Contains(line, "##[") || strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("the runner would take this for a command: %q", line)
		}
		for _, r := range line {
			if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Cf, r) {
				t.Errorf("%U reaches the terminal: %q", r, line)
			}
		}
	}
}

// Every page is rendered as GitHub does it; what is not ours must come out as the text
// that it is, and bring no element, link or mention.
func TestMarkdownCannotHoldMarkup(t *testing.T) {
	v := Judge(inputs(t)["hostile"])
	var summary bytes.Buffer
	if err := v.WriteMarkdown(&summary); err != nil {
		t.Fatal(err)
	}
	out := v.CheckOutput()
	for name, page := range map[string]string{"summary": summary.String(), "check's summary": out.Summary, "check's text": out.Text} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))
			if err := md.Convert([]byte(page), &b); err != nil {
				t.Fatal(err)
			}
			text := harmless(t, b.String())
			if want := strings.Join(strings.Fields(plain(nasty, maxMessage)), " "); !strings.Contains(text, want) {
				t.Errorf("the page does not show %q as it is", want)
			}
		})
	}
}

// ours are the elements that the pages are made of.
var ours = map[string]bool{
	"html": true, "head": true, "body": true, "h2": true, "p": true, "ul": true, "li": true, "br": true, "strong": true,
	"table": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true, "code": true, "pre": true,
	"details": true, "summary": true,
}

// harmless walks a page and returns the text that a reader sees, without the marks
// that break links.
func harmless(t interface {
	Errorf(string, ...any)
	Fatal(...any)
}, page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var walk func(n *html.Node, columns *int)
	walk = func(n *html.Node, columns *int) {
		switch n.Type {
		case html.ElementNode:
			if !ours[n.Data] {
				t.Errorf("the page has an element %q", n.Data)
			}
			if n.Data == "table" {
				columns = new(int)
			}
			if n.Data == "tr" {
				cells := 0
				for c := range n.ChildNodes() {
					cells += one(c.Type == html.ElementNode)
				}
				if *columns != 0 && cells != *columns {
					t.Errorf("a row has %d cells, the first has %d", cells, *columns)
				}
				*columns = cells
			}
		case html.CommentNode:
			t.Errorf("the page has a comment: %q", n.Data)
		case html.TextNode:
			inCode := n.Parent.Data == "code"
			if !inCode && strings.Contains(n.Data, "@octocat") {
				t.Errorf("the page mentions somebody: %q", n.Data)
			}
			text.WriteString(n.Data)
		}
		for c := range n.ChildNodes() {
			walk(c, columns)
		}
	}
	walk(root, nil)
	return strings.Join(strings.Fields(strings.ReplaceAll(text.String(), noLink, "")), " ")
}

func TestJUnitIsWellFormed(t *testing.T) {
	for name, in := range inputs(t) {
		var b bytes.Buffer
		if err := Judge(in).WriteJUnit(&b); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&b)
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestAnnotationTitlesAreOneLine(t *testing.T) {
	for name, in := range inputs(t) {
		for _, a := range Judge(in).Annotations {
			if strings.ContainsAny(a.Title, "\r\n\x1b") || strings.ContainsAny(a.Message, "\r\x1b") {
				t.Errorf("%s: %q %q", name, a.Title, a.Message)
			}
		}
	}
}

// Whatever a text is, a list item and a table's cell show it as it is.
func TestPropertyMarkdownShowsTextAsItIs(t *testing.T) {
	signs := []rune("\\`*_{}[]()<>#+-.!|~&:;@$=\"'/^%? aAwzx09\té漢")
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.StringOfN(rapid.SampledFrom(signs), 0, 6, -1),
			rapid.SampledFrom([]string{"www.example.org", "https://example.org", "a@example.org", "<!--", "<b>", "&lt;", "[x](y)", "![x](y)", "[^1]", "- [ ] ", "1. ", "```", "~~x~~", "| a | b |", "---", "mailto:a@b.c"}),
		), 0, 6).Draw(rt, "parts")
		text := plain(strings.Join(parts, ""), maxMessage)
		for _, page := range []string{"- " + markdown(text) + "\n", "| a | b |\n|---|---|\n| " + markdown(text) + " | " + code(text) + " |\n", "**" + "x: " + markdown(text) + "**\n", "<details><summary>" + markdown(text) + "</summary>\n\nx\n\n</details>\n"} {
			var b bytes.Buffer
			if err := md.Convert([]byte(page), &b); err != nil {
				rt.Fatal(err)
			}
			if shown := harmless(rt, b.String()); !strings.Contains(shown, strings.Join(strings.Fields(text), " ")) {
				rt.Fatalf("%q shows %q", page, shown)
			}
		}
	})
}
