package scenario

import "fmt"

var unusedTarget = Rule{
	Code: "unused-target", Severity: Warning,
	What:    "A target that neither the load nor the timeline names, in a scenario without `checks`.",
	Message: `target "search" is used by neither [load] nor the timeline`,
	Bad: `[targets]
api = { connection = "public-api-staging" }
search = { connection = "search-staging" }

[assertions]
max_error_rate = 0.01
`,
	Good: `[targets]
api = { connection = "public-api-staging" }

[assertions]
max_error_rate = 0.01
`,
}

// checkUnusedTargets warns only where every reference of the file is understood: with
// one that is not, the target may be the one that was meant.
func (c *checker) checkUnusedTargets() {
	if c.targets == nil || c.assertions.has("checks") || c.doc.Root.Partial || c.strayTarget || c.meant(c.assertions, "checks") || c.unread() {
		return
	}
	used := map[string]bool{}
	if v, ok := c.load.get("target"); ok {
		used[v.text] = true
	}
	for _, f := range c.faults {
		if v, ok := f.entry.get("target"); ok {
			used[v.text] = true
		}
	}
	for _, m := range c.targets.node.Members {
		if !used[m.Name] {
			c.tell(&unusedTarget, m.Key, func() string {
				return fmt.Sprintf("target %q is used by neither [load] nor the timeline", m.Name)
			})
		}
	}
}

// unread tells whether a reference to a target may be hidden in what could not be
// read.
func (c *checker) unread() bool {
	for _, name := range []string{"load", "timeline", "assertions"} {
		if c.root.has(name) && !c.root.values[name].ok || !c.root.has(name) && c.lost(name) {
			return true
		}
	}
	if c.load != nil {
		if _, ok := c.load.get("target"); !ok {
			return true
		}
	}
	for _, entry := range c.timeline {
		action, ok := entry.get("action")
		if !ok {
			return true
		}
		if _, ok := entry.get("target"); !ok && action.text == string(ActionFault) {
			return true
		}
	}
	return false
}
