package contract

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// mark stands in front of a whole number that would not be kept exactly. The reader of
// OpenAPI knows only 64-bit floats, which are exact up to 2^53; identifiers in examples
// are often larger, and one that was rounded names something else. Such a number is read
// as a text with this mark, and written again without it.
const mark = "\x00number "

// mostExact is the largest whole number up to which a 64-bit float has all.
const mostExact = 1 << 53

var (
	longNumber  = regexp.MustCompile(`[0-9]{16}`)
	wholeNumber = regexp.MustCompile(`^-?[1-9][0-9]*$`)
)

var errInexact = errors.New("the number in its schema is too large to be kept exactly: give an example")

// markNumbers marks the long numbers in the examples and defaults of a document. A
// document without one, and one that is no YAML, is given back as it is.
func markNumbers(source []byte) []byte {
	if !longNumber.Match(source) {
		return source
	}
	var root yaml.Node
	if err := yaml.Unmarshal(source, &root); err != nil || len(root.Content) == 0 {
		return source
	}
	if !markIn(root.Content[0], inObject) {
		return source
	}
	marked, err := yaml.Marshal(&root)
	if err != nil {
		return source
	}
	return marked
}

// region says what a part of a document is.
type region int

const (
	inObject   region = iota // the keys are OpenAPI's
	inNames                  // the keys are names, of objects
	inExamples               // the keys are names of examples, or it is a list of values
	inValue                  // an example or default
)

// named are the keys of OpenAPI whose tables have names for keys, which may read like
// keys of OpenAPI.
var named = []string{
	"$defs", "callbacks", "content", "dependentSchemas", "encoding", "headers", "links", "parameters", "pathItems", "paths",
	"patternProperties", "properties", "requestBodies", "responses", "schemas", "securitySchemes", "variables", "webhooks",
}

// markIn marks the numbers of a part of a document, and tells whether there were any.
func markIn(n *yaml.Node, in region) bool {
	switch n.Kind {
	case yaml.ScalarNode:
		if in != inValue || !long(n) {
			return false
		}
		n.Tag, n.Value, n.Style = "!!str", mark+n.Value, yaml.DoubleQuotedStyle
		return true
	case yaml.SequenceNode:
		switch in {
		case inExamples:
			in = inValue
		case inNames: // a list, such as the parameters of an operation
			in = inObject
		}
		found := false
		for _, element := range n.Content {
			found = markIn(element, in) || found
		}
		return found
	case yaml.MappingNode:
		found := false
		for i := 0; i+1 < len(n.Content); i += 2 {
			if inside, ok := regionOf(n.Content[i].Value, in); ok {
				found = markIn(n.Content[i+1], inside) || found
			}
		}
		return found
	}
	return false
}

// regionOf is what stands behind a key; false where there are no examples.
func regionOf(key string, in region) (region, bool) {
	switch {
	case in == inValue:
		return inValue, true
	case in == inNames:
		return inObject, true
	case in == inExamples:
		return inObject, true
	case key == "example" || key == "default" || key == "value":
		return inValue, true
	case key == "examples":
		return inExamples, true
	case key == "enum" || key == "const" || strings.HasPrefix(key, "x-"):
		return inObject, false
	case slices.Contains(named, key):
		return inNames, true
	}
	return inObject, true
}

func long(n *yaml.Node) bool {
	if n.Style != 0 || n.ShortTag() != "!!int" || !wholeNumber.MatchString(n.Value) {
		return false
	}
	whole, ok := new(big.Int).SetString(n.Value, 10)
	return ok && whole.CmpAbs(big.NewInt(mostExact)) > 0
}

// inexact tells of a number that may not be the one that the document has.
func inexact(value any) bool {
	f, ok := value.(float64)
	return ok && math.Abs(f) >= mostExact && f == math.Trunc(f)
}

// unmarked gives a value with its marked numbers turned into what as makes of them.
func unmarked(value any, as func(digits string) any) any {
	switch v := value.(type) {
	case string:
		if digits, ok := strings.CutPrefix(v, mark); ok {
			return as(digits)
		}
	case []any:
		all := make([]any, len(v))
		for i, element := range v {
			all[i] = unmarked(element, as)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, element := range v {
			all[name] = unmarked(element, as)
		}
		return all
	}
	return value
}

// asJSON is a number that JSON is written with, asFloat one that a schema compares.
func asJSON(digits string) any { return json.Number(digits) }

func asFloat(digits string) any {
	f, _ := new(big.Float).SetString(digits)
	if f == nil {
		return 0.0
	}
	v, _ := f.Float64()
	return v
}
