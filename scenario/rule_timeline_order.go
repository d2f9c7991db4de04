package scenario

import "fmt"

var timelineOrder = Rule{
	Code: "timeline-order", Severity: Warning,
	What:    "An entry of the timeline before the one above it: the order of the file should be the order of the run.",
	Message: "timeline[1] is at 30s, before the entry above it (1m): keep the timeline in order",
	Bad: `[[timeline]]
at = "1m"
action = "log"
message = "second"

[[timeline]]
at = "30s"
action = "log"
message = "first"
`,
	Good: `[[timeline]]
at = "30s"
action = "log"
message = "first"

[[timeline]]
at = "1m"
action = "log"
message = "second"
`,
}

func (c *checker) checkTimelineOrder() {
	for i := 1; i < len(c.timeline); i++ {
		above, ok := c.timeline[i-1].get("at")
		at, also := c.timeline[i].get("at")
		if ok && also && at.duration < above.duration {
			c.tell(&timelineOrder, at.node.Span, func() string {
				return fmt.Sprintf("timeline[%d] is at %s, before the entry above it (%s): keep the timeline in order", i, at.text, above.text)
			})
		}
	}
}
