package verdict

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

const (
	baseCommit = "1111111111111111111111111111111111111111"
	headCommit = "2222222222222222222222222222222222222222"
)

// source is a scenario file that asserts two limits, a check and an objective.
func source(name string) string {
	return fmt.Sprintf(`[scenario]
format = 1
name = %q
environment = "staging"

[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }

[load]
target = "api"
rate = 100
duration = "5m"
warmup = "30s"
max_in_flight = 128

[[load.operations]]
openapi = "me"

[[timeline]]
at = "1m"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "200ms", jitter = "50ms" }
for = "2m"

[assertions]
max_error_rate = 0.01
max_p99_ms = 400
checks = ["surfaces"]

[objective]
success_rate = 0.99
p99_ms = 400
window = "1m"
`, name)
}

// file reads a scenario that has no problem.
func file(t interface{ Fatalf(string, ...any) }, text string) *scenario.File {
	f := scenario.Check([]byte(text))
	if len(f.Diagnostics) > 0 {
		t.Fatalf("the fixture has problems: %v", f.Diagnostics)
	}
	return f
}

func ptr[T any](v T) *T { return &v }

// passing is a finished run of the file that holds every limit.
func passing(f *scenario.File, id string) *run.Run {
	r := &run.Run{
		ID: id, Attempt: 1, Status: run.StatusFinished, Outcome: run.OutcomePass, Version: f.Hash(),
		Name: f.Scenario.Name, Environment: "staging",
		StartedAt:  time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		FinishedAt: time.Date(2026, 3, 1, 12, 5, 4, 0, time.UTC),
		Source:     run.Source{Repository: "github.com/acme/shop", Commit: headCommit, Base: baseCommit},
		Result: &run.Result{
			Looks: 1, TestedRevision: headCommit,
			Assertions: []run.AssertionResult{
				{Name: "max_error_rate", Decision: run.DecisionPass, Limit: 0.01, Value: ptr(0.00204), Samples: 27000, EffectiveSamples: 26000, Interval: &run.Interval{Low: 0.00152, High: 0.00268}},
				{Name: "max_p99_ms", Decision: run.DecisionPass, Limit: 400, Value: ptr(312.4), Samples: 27000, Over: 0.00431, Allowed: 0.01, Interval: &run.Interval{Low: 0.0036, High: 0.0051}},
				{Name: "checks.surfaces", Decision: run.DecisionPass},
			},
			Objective: &run.ObjectiveResult{Decision: run.DecisionPass, WindowMs: 60000, Windows: 211, WorstSuccessRate: ptr(0.9951), WorstP99Ms: ptr(371.2)},
			Faults: []run.FaultResult{
				{Entry: 0, Type: "latency", Target: "engine", Proxy: "engine", AppliedMs: ptr(int64(60004)), LiftedMs: ptr(int64(180002)), Lifted: true, Proved: true, Met: 12010, Affected: 12010},
			},
			Load: &run.LoadResult{},
		},
	}
	for i := range int64(300) {
		p99 := 90 + float64(i%7)*4
		if i >= 60 && i < 180 {
			p99 = 300 + float64(i%9)*8
		}
		r.Result.Load.Seconds = append(r.Result.Load.Seconds, run.Second{FromMs: i * 1000, Due: 100, Accepted: 100, P99Ms: p99, Warmup: i < 30})
	}
	return r
}

// failing is a run whose p99 failed.
func failing(f *scenario.File, id string) *run.Run {
	r := passing(f, id)
	r.Outcome = run.OutcomeFail
	a := &r.Result.Assertions[1]
	a.Decision, a.Value, a.Over, a.Interval = run.DecisionFail, ptr(512.7), 0.0183, &run.Interval{Low: 0.0167, High: 0.02}
	return r
}

// breaching is a run whose objective broke while the fault was active.
func breaching(f *scenario.File, id string) *run.Run {
	r := passing(f, id)
	r.Outcome = run.OutcomeBreach
	o := r.Result.Objective
	o.Decision, o.WorstP99Ms, o.Suspect = run.DecisionFail, ptr(655.0), 3
	o.Breach = &run.Breach{
		Part: "p99_ms", Value: 655, Limit: 400, Samples: 6000, AtMs: 162000, AfterMeasuringMs: 132000,
		AfterFaultMs: ptr(int64(102000)), Fault: ptr(0), WindowFromMs: 102000,
	}
	for i := range r.Result.Load.Seconds {
		if i >= 60 && i < 180 {
			r.Result.Load.Seconds[i].P99Ms = 600 + float64(i%9)*20
		}
	}
	return r
}

// inputs are the changes that the golden files show.
func inputs(t *testing.T) map[string]Input {
	change := Change{Repository: "github.com/acme/shop", Base: baseCommit, Head: headCommit, PullRequest: 12, BaseRef: "main"}
	known := func(name string) Scenario {
		return Scenario{Path: "scenarios/" + name + ".toml", File: file(t, source(name))}
	}
	baseline, errors, latency := known("baseline"), known("error-injection"), known("latency")
	baseline.Run, errors.Run, latency.Run = passing(baseline.File, "r-1"), failing(errors.File, "r-2"), breaching(latency.File, "r-3")
	latency.Run.Attempt, latency.Base = 2, passing(latency.File, "r-0")
	latency.Base.Source.Commit = baseCommit
	all := map[string]Input{
		"none":  {Change: change},
		"mixed": {Change: change, Scenarios: []Scenario{baseline, errors, latency}},
		"pass":  {Change: change, Scenarios: []Scenario{baseline}},
	}
	all["check-only"] = Input{Change: change, Scenarios: []Scenario{known("baseline"), known("latency")}, Settings: Settings{CheckOnly: true}}
	all["unusual"] = unusual(t, change, known)
	all["hostile"] = hostile(t, change)
	return all
}

