package scenario

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var controlCharacter = Rule{
	Code: "control-character", Severity: Error,
	What: "Text has no control characters, written as they are or as escapes: a name is printed into logs, where a line break would start a line of its own. " +
		"Line breaks and tabs are fine in `description` and `message`.",
	Message: "scenario.name has the control character U+000A",
	Bad: `[scenario]
format = 1
name = "Checkout\n::error::holds"
environment = "staging"
`,
	Good: `[scenario]
format = 1
name = "Checkout ::error:: holds"
environment = "staging"
`,
}

func control(r rune) bool { return unicode.Is(unicode.Cc, r) }

// firstControl is the first control character of a text, or -1.
func firstControl(text string, breaks bool) rune {
	for i, r := range text {
		if !control(r) {
			continue
		}
		if breaks && (r == '\t' || r == '\n' || r == '\r' && i+1 < len(text) && text[i+1] == '\n') {
			continue
		}
		return r
	}
	return -1
}

// texts looks for characters that a reader cannot see, in every text, key and comment.
func (c *checker) texts() {
	for _, n := range c.doc.Strings {
		if c.settled[n] {
			continue
		}
		breaks := false
		if name := n.Name(); name == "description" || name == "message" {
			breaks = true
		}
		c.checkText(n.Span, n.Text, breaks, func() string { return subject(n) }, n)
	}
	for _, k := range c.doc.Keys {
		c.checkText(k.Span, k.Text, false, func() string { return "the key" }, nil)
	}
	for _, s := range c.doc.Comments {
		c.checkComment(s)
	}
}

// subject names a value in a message.
func subject(n *tree.Node) string {
	if path := n.Path(); path != "" {
		return path
	}
	return "the text"
}

func (c *checker) checkText(s tree.Span, text string, breaks bool, what func() string, n *tree.Node) {
	if plain(text) {
		return
	}
	if r := firstControl(text, breaks); r >= 0 {
		c.tell(&controlCharacter, s, func() string {
			return fmt.Sprintf("%s has the control character U+%04X%s", what(), r, onOneLine(r))
		})
		c.unreadable(s, n)
	}
	if r := firstHidden(text); r >= 0 {
		c.tell(&invisibleCharacter, s, func() string {
			return fmt.Sprintf("%s has the invisible character U+%04X", what(), r)
		})
		c.unreadable(s, n)
	}
}

// unreadable settles a text, or a key by its place.
func (c *checker) unreadable(s tree.Span, n *tree.Node) {
	if n != nil {
		c.settled[n] = true
	} else {
		c.settledKeys[s.Start] = true
	}
}

func onOneLine(r rune) string {
	if r == '\n' || r == '\r' {
		return ", a line break; write it on one line"
	}
	return ""
}

// plain tells quickly that a text has only printable ASCII.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// checkComment looks at a comment, in which each such character is told itself; of a
// row of them the first.
func (c *checker) checkComment(s tree.Span) {
	text := c.doc.Raw(s)
	if plain(text) {
		return
	}
	row := -1 // where the row of characters that was told goes on
	for i, r := range text {
		rule, what := &invisibleCharacter, "invisible"
		switch {
		case r == '\t' || r == unicode.ReplacementChar:
			continue
		case control(r) && r > unicode.MaxASCII: // the others TOML itself refuses
			rule, what = &controlCharacter, "control"
		case !hidden(r) || joins(text, i, r):
			continue
		}
		end := i + utf8.RuneLen(r)
		if i != row {
			c.tellf(rule, tree.Span{Start: s.Start + i, End: s.Start + end}, "the comment has the %s character U+%04X", what, r)
		}
		row = end
	}
}
