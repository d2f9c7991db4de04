package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/inorbit-hr/reliability/scenario"
)

// maxJSON bounds a JSON body, in bytes; the longest source fits twice.
const maxJSON = 64 << 10

// contract is openapi.yaml, by the router's patterns.
type contract struct {
	spec       *openapi3.T
	operations map[string]*openapi3.Operation
}

func loadContract() (*contract, error) {
	spec, err := GetSwagger()
	if err != nil {
		return nil, fmt.Errorf("read the API's contract: %w", err)
	}
	c := &contract{spec: spec, operations: map[string]*openapi3.Operation{}}
	for path, item := range spec.Paths.Map() {
		for method, operation := range item.Operations() {
			c.operations[method+" "+path] = operation
		}
	}
	return c, nil
}

// validate holds a request to the contract before a handler sees it.
func (h *handler) validate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.contract.check(w, r); err != nil {
			h.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (c *contract) check(w http.ResponseWriter, r *http.Request) error {
	method, path, _ := strings.Cut(r.Pattern, " ")
	operation, item := c.operations[r.Pattern], c.spec.Paths.Value(path)
	if operation == nil || item == nil {
		return Refuse(NotFound, "the contract has no %s", r.Pattern)
	}
	if err := checkQuery(operation, item, r.URL.RawQuery); err != nil {
		return err
	}
	if err := checkBody(w, r, operation); err != nil {
		return err
	}
	params := map[string]string{}
	for _, p := range item.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			params[p.Value.Name] = r.PathValue(p.Value.Name)
		}
	}
	err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params,
		Route: &routers.Route{Spec: c.spec, Path: path, PathItem: item, Method: method, Operation: operation},
		Options: &openapi3filter.Options{
			// The body of a scenario is bytes: its own rules judge it.
			ExcludeRequestBody:  !takesJSON(operation) || r.ContentLength == 0,
			AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
			KeepValidatedValue:  true,
			SkipSettingDefaults: true,
		},
	})
	if err != nil {
		return explain(err)
	}
	return nil
}

// checkQuery refuses a parameter that the contract does not name: a misspelt filter
// would choose everything.
func checkQuery(operation *openapi3.Operation, item *openapi3.PathItem, raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return Refuse(BadRequest, "the query is not well formed")
	}
	for name, values := range query {
		if operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil && item.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			return Refuse(BadRequest, "unknown query parameter %q", clip(name))
		}
		if len(values) > 1 {
			return Refuse(BadRequest, "query parameter %q is there %d times", name, len(values))
		}
		if !plain(values[0]) {
			return Refuse(BadRequest, "query parameter %q is not text", name)
		}
	}
	return nil
}

// checkBody bounds the body and holds it to its media type.
func checkBody(w http.ResponseWriter, r *http.Request, operation *openapi3.Operation) error {
	if operation.RequestBody == nil {
		r.Body = http.MaxBytesReader(w, r.Body, 0)
		if r.ContentLength > 0 {
			return Refuse(BadRequest, "the request takes no body")
		}
		return nil
	}
	limit, want := int64(scenario.MaxSize), "application/toml"
	if takesJSON(operation) {
		limit, want = maxJSON, "application/json"
	}
	if r.ContentLength > limit {
		return Refuse(TooLarge, "the body has %d bytes; at most %d are taken", r.ContentLength, limit)
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	wrong := Refuse(WrongContentType, "send the body with Content-Type: %s", want)
	kind := r.Header.Get("Content-Type")
	if got, _, err := mime.ParseMediaType(kind); (err != nil || got != want) && (kind != "" || operation.RequestBody.Value.Required) {
		return wrong
	}
	if !takesJSON(operation) {
		return nil
	}
	if err := readJSON(r); err != nil {
		return err
	}
	if kind == "" && r.ContentLength > 0 {
		return wrong
	}
	return nil
}

// readJSON takes in a body and sees to it that it is one JSON value and nothing behind
// it, or empty.
func readJSON(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return explainRead(err)
	}
	if len(body) > 0 && (!json.Valid(body) || !utf8.Valid(body)) {
		return Refuse(BadRequest, "the body is not one JSON value")
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

func takesJSON(operation *openapi3.Operation) bool {
	return operation.RequestBody != nil && operation.RequestBody.Value.Content.Get("application/json") != nil
}

// explain words what the contract has against a request, without repeating values.
func explain(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return Refuse(TooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	var where string
	var request *openapi3filter.RequestError
	if errors.As(err, &request) {
		where = "the body"
		if request.Parameter != nil {
			where = request.Parameter.In + " parameter " + request.Parameter.Name
		}
	}
	var schema *openapi3.SchemaError
	if errors.As(err, &schema) {
		if at := schema.JSONPointer(); len(at) > 0 {
			where += ", " + clip(strings.Join(at, "."))
		}
		return Refuse(BadRequest, "%s: %s", where, clip(schema.Reason))
	}
	if errors.Is(err, openapi3filter.ErrInvalidRequired) {
		return Refuse(BadRequest, "%s is missing", where)
	}
	return Refuse(BadRequest, "%s cannot be read", where)
}

// plain tells whether every database keeps the text as it is.
func plain(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) || strings.ContainsRune(s, 0) })
}

// clip bounds what of a request is repeated in an answer.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
