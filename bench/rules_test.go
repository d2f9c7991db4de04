package bench_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/scenario"
)

// A code means one thing, in either half of the check.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range append(scenario.Rules(), bench.Rules()...) {
		if seen[r.Code] {
			t.Errorf("two rules have the code %s", r.Code)
		}
		seen[r.Code] = true
	}
	for _, r := range bench.Rules() {
		if r.Code == "" || r.What == "" || r.Message == "" || r.Severity == "" {
			t.Errorf("rule %+v is not whole", r)
		}
	}
}

// Each example of the bench's own rules gives its code, or none, in the account of the
// tests.
func TestExamplesOfRules(t *testing.T) {
	own := []string{"unknown-environment", "unknown-connection", "wrong-environment", "several-agents", "needs-person"}
	b := open(t, newFakeAgent(), withConfig(loadConfig(t, configText+remoteText)))
	for _, r := range bench.Rules() {
		if !slices.Contains(own, r.Code) {
			continue // the agent's, and held by its tests
		}
		t.Run(r.Code, func(t *testing.T) {
			if r.Bad == "" || r.Good == "" || !r.Online {
				t.Fatal("the rule has no examples")
			}
			if told := codes(t, b, r.Bad); !slices.Contains(told, r.Code) {
				t.Errorf("the bad example gives %q", told)
			}
			if told := codes(t, b, r.Good); len(told) > 0 {
				t.Errorf("the good example gives %q", told)
			}
		})
	}
}

// codes are those that the bench tells of an example, which is given the tables that it
// does not have.
func codes(t *testing.T, b *opened, example string) []string {
	t.Helper()
	text := ""
	for table, plain := range map[string]string{
		"[scenario]":   "[scenario]\nformat = 1\nname = \"example\"\nenvironment = \"staging\"\n\n",
		"[targets]":    "[targets]\napi = { connection = \"engine-staging\", proxy = \"engine\" }\n\n",
		"[load]":       "[load]\ntarget = \"api\"\nrate = 50\nduration = \"4m\"\noperations = [{ openapi = \"orders.search\" }]\n\n",
		"[assertions]": "[assertions]\nmax_error_rate = 0.5\n\n",
	} {
		if !strings.Contains(example, table) {
			text += plain
		}
	}
	got, err := b.client.Check(t.Context(), []byte(text+example))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range got.Findings {
		all = append(all, f.Code)
	}
	return all
}
