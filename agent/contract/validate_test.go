package contract

import (
	"net/http"
	"strings"
	"testing"
)

const answers = `paths:
  /a:
    get:
      operationId: op
      responses:
        "200":
          description: ok
          headers: { X-Total: { required: true, schema: { type: integer } }, X-Other: { schema: { type: string } } }
          content:
            application/json: { schema: { $ref: "#/components/schemas/Thing" } }
            application/problem+json: { schema: { type: object, required: [title], properties: { title: { type: string } } } }
            text/plain: { schema: { type: string, maxLength: 1 } }
        "204": { description: nothing }
        4XX: { description: wrong, content: { application/json: { schema: { type: object, required: [error] } } } }
        default: { description: other, content: { "text/*": {} } }
    head:
      operationId: head
      responses: { "200": { description: ok, content: { application/json: { schema: { type: object } } } } }
    put:
      operationId: strict
      responses: { "200": { description: ok } }
components:
  schemas:
    Thing:
      type: object
      required: [id, secret, name]
      additionalProperties: false
      properties:
        id: { type: integer, readOnly: true, minimum: 1 }
        secret: { type: string, writeOnly: true }
        name: { type: string, minLength: 2, maxLength: 4, pattern: "^[a-z]+$" }
        kind: { type: string, enum: [x, y] }
        rates: { type: array, maxItems: 2, uniqueItems: true, items: { type: number, maximum: 9, multipleOf: 0.5 } }
        notes: { type: object, additionalProperties: { type: object, properties: { text: { type: string } } } }
        either: { oneOf: [{ type: object, required: [p], properties: { p: { type: string } } }, { type: object, required: [q], properties: { q: { type: string } } }] }
        ahead: { type: string, pattern: "^(?!x)" }
        when: { type: string, format: date-time }
`

func TestValidate(t *testing.T) {
	const typed = "application/json; charset=utf-8"
	for name, c := range map[string]struct {
		id     string
		status int
		header http.Header
		body   string
		want   string // of OpenAPI 3.0; empty passes
		want31 string // where it differs
	}{
		"whole":                     {body: `{"id":1,"name":"abc","kind":"x","rates":[1,2.5],"notes":{"k":{"text":"t"}},"either":{"q":"s"},"ahead":"xyz"}`},
		"least":                     {body: `{"id":1,"name":"ab"}`},
		"a property is missing":     {body: `{"id":1}`, want: "status 200: /name is missing"},
		"read-only is an answer's":  {body: `{"name":"abc"}`, want: "status 200: /id is missing"},
		"another type":              {body: `{"id":"one","name":"abc"}`, want: "status 200: /id has another type than declared"},
		"no object":                 {body: `[]`, want: "status 200: it has another type than declared"},
		"null":                      {body: `null`, want: "status 200: it is null", want31: "status 200: it has another type than declared"},
		"too short":                 {body: `{"id":1,"name":"q"}`, want: "status 200: /name is shorter than declared"},
		"too long":                  {body: `{"id":1,"name":"hidden"}`, want: "status 200: /name is longer than declared"},
		"pattern":                   {body: `{"id":1,"name":"A-1"}`, want: "status 200: /name does not match the declared pattern"},
		"enum":                      {body: `{"id":1,"name":"abc","kind":"hidden"}`, want: "status 200: /kind is none of the declared values"},
		"minimum":                   {body: `{"id":0,"name":"abc"}`, want: "status 200: /id is less than declared"},
		"maximum":                   {body: `{"id":1,"name":"abc","rates":[1,10]}`, want: "status 200: /rates/1 is more than declared"},
		"a multiple":                {body: `{"id":1,"name":"abc","rates":[1.25]}`, want: "status 200: /rates/0 is not a multiple as declared"},
		"twice":                     {body: `{"id":1,"name":"abc","rates":[1,1]}`, want: "status 200: /rates has an element twice"},
		"too many":                  {body: `{"id":1,"name":"abc","rates":[1,2,3]}`, want: "status 200: /rates has more elements than declared"},
		"a name that is not known":  {body: `{"id":1,"name":"abc","hidden@example.com":1}`, want: "status 200: it has a property that is not declared"},
		"below a name of content":   {body: `{"id":1,"name":"abc","notes":{"hidden@example.com":{"text":5}}}`, want: "status 200: /notes/*/text has another type than declared"},
		"below a number of content": {body: `{"id":1,"name":"abc","notes":{"491234567":{"text":5}}}`, want: "status 200: /notes/*/text has another type than declared"},
		"none of several":           {body: `{"id":1,"name":"abc","either":{"hidden":1}}`, want: "status 200: /either fits none, or several, of the declared shapes"},
		"no JSON":                   {body: `{"id":hidden}`, want: "status 200: its body is not JSON"},
		"half of JSON":              {body: `{"id":1,`, want: "status 200: its body is not JSON"},
		"JSON and more":             {body: `{"id":1,"name":"abc"}{"hidden":1}`, want: "status 200: its body goes on behind the JSON"},
		"empty":                     {body: " \n", want: "status 200: its body is empty"},
		"a header is missing":       {header: http.Header{"Content-Type": {typed}}, body: `{"id":1,"name":"abc"}`, want: "status 200: the header X-Total is missing"},
		"no content type":           {header: http.Header{"X-Total": {"1"}}, body: `{}`, want: "status 200: it names no content type"},
		"another content type":      {header: http.Header{"X-Total": {"1"}, "Content-Type": {"text/html"}}, body: `hidden`, want: "status 200: its content type is none of those declared: application/json, application/problem+json, text/plain"},
		"another declared type":     {header: http.Header{"X-Total": {"1"}, "Content-Type": {"application/problem+json"}}, body: `{}`, want: "status 200: /title is missing"},
		"text is not looked at":     {header: http.Header{"X-Total": {"1"}, "Content-Type": {"text/plain"}}, body: `long`},
		"nothing":                   {status: 204},
		"a class of statuses":       {status: 404, body: `{}`, want: "status 404: /error is missing"},
		"by default":                {status: 500, header: http.Header{"Content-Type": {"text/html"}}, body: `<p>`},
		"by default, another type":  {status: 500, body: `{}`, want: "status 500: its content type is none of those declared: text/*"},
		"not declared":              {id: "strict", status: 418, want: "status 418 is not declared"},
		"declared without content":  {id: "strict", body: "anything"},
		"HEAD has no body":          {id: "head"},
	} {
		for _, version := range versions {
			t.Run(name+" "+version, func(t *testing.T) {
				if c.id == "" {
					c.id = "op"
				}
				if c.status == 0 {
					c.status = 200
				}
				if c.header == nil {
					c.header = http.Header{"Content-Type": {typed}, "X-Total": {"1"}}
				}
				if version == "3.1.0" && c.want31 != "" {
					c.want = c.want31
				}
				got := ""
				if err := operationOf(t, mustRead(t, document(version, answers)), c.id).Validate(c.status, c.header, []byte(c.body)); err != nil {
					got = err.Error()
				}
				if got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
				if strings.Contains(got, "hidden") || strings.Contains(got, "4912") {
					t.Errorf("%q repeats the answer", got)
				}
			})
		}
	}
}
