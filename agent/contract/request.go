package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Request is one request that an operation can be sent.
type Request struct {
	// Path is escaped and starts with a slash; the query follows after a question
	// mark.
	Path string
	// Header holds the header and cookie parameters. It has no credential.
	Header http.Header
	// Body is nil without one; ContentType says what it is.
	Body        []byte
	ContentType string
}

// part is something of a request that takes a value: a parameter or the body.
type part struct {
	what   string // in messages, such as "path parameter id"
	values []choice
	write  func(d *draft, value any) error
}

// choice is a value that a part can have.
type choice struct {
	name  string // of the example; empty for a value that has none
	value any
}

// Requests gives every request that the document can give: at least one, or an error
// that names the operation and the part for which there is no value.
//
// A part takes its value from the document's examples, else from its default, else from
// the first of its enum, else one is made from its schema. Parts that are not required
// are left out unless they have an example. Where there are several examples there are
// several requests: examples of one name belong together, the others take turns.
func (o *Operation) Requests() ([]Request, error) {
	parts, err := o.parts()
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", o.ID, err)
	}
	names, rounds := rotation(parts)
	requests := make([]Request, 0, rounds)
	for i := range rounds {
		d := newDraft(o)
		for _, p := range parts {
			if err := p.write(d, p.pick(names, i)); err != nil {
				return nil, fmt.Errorf("operation %s: %s %w", o.ID, p.what, err)
			}
		}
		r, err := d.request()
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", o.ID, err)
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// rotation gives the names of all examples and how many requests there are.
func rotation(parts []part) (names []string, rounds int) {
	rounds = 1
	all := map[string]bool{}
	for _, p := range parts {
		rounds = max(rounds, len(p.values))
		for _, c := range p.values {
			if c.name != "" {
				all[c.name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all)), max(rounds, len(all))
}

// pick gives the part's value in the request of that number.
func (p part) pick(names []string, i int) any {
	if i < len(names) {
		for _, c := range p.values {
			if c.name == names[i] {
				return c.value
			}
		}
	}
	return p.values[i%len(p.values)].value
}

// parts are all that the operation's requests have, each with at least one value.
func (o *Operation) parts() ([]part, error) {
	var parts []part
	for _, p := range o.parameters {
		if ignored(p) {
			continue
		}
		what := fmt.Sprintf("%s parameter %s", p.In, p.Name)
		values, err := o.valuesOf(p.Required || p.In == openapi3.ParameterInPath, parameterSource(p))
		if err != nil {
			return nil, fmt.Errorf("%s %w", what, err)
		}
		if len(values) > 0 {
			parts = append(parts, part{what, values, func(d *draft, value any) error { return d.parameter(p, value) }})
		}
	}
	for _, name := range placeholders(o.Template) {
		if !slices.ContainsFunc(o.parameters, func(p *openapi3.Parameter) bool {
			return p.In == openapi3.ParameterInPath && p.Name == name
		}) {
			return nil, fmt.Errorf("path parameter %s is not declared", name)
		}
	}
	body, err := o.bodyPart()
	if err != nil {
		return nil, err
	}
	if body != nil {
		parts = append(parts, *body)
	}
	return parts, nil
}

// ignored tells of parameters that have no meaning: OpenAPI says that these headers
// are described elsewhere.
func ignored(p *openapi3.Parameter) bool {
	return p.In == openapi3.ParameterInHeader &&
		slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(p.Name))
}

// placeholders are the names in braces of a path.
func placeholders(template string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(template, "{")
		if !ok {
			return names
		}
		name, rest, ok := strings.Cut(rest, "}")
		if !ok {
			return names
		}
		names, template = append(names, name), rest
	}
}
