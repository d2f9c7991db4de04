package scenario

import "fmt"

var noProxy = Rule{
	Code: "no-proxy", Severity: Error,
	What:    "A fault acts in the proxy in front of a connection, so its target needs one.",
	Message: `target "api" has no proxy (line 7), so a fault cannot reach it`,
	Bad: `[targets]
api = { connection = "public-api-staging" }

[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "2m"
`,
	Good: `[targets]
api = { connection = "public-api-staging", proxy = "api" }

[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "2m"
`,
}

func (c *checker) checkProxies() {
	for _, f := range c.faults {
		name, ok := f.entry.get("target")
		if !ok {
			continue
		}
		target, ok := c.targets.get(name.text)
		if !ok || target.table.has("proxy") || target.table.hides("proxy") || c.meant(target.table, "proxy") {
			continue
		}
		c.tell(&noProxy, name.node.Span, func() string {
			return fmt.Sprintf("target %q has no proxy (line %d), so a fault cannot reach it", name.text, c.line(target.member.Key))
		})
	}
}
