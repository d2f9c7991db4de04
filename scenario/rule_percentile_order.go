package scenario

import "fmt"

var percentileOrder = Rule{
	Code: "percentile-order", Severity: Error,
	What:    "A lower percentile is never above a higher one, so a limit above that of a higher percentile can never fail first.",
	Message: "max_p50_ms 500 is more than max_p99_ms 400, so it can never fail first",
	Bad: `[assertions]
max_p50_ms = 500
max_p99_ms = 400
`,
	Good: `[assertions]
max_p50_ms = 100
max_p99_ms = 400
`,
}

func (c *checker) checkPercentiles() {
	order := []LimitName{MaxP50, MaxP95, MaxP99}
	for i, name := range order {
		lower, ok := c.assertions.get(string(name))
		if !ok {
			continue
		}
		for _, above := range order[i+1:] {
			higher, ok := c.assertions.get(string(above))
			if ok && lower.number.Cmp(higher.number) > 0 {
				c.tell(&percentileOrder, lower.node.Span, func() string {
					return fmt.Sprintf("%s %s is more than %s %s, so it can never fail first", name, decimal(lower.number), above, decimal(higher.number))
				})
				break
			}
		}
	}
}
