package scenario

import (
	"fmt"
	"strings"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var misplacedKey = Rule{
	Code: "misplaced-key", Severity: Error,
	What:    "A key of the format stands in a table that does not take it, or takes it only with another pattern, action or fault type.",
	Message: "a fault of type drop takes no status",
	Bad: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1, status = 503 }
for = "2m"
`,
	Good: `[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "drop", rate = 0.1 }
for = "2m"
`,
}

// tellMisplaced tells a key that belongs in another table.
func (c *checker) tellMisplaced(t *table, n *tree.Node, m *tree.Member, places []*table) {
	for _, place := range places {
		c.astray[place.key(m.Name)] = true
		if place == assertionsTable || place == objectiveTable {
			// It would have asserted something, in its place.
			c.suggested[c.doc.Root] = append(c.suggested[c.doc.Root], strings.Trim(place.name, "[]"))
		}
	}
	c.tell(&misplacedKey, m.Key, func() string {
		names := make([]string, len(places))
		for i, place := range places {
			names[i] = "in " + place.place
			if place == fileTable {
				names[i] = "at " + place.place
			}
		}
		return fmt.Sprintf("%q belongs %s, not in %s", m.Name, strings.Join(names, " or "), t.name)
	})
}

// isMisplaced tells a key that the table takes only with another value of its
// selector.
func (c *checker) isMisplaced(s *section, k *key, m *tree.Member) bool {
	if s.takes(k) != no {
		return false
	}
	choice, _ := s.choice()
	c.tell(&misplacedKey, m.Key, func() string {
		return fmt.Sprintf("%s takes no %s; that is for %s %s", fmt.Sprintf(s.table.chosen, choice), k.name, s.table.selector, strings.Join(k.only, " and "))
	})
	return true
}
