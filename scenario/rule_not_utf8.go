package scenario

import (
	"bytes"
	"fmt"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var notUTF8 = Rule{
	Code: "not-utf8", Severity: Error,
	What:    "The file is UTF-8. The first byte that is not is told, and what stands around such bytes is not judged.",
	Message: "the file is not UTF-8: byte 0xe9",
	Bad:     "[scenario]\nformat = 1\nname = \"Caf\xe9\"\nenvironment = \"staging\"\n",
	Good: `[scenario]
format = 1
name = "Café"
environment = "staging"
`,
}

// checkUTF8 tells the first byte that is not UTF-8: one wrong encoding, one
// diagnostic.
func (c *checker) checkUTF8() {
	if len(c.doc.Invalid) == 0 {
		return
	}
	at := c.doc.Invalid[0]
	c.tell(&notUTF8, tree.Span{Start: at, End: at + 1}, func() string {
		source := c.file.source
		if bytes.HasPrefix(source, []byte("\xff\xfe")) || bytes.HasPrefix(source, []byte("\xfe\xff")) {
			return fmt.Sprintf("the file is not UTF-8: byte 0x%02x starts a file in UTF-16; save it as UTF-8", source[at])
		}
		message := fmt.Sprintf("the file is not UTF-8: byte 0x%02x", source[at])
		if more := len(c.doc.Invalid) - 1; more > 0 {
			message += fmt.Sprintf(", and %d more; save it as UTF-8", more)
		}
		return message
	})
}
