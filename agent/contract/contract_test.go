package contract

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/examples/staging"
)

// document puts paths, and what else there is, into a document of a version.
func document(version, rest string) []byte {
	return []byte("openapi: " + version + "\ninfo: { title: Test, version: \"1\" }\n" + rest)
}

func mustRead(t *testing.T, source []byte) *Contract {
	t.Helper()
	c, err := Read(source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return c
}

func operationOf(t *testing.T, c *Contract, id string) *Operation {
	t.Helper()
	o, ok := c.Operation(id)
	if !ok {
		t.Fatalf("no operation %s in %v", id, c.Operations())
	}
	return o
}

// lines writes requests as METHOD path, then headers, content type and body, where
// there are any.
func lines(o *Operation, requests []Request) []string {
	var all []string
	for _, r := range requests {
		line := o.Method + " " + r.Path
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for name := range r.Header {
				if !yield(name) {
					return
				}
			}
		}) {
			line += fmt.Sprintf(" %s: %s", name, strings.Join(r.Header[name], "|"))
		}
		if r.Body != nil {
			line += fmt.Sprintf(" %s %s", r.ContentType, r.Body)
		}
		all = append(all, line)
	}
	return all
}

func TestSampleContracts(t *testing.T) {
	read := func(name string) *Contract {
		source, err := staging.Contracts.ReadFile("contracts/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return mustRead(t, source)
	}
	api := read("api.yaml")
	if got, want := api.Operations(), []string{"me", "orders.create", "orders.get", "orders.search"}; !reflect.DeepEqual(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
	for id, want := range map[string][]string{
		"me":            {"GET /me"},
		"orders.search": {"GET /orders?q=anchor"},
		"orders.get":    {"GET /orders/anchor", "GET /orders/dinghy"},
		"orders.create": {`POST /orders application/json {"item":"beacon"}`, `POST /orders application/json {"item":"compass"}`},
	} {
		o := operationOf(t, api, id)
		requests, err := o.Requests()
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(o, requests); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
		if o.Safe() != (id != "orders.create") || o.Secured() {
			t.Errorf("%s: safe %v, secured %v", id, o.Safe(), o.Secured())
		}
	}
	engine := read("engine.yaml")
	o := operationOf(t, engine, "prices.get")
	requests, err := o.Requests()
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(o, requests); !reflect.DeepEqual(got, []string{"GET /prices/anchor"}) {
		t.Errorf("prices.get: %q", got)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"nothing":         {"", "it names no version of OpenAPI"},
		"text":            {"hello", "it cannot be read as OpenAPI"},
		"broken YAML":     {"openapi: [", "it cannot be read as OpenAPI"},
		"broken JSON":     {`{"openapi": "3.0.3", `, "it cannot be read as OpenAPI"},
		"a list":          {"[]", "it cannot be read as OpenAPI"},
		"Swagger 2":       {"swagger: \"2.0\"\ninfo: { title: Old, version: \"1\" }\npaths: {}\n", "it names no version of OpenAPI: write openapi: 3.0.3 or 3.1.0"},
		"another file":    {string(document("3.0.3", "paths: { /a: { get: { operationId: a, responses: { \"200\": { $ref: \"other.yaml#/a\" } } } } }")), "it refers to another file; bundle everything into one document"},
		"a URL":           {string(document("3.0.3", "paths: { /a: { $ref: \"https://elsewhere.invalid/a.yaml\" } }")), "it refers to another file"},
		"no such part":    {string(document("3.0.3", "paths: { /a: { get: { operationId: a, parameters: [{ $ref: \"#/components/parameters/none\" }], responses: {} } } }")), "it cannot be read as OpenAPI"},
		"a later version": {string(document("3.9.0", "paths: {}")), "it is OpenAPI 3.9.0; 3.0 and 3.1 are read"},
		"an operationId twice": {string(document("3.0.3", `paths:
  /a: { get: { operationId: same, responses: { "200": { description: a } } } }
  /b: { get: { operationId: same, responses: { "200": { description: b } } } }
`)), `it is not a valid OpenAPI document: invalid paths: operations "GET /a" and "GET /b" have the same operation id "same"`},
		"an unknown type": {string(document("3.0.3", `paths:
  /a: { get: { operationId: a, responses: { "200": { description: a, content: { application/json: { schema: { type: strin } } } } } } }
`)), `unsupported 'type' value "strin"`},
		"too large": {strings.Repeat(" ", MaxSize+1), "it has 33554433 bytes; at most 33554432 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(c.source))
			if err == nil {
				t.Fatal("was read")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("refused with %q, want %q", err, c.want)
			}
		})
	}
}

// What is wrong in many documents in use, and changes neither requests nor answers,
// refuses none.
func TestReadIsLenient(t *testing.T) {
	source := `openapi: 3.0.3
x-extra: 1
unknown: true
tags: [{ name: a }, { name: a }]
paths:
  /a/{one}:
    get: { operationId: one, parameters: [{ name: one, in: path, schema: { type: string }, example: 1 }], responses: {} }
  /a/{two}:
    get: { operationId: two, parameters: [{ name: two, in: path, required: true, schema: { type: string, pattern: "^(?!x)", default: 5, example: b } }], responses: { "200": {} } }
  /unnamed: { get: { responses: {} } }
components:
  schemas:
    "Page of things": { type: array }
`
	c := mustRead(t, []byte(source))
	if got := c.Operations(); !reflect.DeepEqual(got, []string{"one", "two"}) {
		t.Errorf("operations %v", got)
	}
	for id, want := range map[string]string{"one": "GET /a/1", "two": "GET /a/b"} {
		o := operationOf(t, c, id)
		requests, err := o.Requests()
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(o, requests); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}

func TestServers(t *testing.T) {
	paths := `paths:
  /a: { get: { operationId: a, responses: { "200": { description: a } } } }
  /b:
    servers: [{ url: /of-path }]
    get: { operationId: b, responses: { "200": { description: b } } }
    post: { operationId: c, servers: [{ url: "https://elsewhere.invalid/of-operation/" }], responses: { "200": { description: b } } }
  /: { get: { operationId: root, responses: { "200": { description: b } } } }
`
	for name, c := range map[string]struct {
		servers, at string
		want        []string // of a, b, c, root
	}{
		"none":               {"", "", []string{"/a", "/of-path/b", "/of-operation/b", "/"}},
		"a host":             {"servers: [{ url: \"https://example.com\" }]\n", "", []string{"/a", "/of-path/b", "/of-operation/b", "/"}},
		"the first counts":   {"servers: [{ url: \"https://example.com/v1/\" }, { url: /v2 }]\n", "", []string{"/v1/a", "/of-path/b", "/of-operation/b", "/v1/"}},
		"variables":          {"servers: [{ url: \"https://{host}/{version}\", variables: { host: { default: example.com }, version: { default: v3 } } }]\n", "", []string{"/v3/a", "/of-path/b", "/of-operation/b", "/v3/"}},
		"a place of its own": {"servers: [{ url: \"https://example.com/v1\" }]\n", "/mounted/", []string{"/mounted/a", "/mounted/b", "/mounted/b", "/mounted/"}},
		"the root":           {"servers: [{ url: \"https://example.com/v1\" }]\n", "/", []string{"/a", "/b", "/b", "/"}},
	} {
		t.Run(name, func(t *testing.T) {
			contract := mustRead(t, document("3.0.3", c.servers+paths))
			if c.at != "" {
				contract = contract.At(c.at)
			}
			var got []string
			for _, id := range []string{"a", "b", "c", "root"} {
				requests, err := operationOf(t, contract, id).Requests()
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, requests[0].Path)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("paths %q, want %q", got, c.want)
			}
		})
	}
}

func TestSecured(t *testing.T) {
	c := mustRead(t, document("3.0.3", `security: [{ token: [] }]
paths:
  /a:
    get: { operationId: inherits, responses: { "200": { description: a } } }
    put: { operationId: open, security: [], responses: { "200": { description: a } } }
    post: { operationId: optional, security: [{ token: [] }, {}], responses: { "200": { description: a } } }
    delete: { operationId: own, security: [{ key: [] }], responses: { "200": { description: a } } }
    head: { operationId: head, responses: { "200": { description: a } } }
components: { securitySchemes: { token: { type: http, scheme: bearer }, key: { type: apiKey, in: header, name: X-Key } } }
`))
	for id, want := range map[string][2]bool{ // secured, safe
		"inherits": {true, true}, "open": {false, false}, "optional": {false, false}, "own": {true, false}, "head": {true, true},
	} {
		o := operationOf(t, c, id)
		if got := [2]bool{o.Secured(), o.Safe()}; got != want {
			t.Errorf("%s: secured, safe %v, want %v", id, got, want)
		}
	}
	if o := operationOf(t, c, "own"); o.Method != http.MethodDelete || o.Template != "/a" || o.ID != "own" {
		t.Errorf("own is %s %s %s", o.ID, o.Method, o.Template)
	}
}
