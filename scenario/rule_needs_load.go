package scenario

import "github.com/inorbit-hr/reliability/scenario/internal/tree"

var needsLoad = Rule{
	Code: "needs-load", Severity: Error,
	What:    "Every assertion but `checks`, and the objective, are about requests, so they need a load.",
	Message: "max_p99_ms needs a [load] table",
	Bad: ownFile + `[scenario]
format = 1
name = "Checkout"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }

[assertions]
max_p99_ms = 400
checks = ["surfaces"]
`,
	Good: ownFile + `[scenario]
format = 1
name = "Checkout"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }

[assertions]
checks = ["surfaces"]
`,
}

func (c *checker) checkNeedsLoad() {
	if c.lost("load") {
		return
	}
	if c.assertions != nil {
		for _, m := range c.assertions.node.Members {
			if k := assertionsTable.key(m.Name); k != nil && k.name != "checks" {
				c.tellf(&needsLoad, m.Key, "%s needs a [load] table", k.name)
			}
		}
	}
	if c.objective != nil && c.objective.node.Kind == tree.Table && len(c.objective.node.Members) > 0 {
		c.tellf(&needsLoad, c.objective.header(), "[objective] needs a [load] table")
	}
}
