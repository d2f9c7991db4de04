package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// source is where the values of a part may come from.
type source struct {
	example  any
	examples openapi3.Examples
	schema   *openapi3.SchemaRef
}

// parameterSource is that of a parameter, which is described by a schema or by the one
// media type of its content.
func parameterSource(p *openapi3.Parameter) source {
	s := source{example: p.Example, examples: p.Examples, schema: p.Schema}
	if m := contentOf(p); m != nil {
		if s.example == nil && len(s.examples) == 0 {
			s.example, s.examples = m.Example, m.Examples
		}
		if s.schema == nil {
			s.schema = m.Schema
		}
	}
	return s
}

// contentOf gives the media type of a parameter; nil where it has none.
func contentOf(p *openapi3.Parameter) *openapi3.MediaType {
	for _, name := range slices.Sorted(maps.Keys(p.Content)) {
		return p.Content[name]
	}
	return nil
}

// explicit are the examples that the document gives for the part itself. An example
// that is null, or that stands in another file, is none.
func (s source) explicit() []choice {
	var all []choice
	if s.example != nil {
		all = append(all, choice{value: s.example})
	}
	for _, name := range slices.Sorted(maps.Keys(s.examples)) {
		if e := s.examples[name]; e != nil && e.Value != nil && e.Value.Value != nil {
			all = append(all, choice{name, e.Value.Value})
		}
	}
	if len(all) > 0 || s.schema == nil || s.schema.Value == nil {
		return all
	}
	for _, value := range examplesOf(s.schema.Value) {
		all = append(all, choice{value: value})
	}
	return all
}

func examplesOf(schema *openapi3.Schema) []any {
	var all []any
	if schema.Example != nil {
		all = append(all, schema.Example)
	}
	for _, value := range schema.Examples {
		if value != nil {
			all = append(all, value)
		}
	}
	return all
}

var errNothing = errors.New("has no example, default or schema to make one from")

// valuesOf gives a part's values: its examples, or for a required part the one that can
// be made.
func (o *Operation) valuesOf(required bool, s source) ([]choice, error) {
	explicit := s.explicit()
	for _, c := range explicit {
		if o.shared.rounded && inexact(c.value) {
			return nil, errors.New("has an example with a number that is too large to be kept exactly here: write it without an alias")
		}
	}
	if len(explicit) > 0 || !required {
		return explicit, nil
	}
	if s.schema == nil || s.schema.Value == nil {
		return nil, errNothing
	}
	value, err := o.shared.make(s.schema)
	if err == nil && o.shared.rounded && inexact(value) {
		err = errInexact
	}
	if errors.Is(err, errNoType) {
		return nil, errNothing
	}
	if err != nil {
		return nil, fmt.Errorf("has no example or default, and none can be made from its schema: %w", err)
	}
	return []choice{{value: value}}, nil
}
