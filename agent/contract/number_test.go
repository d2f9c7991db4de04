package contract

import (
	"strings"
	"testing"
)

// Only the numbers of examples and defaults are marked, wherever names read like keys.
func TestMarkNumbers(t *testing.T) {
	const number = "9007199254740993"
	for name, c := range map[string]struct {
		source string
		marked int
	}{
		"an example":              {"components: { schemas: { A: { example: N } } }", 1},
		"in an example":           {"components: { schemas: { A: { example: { minimum: [N, { enum: N }] } } } }", 2},
		"a default":               {"components: { schemas: { A: { default: N, maximum: N } } }", 1},
		"a list of examples":      {"components: { schemas: { A: { examples: [N, N] } } }", 2},
		"examples by name":        {"components: { examples: { value: { value: N } } }", 1},
		"of a parameter":          {"paths: { /a: { get: { parameters: [{ name: p, examples: { example: { value: N } } }] } } }", 1},
		"a property named so":     {"components: { schemas: { A: { properties: { example: { maximum: N }, value: { minimum: N }, default: { example: N } } } } }", 1},
		"an enum":                 {"components: { schemas: { A: { enum: [N], const: N, x-rate: { example: N } } } }", 0},
		"a text":                  {"components: { schemas: { A: { example: \"N\" } } }", 0},
		"a fraction":              {"components: { schemas: { A: { example: N.5 } } }", 0},
		"not long":                {"components: { schemas: { A: { example: 9007199254740991 } } }", 0},
		"nothing that is a table": {"N", 0},
		"no YAML":                 {"a: [N", 0},
	} {
		t.Run(name, func(t *testing.T) {
			source := strings.ReplaceAll(c.source, "N", number)
			marked := string(markNumbers([]byte(source)))
			if got := strings.Count(marked, `\0number `+number); got != c.marked {
				t.Errorf("%d are marked, want %d:\n%s", got, c.marked, marked)
			}
			if c.marked == 0 && marked != source {
				t.Errorf("was changed to\n%s", marked)
			}
			if got, want := strings.Count(marked, number), strings.Count(source, number); got != want {
				t.Errorf("%d numbers are left of %d:\n%s", got, want, marked)
			}
		})
	}
}

func TestNumbersBehindAliases(t *testing.T) {
	for name, c := range map[string]struct{ rest, want string }{
		"of a bound":    {"x-a: &n 9223372036854775807\npaths: { /a: { get: { operationId: op, parameters: [{ name: q, in: query, example: *n, schema: { type: integer, maximum: *n } }], responses: {} } } }\n", "/a?q=9223372036854775807"},
		"of an example": {"paths: { /a: { get: { operationId: op, parameters: [{ name: q, in: query, example: &n 9223372036854775807, schema: { type: integer, maximum: *n } }], responses: {} } } }\n", "/a?q=9223372036854775807"},
		"of a table":    {"x-a: &o { id: 9223372036854775807 }\npaths: { /a: { get: { operationId: op, parameters: [{ name: q, in: query, example: *o, schema: { type: object } }], responses: {} } } }\n", "/a?id=9223372036854775807"},
		"of a table that is a schema": {"paths: { /a: { get: { operationId: op, parameters: [{ name: q, in: query, schema: &o { maximum: 9223372036854775807 }, example: *o }], responses: {} } } }\n",
			"operation op: query parameter q has an example with a number that is too large to be kept exactly here: write it without an alias"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			requests, err := operationOf(t, mustRead(t, document("3.0.3", c.rest)), "op").Requests()
			if err != nil {
				got = err.Error()
			} else {
				got = requests[0].Path
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
