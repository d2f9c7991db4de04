package scenario

import (
	"strings"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var empty = Rule{
	Code: "empty", Severity: Error,
	What:    "Blank text, an empty list, and a table of targets, assertions or objective without a key say nothing and are refused.",
	Message: "[assertions] is empty",
	Bad: `[load]
target = "api"
rate = 50
duration = "5m"
operations = []
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]
`,
}

func (c *checker) isNotEmpty(v *value) bool {
	if strings.TrimSpace(v.text) != "" {
		return true
	}
	c.settle(&empty, v.node, "%s is empty", v.node.Path())
	return false
}

func (c *checker) tellEmptyList(v *value) {
	c.settle(&empty, v.node, "%s is empty", v.node.Path())
}

func (c *checker) tellEmptyTable(name string, n *tree.Node) {
	c.tellf(&empty, n.Anchor, "[%s] is empty", name)
}

// checkEmptyTables tells tables that must not be without keys; [targets] is told where
// it is read.
func (c *checker) checkEmptyTables() {
	for _, name := range []string{"assertions", "objective"} {
		m := c.doc.Root.Get(name)
		if m != nil && m.Value.Kind == tree.Table && len(m.Value.Members) == 0 && !m.Value.Partial {
			c.tellEmptyTable(name, m.Value)
		}
	}
}

// isBlank tells a file with nothing in it, once, instead of everything that it lacks.
func (c *checker) isBlank() bool {
	root := c.doc.Root
	if len(root.Members) > 0 || root.Partial {
		return false
	}
	// What a file that is not UTF-8 holds cannot be said, nor that it holds nothing.
	if len(c.doc.Invalid) == 0 {
		c.tellf(&empty, tree.Span{}, "the file is empty: it has no table")
	}
	return true
}
