package scenario

import (
	"fmt"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var unknownTarget = Rule{
	Code: "unknown-target", Severity: Error,
	What:    "The load, or a fault, names a target that is not in `[targets]`.",
	Message: `load.target names "engnie", which is not in [targets]; did you mean "engine"?`,
	Bad: `[load]
target = "apj"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]
`,
}

// checkTargets tells references that lead nowhere. What is lost with [targets] itself
// was told there.
func (c *checker) checkTargets() {
	c.checkTarget(c.load)
	for _, f := range c.faults {
		c.checkTarget(f.entry)
	}
}

func (c *checker) checkTarget(s *section) {
	v, ok := s.get("target")
	if !ok || c.targets == nil || c.targets.node.Kind != tree.Table || c.targets.hides(v.text) || c.targets.has(v.text) {
		return
	}
	names := make([]string, len(c.targets.node.Members))
	for i, m := range c.targets.node.Members {
		names[i] = m.Name
	}
	if len(names) > maxDiagnostics {
		names = names[:maxDiagnostics]
	}
	meant := closest(v.text, names)
	c.strayTarget = true
	c.tell(&unknownTarget, v.node.Span, func() string {
		message := fmt.Sprintf("%s names %q, which is not in [targets]", v.node.Path(), v.text)
		if meant != "" {
			message += fmt.Sprintf("; did you mean %q?", meant)
		}
		return message
	}).suggestion = meant
}
