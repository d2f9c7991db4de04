package contract

import (
	"regexp"

	"github.com/getkin/kin-openapi/openapi3"
)

// survey walks all schemas once, before any is used. A pattern that Go's regular
// expressions cannot read, such as one that looks ahead, is taken out: answers are not
// held to it, and no value is made for it.
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

var codePoint = regexp.MustCompile(`\\u([0-9A-F]{4})`)

// goPattern writes a pattern of JSON Schema for Go, as the validator of answers does.
func goPattern(pattern string) string {
	return codePoint.ReplaceAllString(pattern, `\x{$1}`)
}
