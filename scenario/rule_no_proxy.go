package scenario

import "fmt"

var noProxy = Rule{
	Code: "no-proxy", Severity: Error,
	What:    "A fault acts in the proxy in front of a connection, so its target needs one.",
	Message: `target "api" has no proxy (line 7), so a fault cannot reach it`,
	Bad:     "[[timeline]]\nat = \"1m\"\naction = \"fault\"\ntarget = \"api\"\nfault = { type = \"drop\", rate = 0.1 }\nfor = \"2m\"\n",
	Good:    "[[timeline]]\nat = \"1m\"\naction = \"fault\"\ntarget = \"engine\"\nfault = { type = \"drop\", rate = 0.1 }\nfor = \"2m\"\n",
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
