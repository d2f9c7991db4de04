package scenario

import (
	"fmt"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var unknownKey = Rule{
	Code: "unknown-key", Severity: Error,
	What:    "Every table takes the keys that this page lists, spelt exactly so, and no others: a key with a typo would do nothing.",
	Message: `unknown key "naem" in [scenario]; did you mean "name"?`,
	Bad: `[scenario]
format = 1
naem = "Checkout"
environment = "staging"
`,
	Good: `[scenario]
format = 1
name = "Checkout"
environment = "staging"
`,
}

// maxGuesses bounds how many unknown keys of a file are compared with the known ones.
const maxGuesses = 4 * maxDiagnostics

// unknown tells a key that its table does not take.
func (c *checker) unknown(s *section, m *tree.Member) {
	t, n := s.table, s.node
	unread := m.Value.Kind == tree.Broken && m.Value.Partial // the line was told already
	if unread || c.settledKeys[m.Key.Start] {
		return
	}
	if places := placesOf(m.Name, m.Value.Kind == tree.Table || m.Value.HasHeader()); len(places) > 0 {
		c.tellMisplaced(t, n, m, places)
		return
	}
	names := s.keyNames()
	meant := ""
	if c.guesses++; c.guesses <= maxGuesses {
		if meant = closest(m.Name, names); meant != "" {
			c.suggested[n] = append(c.suggested[n], meant)
		}
	}
	rule, what := &unknownKey, "key"
	if m.Value.HasHeader() || m.Value.Form == tree.Implied {
		rule, what = &unknownTable, "table"
	}
	found := c.tell(rule, m.Key, func() string {
		if meant != "" {
			return fmt.Sprintf("unknown %s %q in %s; did you mean %q?", what, m.Name, t.name, meant)
		}
		return fmt.Sprintf("unknown %s %q in %s, which takes %s", what, m.Name, t.name, list(names))
	})
	found.suggestion = meant
}

// keyNames are the keys that the table takes, with the selector's value that it has.
func (s *section) keyNames() []string {
	var names []string
	for i := range s.table.keys {
		if k := &s.table.keys[i]; s.takes(k) != no {
			names = append(names, k.name)
		}
	}
	return names
}
