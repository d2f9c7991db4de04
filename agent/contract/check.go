package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// faults are the rules of OpenAPI whose breach changes what is asked of a service, or
// makes its answers be judged wrongly. Most documents in use break some of the others:
// they name a schema with a space, have two paths that could be one, or leave out a
// description.
var faults = []string{
	"duplicate-operation-id",
	"parameter-in-invalid",
	"parameter-name-required",
	"path-must-start-with-slash",
	"schema-multiple-of-not-positive",
	"schema-type-unsupported",
	"unresolved-ref",
}

// mostFaults bounds how many faults of a document are told.
const mostFaults = 5

// check tells the faults of a document. It is not held to its own examples, defaults and
// patterns.
func check(doc *openapi3.T) error {
	err := doc.Validate(context.Background(),
		openapi3.EnableMultiError(),
		openapi3.DisableExamplesValidation(),
		openapi3.DisableSchemaDefaultsValidation(),
		openapi3.DisableSchemaPatternValidation(),
	)
	all := openapi3.MultiError{err}
	if several, ok := errors.AsType[openapi3.MultiError](err); ok {
		all = several
	}
	var found []error
	for _, e := range all {
		coded, ok := errors.AsType[openapi3.CodedError](e)
		if !ok || !slices.Contains(faults, coded.Code()) {
			continue
		}
		if len(found) == mostFaults {
			found = append(found, fmt.Errorf("and more"))
			break
		}
		found = append(found, e)
	}
	return errors.Join(found...)
}