// unusual has one scenario of every other kind.
func unusual(t *testing.T, change Change, known func(string) Scenario) Input {
	invalid := known("invalid")
	invalid.File = scenario.Check([]byte(strings.ReplaceAll(source("invalid"), "max_p99_ms = 400", "max_p99 = 400")))
	unread := Scenario{Path: "scenarios/link.toml", Unreadable: "it is a symbolic link"}
	deleted := Scenario{Path: "scenarios/gone.toml", Deleted: true}
	skipped := known("skipped")
	skipped.File = file(t, strings.Replace(source("skipped"), "environment", "skip = \"the engine moves\"\nenvironment", 1))
	loosened := known("loosened")
	loosened.Run = passing(loosened.File, "r-4")
	loosened.Run.Result.TestedRevision = baseCommit
	place, _ := loosened.File.Find("assertions.max_p99_ms")
	loosened.Differences = []scenario.Difference{
		{Path: "assertions.max_p99_ms", Direction: scenario.Looser, Range: place.Value, Message: "max_p99_ms went from 300 to 400"},
		{Path: "assertions.max_error_rate", Direction: scenario.Tighter, Message: "max_error_rate went from 0.02 to 0.01"},
	}
	borderline := known("borderline")
	borderline.Run = passing(borderline.File, "r-5")
	borderline.Run.Outcome, borderline.Run.Result.Looks, borderline.Run.Result.TestedRevision = run.OutcomeBorderline, 2, ""
	a := &borderline.Run.Result.Assertions[1]
	a.Decision, a.Value, a.Over, a.Reason = run.DecisionBorderline, ptr(400.3), 0.0101, "twice the duration would decide it"
	advisory := known("advisory")
	advisory.Advisory, advisory.Run = true, failing(advisory.File, "r-6")
	lifting := known("lifting")
	lifting.Run = passing(lifting.File, "r-7")
	lifting.Run.Outcome, lifting.Run.Result.UnprovedLifting = run.OutcomeInconclusive, true
	lifting.Run.Result.Faults[0].Proved = false
	late := known("late")
	late.NotRun = &NotRun{State: Inconclusive, TimedOut: true, Reason: "the run did not end within 20m"}
	waiting := known("waiting")
	waiting.NotRun = &NotRun{State: Waiting, Reason: "the author may not start runs: a maintainer must approve"}
	return Input{
		Change:    change,
		Scenarios: []Scenario{invalid, unread, deleted, skipped, loosened, borderline, advisory, lifting, late, waiting},
		Notes:     []string{"bench.toml is new: it takes effect once merged"},
		Problems:  []Problem{{Path: ".github/reliability.toml", Line: 3, Message: "unknown key \"selct\"; did you mean \"select\"?"}},
	}
}

// nasty is text that would do harm in a log, a page or a terminal.
const nasty = "x|y `z` *b* _i_ <img src=x onerror=alert(1)> @octocat #1 [a](http://e.example) \x1b[31mred\x1b[0m\r\n::error::owned ##[error]owned </details> $m$ www.e.example \u202e\u200b 1) :x:"

// hostile has such text wherever text is not ours.
func hostile(t *testing.T, change Change) Input {
	f := scenario.Check([]byte(source(nasty)))
	f.Diagnostics = nil // the rules would refuse the name: here it must do no harm even so
	r := breaching(f, nasty)
	r.Result.TestedRevision, r.Reason, r.Source.Commit = nasty, nasty, nasty
	r.Result.Faults[0].Type, r.Result.Faults[0].Target, r.Result.Faults[0].Note = nasty, nasty, nasty
	r.Result.Assertions[2].Decision, r.Result.Assertions[2].Reason = run.DecisionFail, nasty
	r.Result.Assertions = append(r.Result.Assertions, run.AssertionResult{Name: nasty, Decision: run.Decision(nasty), Reason: nasty})
	change.Repository, change.Ref, change.MergeGroup = nasty, nasty, nasty
	return Input{
		Change: change,
		Scenarios: []Scenario{{
			Path: "scenarios/" + nasty + ".toml", File: f, Run: r, Base: r,
			Findings:    []scenario.Diagnostic{{Code: nasty, Severity: scenario.Error, Message: nasty, Suggestion: nasty}},
			Differences: []scenario.Difference{{Path: nasty, Direction: scenario.Direction(nasty), Message: nasty}},
			NotRun:      &NotRun{State: State(nasty), Reason: nasty},
		}, {Path: nasty, Unreadable: nasty}},
		Notes:    []string{nasty},
		Problems: []Problem{{Path: nasty, Line: 1, Message: nasty}},
	}
}
