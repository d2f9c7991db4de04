package scenario

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// schemaID names the JSON Schema.
const schemaID = "https://raw.githubusercontent.com/inorbit-hr/reliability/main/docs/scenario.schema.json"

// Patterns that every dialect of regular expressions reads.
const (
	namePattern     = `^[a-z][a-z0-9]*(-[a-z0-9]+)*$`
	durationPattern = `^([0-9]+h([0-9]+m)?([0-9]+s)?([0-9]+ms)?|[0-9]+m([0-9]+s)?([0-9]+ms)?|[0-9]+s([0-9]+ms)?|[0-9]+ms)$`
	longerThanZero  = `[1-9]`
	notBlank        = `\S`
	oneLinePattern  = `^[^\n\r\t]*$`
	noSpace         = `^\S+$`
)

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Schema is the JSON Schema, draft-07, of the format, for editors of TOML. It tells
// what a schema can: keys, types, words and bounds. The check stays the judge.
func Schema() ([]byte, error) {
	definitions := object{}
	for _, t := range tables() {
		definitions = append(definitions, member{definitionName(t), schemaOf(t)})
	}
	top := object{
		{"$schema", "http://json-schema.org/draft-07/schema#"},
		{"$id", schemaID},
		{"title", "Reliability scenario, format 1"},
	}
	top = append(top, schemaOf(fileTable)...)
	top = append(top, member{"anyOf", []any{
		object{{"required", []string{"assertions"}}}, object{{"required", []string{"objective"}}},
	}}, member{"definitions", definitions})
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(top); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func definitionName(t *table) string {
	name := strings.Trim(strings.TrimPrefix(strings.TrimPrefix(t.name, "an "), "a "), "[]")
	return name
}

// schemaOf is the schema of a table.
func schemaOf(t *table) object {
	properties, required := object{}, []string{}
	for i := range t.keys {
		k := &t.keys[i]
		properties = append(properties, member{k.name, schemaOfKey(k)})
		if k.required && k.only == nil {
			required = append(required, k.name)
		}
	}
	s := object{{"type", "object"}}
	if t.what != "" {
		s = append(s, member{"description", t.what})
	}
	s = append(s, member{"additionalProperties", false}, member{"properties", properties})
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	switch t {
	case operationTable:
		s = append(s, member{"oneOf", []any{
			object{{"required", []string{"openapi"}}, {"properties", object{{"expect", object{{"items", object{{"type", "integer"}}}}}}}},
			object{{"required", []string{"grpc"}}, {"properties", object{{"expect", object{{"items", object{{"type", "string"}}}}}}}},
		}})
	case assertionsTable:
		s = append(s, member{"minProperties", 1})
	case objectiveTable:
		s = append(s, member{"anyOf", []any{object{{"required", []string{"success_rate"}}}, object{{"required", []string{"p99_ms"}}}}})
	}
	if t.selector != "" {
		s = append(s, member{"allOf", schemaOfChoices(t)})
	}
	return s
}

// schemaOfChoices says, for each value of the selector, which keys the table needs and
// which it does not take.
func schemaOfChoices(t *table) []any {
	selector := t.key(t.selector)
	var all []any
	for _, choice := range selector.words {
		required, refused := []string{}, object{}
		for i := range t.keys {
			switch k := &t.keys[i]; {
			case k.only == nil:
			case slices.Contains(k.only, choice):
				if k.required {
					required = append(required, k.name)
				}
			default:
				refused = append(refused, member{k.name, false})
			}
		}
		condition := object{{"properties", object{{selector.name, object{{"const", choice}}}}}}
		if choice != selector.fallback {
			condition = append(condition, member{"required", []string{selector.name}})
		}
		then := object{}
		if len(required) > 0 {
			then = append(then, member{"required", required})
		}
		if len(refused) > 0 {
			then = append(then, member{"properties", refused})
		}
		all = append(all, object{{"if", condition}, {"then", then}})
	}
	return all
}

// schemaOfKey is the schema of a key's value.
func schemaOfKey(k *key) object {
	s := object{}
	if k.what != "" {
		s = append(s, member{"description", strings.ReplaceAll(k.what, "`", "")})
	}
	return append(s, schemaOfKind(k)...)
}

func schemaOfKind(k *key) object {
	text := func(members ...member) object { return append(object{{"type", "string"}}, members...) }
	switch k.kind {
	case kindLine:
		return text(member{"pattern", notBlank}, member{"maxLength", maxName}, member{"allOf", []any{object{{"pattern", oneLinePattern}}}})
	case kindText, kindReason:
		return text(member{"pattern", notBlank})
	case kindName, kindTarget:
		return text(member{"pattern", namePattern})
	case kindFormat:
		return object{{"type", "integer"}, {"const", FormatKnown}}
	case kindDuration:
		s := text(member{"pattern", durationPattern})
		if k.aboveZero {
			s = append(s, member{"allOf", []any{object{{"pattern", longerThanZero}}}})
		}
		return s
	case kindWord:
		return object{{"enum", k.words}}
	case kindOpenAPI:
		return text(member{"pattern", noSpace})
	case kindGRPC:
		return text(member{"pattern", grpcMethod.String()})
	case kindWords:
		return object{{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", object{{"enum", k.words}}}}
	case kindExpect:
		return object{{"type", "array"}, {"minItems", 1}, {"items", object{{"anyOf", []any{
			object{{"type", "integer"}, {"minimum", k.min}, {"maximum", k.max}}, object{{"enum", grpcCodes}},
		}}}}}
	case kindTable:
		return object{{"$ref", "#/definitions/" + definitionName(k.table)}}
	case kindTables:
		return object{{"type", "array"}, {"minItems", 1}, {"items", object{{"$ref", "#/definitions/" + definitionName(k.table)}}}}
	case kindNamedTable:
		return object{{"type", "object"}, {"minProperties", 1}, {"propertyNames", object{{"pattern", namePattern}}},
			{"additionalProperties", object{{"$ref", "#/definitions/" + definitionName(k.table)}}}}
	}
	return schemaOfNumber(k)
}

func schemaOfNumber(k *key) object {
	s := object{{"type", "number"}}
	switch {
	case k.kind == kindWhole:
		s = object{{"type", "integer"}, {"minimum", k.min}}
		if k.max > 0 {
			s = append(s, member{"maximum", k.max})
		}
		return s
	case k.aboveZero:
		s = append(s, member{"exclusiveMinimum", 0})
	case k.kind == kindMillis:
		s = append(s, member{"minimum", 1})
	default:
		s = append(s, member{"minimum", 0})
	}
	switch {
	case k.belowOne:
		s = append(s, member{"exclusiveMaximum", 1})
	case k.kind == kindShare:
		s = append(s, member{"maximum", 1})
	}
	return s
}
