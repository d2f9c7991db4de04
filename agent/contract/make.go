package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Bounds of a value that is made.
const (
	mostValues = 10_000   // values inside of it, tried ones included
	longest    = 64 << 10 // bytes of a text in it
)

var (
	// errNoType is told where a schema does not say what a value is.
	errNoType  = errors.New("its schema does not say what it is")
	errRecurs  = errors.New("its schema contains itself")
	errTooMany = errors.New("it would be too large")
	errOpaque  = errors.New("its pattern cannot be read")
	errNever   = errors.New("its schema allows no value")
)

// make gives a value that fits a schema, always the same: the least that is allowed,
// with the examples and defaults that the schema holds.
func (s *shared) make(ref *openapi3.SchemaRef) (any, error) {
	m := &maker{shared: s, left: mostValues, inside: map[*openapi3.Schema]bool{}}
	value, err := m.value(ref)
	if err != nil {
		return nil, err
	}
	if err := s.fits(ref.Value, value); err != nil {
		return nil, err
	}
	return value, nil
}

// fits holds a value to a schema, as part of a request. The validator is that of OpenAPI
// 3.0 for all: it alone knows that requests lack what is read-only.
func (s *shared) fits(schema *openapi3.Schema, value any) error {
	value = unmarked(value, asFloat)
	return s.misfit(value, schema.VisitJSON(value, openapi3.VisitAsRequest()))
}

type maker struct {
	*shared
	left   int
	inside map[*openapi3.Schema]bool // being made: a schema may contain itself
}

func (m *maker) value(ref *openapi3.SchemaRef) (any, error) {
	if ref == nil || ref.Value == nil {
		return nil, errNoType
	}
	schema := ref.Value
	if m.left--; m.left < 0 {
		return nil, errTooMany
	}
	if value, own, ok := given(schema); ok {
		if !own && inexact(value) {
			return nil, errInexact
		}
		return value, nil
	}
	switch {
	case schema.Always != nil && !*schema.Always:
		return nil, errNever
	case m.opaque[schema]:
		return nil, errOpaque
	case m.inside[schema]:
		return nil, errRecurs
	}
	m.inside[schema] = true
	defer delete(m.inside, schema)
	if len(schema.AllOf) > 0 || len(schema.OneOf) > 0 || len(schema.AnyOf) > 0 {
		return m.composed(schema)
	}
	return m.plain(schema)
}

// given is the value that a schema names itself; own tells that it is an example or
// default, and not one of those that alone are allowed.
func given(schema *openapi3.Schema) (value any, own, ok bool) {
	if all := examplesOf(schema); len(all) > 0 {
		return all[0], true, true
	}
	if schema.Default != nil {
		return schema.Default, true, true
	}
	if schema.Const != nil {
		return schema.Const, false, true
	}
	for _, value := range schema.Enum {
		if value != nil {
			return value, false, true
		}
	}
	return nil, false, false
}

// plain makes a value of the schema's own type.
func (m *maker) plain(schema *openapi3.Schema) (any, error) {
	switch typeOf(schema) {
	case openapi3.TypeObject:
		return m.object(schema)
	case openapi3.TypeArray:
		return m.array(schema)
	case openapi3.TypeString:
		return makeString(schema)
	case openapi3.TypeInteger, openapi3.TypeNumber:
		return makeNumber(schema)
	case openapi3.TypeBoolean:
		return true, nil
	}
	return nil, errNoType
}

// typeOf is the type of a schema: the first that it names, or the one that its other
// keys are about; empty where they do not say.
func typeOf(s *openapi3.Schema) string {
	for _, t := range s.Type.Slice() {
		if t != openapi3.TypeNull {
			return t
		}
	}
	switch {
	case len(s.Properties) > 0, len(s.Required) > 0, s.MinProps > 0:
		return openapi3.TypeObject
	case s.Items != nil, s.MinItems > 0, len(s.PrefixItems) > 0:
		return openapi3.TypeArray
	case s.Pattern != "", s.MinLength > 0, s.MaxLength != nil, s.Format != "":
		return openapi3.TypeString
	case s.Min != nil, s.Max != nil, s.MultipleOf != nil, s.ExclusiveMin.IsSet(), s.ExclusiveMax.IsSet():
		return openapi3.TypeNumber
	}
	return ""
}

// object has the properties that are required, those with an example or a default of
// their own, and others up to the least number.
func (m *maker) object(schema *openapi3.Schema) (any, error) {
	made := map[string]any{}
	names := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range m.required(schema) {
		if p := schema.Properties[name]; p != nil && p.Value != nil && p.Value.ReadOnly {
			continue
		}
		value, err := m.property(schema, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		made[name] = value
	}
	for _, name := range names {
		p := schema.Properties[name]
		if _, ok := made[name]; ok || p == nil || p.Value == nil || p.Value.ReadOnly {
			continue
		}
		if all := examplesOf(p.Value); len(all) > 0 {
			made[name] = all[0]
		}
	}
	for _, name := range names {
		if uint64(len(made)) >= schema.MinProps {
			break
		}
		p := schema.Properties[name]
		if _, ok := made[name]; ok || p == nil || p.Value == nil || p.Value.ReadOnly {
			continue
		}
		if value, err := m.value(p); err == nil {
			made[name] = value
		}
	}
	return made, nil
}

// property makes the value of a required property, which may be described by the
// object's other properties only.
func (m *maker) property(schema *openapi3.Schema, name string) (any, error) {
	if p := schema.Properties[name]; p != nil {
		return m.value(p)
	}
	if p := schema.AdditionalProperties.Schema; p != nil {
		return m.value(p)
	}
	return nil, errNoType
}

// array has one element, or as many as there must be; none where none can be made and
// none is needed.
func (m *maker) array(schema *openapi3.Schema) (any, error) {
	n := max(1, schema.MinItems)
	if schema.MaxItems != nil {
		n = min(n, *schema.MaxItems)
	}
	if n > mostValues {
		return nil, errTooMany
	}
	made := make([]any, 0, n)
	for i := range n {
		items := schema.Items
		if i < uint64(len(schema.PrefixItems)) {
			items = schema.PrefixItems[i]
		}
		value, err := m.value(items)
		if err == nil && schema.UniqueItems && i > 0 {
			value, err = another(items, value, i)
		}
		if err != nil {
			if schema.MinItems == 0 && i == 0 {
				return made, nil
			}
			return nil, fmt.Errorf("its elements: %w", err)
		}
		made = append(made, value)
	}
	return made, nil
}

// another varies a value for an array whose elements must differ: the next of the enum,
// a larger number, a longer text.
func another(items *openapi3.SchemaRef, value any, i uint64) (any, error) {
	if enum := items.Value.Enum; len(enum) > 0 {
		if i < uint64(len(enum)) {
			return enum[i], nil
		}
		return nil, errNever
	}
	switch v := value.(type) {
	case float64:
		step := 1.0
		if items.Value.MultipleOf != nil {
			step = *items.Value.MultipleOf
		}
		return v + step*float64(i), nil
	case string:
		return fmt.Sprintf("%s%d", v, i), nil
	}
	return value, nil
}
