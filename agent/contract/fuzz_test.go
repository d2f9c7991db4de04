package contract

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"

	"pgregory.net/rapid"

	"github.com/inorbit-hr/reliability/examples/staging"
)

// FuzzContract: whatever a document says, it is read or refused, and the requests that
// it gives are requests, the same each time. No error repeats an answer.
func FuzzContract(f *testing.F) {
	for _, name := range []string{"api.yaml", "engine.yaml"} {
		source, err := staging.Contracts.ReadFile("contracts/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source, []byte(`{"id":"a","price":{"item":"b","cents":"c"}}`))
	}
	for _, version := range versions {
		f.Add(document(version, answers), []byte(`{"id":1,"name":"ab","notes":{"k":1}}`))
		f.Add(withParameters(version, "/a/{p}/{x}", "- { name: p, in: path, required: true, style: label, schema: { type: array }, example: [a, 9007199254740993] }\n- { name: x, in: path, explode: true, required: true, schema: { type: object }, example: { b: 2 } }\n- { name: d, in: query, style: deepObject, schema: { type: object }, example: { m: { n: [1] } } }\n- { name: X-A, in: header, required: true, content: { application/json: { schema: { type: integer } } } }\n- { name: c, in: cookie, required: true, schema: { type: string, pattern: \"^[a-c]{2,}x?$\", minLength: 5 } }"), []byte(`[]`))
		f.Add(withBody(version, "application/json", `schema: { allOf: [{ type: object, required: [a], properties: { a: { oneOf: [{ type: integer, minimum: 3 }, { enum: [x] }] } } }, { anyOf: [{ type: string }, { type: object, minProperties: 2, properties: { b: { type: array, uniqueItems: true, minItems: 2, items: { type: number, multipleOf: 0.1 } } } }] }] }`), []byte(`null`))
		f.Add(withBody(version, "multipart/form-data", `schema: { type: object, required: [f], properties: { f: { type: string, format: binary }, g: { $ref: "#/components/schemas/G" } } }`), []byte(`1`))
	}
	f.Fuzz(func(t *testing.T, source, body []byte) {
		c, err := Read(source)
		if err != nil {
			return
		}
		const secret = "QqSecretqQ"
		answer := []byte(`{"` + secret + `":"` + secret + `","x":` + string(body) + `}`)
		for _, id := range c.Operations() {
			o, ok := c.Operation(id)
			if !ok || o.ID != id {
				t.Fatalf("operation %q is not %+v", id, o)
			}
			requests, err := o.Requests()
			if err == nil {
				checkRequests(t, o, requests)
			}
			for _, content := range [][]byte{body, answer} {
				err := o.Validate(200, http.Header{"Content-Type": {"application/json"}}, content)
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%q repeats the answer", err)
				}
			}
		}
	})
}

func checkRequests(t rapid.TB, o *Operation, requests []Request) {
	t.Helper()
	again, err := o.Requests()
	if err != nil || !reflect.DeepEqual(requests, again) {
		t.Errorf("%s gives other requests the second time: %v", o.ID, err)
	}
	if len(requests) == 0 {
		t.Errorf("%s gives none", o.ID)
	}
	for _, r := range requests {
		if _, err := url.ParseRequestURI(r.Path); err != nil || r.Path[0] != '/' || strings.ContainsAny(r.Path, " #\r\n\x00") {
			t.Errorf("%s: path %q: %v", o.ID, r.Path, err)
		}
		for name, values := range r.Header {
			for _, value := range values {
				if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
					t.Errorf("%s: header %q: %q", o.ID, name, value)
				}
			}
		}
		if !httpguts.ValidHeaderFieldValue(r.ContentType) || (r.ContentType == "") != (r.Body == nil) {
			t.Errorf("%s: content type %q, body %q", o.ID, r.ContentType, r.Body)
		}
	}
}
