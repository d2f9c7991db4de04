package contract

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawSchema draws a schema that may be contradictory, and in which anything may stand
// where it does not belong.
func drawSchema(t *rapid.T, depth int) any {
	kind := rapid.SampledFrom([]string{"", "string", "integer", "number", "boolean", "array", "object", "null", "ref"}).Draw(t, "kind")
	if kind == "ref" {
		return map[string]any{"$ref": "#/components/schemas/" + rapid.SampledFrom([]string{"A", "B"}).Draw(t, "ref")}
	}
	s := map[string]any{}
	if kind != "" {
		s["type"] = kind
	}
	for _, keyword := range rapid.SliceOfN(rapid.SampledFrom([]string{
		"minimum", "maximum", "multipleOf", "exclusiveMinimum", "minLength", "maxLength", "pattern", "format", "enum", "default", "example",
		"examples", "const", "nullable", "readOnly", "writeOnly", "uniqueItems", "minItems", "maxItems", "items", "properties", "required",
		"minProperties", "additionalProperties", "allOf", "oneOf", "anyOf", "not", "prefixItems", "discriminator",
	}), 0, 5).Draw(t, "keywords") {
		s[keyword] = drawKeyword(t, keyword, depth)
	}
	return s
}

func drawKeyword(t *rapid.T, keyword string, depth int) any {
	inner := func() any {
		if depth <= 0 {
			return map[string]any{"type": "string"}
		}
		return drawSchema(t, depth-1)
	}
	switch keyword {
	case "minimum", "maximum", "multipleOf":
		return rapid.SampledFrom([]any{-1, 0, 0.1, 3, 1e300, 9007199254740993}).Draw(t, keyword)
	case "exclusiveMinimum":
		return rapid.SampledFrom([]any{true, false, 5}).Draw(t, keyword)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties":
		return rapid.SampledFrom([]any{0, 1, 2, 7, 1000000}).Draw(t, keyword)
	case "pattern":
		return rapid.SampledFrom([]string{"^a+$", "[0-9]{3}", "(", "^(?!a)", "^$", "x{2,9}|y", "\\p{L}\\u0041", "."}).Draw(t, keyword)
	case "format":
		return rapid.SampledFrom([]string{"date", "uuid", "int64", "binary", "odd"}).Draw(t, keyword)
	case "enum", "examples":
		return []any{drawValue(t, 1), drawValue(t, 1)}
	case "default", "example", "const":
		return drawValue(t, 2)
	case "items", "additionalProperties", "not":
		return inner()
	case "properties":
		return map[string]any{"a": inner(), "example": inner()}
	case "required":
		return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "example", "other"}), 0, 3).Draw(t, keyword)
	case "allOf", "oneOf", "anyOf", "prefixItems":
		return []any{inner(), inner()}
	case "discriminator":
		return map[string]any{"propertyName": "a", "mapping": map[string]any{"x": "#/components/schemas/A"}}
	}
	return rapid.Bool().Draw(t, keyword)
}

// drawValue draws a value of JSON. Each text has the word that no error may repeat.
func drawValue(t *rapid.T, depth int) any {
	choices := []any{nil, true, 1, -2.5, json.Number("9007199254740993"), "SECRET", "SECRET/../#?&="}
	n := rapid.IntRange(0, len(choices)+1).Draw(t, "value")
	if n < len(choices) {
		return choices[n]
	}
	if depth <= 0 {
		return "SECRET"
	}
	if n == len(choices) {
		return []any{drawValue(t, depth-1), drawValue(t, depth-1)}
	}
	return map[string]any{"a": drawValue(t, depth-1), "SECRET key": drawValue(t, depth-1)}
}

// Whatever the schemas of a document say, it gives requests or an error, and answers
// are judged without repeating them.
func TestAnySchema(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.SampledFrom([]string{"path", "query", "header", "cookie"}).Draw(t, "in")
		style := rapid.SampledFrom([]string{"", "label", "matrix", "form", "deepObject", "pipeDelimited", "odd"}).Draw(t, "style")
		mediaType := rapid.SampledFrom([]string{"application/json", "multipart/form-data", "application/x-www-form-urlencoded", "text/plain", "*/*"}).Draw(t, "media type")
		parameter := map[string]any{"name": "p", "in": place, "required": true, "schema": drawSchema(t, 2)}
		if style != "" {
			parameter["style"] = style
		}
		path := "/a"
		if place == "path" {
			path = "/a/{p}"
		}
		schema := drawSchema(t, 3)
		source, err := json.Marshal(map[string]any{
			"openapi": rapid.SampledFrom(versions).Draw(t, "version"), "info": map[string]any{"title": "t", "version": "1"},
			"paths": map[string]any{path: map[string]any{"post": map[string]any{
				"operationId": "op", "parameters": []any{parameter},
				"requestBody": map[string]any{"required": true, "content": map[string]any{mediaType: map[string]any{"schema": schema}}},
				"responses":   map[string]any{"200": map[string]any{"description": "ok", "content": map[string]any{"application/json": map[string]any{"schema": schema}}}},
			}}},
			"components": map[string]any{"schemas": map[string]any{"A": drawSchema(t, 2), "B": map[string]any{"allOf": []any{map[string]any{"$ref": "#/components/schemas/A"}}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Read(source)
		if err != nil {
			return
		}
		o, ok := c.Operation("op")
		if !ok {
			t.Fatal("the operation is not there")
		}
		if requests, err := o.Requests(); err == nil {
			checkRequests(t, o, requests)
		}
		answer, err := json.Marshal(drawValue(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		err = o.Validate(200, http.Header{"Content-Type": {"application/json"}}, answer)
		if err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q repeats the answer", err)
		}
	})
}
