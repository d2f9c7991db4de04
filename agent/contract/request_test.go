package contract

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// withParameters is a document whose operation op has parameters, at a path that holds
// the path parameters among them.
func withParameters(version, path, parameters string) []byte {
	return document(version, "paths:\n  "+path+":\n    get:\n      operationId: op\n      parameters:\n"+indent(parameters, "      ")+
		"      responses: { \"200\": { description: ok } }\n")
}

// withBody is a document whose operation op has a body of a media type.
func withBody(version, mediaType, content string) []byte {
	return document(version, "paths:\n  /op:\n    post:\n      operationId: op\n      requestBody:\n        required: true\n        content:\n          "+
		mediaType+":\n"+indent(content, "            ")+"      responses: { \"200\": { description: ok } }\n")
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString(by + line)
	}
	return b.String()
}

// versions are those whose documents must give the same requests.
var versions = []string{"3.0.3", "3.1.0"}

func TestParameters(t *testing.T) {
	for name, c := range map[string]struct {
		path, parameters string
		want             []string
	}{
		"optional without an example is left out": {"/a", `- { name: q, in: query, schema: { type: string, default: x } }`, []string{"GET /a"}},
		"optional with an example":                {"/a", `- { name: q, in: query, schema: { type: string }, example: x }`, []string{"GET /a?q=x"}},
		"optional with an example in its schema":  {"/a", `- { name: q, in: query, schema: { type: string, example: x } }`, []string{"GET /a?q=x"}},
		"an example goes before all":              {"/a", `- { name: q, in: query, required: true, schema: { type: string, default: d, enum: [d, e] }, example: x }`, []string{"GET /a?q=x"}},
		"a default goes before an enum":           {"/a", `- { name: q, in: query, required: true, schema: { type: string, default: e, enum: [d, e] } }`, []string{"GET /a?q=e"}},
		"an enum goes before a type":              {"/a", `- { name: q, in: query, required: true, schema: { type: string, enum: [d, e] } }`, []string{"GET /a?q=d"}},
		"a falsy example":                         {"/a", "- { name: a, in: query, schema: { type: boolean }, example: false }\n- { name: b, in: query, schema: { type: integer }, example: 0 }\n- { name: c, in: query, schema: { type: string }, example: \"\" }", []string{"GET /a?a=false&b=0&c="}},
		"several examples rotate": {"/a/{id}", "- { name: id, in: path, required: true, schema: { type: string }, examples: { two: { value: b }, one: { value: a }, three: { value: c } } }\n- { name: q, in: query, schema: { type: string }, examples: { x: { value: 1 }, y: { value: 2 } } }",
			[]string{"GET /a/a?q=1", "GET /a/c?q=2", "GET /a/b?q=1", "GET /a/a?q=1", "GET /a/c?q=2"}},
		"examples of one name belong together": {"/a/{id}", "- { name: id, in: path, required: true, schema: { type: string }, examples: { big: { value: b }, small: { value: s } } }\n- { name: q, in: query, schema: { type: string }, examples: { small: { value: 1 }, big: { value: 9 } } }",
			[]string{"GET /a/b?q=9", "GET /a/s?q=1"}},
		"an example elsewhere is none": {"/a", `- { name: q, in: query, schema: { type: string }, examples: { x: { externalValue: "https://elsewhere.invalid/x" } } }`, []string{"GET /a"}},
		"values are escaped": {"/a/{id}", "- { name: id, in: path, required: true, schema: { type: string }, example: \"a/b?c#d é%\" }\n- { name: \"q [x]\", in: query, schema: { type: string }, example: \"a&b=c+d e;f\" }",
			[]string{"GET /a/a%2Fb%3Fc%23d%20%C3%A9%25?q%20%5Bx%5D=a%26b%3Dc%2Bd%20e%3Bf"}},
		"the path is escaped":                    {"/a b/{id}/c%20d:x", `- { name: id, in: path, required: true, schema: { type: string }, example: x }`, []string{"GET /a%20b/x/c%20d:x"}},
		"reserved characters stay where allowed": {"/a", `- { name: q, in: query, allowReserved: true, schema: { type: string }, example: "a/b?c,d&e=f#g" }`, []string{"GET /a?q=a/b?c,d%26e%3Df%23g"}},
		"lists": {"/a/{p}", "- { name: p, in: path, required: true, schema: { type: array }, example: [a, b c] }\n- { name: e, in: query, schema: { type: array }, example: [1, 2] }\n- { name: f, in: query, explode: false, schema: { type: array }, example: [1, 2] }\n- { name: s, in: query, style: spaceDelimited, schema: { type: array }, example: [1, 2] }\n- { name: i, in: query, style: pipeDelimited, schema: { type: array }, example: [1, 2] }\n- { name: X-L, in: header, schema: { type: array }, example: [1, 2] }",
			[]string{"GET /a/a,b%20c?e=1&e=2&f=1,2&s=1%202&i=1%7C2 X-L: 1,2"}},
		"objects": {"/a/{p}/{x}", "- { name: p, in: path, required: true, schema: { type: object }, example: { b: 2, a: 1 } }\n- { name: x, in: path, explode: true, required: true, schema: { type: object }, example: { b: 2, a: 1 } }\n- { name: e, in: query, schema: { type: object }, example: { k: v, l: w } }\n- { name: f, in: query, explode: false, schema: { type: object }, example: { k: v, l: w } }\n- { name: d, in: query, style: deepObject, schema: { type: object }, example: { k: v, m: { n: [1, 2] } } }",
			[]string{"GET /a/a,1,b,2/a=1,b=2?k=v&l=w&f=k,v,l,w&d[k]=v&d[m][n]=1&d[m][n]=2"}},
		"label and matrix": {"/a/{l}/{m}/{le}/{me}/{mo}", "- { name: l, in: path, required: true, style: label, schema: {}, example: [1, 2] }\n- { name: m, in: path, required: true, style: matrix, schema: {}, example: [1, 2] }\n- { name: le, in: path, required: true, style: label, explode: true, schema: {}, example: [1, 2] }\n- { name: me, in: path, required: true, style: matrix, explode: true, schema: {}, example: [1, 2] }\n- { name: mo, in: path, required: true, style: matrix, explode: true, schema: {}, example: { a: 1 } }",
			[]string{"GET /a/.1,2/;m=1,2/.1.2/;me=1;me=2/;a=1"}},
		"JSON in a parameter": {"/a", `- { name: q, in: query, required: true, content: { application/json: { schema: { type: object, required: [k], properties: { k: { type: integer } } } } } }`, []string{"GET /a?q=%7B%22k%22%3A1%7D"}},
		"cookies":             {"/a", "- { name: sid, in: cookie, required: true, schema: { type: string }, example: \"a b;c\" }\n- { name: t, in: cookie, schema: { type: string }, example: u }", []string{"GET /a Cookie: sid=a%20b%3Bc; t=u"}},
		"headers that are described elsewhere": {"/a", "- { name: Authorization, in: header, required: true, schema: { type: string } }\n- { name: accept, in: header, example: x, schema: { type: string } }\n- { name: x-request-id, in: header, required: true, schema: { type: string, format: uuid } }",
			[]string{"GET /a X-Request-Id: 00000000-0000-4000-8000-000000000001"}},
		"large numbers are exact": {"/a/{id}", "- { name: id, in: path, required: true, schema: { type: integer, maximum: 9223372036854775807 }, example: 9007199254740993 }\n- { name: l, in: query, schema: { type: array }, example: [-9223372036854775807, 1] }",
			[]string{"GET /a/9007199254740993?l=-9223372036854775807&l=1"}},
		"dates stay text": {"/a", `- { name: q, in: query, schema: { type: string, format: date }, example: 2024-01-02 }`, []string{"GET /a?q=2024-01-02"}},
	} {
		for _, version := range versions {
			t.Run(name+" "+version, func(t *testing.T) {
				o := operationOf(t, mustRead(t, withParameters(version, c.path, c.parameters)), "op")
				requests, err := o.Requests()
				if err != nil {
					t.Fatal(err)
				}
				if got := lines(o, requests); !reflect.DeepEqual(got, c.want) {
					t.Errorf("requests\n%q\nwant\n%q", got, c.want)
				}
				for _, r := range requests {
					if _, err := url.ParseRequestURI(r.Path); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

func TestParametersOfThePath(t *testing.T) {
	o := operationOf(t, mustRead(t, document("3.0.3", `paths:
  /a/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string }, example: path }
      - { name: q, in: query, schema: { type: string }, example: path }
    get:
      operationId: op
      parameters: [{ name: q, in: query, schema: { type: string }, example: own }]
      responses: { "200": { description: ok } }
`)), "op")
	requests, err := o.Requests()
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(o, requests); !reflect.DeepEqual(got, []string{"GET /a/path?q=own"}) {
		t.Errorf("requests %q", got)
	}
}

func TestRequestsRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		source []byte
		want   string
	}{
		"no schema":      {withParameters("3.0.3", "/a/{id}", `- { name: id, in: path, required: true }`), "operation op: path parameter id has no example, default or schema to make one from"},
		"an open schema": {withParameters("3.0.3", "/a", `- { name: q, in: query, required: true, schema: {} }`), "operation op: query parameter q has no example, default or schema to make one from"},
		"not declared":   {withParameters("3.0.3", "/a/{id}", `- { name: q, in: query, schema: {} }`), "operation op: path parameter id is not declared"},
		"a pattern of another dialect": {withParameters("3.0.3", "/a", `- { name: q, in: query, required: true, schema: { type: string, pattern: "^(?!a)b" } }`),
			"operation op: query parameter q has no example or default, and none can be made from its schema: its pattern cannot be read"},
		"bounds without anything between": {withParameters("3.0.3", "/a", `- { name: q, in: header, required: true, schema: { type: integer, minimum: 5, maximum: 4 } }`),
			"operation op: header parameter q has no example or default, and none can be made from its schema: its schema allows no value"},
		"an empty path parameter": {withParameters("3.0.3", "/a/{id}", `- { name: id, in: path, required: true, schema: { type: string }, example: "" }`),
			"operation op: path parameter id is empty, which a path cannot hold: give an example"},
		"dots in a path": {withParameters("3.0.3", "/a/{id}", `- { name: id, in: path, required: true, schema: { type: string }, example: ".." }`),
			"operation op: its path has a segment of dots, which servers resolve: give an example of another value"},
		"a header with a line break": {withParameters("3.0.3", "/a", `- { name: X-A, in: header, schema: { type: string }, example: "a\r\nX-B: c" }`),
			"operation op: header parameter X-A has a value that a header field cannot hold"},
		"a header of the connection": {withParameters("3.0.3", "/a", `- { name: content-length, in: header, required: true, schema: { type: integer } }`),
			"operation op: header parameter content-length is a header field that a caller cannot set"},
		"an object in an object": {withParameters("3.0.3", "/a", `- { name: q, in: query, schema: { type: object }, example: { a: { b: c } } }`),
			"operation op: query parameter q has a value inside of a value, which its style cannot write"},
		"a style of elsewhere": {withParameters("3.0.3", "/a", `- { name: q, in: query, style: matrix, schema: { type: string }, example: a }`),
			`operation op: query parameter q has the style "matrix", which does not belong there`},
		"XML in a parameter": {withParameters("3.0.3", "/a", `- { name: q, in: query, required: true, content: { application/xml: { example: <a/> } } }`),
			"operation op: query parameter q is of content type application/xml; only JSON is written into a parameter"},
		"an inexact enum": {withParameters("3.0.3", "/a", `- { name: q, in: query, required: true, schema: { type: integer, enum: [9007199254740993] } }`),
			"operation op: query parameter q has no example or default, and none can be made from its schema: its schema has a number that is too large to be kept exactly: give an example"},
		"a body without anything": {withBody("3.0.3", "application/json", "{}"), "operation op: its body has no example, default or schema to make one from"},
		"a body that contains itself": {append(withBody("3.0.3", "application/json", `schema: { $ref: "#/components/schemas/Node" }`),
			"components: { schemas: { Node: { type: object, required: [next], properties: { next: { $ref: \"#/components/schemas/Node\" } } } } }\n"...),
			"operation op: its body has no example or default, and none can be made from its schema: next: its schema contains itself"},
		"XML": {withBody("3.0.3", "application/xml", "schema: { type: object, required: [a], properties: { a: { type: string } } }"),
			"operation op: its body is of content type application/xml: give an example of it as text"},
		"a text that is too long": {withBody("3.0.3", "application/json", "schema: { type: string, minLength: 1000000000 }"),
			"operation op: its body has no example or default, and none can be made from its schema: it would be too large"},
		"a list that is too long": {withBody("3.0.3", "application/json", "schema: { type: array, minItems: 1000000000, items: { type: string } }"),
			"operation op: its body has no example or default, and none can be made from its schema: it would be too large"},
		"a form of no object": {withBody("3.0.3", "application/x-www-form-urlencoded", "example: a"), "operation op: its body is a form: its value must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			requests, err := operationOf(t, mustRead(t, c.source), "op").Requests()
			if err == nil {
				t.Fatalf("gave %+v", requests)
			}
			if err.Error() != c.want {
				t.Errorf("refused with\n%s\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	for name, c := range map[string]struct{ mediaType, content, want string }{
		"an example":           {"application/json", `example: { b: "<&>", a: [1, 2.5, true, null] }`, `application/json {"a":[1,2.5,true,null],"b":"<&>"}`},
		"JSON of another name": {"application/vnd.shop+json", `example: [1]`, `application/vnd.shop+json [1]`},
		"any type is JSON":     {"\"*/*\"", `example: [1]`, `application/json [1]`},
		"large numbers":        {"application/json", `example: { id: 9223372036854775807, deep: [{ id: 12345678901234567890 }] }`, `application/json {"deep":[{"id":12345678901234567890}],"id":9223372036854775807}`},
		"text":                 {"text/plain", `example: "hello\n"`, "text/plain hello\n"},
		"XML as text":          {"application/xml", `example: <a/>`, "application/xml <a/>"},
		"a form": {"application/x-www-form-urlencoded", `schema: { type: object, required: [a, b, c], properties: { a: { type: string, example: "x & y" }, b: { type: array, items: { type: integer }, example: [1, 2] }, c: { type: object, example: { d: 1 } } } }`,
			"application/x-www-form-urlencoded a=x%20%26%20y&b=1&b=2&c=%7B%22d%22%3A1%7D"},
		"a form with an encoding": {"application/x-www-form-urlencoded", "example: { a: [1, 2], o: { k: v } }\nencoding: { a: { style: pipeDelimited }, o: { style: deepObject } }",
			"application/x-www-form-urlencoded a=1%7C2&o[k]=v"},
		"the properties that are required, or have an example": {"application/json", `schema: { type: object, required: [a], properties: { a: { type: integer }, b: { type: string }, c: { type: string, example: x }, d: { type: string, readOnly: true, example: y } } }`,
			`application/json {"a":1,"c":"x"}`},
		"required and read-only":          {"application/json", `schema: { type: object, required: [a, id], properties: { a: { type: integer }, id: { type: integer, readOnly: true } } }`, `application/json {"a":1}`},
		"as many properties as needed":    {"application/json", `schema: { type: object, minProperties: 2, properties: { b: { type: integer }, a: { type: string, enum: [x] }, c: { type: integer } } }`, `application/json {"a":"x","b":1}`},
		"required, described as a rest":   {"application/json", `schema: { type: object, required: [k], additionalProperties: { type: integer, minimum: 7 } }`, `application/json {"k":7}`},
		"a list":                          {"application/json", `schema: { type: array, items: { type: string, maxLength: 3 } }`, `application/json ["exa"]`},
		"a list of nothing":               {"application/json", `schema: { type: array, maxItems: 0, items: { type: string } }`, `application/json []`},
		"a list of different ones":        {"application/json", `schema: { type: array, minItems: 3, uniqueItems: true, items: { type: integer, minimum: 4 } }`, `application/json [4,5,6]`},
		"a list of all of an enum":        {"application/json", `schema: { type: array, minItems: 2, uniqueItems: true, items: { type: string, enum: [x, y] } }`, `application/json ["x","y"]`},
		"numbers":                         {"application/json", `schema: { type: array, minItems: 1, items: { type: number, minimum: 2.5, maximum: 2.75 } }`, `application/json [2.5]`},
		"a multiple":                      {"application/json", `schema: { type: integer, minimum: 10, multipleOf: 7 }`, `application/json 14`},
		"a negative multiple":             {"application/json", `schema: { type: integer, maximum: -10, multipleOf: 7 }`, `application/json -14`},
		"a boolean":                       {"application/json", `schema: { type: boolean }`, `application/json true`},
		"formats":                         {"application/json", `schema: { type: object, required: [a, b, c, d, e], properties: { a: { type: string, format: date }, b: { type: string, format: date-time }, c: { type: string, format: email }, d: { type: string, format: uri }, e: { type: string, format: unheard-of } } }`, `application/json {"a":"2024-01-31","b":"2024-01-31T12:00:00Z","c":"someone@example.com","d":"https://example.com/","e":"example"}`},
		"a length":                        {"application/json", `schema: { type: string, minLength: 9, maxLength: 9 }`, `application/json "exampleex"`},
		"patterns":                        {"application/json", `schema: { type: object, required: [a, b, c, d], properties: { a: { type: string, pattern: "^[A-Z]{2}-\\d{3,5}$" }, b: { type: string, pattern: "^(red|green)\\.(x|y)?$" }, c: { type: string, pattern: "^[a-f]+$", minLength: 4, maxLength: 4 }, d: { type: string, pattern: "x", minLength: 3 } } }`, `application/json {"a":"AA-000","b":"red.","c":"aaaa","d":"xaa"}`},
		"all of":                          {"application/json", `schema: { allOf: [{ type: object, properties: { a: { type: integer }, b: { type: string, maxLength: 2 } } }, { type: object, required: [a, b] }, { properties: { b: { minLength: 2, type: string } } }] }`, `application/json {"a":1,"b":"ex"}`},
		"all of one number":               {"application/json", `schema: { allOf: [{ type: integer, minimum: 3 }, { maximum: 9, multipleOf: 4 }] }`, `application/json 4`},
		"all of with objects as examples": {"application/json", `schema: { allOf: [{ type: object, properties: { a: { type: integer } }, example: { a: 5 } }, { type: object, required: [b], properties: { b: { type: string, enum: [x] } } }] }`, `application/json {"a":5,"b":"x"}`},
		"one of":                          {"application/json", `schema: { oneOf: [{ type: string, pattern: "^(?!a)b" }, { type: integer }] }`, `application/json 1`},
		"one of, beside what is shared":   {"application/json", `schema: { type: object, required: [kind], properties: { kind: { type: string, enum: [k] }, a: { type: integer }, b: { type: integer } }, oneOf: [{ required: [a] }, { required: [b] }] }`, `application/json {"a":1,"kind":"k"}`},
		"any of in all of":                {"application/json", `schema: { allOf: [{ type: object, required: [a], properties: { a: { type: integer } } }, { anyOf: [{ type: string }, { type: object, required: [b], properties: { b: { type: boolean } } }] }] }`, `application/json {"a":1,"b":true}`},
		"a tree":                          {"application/json", `schema: { type: object, required: [kids], properties: { kids: { type: array, items: { $ref: "#/paths/~1op/post/requestBody/content/application~1json/schema" } } } }`, `application/json {"kids":[]}`},
	} {
		for _, version := range versions {
			t.Run(name+" "+version, func(t *testing.T) {
				requests, err := operationOf(t, mustRead(t, withBody(version, c.mediaType, c.content)), "op").Requests()
				if err != nil {
					t.Fatal(err)
				}
				if got := requests[0].ContentType + " " + string(requests[0].Body); len(requests) != 1 || got != c.want {
					t.Errorf("%d requests, the first\n%s\nwant\n%s", len(requests), got, c.want)
				}
			})
		}
	}
}

func TestBodiesOfVersion31(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"several examples":                {`schema: { type: integer, examples: [3, 4] }`, "3 4"},
		"a constant":                      {`schema: { const: fixed }`, `"fixed"`},
		"a type or null":                  {`schema: { type: ["null", integer] }`, "1"},
		"exclusive bounds":                {`schema: { type: integer, exclusiveMinimum: 7, exclusiveMaximum: 9 }`, "8"},
		"the first of a row":              {`schema: { type: array, minItems: 2, prefixItems: [{ type: string }, { type: boolean }] }`, `["example",true]`},
		"a reference with more beside it": {`schema: { type: object, required: [a], properties: { a: { $ref: "#/components/schemas/A", default: 6 } } }`, `{"a":6}`},
	} {
		t.Run(name, func(t *testing.T) {
			source := append(withBody("3.1.0", "application/json", c.content), "components: { schemas: { A: { type: integer } } }\n"...)
			requests, err := operationOf(t, mustRead(t, source), "op").Requests()
			if err != nil {
				t.Fatal(err)
			}
			var bodies []string
			for _, r := range requests {
				bodies = append(bodies, string(r.Body))
			}
			if got := strings.Join(bodies, " "); got != c.want {
				t.Errorf("bodies %s, want %s", got, c.want)
			}
		})
	}
}

func TestDiscriminator(t *testing.T) {
	source := append(withBody("3.0.3", "application/json", `schema: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }], discriminator: { propertyName: kind, mapping: { feline: "#/components/schemas/Cat", Dog: "#/components/schemas/Dog" } } }`),
		`components:
  schemas:
    Cat: { type: object, required: [kind, lives], properties: { kind: { type: string }, lives: { type: integer } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string } } }
`...)
	requests, err := operationOf(t, mustRead(t, source), "op").Requests()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(requests[0].Body), `{"kind":"feline","lives":1}`; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
}

func TestOptionalBody(t *testing.T) {
	for content, want := range map[string]string{
		`application/json: { schema: { type: integer } }`:                "",
		`application/json: { schema: { type: integer }, example: 5 }`:    "5",
		`application/xml: { example: <a/> }, text/plain: { example: t }`: "t",
	} {
		o := operationOf(t, mustRead(t, document("3.0.3", "paths: { /a: { post: { operationId: op, requestBody: { content: { "+content+" } }, responses: { \"200\": { description: ok } } } } }")), "op")
		requests, err := o.Requests()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(requests[0].Body); got != want || want == "" && requests[0].ContentType != "" {
			t.Errorf("%s: body %q of %q, want %q", content, got, requests[0].ContentType, want)
		}
	}
}

func TestMultipart(t *testing.T) {
	source := withBody("3.0.3", "multipart/form-data", `schema: { type: object, required: [file, note, tags, meta], properties: { file: { type: string, format: binary, example: "--reliability" }, note: { type: string, example: "a \"b\"" }, tags: { type: array, items: { type: integer }, example: [1, 2] }, meta: { type: object, example: { k: v } } } }`)
	requests, err := operationOf(t, mustRead(t, source), "op").Requests()
	if err != nil {
		t.Fatal(err)
	}
	mediaType, parameters, err := mime.ParseMediaType(requests[0].ContentType)
	if err != nil || mediaType != "multipart/form-data" {
		t.Fatalf("content type %q: %v", requests[0].ContentType, err)
	}
	var got []string
	for reader := multipart.NewReader(bytes.NewReader(requests[0].Body), parameters["boundary"]); ; {
		part, err := reader.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join([]string{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), string(content)}, "|"))
	}
	want := []string{
		"file|file|application/octet-stream|--reliability",
		`meta||application/json|{"k":"v"}`,
		`note||text/plain; charset=utf-8|a "b"`,
		"tags||text/plain; charset=utf-8|1", "tags||text/plain; charset=utf-8|2",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("parts\n%q\nwant\n%q", got, want)
	}
}
