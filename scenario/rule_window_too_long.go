package scenario

import "fmt"

var windowTooLong = Rule{
	Code: "window-too-long", Severity: Error,
	What:    "The objective's window fits into the measured time, duration - warmup: otherwise no window is ever full.",
	Message: "window 1h is longer than the measured time (4m30s)",
	Bad: `[objective]
success_rate = 0.99
window = "1h"
`,
	Good: `[objective]
success_rate = 0.99
window = "4m30s"
`,
}

func (c *checker) checkWindow() {
	window, ok := c.objective.get("window")
	warmup, duration, also := c.measured()
	if ok && also && window.duration > duration-warmup {
		c.tell(&windowTooLong, window.node.Span, func() string {
			return fmt.Sprintf("window %s is longer than the measured time (%s)", window.text, writeDuration(duration-warmup))
		})
	}
}
