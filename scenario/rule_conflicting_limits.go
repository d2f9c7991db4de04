package scenario

import (
	"fmt"
	"math/big"
)

var conflictingLimits = Rule{
	Code: "conflicting-limits", Severity: Error,
	What:    "`max_error_rate` above 1 - `success_rate` allows over the whole run what the objective refuses in every window.",
	Message: "max_error_rate 0.05 allows more errors than success_rate 0.99 on line 40 (0.01)",
	Bad: `[assertions]
max_error_rate = 0.05

[objective]
success_rate = 0.99
window = "1m"
`,
	Good: `[assertions]
max_error_rate = 0.01

[objective]
success_rate = 0.99
window = "1m"
`,
}

func (c *checker) checkLimits() {
	allowed, ok := c.assertions.get(string(MaxErrorRate))
	success, also := c.objective.get("success_rate")
	if !ok || !also {
		return
	}
	budget := new(big.Rat).Sub(one, success.number)
	if allowed.number.Cmp(budget) <= 0 {
		return
	}
	c.tell(&conflictingLimits, allowed.node.Span, func() string {
		return fmt.Sprintf("max_error_rate %s allows more errors than success_rate %s on line %d (%s)",
			decimal(allowed.number), decimal(success.number), c.line(success.node.Span), decimal(budget))
	})
}
