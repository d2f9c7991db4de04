package scenario

import (
	"fmt"
	"slices"
)

var unknownValue = Rule{
	Code: "unknown-value", Severity: Error,
	What:    "A pattern, action, fault type, check or gRPC code that is not one of those this page lists, spelt exactly so.",
	Message: `unknown action "flaut"; did you mean "fault"? (one of: fault, log)`,
	Bad: `[[timeline]]
at = "1m"
action = "lgo"
message = "half time"
`,
	Good: `[[timeline]]
at = "1m"
action = "log"
message = "half time"
`,
}

// wordNames are what messages call the values of a key.
var wordNames = map[string]string{"checks": "check", "expect": "gRPC code"}

// shortList is the number of words up to which a message lists them beside a
// suggestion.
const shortList = 8

// isWord tells a value that is not one of the key's words.
func (c *checker) isWord(v *value, words []string) bool {
	if slices.Contains(words, v.text) {
		return true
	}
	name := v.key.name
	if n := wordNames[name]; n != "" {
		name = n
	}
	meant := closest(v.text, words)
	c.settled[v.node] = true
	c.tell(&unknownValue, v.node.Span, func() string {
		if meant != "" && len(words) > shortList {
			return fmt.Sprintf("unknown %s %q; did you mean %q?", name, v.text, meant)
		}
		if meant != "" {
			return fmt.Sprintf("unknown %s %q; did you mean %q? (one of: %s)", name, v.text, meant, list(words))
		}
		return fmt.Sprintf("unknown %s %q (one of: %s)", name, v.text, list(words))
	}).suggestion = meant
	return false
}
