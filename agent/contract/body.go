package contract

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// bodyPart is the operation's body; nil where its requests have none. Of several media
// types the first that can be given is taken: JSON before forms before text.
func (o *Operation) bodyPart() (*part, error) {
	if o.spec.RequestBody == nil || o.spec.RequestBody.Value == nil {
		return nil, nil
	}
	body := o.spec.RequestBody.Value
	names := slices.Sorted(maps.Keys(body.Content))
	slices.SortStableFunc(names, func(a, b string) int { return preference(a) - preference(b) })
	why := errNothing
	for i, name := range names {
		p, err := o.bodyOf(body.Required, name, body.Content[name])
		if err == nil && p != nil {
			return p, nil
		}
		if err != nil && i == 0 {
			why = err
		}
	}
	if !body.Required {
		return nil, nil
	}
	return nil, fmt.Errorf("its body %w", why)
}

// preference orders media types.
func preference(mediaType string) int {
	base := baseType(mediaType)
	switch {
	case base == "application/json":
		return 0
	case isJSON(mediaType):
		return 1
	case base == typeForm:
		return 2
	case base == typeMultipart:
		return 3
	case strings.HasPrefix(base, "text/"):
		return 4
	}
	return 5
}

const (
	typeForm      = "application/x-www-form-urlencoded"
	typeMultipart = "multipart/form-data"
)

// bodyOf is the body as one media type; nil where it has no value.
func (o *Operation) bodyOf(required bool, name string, m *openapi3.MediaType) (*part, error) {
	if m == nil {
		return nil, nil
	}
	values, err := o.valuesOf(required, source{example: m.Example, examples: m.Examples, schema: m.Schema})
	if err != nil || len(values) == 0 {
		return nil, err
	}
	contentType := name
	if strings.Contains(name, "*") {
		if contentType = "application/json"; baseType(name) != "*/*" && baseType(name) != "application/*" {
			return nil, fmt.Errorf("is of content type %s, which says nothing of what is to be sent", name)
		}
	}
	p := &part{what: "its body", values: values, write: func(d *draft, value any) (err error) {
		d.body, d.contentType, err = writeBody(contentType, m, value)
		return err
	}}
	for _, c := range values {
		if _, _, err := writeBody(contentType, m, c.value); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// writeBody writes a value as a media type, and gives the content type with all of its
// parameters.
func writeBody(contentType string, m *openapi3.MediaType, value any) ([]byte, string, error) {
	switch base := baseType(contentType); {
	case isJSON(contentType):
		content, err := marshal(value)
		return content, contentType, err
	case base == typeForm:
		content, err := writeForm(m, value)
		return content, contentType, err
	case base == typeMultipart:
		return writeMultipart(m, value)
	}
	if text, ok := value.(string); ok {
		return []byte(text), contentType, nil
	}
	return nil, "", fmt.Errorf("is of content type %s: give an example of it as text", contentType)
}

// writeForm writes an object as a form; each property in the style of a query, or as
// its encoding says.
func writeForm(m *openapi3.MediaType, value any) ([]byte, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("is a form: its value must be an object")
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		how := encoding{style: openapi3.SerializationForm, explode: true}
		if e := m.Encoding[name]; e != nil && e.Style != "" {
			method, err := (&openapi3.Parameter{In: openapi3.ParameterInQuery, Style: e.Style, Explode: e.Explode}).SerializationMethod()
			if err != nil {
				return nil, err
			}
			how.style, how.explode = method.Style, method.Explode
		} else if _, nested := object[name].(map[string]any); nested {
			how.json = true // OpenAPI's default for an object in a form
		}
		pairs, err := how.query(name, object[name])
		if err != nil {
			return nil, fmt.Errorf("cannot be written as a form: property %s %w", name, err)
		}
		all = append(all, pairs...)
	}
	return []byte(strings.Join(all, "&")), nil
}

// isJSON tells of media types that hold JSON.
func isJSON(mediaType string) bool {
	base := baseType(mediaType)
	return base == "application/json" || base == "text/json" || strings.HasSuffix(base, "+json")
}

// baseType is a media type without its parameters, in lower case.
func baseType(mediaType string) string {
	base, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		base, _, _ = strings.Cut(mediaType, ";")
		base = strings.ToLower(strings.TrimSpace(base))
	}
	return base
}
