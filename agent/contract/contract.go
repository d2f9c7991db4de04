// Package contract reads the OpenAPI document of a connection: which operations it
// has, the requests that can be made from it, and whether an answer has the shape that
// it declares.
//
// It knows no network: a document is bytes, a request is a path, headers and bytes.
// Everything is in a fixed order, so that one document always gives the same requests.
package contract

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// MaxSize is the largest document that is read, in bytes. The largest public ones have
// about 12 MB.
const MaxSize = 32 << 20

// Contract is an OpenAPI document that was read. It is not changed after that; its
// methods are safe for concurrent use.
type Contract struct {
	operations map[string]*Operation
	shared     *shared
}

// shared is what all operations of a document have in common.
type shared struct {
	doc *openapi3.T
	// names are all property names of the document. An error may name a place in an
	// answer only in these words: other keys are content.
	names map[string]bool
	// opaque are the schemas with a pattern that cannot be read.
	opaque map[*openapi3.Schema]bool
	// hidden are, by schema, the properties that requests must have and answers must
	// not; only of OpenAPI 3.1, see survey.
	hidden map[*openapi3.Schema][]string
	// rounded is set when the long numbers of the document were not kept.
	rounded bool
}

// Read reads an OpenAPI 3.0 or 3.1 document, as YAML or JSON. A document that refers
// to another file is refused. The requests that it gives have the path of the server
// that it names first in front of theirs; see At.
func Read(source []byte) (*Contract, error) {
	if len(source) > MaxSize {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(source), MaxSize)
	}
	doc, rounded, err := load(source)
	if err != nil {
		return nil, err
	}
	s := &shared{doc: doc, rounded: rounded, names: map[string]bool{}, opaque: map[*openapi3.Schema]bool{}, hidden: map[*openapi3.Schema][]string{}}
	if err := s.survey(); err != nil {
		return nil, fmt.Errorf("it is not a valid OpenAPI document: %w", err)
	}
	if err := check(doc); err != nil {
		return nil, fmt.Errorf("it is not a valid OpenAPI document: %w", err)
	}
	c := &Contract{operations: map[string]*Operation{}, shared: s}
	if doc.Paths == nil {
		return c, nil
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		if err := c.add(path, doc.Paths.Value(path)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// load reads a document. rounded tells that its long numbers were not kept.
func load(source []byte) (doc *openapi3.T, rounded bool, err error) {
	doc, err = openapi3.NewLoader().LoadFromData(markNumbers(source))
	if err != nil {
		// A marked number may also stand, by an alias, where it must be one.
		doc, err = openapi3.NewLoader().LoadFromData(source)
		rounded = true
	}
	switch {
	case err != nil && strings.Contains(err.Error(), "external ref"):
		return nil, false, fmt.Errorf("it refers to another file; bundle everything into one document: %w", err)
	case err != nil:
		return nil, false, fmt.Errorf("it cannot be read as OpenAPI: %w", err)
	case doc.OpenAPI == "":
		return nil, false, errors.New("it names no version of OpenAPI: write openapi: 3.0.3 or 3.1.0")
	case !doc.IsOpenAPI30() && doc.OpenAPIMajorMinor() != "3.1":
		return nil, false, fmt.Errorf("it is OpenAPI %s; 3.0 and 3.1 are read", doc.OpenAPI)
	}
	return doc, rounded, nil
}

// add takes up the operations of a path that have an operationId; the others cannot
// be named by a scenario.
func (c *Contract) add(path string, item *openapi3.PathItem) error {
	if item == nil {
		return nil
	}
	operations := item.Operations()
	for _, method := range slices.Sorted(maps.Keys(operations)) {
		spec := operations[method]
		if spec == nil || spec.OperationID == "" {
			continue
		}
		if other, ok := c.operations[spec.OperationID]; ok {
			return fmt.Errorf("operation %s is declared twice: %s %s and %s %s",
				spec.OperationID, other.Method, other.Template, method, path)
		}
		base, err := basePath(spec.Servers, item.Servers, c.shared.doc.Servers)
		if err != nil {
			return fmt.Errorf("operation %s: %w", spec.OperationID, err)
		}
		c.operations[spec.OperationID] = &Operation{
			ID: spec.OperationID, Method: method, Template: path,
			base: base, spec: spec, parameters: parametersOf(item, spec), shared: c.shared,
		}
	}
	return nil
}

// basePath is the path of the first server: of the operation if it names some, else
// of its path, else of the document.
func basePath(operation *openapi3.Servers, path, document openapi3.Servers) (string, error) {
	servers := document
	if len(path) > 0 {
		servers = path
	}
	if operation != nil && len(*operation) > 0 {
		servers = *operation
	}
	if len(servers) == 0 || servers[0] == nil {
		return "", nil
	}
	address := servers[0].URL
	for name, variable := range servers[0].Variables {
		if variable != nil {
			address = strings.ReplaceAll(address, "{"+name+"}", variable.Default)
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("the url of the first server is not a URL")
	}
	return strings.TrimRight(u.EscapedPath(), "/"), nil
}

// At gives the contract of a service that is mounted at a path of its own, such as
// /v2: its requests have this path in front of theirs, not that of the document's
// server.
func (c *Contract) At(path string) *Contract {
	moved := &Contract{operations: make(map[string]*Operation, len(c.operations)), shared: c.shared}
	for id, o := range c.operations {
		there := *o
		there.base = strings.TrimRight(path, "/")
		moved.operations[id] = &there
	}
	return moved
}

// Operations are the operationIds of the document, sorted.
func (c *Contract) Operations() []string {
	return slices.Sorted(maps.Keys(c.operations))
}

// Operation gives an operation by its operationId, which is compared exactly.
func (c *Contract) Operation(id string) (*Operation, bool) {
	o, ok := c.operations[id]
	return o, ok
}

// Operation is one operation of a contract.
type Operation struct {
	ID       string // the operationId
	Method   string // the HTTP method, in capitals
	Template string // its path as the document writes it, such as /orders/{id}

	base       string // escaped; stands in front of Template
	spec       *openapi3.Operation
	parameters []*openapi3.Parameter
	shared     *shared
}

// Safe tells whether the operation changes nothing: GET or HEAD.
func (o *Operation) Safe() bool {
	return o.Method == http.MethodGet || o.Method == http.MethodHead
}

// Secured tells whether the document says that a caller must show who it is: there
// are security requirements, and none of them is empty.
func (o *Operation) Secured() bool {
	requirements := o.shared.doc.Security
	if o.spec.Security != nil {
		requirements = *o.spec.Security
	}
	for _, r := range requirements {
		if len(r) == 0 {
			return false
		}
	}
	return len(requirements) > 0
}

// parametersOf are those of the path and the operation, which win over the path's; in
// the order of the document, the path's first.
func parametersOf(item *openapi3.PathItem, spec *openapi3.Operation) []*openapi3.Parameter {
	var all []*openapi3.Parameter
	for _, list := range []openapi3.Parameters{item.Parameters, spec.Parameters} {
		for _, ref := range list {
			if ref == nil || ref.Value == nil {
				continue
			}
			same := func(p *openapi3.Parameter) bool { return p.In == ref.Value.In && p.Name == ref.Value.Name }
			if i := slices.IndexFunc(all, same); i >= 0 {
				all[i] = ref.Value
			} else {
				all = append(all, ref.Value)
			}
		}
	}
	return all
}
