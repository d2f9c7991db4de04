package scenario

import "fmt"

var overlappingFaults = Rule{
	Code: "overlapping-faults", Severity: Error,
	What:    "Two faults of one type may not act on one proxy at once. One may start when the other ends, and faults of different types may overlap.",
	Message: `this latency fault overlaps the one on line 24, on the same proxy "engine"`,
	Bad: "[[timeline]]\nat = \"1m\"\naction = \"fault\"\ntarget = \"engine\"\nfault = { type = \"drop\", rate = 0.1 }\nfor = \"1m\"\n\n" +
		"[[timeline]]\nat = \"1m59s\"\naction = \"fault\"\ntarget = \"engine\"\nfault = { type = \"drop\", rate = 0.2 }\nfor = \"1m\"\n",
	Good: "[[timeline]]\nat = \"1m\"\naction = \"fault\"\ntarget = \"engine\"\nfault = { type = \"drop\", rate = 0.1 }\nfor = \"1m\"\n\n" +
		"[[timeline]]\nat = \"2m\"\naction = \"fault\"\ntarget = \"engine\"\nfault = { type = \"drop\", rate = 0.2 }\nfor = \"1m\"\n",
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
