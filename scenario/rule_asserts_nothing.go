package scenario

import "github.com/inorbit-hr/reliability/scenario/internal/tree"

var assertsNothing = Rule{
	Code: "asserts-nothing", Severity: Error,
	What:    "A scenario without an assertion and without an objective could never fail.",
	Message: "the scenario asserts nothing: it could never fail; give it [assertions] or [objective]",
	Bad: ownFile + `[scenario]
format = 1
name = "Checkout"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }

[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]
`,
	Good: ownFile + `[scenario]
format = 1
name = "Checkout"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }

[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]

[assertions]
max_error_rate = 0.01
`,
}

func (c *checker) checkAssertsNothing() {
	for _, name := range []string{"assertions", "objective"} {
		m := c.doc.Root.Get(name)
		if m == nil {
			if c.lost(name) {
				return
			}
			continue
		}
		if m.Value.Kind != tree.Table || len(m.Value.Members) > 0 || m.Value.Partial {
			return
		}
	}
	at := tree.Span{}
	if m := c.doc.Root.Get("scenario"); m != nil {
		at = m.Value.Anchor
		if m.Value.Kind != tree.Table && m.Value.Kind != tree.List {
			at = m.Value.Span
		}
	}
	c.tellf(&assertsNothing, at, "the scenario asserts nothing: it could never fail; give it [assertions] or [objective]")
}
