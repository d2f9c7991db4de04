package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Validate tells how an answer differs from the shape that the operation declares for
// its status; nil where it does not. JSON is held to its schema, of other content only
// the type is looked at; a status that is declared without content may have any. The
// error says status, place and kind, and never repeats what the answer held.
func (o *Operation) Validate(status int, header http.Header, body []byte) error {
	response := o.response(status)
	if response == nil {
		return fmt.Errorf("status %d is not declared", status)
	}
	if err := o.validate(response, header, body, status); err != nil {
		return fmt.Errorf("status %d: %w", status, err)
	}
	return nil
}

// response is what is declared for a status: by itself, by its class such as 2XX, or by
// default.
func (o *Operation) response(status int) *openapi3.Response {
	if o.spec.Responses == nil {
		return nil
	}
	ref := o.spec.Responses.Status(status)
	if ref == nil {
		ref = o.spec.Responses.Default()
	}
	if ref == nil {
		return nil
	}
	return ref.Value
}

func (o *Operation) validate(response *openapi3.Response, header http.Header, body []byte, status int) error {
	for _, name := range slices.Sorted(maps.Keys(response.Headers)) {
		h := response.Headers[name]
		if h == nil || h.Value == nil || !h.Value.Required || strings.EqualFold(name, "Content-Type") {
			continue
		}
		if len(header.Values(name)) == 0 {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	if len(response.Content) == 0 || o.Method == http.MethodHead || status == http.StatusNoContent || status == http.StatusNotModified {
		return nil
	}
	declared, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return errors.New("it names no content type")
	}
	m := response.Content.Get(header.Get("Content-Type"))
	switch {
	case m == nil:
		return fmt.Errorf("its content type is none of those declared: %s", strings.Join(slices.Sorted(maps.Keys(response.Content)), ", "))
	case !isJSON(declared) || m.Schema == nil || m.Schema.Value == nil:
		return nil
	}
	value, err := parse(body)
	if err != nil {
		return err
	}
	options := []openapi3.SchemaValidationOption{openapi3.VisitAsResponse()}
	if o.shared.doc.IsOpenAPI31OrLater() {
		options = append(options, openapi3.EnableJSONSchema2020())
	}
	return o.shared.misfit(value, m.Schema.Value.VisitJSON(value, options...))
}

// parse reads JSON; its errors repeat nothing of it.
func parse(body []byte) (any, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, errors.New("its body is empty")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, errors.New("its body is not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("its body goes on behind the JSON")
	}
	return value, nil
}

// kinds say in words which keyword of a schema was broken.
var kinds = map[string]string{
	"type":                 "has another type than declared",
	"nullable":             "is null",
	"required":             "is missing",
	"enum":                 "is none of the declared values",
	"const":                "is not the declared value",
	"format":               "is not of the declared format",
	"pattern":              "does not match the declared pattern",
	"minLength":            "is shorter than declared",
	"maxLength":            "is longer than declared",
	"minimum":              "is less than declared",
	"exclusiveMinimum":     "is less than declared",
	"maximum":              "is more than declared",
	"exclusiveMaximum":     "is more than declared",
	"multipleOf":           "is not a multiple as declared",
	"minItems":             "has fewer elements than declared",
	"maxItems":             "has more elements than declared",
	"uniqueItems":          "has an element twice",
	"minProperties":        "has fewer properties than declared",
	"maxProperties":        "has more properties than declared",
	"additionalProperties": "has a property that is not declared",
	"properties":           "has a property that is not declared",
	"readOnly":             "is in a request although it is read-only",
	"writeOnly":            "is in an answer although it is write-only",
	"oneOf":                "fits none, or several, of the declared shapes",
	"anyOf":                "fits none of the declared shapes",
	"allOf":                "does not fit all of the declared shapes",
}

// misfit words what a validator says without repeating anything of the value.
func (s *shared) misfit(value any, err error) error {
	if err == nil {
		return nil
	}
	tokens, keyword, ok := broken(err)
	if !ok {
		return errors.New("it does not fit its schema")
	}
	what, ok := kinds[keyword]
	if !ok {
		what = "does not fit its schema"
	}
	return fmt.Errorf("%s %s", s.place(value, tokens), what)
}

// broken gives the place and the keyword of the first thing that is wrong.
func broken(err error) (tokens []string, keyword string, ok bool) {
	e, ok := errors.AsType[*openapi3.SchemaError](err)
	if !ok {
		return nil, "", false
	}
	if _, ok := errors.AsType[*jsonschema.ValidationError](err); !ok {
		return e.JSONPointer(), e.SchemaField, true
	}
	// The validator of OpenAPI 3.1 tells a tree of errors. Below oneOf and anyOf each is
	// that of one alternative.
	for e.SchemaField != "oneOf" && e.SchemaField != "anyOf" {
		inner, ok := errors.AsType[*openapi3.SchemaError](e.Origin)
		if !ok {
			break
		}
		e = inner
	}
	tokens = e.JSONPointer()
	if leaf, ok := errors.AsType[*jsonschema.ValidationError](e); ok && e.SchemaField == "required" {
		if missing, ok := leaf.ErrorKind.(*kind.Required); ok && len(missing.Missing) > 0 {
			tokens = append(slices.Clone(tokens), missing.Missing[0])
		}
	}
	return tokens, e.SchemaField, true
}

// place writes where in a value something is. A name that the document does not declare
// is content, so a star stands for it.
func (s *shared) place(value any, tokens []string) string {
	if len(tokens) == 0 {
		return "it"
	}
	var b strings.Builder
	for _, token := range tokens {
		shown := "*"
		switch v := value.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			value = nil
			if err == nil && i >= 0 && i < len(v) {
				shown, value = strconv.Itoa(i), v[i]
			}
		case map[string]any:
			if s.names[token] {
				shown = token
			}
			value = v[token]
		}
		b.WriteString("/" + shown)
	}
	return b.String()
}
