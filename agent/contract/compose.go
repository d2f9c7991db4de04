package contract

import (
	"maps"
	"path"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// mostAttempts bounds how many combinations of alternatives are tried for one value.
const mostAttempts = 64

// composed makes a value for a schema that is put together from others: all of allOf,
// and one of each oneOf and anyOf, tried in the order of the document.
func (m *maker) composed(schema *openapi3.Schema) (any, error) {
	var first error
	for attempt := range mostAttempts {
		c := &composition{maker: m, whole: &openapi3.Schema{}, rest: attempt}
		value, err := c.make(schema)
		if c.rest > 0 {
			break // there are no more combinations
		}
		if err == nil {
			err = m.fits(schema, value)
		}
		if err == nil {
			return value, nil
		}
		if first == nil {
			first = err
		}
		if m.left < 0 {
			return nil, errTooMany
		}
	}
	return nil, first
}

// composition joins schemas into one that has no alternatives.
type composition struct {
	*maker
	whole *openapi3.Schema
	// rest is the number of the combination that is tried: at each choice among n, its
	// remainder by n is taken, and the rest stays for the choices that follow. A rest
	// at the end means that there is no combination of that number.
	rest int
	// entered are the schemas in it, which may not be made again inside of its value.
	entered []*openapi3.Schema
	// overlays are the objects that schemas in it name as their example or default.
	overlays []map[string]any
}

func (c *composition) make(schema *openapi3.Schema) (any, error) {
	defer func() {
		for _, s := range c.entered {
			delete(c.inside, s)
		}
	}()
	if err := c.add(schema); err != nil {
		return nil, err
	}
	value, err := c.value(openapi3.NewSchemaRef("", c.whole))
	if len(c.overlays) == 0 {
		return value, err
	}
	object, ok := value.(map[string]any)
	switch {
	case err != nil:
		object = map[string]any{}
	case !ok:
		return value, nil
	}
	for _, overlay := range slices.Backward(c.overlays) { // the first wins
		maps.Copy(object, overlay)
	}
	return object, nil
}

// add joins a schema, and those that it is put together from.
func (c *composition) add(s *openapi3.Schema) error {
	if c.left--; c.left < 0 {
		return errTooMany
	}
	if c.opaque[s] {
		return errOpaque
	}
	c.join(s)
	for _, ref := range s.AllOf {
		if err := c.enter(ref); err != nil {
			return err
		}
	}
	for _, refs := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(refs) == 0 {
			continue
		}
		ref := refs[c.rest%len(refs)]
		c.rest /= len(refs)
		if d := s.Discriminator; d != nil && ref != nil {
			c.overlays = append(c.overlays, map[string]any{d.PropertyName: discriminated(d, ref)})
		}
		if err := c.enter(ref); err != nil {
			return err
		}
	}
	return nil
}

// discriminated is the value by which a discriminator knows a schema.
func discriminated(d *openapi3.Discriminator, ref *openapi3.SchemaRef) string {
	for _, name := range slices.Sorted(maps.Keys(d.Mapping)) {
		if d.Mapping[name].Ref == ref.Ref {
			return name
		}
	}
	return path.Base(ref.Ref)
}

// enter adds a schema that another one is put together from.
func (c *composition) enter(ref *openapi3.SchemaRef) error {
	if ref == nil || ref.Value == nil {
		return errNoType
	}
	s := ref.Value
	if c.inside[s] {
		return errRecurs
	}
	c.inside[s] = true
	c.entered = append(c.entered, s)
	return c.add(s)
}

