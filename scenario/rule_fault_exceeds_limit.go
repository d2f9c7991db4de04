package scenario

import (
	"fmt"
	"math/big"
	"time"
)

var faultExceedsLimit = Rule{
	Code: "fault-exceeds-limit", Severity: Warning,
	What:    "A latency fault over all measured time that is not below `max_p99_ms` or `p99_ms`: if requests pass the target at all, the scenario cannot pass.",
	Message: "a delay of 500ms over all measured time leaves nothing of max_p99_ms 400",
	Bad: `[[timeline]]
at = "0s"
action = "fault"
target = "api"
fault = { type = "latency", latency = "500ms" }
for = "5m"

[assertions]
max_p99_ms = 400
checks = ["surfaces"]
`,
	Good: `[[timeline]]
at = "0s"
action = "fault"
target = "api"
fault = { type = "latency", latency = "200ms" }
for = "5m"

[assertions]
max_p99_ms = 400
checks = ["surfaces"]
`,
}

func (c *checker) checkFaultExceedsLimit() {
	warmup, duration, ok := c.measured()
	if !ok {
		return
	}
	name, limit := c.strictestP99()
	if limit == nil {
		return
	}
	for _, f := range c.faults {
		latency, ok := f.fault.get("latency")
		if !ok || !f.timed || f.at > warmup || f.end < duration {
			continue
		}
		if millis := big.NewRat(int64(latency.duration), int64(time.Millisecond)); millis.Cmp(limit) >= 0 {
			c.tell(&faultExceedsLimit, latency.node.Span, func() string {
				return fmt.Sprintf("a delay of %s over all measured time leaves nothing of %s %s", latency.text, name, decimal(limit))
			})
		}
	}
}

// strictestP99 is the lower of the two limits on the p99.
func (c *checker) strictestP99() (name string, limit *big.Rat) {
	if v, ok := c.assertions.get(string(MaxP99)); ok {
		name, limit = string(MaxP99), v.number
	}
	if v, ok := c.objective.get("p99_ms"); ok && (limit == nil || v.number.Cmp(limit) < 0) {
		name, limit = "p99_ms", v.number
	}
	return name, limit
}
