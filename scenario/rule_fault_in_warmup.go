package scenario

import "fmt"

var faultInWarmup = Rule{
	Code: "fault-in-warmup", Severity: Error,
	What:    "A fault that is over by the end of the warm-up meets no measured request.",
	Message: "the fault is over before warm-up ends (30s): no measured request meets it",
	Bad: `[[timeline]]
at = "5s"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "10s"
`,
	Good: `[[timeline]]
at = "25s"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "10s"
`,
}

func (c *checker) checkFaultInWarmup() {
	warmup, _, ok := c.measured()
	if !ok {
		return
	}
	for _, f := range c.faults {
		if f.timed && f.end <= warmup {
			c.tell(&faultInWarmup, f.entry.values["at"].node.Span, func() string {
				return fmt.Sprintf("the fault is over before warm-up ends (%s): no measured request meets it", writeDuration(warmup))
			})
		}
	}
}
