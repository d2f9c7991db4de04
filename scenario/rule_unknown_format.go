package scenario

import (
	"strconv"
	"strings"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var unknownFormat = Rule{
	Code: "unknown-format", Severity: Error,
	What:    "`format` is 1, written so. Of a file of another format nothing else is checked: this version does not know its rules.",
	Message: "format 2 is not known to this version; it knows 1",
	Bad: `[scenario]
format = 2
name = "Checkout"
environment = "staging"
`,
	Good: `[scenario]
format = 1
name = "Checkout"
environment = "staging"
`,
}

// otherFormat tells whether the file is of another format than 1, of which nothing
// else is to be checked.
func (c *checker) otherFormat() bool {
	table := c.doc.Root.Get("scenario")
	if table == nil {
		return false
	}
	n := table.Value
	if n.Kind == tree.List && len(n.Items) > 0 {
		n = n.Items[0]
	}
	m := n.Get("format")
	if m == nil || m.Value.Kind != tree.Integer {
		return false
	}
	text := m.Value.Text
	format, err := strconv.ParseInt(strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+"), 0, 64)
	if err == nil && format == FormatKnown {
		if text != strconv.Itoa(FormatKnown) {
			c.settle(&unknownFormat, m.Value, "format is written %s; write %d", text, FormatKnown)
		}
		return false
	}
	c.settle(&unknownFormat, m.Value, "format %s is not known to this version; it knows %d", text, FormatKnown)
	return true
}
