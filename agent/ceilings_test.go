package agent

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inorbit-hr/reliability/scenario"
)

func TestCeilingsOfAPlan(t *testing.T) {
	plan := Ceilings{MaxRate: 99.5, MaxDuration: time.Minute, MaxInFlight: 10, FaultBudget: 30 * time.Second}
	got := told(CheckCeilings(file(t, base), plan, "the plan of account sample"))
	want := []string{
		"12:8 over-ceiling load.rate 100 is above 99.5 requests a second, the ceiling of the plan of account sample",
		"13:12 over-ceiling the run takes 5m, above 1m, the ceiling of the plan of account sample",
		"15:17 over-ceiling load.max_in_flight 64 is above 10, the ceiling of the plan of account sample",
		"23:7 over-budget the faults cost 60 s together, above 30 s, the fault budget of the plan of account sample",
	}
	if !slices.Equal(got, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// faultsOnly is a file without load, whose faults last and affect as said.
func faultsOnly(faults ...string) string {
	text := `[scenario]
format = 1
name = "sample"
environment = "staging"

[targets]
engine = { connection = "engine-staging", proxy = "engine" }

[assertions]
checks = ["surfaces"]
`
	for i, f := range faults {
		text += fmt.Sprintf("\n[[timeline]]\nat = \"%dm\"\naction = \"fault\"\ntarget = \"engine\"\n%s\n", i, f)
	}
	return text
}

func TestCeilingsWithoutLoad(t *testing.T) {
	f := file(t, faultsOnly("fault = { type = \"latency\", latency = \"1s\" }\nfor = \"30s\"", "fault = { type = \"drop\", rate = 0.1 }\nfor = \"30s\""))
	c := Ceilings{MaxRate: 1, MaxDuration: 90 * time.Second, MaxInFlight: 1, FaultBudget: 33 * time.Second}
	if got := told(CheckCeilings(f, c, "x")); len(got) != 0 {
		t.Errorf("at the ceilings: %q", got)
	}
	c.MaxDuration, c.FaultBudget = 89*time.Second, 32999*time.Millisecond
	want := []string{
		"24:7 over-budget the faults cost 33 s together, above 32.999 s, the fault budget of x",
		"24:7 over-ceiling the run takes 1m30s, above 1m29s, the ceiling of x",
	}
	if got := told(CheckCeilings(f, c, "x")); !reflect.DeepEqual(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// Shares are added as they are written: ten of 0.1 are one, not a little less or more.
func TestBudgetIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "faults")
		var faults []string
		millis := int64(0)
		for range n {
			share := rapid.Int64Range(1, 1000).Draw(t, "thousandths")
			seconds := rapid.Int64Range(1, 59).Draw(t, "seconds")
			faults = append(faults, fmt.Sprintf("fault = { type = \"errors\", rate = %d.%03d }\nfor = \"%ds\"", share/1000, share%1000, seconds))
			millis += share * seconds
		}
		f := scenario.Check([]byte(faultsOnly(faults...)))
		if !f.OK() {
			t.Fatalf("the file of the test is refused offline: %+v", f.Diagnostics)
		}
		c := Ceilings{MaxRate: 1, MaxDuration: time.Hour, MaxInFlight: 1, FaultBudget: time.Duration(millis) * time.Millisecond}
		if got := CheckCeilings(f, c, "x"); len(got) != 0 {
			t.Errorf("at the budget: %v", got)
		}
		c.FaultBudget--
		if got := CheckCeilings(f, c, "x"); len(got) != 1 || got[0].Code != "over-budget" {
			t.Errorf("a nanosecond below: %v", got)
		}
	})
}
