package scenario

import "github.com/inorbit-hr/reliability/scenario/internal/tree"

var tomlVersion = Rule{
	Code: "toml-version", Severity: Error,
	What: "The file is TOML 1.0. The forms that TOML 1.1 added are refused, since editors and other tools do not read them: " +
		"an inline table over several lines, a comma before its closing brace, the escapes `\\e` and `\\x`, and a time without seconds.",
	Message: "TOML 1.0 tools refuse a comma before }",
	Bad: `[targets]
api = { connection = "public-api-staging", }
`,
	Good: `[targets]
api = { connection = "public-api-staging" }
`,
}

func (c *checker) checkVersion() {
	for _, n := range c.doc.Newer {
		if n.Node != nil && n.Node.Kind != tree.Table {
			c.settled[n.Node] = true
		}
		message := ""
		switch n.Form {
		case tree.TableOverLines:
			message = "an inline table that spans lines is TOML 1.1, which 1.0 tools refuse; write it on one line, or as a table with a header"
		case tree.CommaBeforeBrace:
			message = "TOML 1.0 tools refuse a comma before }"
		case tree.EscapeE:
			message = `the escape \e is TOML 1.1, which 1.0 tools refuse`
		case tree.EscapeX:
			message = `the escape \x is TOML 1.1, which 1.0 tools refuse; write \u00 and the two digits`
		case tree.TimeWithoutSeconds:
			message = "a time without seconds is TOML 1.1, which 1.0 tools refuse"
		}
		c.tell(&tomlVersion, n.Span, func() string { return message })
	}
}
