package scenario

var jitterAboveLatency = Rule{
	Code: "jitter-above-latency", Severity: Error,
	What:    "The delay is latency +/- jitter, and a delay is not negative.",
	Message: "jitter 300ms is more than latency 200ms: the delay would be cut off at 0",
	Bad: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "latency", latency = "200ms", jitter = "300ms" }
for = "2m"
`,
	Good: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "latency", latency = "200ms", jitter = "50ms" }
for = "2m"
`,
}

func (c *checker) checkJitter() {
	for _, f := range c.faults {
		jitter, ok := f.fault.get("jitter")
		latency, also := f.fault.get("latency")
		if ok && also && jitter.duration > latency.duration {
			c.tellf(&jitterAboveLatency, jitter.node.Span, "jitter %s is more than latency %s: the delay would be cut off at 0", jitter.text, latency.text)
		}
	}
}
