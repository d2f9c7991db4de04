package scenario

var warmupTooLong = Rule{
	Code: "warmup-too-long", Severity: Error,
	What:    "The duration includes the warm-up, which is not measured, so it must be longer.",
	Message: "warmup 5m is not shorter than duration 5m: nothing would be measured",
	Bad: `[load]
target = "api"
rate = 50
duration = "5m"
warmup = "5m"
operations = [{ openapi = "pets.list" }]
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
warmup = "30s"
operations = [{ openapi = "pets.list" }]
`,
}

func (c *checker) checkWarmup() {
	warmup, ok := c.load.get("warmup")
	duration, also := c.load.get("duration")
	if ok && also && warmup.duration >= duration.duration {
		c.tellf(&warmupTooLong, warmup.node.Span, "warmup %s is not shorter than duration %s: nothing would be measured", warmup.text, duration.text)
	}
}
