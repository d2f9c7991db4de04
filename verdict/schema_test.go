package verdict

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The published schema takes every verdict, and a verdict has nothing else: it denies
// what it does not name.
func TestJSONKeepsItsSchema(t *testing.T) {
	schema := publishedSchema(t)
	for name, in := range inputs(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Judge(in).WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
			valid(t, schema, b.Bytes())
		})
	}
	t.Run("zero", func(t *testing.T) {
		var b bytes.Buffer
		if err := (Verdict{State: None}).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		valid(t, schema, b.Bytes())
	})
}

func publishedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("../docs/verdict.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("verdict.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("verdict.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func valid(t *testing.T, schema *jsonschema.Schema, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
}
