package scenario

import "fmt"

var unreachable = Rule{
	Code: "unreachable", Severity: Error,
	What:    "`min_requests` above the measured requests that the load makes, mean rate x (duration - warmup), and `min_throughput` above `rate`, can never be reached.",
	Message: "min_throughput 60 is more than load.rate 50, so it cannot be reached",
	Bad: `[assertions]
min_throughput = 60
`,
	Good: `[assertions]
min_throughput = 45
`,
}

func (c *checker) checkReachable() {
	if least, ok := c.assertions.get(string(MinThroughput)); ok {
		if rate, ok := c.load.get("rate"); ok && least.number.Cmp(rate.number) > 0 {
			c.tell(&unreachable, least.node.Span, func() string {
				return fmt.Sprintf("min_throughput %s is more than load.rate %s, so it cannot be reached", decimal(least.number), decimal(rate.number))
			})
		}
	}
	least, ok := c.assertions.get(string(MinRequests))
	if !ok || c.settled[least.node] {
		return
	}
	if made, ok := c.samples(); ok && least.number.Cmp(made) > 0 {
		c.tell(&unreachable, least.node.Span, func() string {
			return fmt.Sprintf("min_requests %s cannot be reached: this load makes about %s measured requests", least.number.RatString(), whole(made))
		})
	}
}
