package scenario

import (
	"fmt"
	"slices"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var missingKey = Rule{
	Code: "missing-key", Severity: Error,
	What:    "A required key or table is not there. The place is the header of the table that lacks it, or its key, or 1:1 for a table of the file.",
	Message: "timeline[0] has no for: the fault would never be lifted",
	Bad: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
`,
	Good: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "2m"
`,
}

// absence is a required key that a table lacks.
type absence struct {
	in  *section
	key *key
}

// tellMissing tells the required keys that are not there, once all tables are read:
// not those that a syntax error may have hidden, and not those for which a typo, or a
// key in the wrong table, was told.
func (c *checker) tellMissing() {
	for _, a := range c.absent {
		c.missing(a.in, a.key)
	}
}

func (c *checker) missing(s *section, k *key) {
	n := s.node
	if n.Partial || slices.Contains(c.suggested[n], k.name) || len(n.Members) == 0 && s.table == objectiveTable || c.astray[k] {
		return
	}
	if n == c.doc.Root {
		c.tellf(&missingKey, tree.Span{}, "the file has no [%s] table", k.name)
		return
	}
	c.tell(&missingKey, n.Anchor, func() string { return wordMissing(s, k) })
}

func wordMissing(s *section, k *key) string {
	name := s.label()
	switch {
	case s.table == faultTable && k.only != nil:
		choice, _ := s.choice()
		return fmt.Sprintf("a fault of type %s needs %s", choice, k.name)
	case s.table == loadTable && k.only != nil:
		choice, _ := s.choice()
		return fmt.Sprintf("%s has no %s, which pattern %s needs", name, k.name, choice)
	case s.table == entryTable && k.name == "for":
		return name + " has no for: the fault would never be lifted"
	}
	return name + " has no " + k.name
}

// label names a table in a message: a table of the file as its header, any other by
// its path.
func (s *section) label() string {
	if s.table.name[0] == '[' && s.table != entryTable {
		return s.table.name
	}
	return s.node.Path()
}

// checkOperation tells an operation with neither id.
func (c *checker) checkOperation(s *section) {
	openapi, grpc := s.has("openapi"), s.has("grpc")
	if openapi && grpc {
		c.tellConflict(s)
		return
	}
	if openapi || grpc || s.node.Kind != tree.Table || s.node.Partial {
		return
	}
	meant := c.suggested[s.node]
	if slices.Contains(meant, "openapi") || slices.Contains(meant, "grpc") {
		return
	}
	c.tell(&missingKey, s.node.Anchor, func() string {
		return s.label() + " names no operation: give it openapi or grpc"
	})
}

// checkObjective tells an objective with neither limit.
func (c *checker) checkObjective() {
	s := c.objective
	if s == nil || s.node.Kind != tree.Table || s.node.Partial || len(s.node.Members) == 0 || s.has("success_rate") || s.has("p99_ms") {
		return
	}
	meant := c.suggested[s.node]
	if slices.Contains(meant, "success_rate") || slices.Contains(meant, "p99_ms") {
		return
	}
	c.tellf(&missingKey, s.header(), "[objective] has neither success_rate nor p99_ms")
}
