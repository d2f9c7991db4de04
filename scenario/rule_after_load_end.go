package scenario

import (
	"fmt"
	"time"
)

var afterLoadEnd = Rule{
	Code: "after-load-end", Severity: Error,
	What: "With a load, a fault starts before its end and is lifted by then, and nothing is logged after it: no request would meet the fault. " +
		"Without a load the timeline is as long as it needs to be.",
	Message: "the fault ends at 11m, after the load ends (5m)",
	Bad: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "10m"
`,
	Good: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "4m"
`,
}

func (c *checker) checkLoadEnd() {
	load, ok := c.load.get("duration")
	if !ok {
		return
	}
	end := load.duration
	for _, entry := range c.timeline {
		action, ok := entry.get("action")
		at, also := entry.get("at")
		if !ok || !also {
			continue
		}
		switch length, known := entry.get("for"); {
		case action.text == string(ActionLog):
			if at.duration > end {
				c.tellf(&afterLoadEnd, at.node.Span, "the entry is at %s, after the load ends (%s)", at.text, load.text)
			}
		case at.duration >= end:
			c.tellf(&afterLoadEnd, at.node.Span, "the fault starts at %s, which is not before the end of the load (%s)", at.text, load.text)
		case known && at.duration+length.duration > end:
			c.tell(&afterLoadEnd, length.node.Span, func() string {
				return fmt.Sprintf("the fault ends at %s, after the load ends (%s)", writeDuration(at.duration+length.duration), load.text)
			})
		}
	}
}

// writeDuration writes a duration as the format does.
func writeDuration(d time.Duration) string {
	text := ""
	for _, u := range units {
		if n := d / u.unit; n > 0 {
			text += fmt.Sprintf("%d%s", n, u.name)
			d -= n * u.unit
		}
	}
	if text == "" {
		return "0s"
	}
	return text
}
