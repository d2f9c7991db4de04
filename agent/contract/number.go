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

var errInexact = errors.New("its schema has a number that is too large to be kept exactly: give an example")

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
	inlineNumbers(&root)
	m := marker{}
	if !m.mark(root.Content[0], inObject) {
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

// inlineNumbers writes long numbers in place of their aliases: one may be an example, and
// another a bound.
func inlineNumbers(n *yaml.Node) {
	if n.Kind == yaml.AliasNode && n.Alias != nil && n.Alias.Kind == yaml.ScalarNode && long(n.Alias) {
		*n = yaml.Node{Kind: yaml.ScalarNode, Tag: n.Alias.Tag, Value: n.Alias.Value}
	}
	for _, inner := range n.Content {
		inlineNumbers(inner)
	}
}

// marker holds the parts behind aliases that were marked already.
type marker map[*yaml.Node]bool

// mark marks the numbers of a part of a document, and tells whether there were any.
func (m marker) mark(n *yaml.Node, in region) bool {
	found := false
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
		for _, element := range n.Content {
			found = m.mark(element, in) || found
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if inside, ok := regionOf(n.Content[i].Value, in); ok {
				found = m.mark(n.Content[i+1], inside) || found
			}
		}
	case yaml.AliasNode:
		// What an example is an alias of may stand where nothing else is marked.
		if in == inValue && n.Alias != nil && !m[n.Alias] {
			m[n.Alias] = true
			found = m.mark(n.Alias, in)
		}
	}
	return found
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

// inexact tells of a value with a number that may not be the one of the document.
func inexact(value any) bool {
	switch v := value.(type) {
	case float64:
		return math.Abs(v) >= mostExact && v == math.Trunc(v)
	case []any:
		return slices.ContainsFunc(v, inexact)
	case map[string]any:
		for _, element := range v {
			if inexact(element) {
				return true
			}
		}
	}
	return false
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
