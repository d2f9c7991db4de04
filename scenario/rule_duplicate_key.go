package scenario

import "fmt"

var duplicateKey = Rule{
	Code: "duplicate-key", Severity: Error,
	What:    "A key or table is defined once. The second definition is told, wherever and however it is written.",
	Message: "scenario.name is defined twice; first on line 4",
	Bad: `[targets]
api.connection = "public-api-staging"
api.connection = "other-staging"
`,
	Good: `[targets]
api.connection = "public-api-staging"
`,
}

// tellDuplicates tells second definitions, but for those that only wrong brackets made
// so.
func (c *checker) tellDuplicates() {
	for _, d := range c.doc.Duplicates {
		if d.Node != nil && c.settled[d.Node] {
			continue
		}
		c.tell(&duplicateKey, d.Span, func() string {
			return fmt.Sprintf("%s is defined twice; first on line %d", d.First.Path(), c.line(d.First.Span))
		})
	}
}
