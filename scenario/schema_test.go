package scenario

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	if err := compiler.AddResource(schemaID, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(schemaID)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// valid tells whether the schema accepts a file as an editor would: what TOML does not
// read it refuses too.
func valid(t *testing.T, schema *jsonschema.Schema, source []byte) bool {
	t.Helper()
	var value map[string]any
	if err := toml.Unmarshal(source, &value); err != nil {
		return false
	}
	text, err := json.Marshal(value)
	if err != nil {
		return false // infinity and not-a-number are no JSON
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(doc) == nil
}

// The schema accepts every file that the check accepts. It stops a part of the others:
// at least 55 %.
func TestSchemaOnCorpus(t *testing.T) {
	schema := compileSchema(t)
	for _, kind := range []string{"good", "warn"} {
		for name, source := range corpusFiles(t, kind) {
			if !valid(t, schema, source) {
				t.Errorf("refuses %s/%s", kind, name)
			}
		}
	}
	bad, stopped := corpusFiles(t, "bad"), 0
	for _, source := range bad {
		if !valid(t, schema, source) {
			stopped++
		}
	}
	t.Logf("the schema stops %d of %d bad files", stopped, len(bad))
	if 100*stopped < 55*len(bad) {
		t.Errorf("the schema stops only %d of %d bad files", stopped, len(bad))
	}
}

// The schema accepts the good example of every rule.
func TestSchemaOnExamples(t *testing.T) {
	schema := compileSchema(t)
	for _, r := range Rules() {
		if r.Good != "" && !valid(t, schema, complete(r.Good)) {
			t.Errorf("refuses the good example of %s", r.Code)
		}
	}
}
