package scenario

import "fmt"

var windowTooLong = Rule{
	Code: "window-too-long", Severity: Error,
	What:    "The objective's window fits into the measured time, duration - warmup: otherwise no window is ever full.",
	Message: "window 1h is longer than the measured time (4m30s)",
	Bad:     "[objective]\nsuccess_rate = 0.99\nwindow = \"1h\"\n",
	Good:    "[objective]\nsuccess_rate = 0.99\nwindow = \"4m30s\"\n",
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
