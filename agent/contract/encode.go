package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// encoding is how a parameter writes values that are not just one text.
type encoding struct {
	style    string
	explode  bool
	json     bool // the whole value is JSON
	reserved bool // reserved characters of a query stay as they are
}

func encodingOf(p *openapi3.Parameter) (encoding, error) {
	if contentOf(p) != nil {
		for name := range p.Content {
			if !isJSON(name) {
				return encoding{}, fmt.Errorf("is of content type %s; only JSON is written into a parameter", name)
			}
		}
		method, err := (&openapi3.Parameter{In: p.In}).SerializationMethod()
		if err != nil {
			return encoding{}, err
		}
		return encoding{style: method.Style, json: true}, nil
	}
	method, err := p.SerializationMethod()
	if err != nil {
		return encoding{}, err
	}
	return encoding{style: method.Style, explode: method.Explode, reserved: p.AllowReserved}, nil
}

// flat is a value taken apart: one text, a list of texts, or names with texts.
type flat struct {
	list  bool
	names []string // nil for what is no object
	texts []string
}

var errNested = errors.New("has a value inside of a value, which its style cannot write")

func (e encoding) flatten(value any) (flat, error) {
	if e.json {
		text, err := marshal(value)
		return flat{texts: []string{string(text)}}, err
	}
	switch v := value.(type) {
	case []any:
		f := flat{list: true}
		for _, element := range v {
			text, err := scalar(element)
			if err != nil {
				return flat{}, err
			}
			f.texts = append(f.texts, text)
		}
		return f, nil
	case map[string]any:
		f := flat{names: []string{}}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text, err := scalar(v[name])
			if err != nil {
				return flat{}, err
			}
			f.names, f.texts = append(f.names, name), append(f.texts, text)
		}
		return f, nil
	}
	text, err := scalar(value)
	return flat{texts: []string{text}}, err
}

// scalar writes a value that is one text.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return strings.TrimPrefix(v, mark), nil
	case []any, map[string]any:
		return "", errNested
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case nil:
		return "", errors.New("has no value: null cannot be written")
	}
	return fmt.Sprint(value), nil
}

// pairs writes the names and texts of an object with a separator between the two.
func (f flat) pairs(separator string, escape func(string) string) []string {
	all := make([]string, len(f.texts))
	for i, text := range f.texts {
		all[i] = escape(f.names[i]) + separator + escape(text)
	}
	return all
}

func (f flat) escaped(escape func(string) string) []string {
	all := make([]string, len(f.texts))
	for i, text := range f.texts {
		all[i] = escape(text)
	}
	return all
}

// listed writes a value as one list, as every style does that is not exploded.
func (f flat) listed(separator string, escape func(string) string) string {
	if f.names != nil {
		return strings.Join(f.pairs(separator, escape), separator)
	}
	return strings.Join(f.escaped(escape), separator)
}

func (e encoding) path(name string, value any) (string, error) {
	f, err := e.flatten(value)
	if err != nil {
		return "", err
	}
	escape := escapeSegment
	var text string
	switch e.style {
	case openapi3.SerializationSimple:
		text = f.listed(",", escape)
		if e.explode && f.names != nil {
			text = strings.Join(f.pairs("=", escape), ",")
		}
	case openapi3.SerializationLabel:
		text = "." + f.listed(",", escape)
		if e.explode && f.names != nil {
			text = "." + strings.Join(f.pairs("=", escape), ".")
		} else if e.explode {
			text = "." + f.listed(".", escape)
		}
	case openapi3.SerializationMatrix:
		text = ";" + escape(name) + "=" + f.listed(",", escape)
		if e.explode && f.names != nil {
			text = ";" + strings.Join(f.pairs("=", escape), ";")
		} else if e.explode && f.list {
			text = strings.Join(prefixed(";"+escape(name)+"=", f.escaped(escape)), "")
		}
	default:
		return "", errStyle(e.style)
	}
	if text == "" {
		return "", errors.New("is empty, which a path cannot hold: give an example")
	}
	return text, nil
}

func (e encoding) query(name string, value any) ([]string, error) {
	escape := escapeQuery
	if e.reserved {
		escape = escapeReserved
	}
	key := escapeQuery(name)
	if object, ok := value.(map[string]any); ok && e.style == openapi3.SerializationDeepObject {
		return e.deep(key, object, escape)
	}
	f, err := e.flatten(value)
	if err != nil {
		return nil, err
	}
	separator, ok := map[string]string{
		openapi3.SerializationForm: ",", openapi3.SerializationSpaceDelimited: "%20",
		openapi3.SerializationPipeDelimited: "%7C", openapi3.SerializationDeepObject: ",",
	}[e.style]
	switch {
	case !ok:
		return nil, errStyle(e.style)
	case e.explode && f.names != nil:
		return f.pairs("=", escape), nil
	case e.explode && f.list:
		return prefixed(key+"=", f.escaped(escape)), nil
	}
	return []string{key + "=" + f.listed(separator, escape)}, nil
}

// deep writes an object as name[key]=value, objects in it as name[key][key]=value.
func (e encoding) deep(key string, object map[string]any, escape func(string) string) ([]string, error) {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := key + "[" + escapeQuery(name) + "]"
		switch v := object[name].(type) {
		case map[string]any:
			inner, err := e.deep(at, v, escape)
			if err != nil {
				return nil, err
			}
			all = append(all, inner...)
		case []any:
			f, err := e.flatten(v)
			if err != nil {
				return nil, err
			}
			all = append(all, prefixed(at+"=", f.escaped(escape))...)
		default:
			text, err := scalar(v)
			if err != nil {
				return nil, err
			}
			all = append(all, at+"="+escape(text))
		}
	}
	return all, nil
}

func (e encoding) header(value any) (string, error) {
	f, err := e.flatten(value)
	if err != nil {
		return "", err
	}
	as := func(text string) string { return text }
	switch {
	case e.style != openapi3.SerializationSimple:
		return "", errStyle(e.style)
	case e.explode && f.names != nil:
		return strings.Join(f.pairs("=", as), ","), nil
	}
	return f.listed(",", as), nil
}

func errStyle(style string) error {
	return fmt.Errorf("has the style %q, which does not belong there", style)
}

func prefixed(prefix string, texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = prefix + text
	}
	return all
}

// marshal writes JSON with its names sorted and without escapes for HTML.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(unmarked(value, asJSON)); err != nil {
		return nil, errors.New("has a value that cannot be written as JSON")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// escapeSegment escapes all but unreserved characters, so that the value stays one
// segment whatever it holds.
func escapeSegment(text string) string { return escapeQuery(text) }

// escapeQuery escapes all but unreserved characters; a space is %20, which is right in
// paths and queries alike.
func escapeQuery(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// escapeReserved leaves the reserved characters that do not end a query's value.
func escapeReserved(text string) string { return escapeBut(text, ":/?@!$'()*,;[]", false) }

// escapeLiteral escapes what a path written into a document may not hold; escapes that
// it has stay.
func escapeLiteral(text string) string { return escapeBut(text, "/:@!$&'()*+,;=", true) }

func escapeBut(text, allowed string, escapes bool) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		kept := strings.IndexByte(allowed, c) >= 0 || unreserved(c) ||
			escapes && c == '%' && i+2 < len(text) && hex(text[i+1]) && hex(text[i+2])
		if kept {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
