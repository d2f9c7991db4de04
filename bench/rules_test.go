package bench_test

import (
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
