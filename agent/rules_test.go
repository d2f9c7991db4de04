package agent

import (
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/scenario"
)

// whole gives an example the tables that it does not have.
func whole(example string) string {
	plain := []struct{ table, text string }{
		{"[scenario]", "[scenario]\nformat = 1\nname = \"example\"\nenvironment = \"staging\"\n\n"},
		{"[targets]", "[targets]\napi = { connection = \"public-api-staging\" }\nengine = { connection = \"engine-staging\", proxy = \"engine\" }\n\n"},
		{"[load]", "[load]\ntarget = \"api\"\nrate = 50\nduration = \"5m\"\noperations = [{ openapi = \"me\" }]\n\n"},
		{"[assertions]", "[assertions]\nmax_error_rate = 0.01\nchecks = [\"surfaces\"]\n\n"},
	}
	text := ""
	for _, p := range plain {
		if !strings.Contains(example, p.table) {
			text += p.text
		}
	}
	return text + example
}

// Each example of a rule gives its code, or none, in the account of the sample. What a
// file cannot show by itself, such as a frozen target, has no example.
func TestExamplesOfRules(t *testing.T) {
	a := newAgent(t, sampleConfig())
	for _, rule := range Rules() {
		if rule.Bad == "" {
			continue
		}
		t.Run(rule.Code, func(t *testing.T) {
			found := a.Check(file(t, whole(rule.Bad)))
			told := false
			for _, d := range found {
				told = told || d.Code == rule.Code
			}
			if !told {
				t.Errorf("the bad example gives %+v", found)
			}
			for _, d := range a.Check(file(t, whole(rule.Good))) {
				if d.Severity == scenario.Error {
					t.Errorf("the good example gives %s", d.Message)
				}
			}
		})
	}
}
