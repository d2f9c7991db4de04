package scenario

import (
	"fmt"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var badName = Rule{
	Code: "bad-name", Severity: Error,
	What: "Names of targets, connections, proxies and environments are lower-case letters, digits and single hyphens, a letter first: " +
		"no address has this form.",
	Message: `scenario.environment "Staging EU" is not a name: use lower-case letters, digits and single hyphens, a letter first`,
	Bad: `[scenario]
format = 1
name = "Checkout"
environment = "Staging EU"
`,
	Good: `[scenario]
format = 1
name = "Checkout"
environment = "staging-eu"
`,
}

// isName tells a text that is not a name.
func (c *checker) isName(n *tree.Node, path, text string) bool {
	if validName(text) {
		return true
	}
	c.settled[n] = true
	c.tell(&badName, n.Span, func() string { return wordName(path, text) })
	return false
}

// isNameKey tells a target's key that is not a name.
func (c *checker) isNameKey(m *tree.Member) {
	if validName(m.Name) || c.settledKeys[m.Key.Start] {
		return
	}
	c.tell(&badName, m.Key, func() string { return wordName("target name", m.Name) })
}

func wordName(what, text string) string {
	return fmt.Sprintf("%s %q is not a name: use lower-case letters, digits and single hyphens, a letter first", what, text)
}

// validName tells whether a text is a name: [a-z][a-z0-9]*(-[a-z0-9]+)*.
func validName(text string) bool {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return false
	}
	hyphen := false
	for i := 1; i < len(text); i++ {
		switch b := text[i]; {
		case b >= 'a' && b <= 'z' || b >= '0' && b <= '9':
			hyphen = false
		case b == '-' && !hyphen:
			hyphen = true
		default:
			return false
		}
	}
	return !hyphen
}
