package scenario

import (
	"bytes"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var syntax = Rule{
	Code: "syntax", Severity: Error,
	What: "What TOML does not read. The place is where reading stopped; of an unquoted text or a number with a unit its first character; " +
		"of a text over several lines that is never closed its opening quotes. Reading goes on behind it where that is possible, and what the error may have hidden is not told as missing.",
	Message: `a value with a unit is text: write "5m" in quotes`,
	Bad: `[load]
target = "api"
rate = 50
duration = 5m
operations = [{ openapi = "pets.list" }]
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]
`,
}

// language applies the rules of TOML itself.
func (c *checker) language() {
	c.checkUTF8()
	c.checkByteOrderMark()
	c.checkBinary()
	for _, p := range c.doc.Problems {
		c.guard(&p)
		c.tell(&syntax, p.Span, func() string { return p.Message }).suggestion = p.Suggestion
	}
	c.checkVersion()
}

// checkBinary tells a file that is no text, or is in another encoding altogether,
// with one diagnostic: nothing of it can be read.
func (c *checker) checkBinary() {
	const zeros = 2 // one zero byte may be a slip in a text
	binary := bytes.Count(c.file.source, []byte{0}) >= zeros
	if !binary && (len(c.doc.Invalid) == 0 || c.doc.Invalid[0] > 0) {
		return
	}
	if len(c.doc.Invalid) == 0 {
		at := bytes.IndexByte(c.file.source, 0)
		c.tellf(&syntax, tree.Span{Start: at, End: at + 1}, "control character U+0000: the file is not a text file")
	}
	c.doc.Problems, c.doc.Root = nil, &tree.Node{Kind: tree.Table, Partial: true}
	c.doc.Strings, c.doc.Keys, c.doc.Comments = nil, nil, nil
	c.doc.Duplicates, c.doc.Newer = nil, nil
}

// oracle lets the TOML library have the last word, so that nothing passes that it
// refuses. A file that is refused for its syntax already needs no second verdict, nor
// does one with so many keys that the library would be slow.
func (c *checker) oracle() {
	errors := 0
	for _, f := range c.findings {
		switch f.rule {
		case &syntax, &duplicateKey, &wrongBrackets, &notUTF8:
			return
		}
		if f.rule.Severity == Error {
			errors++
		}
	}
	if errors > 0 && len(c.doc.Keys) > oracleKeys {
		return
	}
	if p := c.doc.Oracle(); p != nil {
		c.tell(&syntax, p.Span, func() string { return p.Message })
	}
}
