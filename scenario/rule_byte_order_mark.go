package scenario

import "github.com/inorbit-hr/reliability/scenario/internal/tree"

var byteOrderMark = Rule{
	Code: "byte-order-mark", Severity: Error,
	What:    "A byte-order mark before the first line is refused: tools for TOML stumble over it. It counts for no column.",
	Message: "the file starts with a byte-order mark; save it as UTF-8 without one",
	Bad:     "\ufeff[scenario]\nformat = 1\nname = \"Checkout\"\nenvironment = \"staging\"\n",
	Good: `[scenario]
format = 1
name = "Checkout"
environment = "staging"
`,
}

func (c *checker) checkByteOrderMark() {
	if c.doc.HasByteOrderMark() {
		c.tellf(&byteOrderMark, tree.Span{}, "the file starts with a byte-order mark; save it as UTF-8 without one")
	}
}
