package scenario

import (
	"regexp"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var wrongBrackets = Rule{
	Code: "wrong-brackets", Severity: Error,
	What:    "`timeline` and `load.operations` are lists: each of their headers has double brackets. Every other table is one table and has single ones.",
	Message: "timeline is a list: write [[timeline]], not [timeline]",
	Bad: `[timeline]
at = "1m"
action = "log"
message = "half time"
`,
	Good: `[[timeline]]
at = "1m"
action = "log"
message = "half time"
`,
}

// headerPath is the path of a table as a header writes it: without the numbers of
// lists.
func headerPath(n *tree.Node) string {
	return numbers.ReplaceAllString(n.Path(), "")
}

var numbers = regexp.MustCompile(`\[[0-9]+\]`)

func (c *checker) checkSingleBrackets(v *value, header *tree.Node) {
	if header.Loose {
		return
	}
	path := headerPath(v.node)
	c.tell(&wrongBrackets, header.Span, func() string {
		return path + " is one table: write [" + path + "], not [[" + path + "]]"
	}).suggestion = "[" + path + "]"
}

func (c *checker) checkDoubleBrackets(v *value, header *tree.Node) {
	if header.Loose {
		return
	}
	path := headerPath(v.node)
	c.tell(&wrongBrackets, header.Span, func() string {
		if header.Form == tree.Implied {
			return path + " is a list: write [[" + path + "]] above this"
		}
		return path + " is a list: write [[" + path + "]], not [" + path + "]"
	}).suggestion = "[[" + path + "]]"
}
