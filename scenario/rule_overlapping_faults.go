package scenario

import "fmt"

var overlappingFaults = Rule{
	Code: "overlapping-faults", Severity: Error,
	What:    "Two faults of one type may not act on one proxy at once. One may start when the other ends, and faults of different types may overlap.",
	Message: `this latency fault overlaps the one on line 24, on the same proxy "engine"`,
	Bad: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "1m"

[[timeline]]
at = "1m59s"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.2 }
for = "1m"
`,
	Good: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "1m"

[[timeline]]
at = "2m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.2 }
for = "1m"
`,
}

func (c *checker) checkOverlaps() {
	for i, f := range c.faults {
		if !f.timed || f.proxy == "" || f.kind == "" {
			continue
		}
		for _, before := range c.faults[:i] {
			if before.timed && before.proxy == f.proxy && before.kind == f.kind && before.at < f.end && f.at < before.end {
				c.tell(&overlappingFaults, f.entry.values["at"].node.Span, func() string {
					return fmt.Sprintf("this %s fault overlaps the one on line %d, on the same proxy %q", f.kind, c.line(before.entry.header()), f.proxy)
				})
				break
			}
		}
	}
}
