package contract

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// writeMultipart writes an object as a form of several parts: text as it is, a list as
// a part an element, and what holds objects as JSON. A property of format binary is a
// file.
func writeMultipart(m *openapi3.MediaType, value any) ([]byte, string, error) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, "", errors.New("is a form: its value must be an object")
	}
	// The boundary is the same each time, as everything is, and longer where the
	// content has it.
	boundary := "reliability"
	for {
		content, contentType, err := writeParts(m, object, boundary)
		if err != nil {
			return nil, "", err
		}
		if bytes.Count(content, []byte("--"+boundary)) == parts(object)+1 {
			return content, contentType, nil
		}
		boundary += "-more"
	}
}

// parts is how many parts an object has.
func parts(object map[string]any) int {
	n := 0
	for _, value := range object {
		n += len(elements(value))
	}
	return n
}

// elements are the values that a property is written as.
func elements(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

func writeParts(m *openapi3.MediaType, object map[string]any, boundary string) ([]byte, string, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		return nil, "", errors.New("has content that no boundary can part")
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		for _, element := range elements(object[name]) {
			content, contentType, err := writePart(m, name, element)
			if err != nil {
				return nil, "", fmt.Errorf("cannot be written as a form: property %s %w", name, err)
			}
			disposition := `form-data; name="` + quoted.Replace(name) + `"`
			if isBinary(m, name) {
				disposition += `; filename="` + quoted.Replace(name) + `"`
			}
			part, err := w.CreatePart(textproto.MIMEHeader{
				"Content-Disposition": {disposition},
				"Content-Type":        {contentType},
			})
			if err == nil {
				_, err = part.Write(content)
			}
			if err != nil {
				return nil, "", fmt.Errorf("cannot be written as a form: property %s: %w", name, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", fmt.Errorf("cannot be written as a form: %w", err)
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

const typeBinary = "application/octet-stream"

// writePart writes one part, and gives the content type that its encoding names or that
// belongs to such a value.
func writePart(m *openapi3.MediaType, name string, value any) ([]byte, string, error) {
	contentType := ""
	if e := m.Encoding[name]; e != nil && !strings.ContainsAny(e.ContentType, "*,\r\n") {
		contentType = e.ContentType
	}
	if _, ok := value.(map[string]any); ok || isJSON(contentType) {
		content, err := marshal(value)
		if contentType == "" {
			contentType = "application/json"
		}
		return content, contentType, err
	}
	text, err := scalar(value)
	if contentType == "" {
		contentType = "text/plain; charset=utf-8"
		if isBinary(m, name) {
			contentType = typeBinary
		}
	}
	return []byte(text), contentType, err
}

func isBinary(m *openapi3.MediaType, name string) bool {
	if m.Schema == nil || m.Schema.Value == nil {
		return false
	}
	p := m.Schema.Value.Properties[name]
	if p != nil && p.Value != nil && p.Value.Items != nil {
		p = p.Value.Items
	}
	return p != nil && p.Value != nil && (p.Value.Format == "binary" || p.Value.ContentMediaType != "")
}

// quoted escapes names in quotes as forms of browsers do.
var quoted = strings.NewReplacer("\"", "%22", "\r", "%0D", "\n", "%0A")