// join adds what a schema asks to the whole: both must hold.
func (c *composition) join(s *openapi3.Schema) {
	w := c.whole
	for _, value := range []any{firstOf(examplesOf(s)), s.Default} {
		if object, ok := value.(map[string]any); ok {
			c.overlays = append(c.overlays, object)
		} else if w.Example == nil && value != nil {
			w.Example = value
		}
	}
	if w.Const == nil {
		w.Const = s.Const
	}
	if s.Always != nil && !*s.Always {
		w.Always = s.Always
	}
	w.Type = commonType(w.Type, s.Type)
	if w.Format == "" {
		w.Format = s.Format
	}
	if w.Pattern == "" {
		w.Pattern = s.Pattern
	}
	if len(s.Enum) > 0 {
		w.Enum = commonValues(w.Enum, s.Enum)
	}
	joinBounds(w, s)
	w.UniqueItems = w.UniqueItems || s.UniqueItems
	w.Items = both(w.Items, s.Items)
	if len(w.PrefixItems) == 0 {
		w.PrefixItems = s.PrefixItems
	}
	for _, name := range c.required(s) {
		if !slices.Contains(w.Required, name) {
			w.Required = append(w.Required, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if w.Properties == nil {
			w.Properties = openapi3.Schemas{}
		}
		w.Properties[name] = both(w.Properties[name], s.Properties[name])
	}
	if w.AdditionalProperties.Schema == nil {
		w.AdditionalProperties.Schema = s.AdditionalProperties.Schema
	}
}

// joinBounds takes the narrower of each bound.
func joinBounds(w, s *openapi3.Schema) {
	if s.Min != nil && (w.Min == nil || *s.Min >= *w.Min) {
		w.Min, w.ExclusiveMin.Bool = s.Min, s.ExclusiveMin.Bool
	}
	if s.Max != nil && (w.Max == nil || *s.Max <= *w.Max) {
		w.Max, w.ExclusiveMax.Bool = s.Max, s.ExclusiveMax.Bool
	}
	if v := s.ExclusiveMin.Value; v != nil && (w.ExclusiveMin.Value == nil || *v > *w.ExclusiveMin.Value) {
		w.ExclusiveMin.Value = v
	}
	if v := s.ExclusiveMax.Value; v != nil && (w.ExclusiveMax.Value == nil || *v < *w.ExclusiveMax.Value) {
		w.ExclusiveMax.Value = v
	}
	if w.MultipleOf == nil {
		w.MultipleOf = s.MultipleOf
	}
	w.MinLength, w.MaxLength = max(w.MinLength, s.MinLength), least(w.MaxLength, s.MaxLength)
	w.MinItems, w.MaxItems = max(w.MinItems, s.MinItems), least(w.MaxItems, s.MaxItems)
	w.MinProps, w.MaxProps = max(w.MinProps, s.MinProps), least(w.MaxProps, s.MaxProps)
}

func least(a, b *uint64) *uint64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// both is a schema that asks what two ask.
func both(a, b *openapi3.SchemaRef) *openapi3.SchemaRef {
	switch {
	case a == nil || a.Value == nil:
		return b
	case b == nil || b.Value == nil:
		return a
	}
	return openapi3.NewSchemaRef("", &openapi3.Schema{
		AllOf: openapi3.SchemaRefs{a, b}, ReadOnly: a.Value.ReadOnly || b.Value.ReadOnly,
	})
}

// commonType are the types that both allow; none means any.
func commonType(a, b *openapi3.Types) *openapi3.Types {
	switch {
	case a.IsEmpty():
		return b
	case b.IsEmpty():
		return a
	}
	var common openapi3.Types
	for _, t := range a.Slice() {
		switch {
		case b.Includes(t):
			common = append(common, t)
		case t == openapi3.TypeNumber && b.Includes(openapi3.TypeInteger):
			common = append(common, openapi3.TypeInteger)
		case t == openapi3.TypeInteger && b.Includes(openapi3.TypeNumber):
			common = append(common, t)
		}
	}
	if len(common) == 0 {
		return a // nothing fits; the value is held to the schema and refused
	}
	return &common
}

// commonValues are the values of both enums.
func commonValues(a, b []any) []any {
	if len(a) == 0 {
		return b
	}
	common := slices.DeleteFunc(slices.Clone(a), func(value any) bool {
		text, err := marshal(value)
		return err != nil || !slices.ContainsFunc(b, func(other any) bool {
			same, err := marshal(other)
			return err == nil && string(same) == string(text)
		})
	})
	if len(common) == 0 {
		return a // as above
	}
	return common
}

func firstOf(values []any) any {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}
