package contract

import (
	"regexp"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// survey walks all schemas once, before any is used.
//
// A pattern that Go's regular expressions cannot read, such as one that looks ahead, is
// taken out: answers are not held to it, and no value is made for it.
//
// The validator of OpenAPI 3.1 does not know that a property which is required and
// write-only belongs to requests alone. It is no longer required, and noted as hidden.
func (s *shared) survey() error {
	note := func(_ string, ref *openapi3.SchemaRef) error {
		schema := ref.Value
		if schema == nil {
			return nil
		}
		for name := range schema.Properties {
			s.names[name] = true
		}
		for _, name := range schema.Required {
			s.names[name] = true
		}
		if s.doc.IsOpenAPI31OrLater() {
			s.hide(schema)
		}
		if schema.Pattern == "" {
			return nil
		}
		if _, err := regexp.Compile(goPattern(schema.Pattern)); err != nil {
			s.opaque[schema] = true
			schema.Pattern = ""
		}
		return nil
	}
	return s.doc.WalkSchemas(note)
}

func (s *shared) hide(schema *openapi3.Schema) {
	var shown []string
	for _, name := range schema.Required {
		if p := schema.Properties[name]; p != nil && p.Value != nil && p.Value.WriteOnly {
			s.hidden[schema] = append(s.hidden[schema], name)
		} else {
			shown = append(shown, name)
		}
	}
	schema.Required = shown
}

// required are the properties that a request must have. Those that are read-only are
// among them.
func (s *shared) required(schema *openapi3.Schema) []string {
	return slices.Concat(schema.Required, s.hidden[schema])
}

var codePoint = regexp.MustCompile(`\\u([0-9A-F]{4})`)

// goPattern writes a pattern of JSON Schema for Go, as the validator of answers does.
func goPattern(pattern string) string {
	return codePoint.ReplaceAllString(pattern, `\x{$1}`)
}
