package scenario

import (
	"fmt"

	"github.com/inorbit-hr/reliability/scenario/internal/address"
	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var addressRule = Rule{
	Code: "address", Severity: Error,
	What: "A URL, a host or an address anywhere in the file, in values, keys and comments, however it is written. " +
		"A scenario names connections; only the bench's operator says what they are.",
	Message: `targets.api.connection: host name "api.example.com"; a scenario names connections, never addresses`,
	Bad: `[targets]
api = { connection = "api.example.com" }
`,
	Good: `[targets]
api = { connection = "public-api-staging" }
`,
}

// knownKeys are the keys of the format, in which no address is looked for.
var knownKeys = func() map[string]bool {
	known := map[string]bool{}
	for _, t := range append(tables(), fileTable) {
		for i := range t.keys {
			known[t.keys[i].name] = true
		}
	}
	return known
}()

// addresses looks for addresses in every text, key and comment.
func (c *checker) addresses() {
	clean := map[string]bool{}
	for _, n := range c.doc.Strings {
		where := address.Text
		if name := n.Name(); name == "openapi" || name == "grpc" {
			where = address.Operation
		} else if clean[n.Text] {
			continue
		}
		found := address.Find(n.Text, where)
		if len(found) == 0 {
			clean[n.Text] = clean[n.Text] || where == address.Text
			continue
		}
		c.tellAddresses(n, found)
	}
	for _, k := range c.doc.Keys {
		if clean[k.Text] || knownKeys[k.Text] {
			continue
		}
		found := address.Find(k.Text, address.Text)
		if len(found) == 0 {
			clean[k.Text] = true
			continue
		}
		c.settledKeys[k.Span.Start] = true
		c.tellAddress(k.Span, "a key", found[0])
	}
	for _, s := range c.doc.Comments {
		text := c.doc.Raw(s)[1:]
		for _, m := range address.Find(text, address.Text) {
			c.tellAddress(tree.Span{Start: s.Start + 1 + m.Start, End: s.Start + 1 + m.End}, "a comment", m)
		}
	}
}

// tellAddresses tells the addresses of a value, each at its place; those whose place
// is hidden by escapes once, at the value.
func (c *checker) tellAddresses(n *tree.Node, found []address.Match) {
	c.settled[n] = true
	places, hidden := c.doc.Places(n), false
	for _, m := range found {
		at, ok := places.Of(m.Start, m.End)
		if !ok {
			if hidden {
				continue
			}
			at, hidden = n.Span, true
		}
		c.tellAddress(at, subject(n), m)
	}
}

func (c *checker) tellAddress(at tree.Span, where string, m address.Match) {
	c.tell(&addressRule, at, func() string {
		return fmt.Sprintf("%s: %s %q; a scenario names connections, never addresses", where, m.Kind, m.Shown)
	})
}

// guard keeps an address, which may hold a password, out of a message about syntax
// that would repeat it.
func (c *checker) guard(p *tree.Problem) {
	if p.Span.End-p.Span.Start < 2 || len(address.Find(c.doc.Raw(p.Span), address.Text)) == 0 {
		return
	}
	p.Message = "text stands in quotes; and a scenario names connections, never addresses"
	p.Suggestion = ""
}
