package scenario

import (
	"fmt"
	"strings"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var lookAlikeTargets = Rule{
	Code: "look-alike-targets", Severity: Warning,
	What:    "Two target names that differ only in hyphens, or in 0 and o, or in 1 and l, are easily taken for each other. The later one is told.",
	Message: `target "payments" looks like "pay-ments" (line 8)`,
	Bad: `[targets]
api = { connection = "public-api-staging" }
a-pi = { connection = "private-api-staging" }
`,
	Good: `[targets]
api = { connection = "public-api-staging" }
private-api = { connection = "private-api-staging" }
`,
}

var lookAlike = strings.NewReplacer("-", "", "0", "o", "1", "l")

func (c *checker) checkLookAlikes() {
	if c.targets == nil {
		return
	}
	first := map[string]*tree.Member{}
	for _, m := range c.targets.node.Members {
		if !validName(m.Name) {
			continue
		}
		shape := lookAlike.Replace(m.Name)
		before := first[shape]
		if before == nil {
			first[shape] = m
			continue
		}
		c.tell(&lookAlikeTargets, m.Key, func() string {
			return fmt.Sprintf("target %q looks like %q (line %d)", m.Name, before.Name, c.line(before.Key))
		})
	}
}
