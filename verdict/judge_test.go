package verdict

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

func TestConclusionsAndExitCodes(t *testing.T) {
	for _, c := range []struct {
		state      State
		conclusion string
		code       int
	}{
		{Pass, "success", 0}, {None, "success", 0},
		{Fail, "failure", 1}, {Breach, "failure", 1}, {Invalid, "failure", 1}, {Refused, "failure", 1},
		{Waiting, "action_required", 4}, {Inconclusive, "failure", 3}, {Cancelled, "cancelled", 130},
		{"", "failure", 3}, {"neutral", "failure", 3},
	} {
		v := Verdict{State: c.state}
		if v.Conclusion() != c.conclusion || v.ExitCode() != c.code {
			t.Errorf("%q: %s, exit %d; want %s, exit %d", c.state, v.Conclusion(), v.ExitCode(), c.conclusion, c.code)
		}
	}
	if got := (Verdict{State: Inconclusive, TimedOut: true}).Conclusion(); got != "timed_out" {
		t.Errorf("timed out: %s", got)
	}
}

// one scenario with a change to what is known of it, or to the settings.
type single struct {
	name     string
	change   func(s *Scenario, in *Input)
	state    State
	title    string // a part of it
	code     string // of the worst annotation
	line     int    // of the worst annotation
	level    Level
	conclude string
}

func TestOneScenario(t *testing.T) {
	const nameLine, faultLine, errorLine, p99Line, checksLine, objectiveP99 = 4 - 1, 24, 28, 29, 30, 34
	for _, c := range []single{
		{"pass", func(*Scenario, *Input) {}, Pass, "1 of 1 passed", "pass", nameLine, Notice, "success"},
		{"fail", func(s *Scenario, _ *Input) { s.Run = failing(s.File, "r") }, Fail, "1 of 1 failed: one p99 513 ms over 400 ms", "assertion", p99Line, Failure, "failure"},
		{"breach on the fault", func(s *Scenario, _ *Input) { s.Run = breaching(s.File, "r") }, Breach, "1 of 1 breached: one broke p99 after 1m42s", "breach", faultLine, Failure, "failure"},
		{"breach without a fault", func(s *Scenario, _ *Input) {
			s.Run = breaching(s.File, "r")
			s.Run.Result.Objective.Breach.Fault, s.Run.Result.Objective.Breach.AfterFaultMs = nil, nil
		}, Breach, "one broke p99 after 2m12s", "breach", objectiveP99, Failure, "failure"},
		{"breach of a fault that is not there", func(s *Scenario, _ *Input) {
			s.Run = breaching(s.File, "r")
			s.Run.Result.Objective.Breach.Fault = ptr(7)
		}, Breach, "broke p99", "breach", objectiveP99, Failure, "failure"},
		{"pass that hides a failed limit", func(s *Scenario, _ *Input) {
			s.Run = failing(s.File, "r")
			s.Run.Outcome = run.OutcomePass
		}, Fail, "1 of 1 failed", "assertion", p99Line, Failure, "failure"},
		{"pass that hides a breach", func(s *Scenario, _ *Input) {
			s.Run = breaching(s.File, "r")
			s.Run.Outcome = run.OutcomePass
		}, Breach, "1 of 1 breached", "breach", faultLine, Failure, "failure"},
		{"pass without a limit's result", func(s *Scenario, _ *Input) {
			s.Run.Result.Assertions = s.Run.Result.Assertions[1:]
		}, Inconclusive, "error rate was not measured", "not-measured", errorLine, Failure, "failure"},
		{"pass without the check's result", func(s *Scenario, _ *Input) {
			s.Run.Result.Assertions = s.Run.Result.Assertions[:2]
		}, Inconclusive, "surface checks was not measured", "not-measured", checksLine, Failure, "failure"},
		{"pass without the objective", func(s *Scenario, _ *Input) { s.Run.Result.Objective = nil }, Inconclusive, "not measured", "not-measured", 33, Failure, "failure"},
		{"pass without windows", func(s *Scenario, _ *Input) { s.Run.Result.Objective.Windows = 0 }, Inconclusive, "no window", "not-measured", nameLine, Failure, "failure"},
		{"pass without a value", func(s *Scenario, _ *Input) { s.Run.Result.Assertions[1].Value = nil }, Inconclusive, "p99 could not be judged", "undecided", p99Line, Failure, "failure"},
		{"pass with a value that is no number", func(s *Scenario, _ *Input) { s.Run.Result.Assertions[1].Value = ptr(math.NaN()) }, Inconclusive, "p99 could not be judged", "undecided", p99Line, Failure, "failure"},
		{"pass without a result", func(s *Scenario, _ *Input) { s.Run.Result = nil }, Inconclusive, "was not measured", "not-measured", errorLine, Failure, "failure"},
		{"fail without a result", func(s *Scenario, _ *Input) {
			s.Run.Result, s.Run.Outcome, s.Run.Reason = nil, run.OutcomeFail, "it was red"
		}, Fail, "it was red", "assertion", nameLine, Failure, "failure"},
		{"undecided", func(s *Scenario, _ *Input) {
			a := &s.Run.Result.Assertions[1]
			s.Run.Outcome, a.Decision, a.Reason = run.OutcomeInconclusive, run.DecisionUndecided, "too few requests"
		}, Inconclusive, "too few requests", "inconclusive", p99Line, Failure, "failure"},
		{"unknown decision", func(s *Scenario, _ *Input) { s.Run.Result.Assertions[1].Decision = "maybe" }, Inconclusive, "could not be judged", "undecided", p99Line, Failure, "failure"},
		{"unknown outcome", func(s *Scenario, _ *Input) { s.Run.Outcome = "splendid" }, Inconclusive, "splendid", "unknown-outcome", nameLine, Failure, "failure"},
		{"no outcome", func(s *Scenario, _ *Input) { s.Run.Outcome = "" }, Inconclusive, "outcome", "unknown-outcome", nameLine, Failure, "failure"},
		{"unknown status", func(s *Scenario, _ *Input) { s.Run.Status = "napping" }, Inconclusive, "napping", "unknown-status", nameLine, Failure, "failure"},
		{"running", func(s *Scenario, _ *Input) { s.Run.Status = run.StatusRunning }, Inconclusive, "has not ended", "unfinished", nameLine, Failure, "failure"},
		{"waiting for a confirmation", func(s *Scenario, _ *Input) { s.Run.Status = run.StatusWaiting }, Waiting, "confirmed", "waiting", nameLine, Warning, "action_required"},
		{"another version", func(s *Scenario, _ *Input) { s.Run.Version = strings.Repeat("0", 64) }, Inconclusive, "another version", "other-version", nameLine, Failure, "failure"},
		{"no run", func(s *Scenario, _ *Input) { s.Run = nil }, Inconclusive, "was not run", "no-run", nameLine, Failure, "failure"},
		{"no file", func(s *Scenario, _ *Input) { s.File = nil }, Inconclusive, "not read", "no-file", 1, Failure, "failure"},
		{"timed out", func(s *Scenario, _ *Input) {
			s.Run, s.NotRun = nil, &NotRun{State: Inconclusive, TimedOut: true, Reason: "20m were up"}
		}, Inconclusive, "1 of 1 timed out: one: 20m were up", "timed-out", nameLine, Failure, "timed_out"},
		{"not run, as if it had passed", func(s *Scenario, _ *Input) { s.Run, s.NotRun = nil, &NotRun{State: Pass} }, Inconclusive, "inconclusive", "not-run", nameLine, Failure, "failure"},
		{"refused", func(s *Scenario, _ *Input) {
			s.Run.Outcome, s.Run.Reason = run.OutcomeRefused, "the policy takes no drop"
		}, Refused, "the policy takes no drop", "refused", nameLine, Failure, "failure"},
		{"cancelled", func(s *Scenario, _ *Input) { s.Run.Outcome = run.OutcomeCancelled }, Cancelled, "1 of 1 cancelled", "cancelled", nameLine, Warning, "cancelled"},
		{"unproved lifting", func(s *Scenario, _ *Input) { s.Run.Result.Faults[0].Proved = false }, Inconclusive, "A fault may still be active", "unproved-lifting", faultLine, Failure, "failure"},
		{"unproved lifting without a fault", func(s *Scenario, _ *Input) { s.Run.Result.UnprovedLifting = true }, Inconclusive, "A fault may still be active", "unproved-lifting", nameLine, Failure, "failure"},
		{"unproved lifting of a cancelled run of another version", func(s *Scenario, _ *Input) {
			s.Run.Version, s.Run.Outcome, s.Run.Result.Faults[0].Lifted = "x", run.OutcomeCancelled, false
		}, Inconclusive, "A fault may still be active", "unproved-lifting", faultLine, Failure, "failure"},
		{"a fault that was never applied", func(s *Scenario, _ *Input) {
			f := &s.Run.Result.Faults[0]
			f.AppliedMs, f.LiftedMs, f.Lifted, f.Proved = nil, nil, false, false
		}, Pass, "1 of 1 passed", "pass", nameLine, Notice, "success"},
		{"borderline", func(s *Scenario, _ *Input) { isBorderline(s) }, Pass, "1 of 1 passed; 1 borderline", "borderline", p99Line, Warning, "success"},
		{"borderline that blocks", func(s *Scenario, in *Input) {
			isBorderline(s)
			in.Settings.Borderline = BorderlineBlock
		}, Inconclusive, "too close to its limit", "borderline", p99Line, Failure, "failure"},
		{"borderline without the limit", func(s *Scenario, _ *Input) { s.Run.Outcome, s.Run.Reason = run.OutcomeBorderline, "hm" }, Pass, "1 borderline", "borderline", nameLine, Warning, "success"},
		{"another revision", func(s *Scenario, _ *Input) { s.Run.Result.TestedRevision = "abcdef1" }, Pass, "staging runs abcdef1, not 2222222", "revision", nameLine, Warning, "success"},
		{"another revision where it is required", func(s *Scenario, in *Input) {
			s.Run.Result.TestedRevision, in.Settings.Revision = "abcdef1", RevisionRequire
		}, Inconclusive, "staging runs abcdef1", "revision", nameLine, Failure, "failure"},
		{"the head, in short", func(s *Scenario, in *Input) {
			s.Run.Result.TestedRevision, in.Settings.Revision = headCommit[:7], RevisionRequire
		}, Pass, "1 of 1 passed", "pass", nameLine, Notice, "success"},
		{"a revision that is not told", func(s *Scenario, in *Input) {
			s.Run.Result.TestedRevision, in.Settings.Revision = "", RevisionRequire
		}, Pass, "tested revision not told", "pass", nameLine, Notice, "success"},
		{"loosened", func(s *Scenario, _ *Input) { isLoosened(s) }, Waiting, "1 of 1 waiting for a person: one: lowers the bar", "loosened", p99Line, Warning, "action_required"},
		{"loosened, noted", func(s *Scenario, in *Input) {
			isLoosened(s)
			in.Settings.Loosened = LoosenedNote
		}, Pass, "1 of 1 passed", "loosened", p99Line, Warning, "success"},
		{"loosened, approved", func(s *Scenario, _ *Input) {
			isLoosened(s)
			s.Approved = true
		}, Pass, "1 of 1 passed", "loosened", p99Line, Warning, "success"},
		{"deleted", func(s *Scenario, _ *Input) { s.File, s.Run, s.Deleted = nil, nil, true }, Waiting, "was deleted", "deleted", 1, Warning, "action_required"},
		{"deleted, approved", func(s *Scenario, _ *Input) { s.File, s.Run, s.Deleted, s.Approved = nil, nil, true, true }, None, "0 scenarios run; 1 deleted", "deleted", 1, Warning, "success"},
		{"refused by the online half", func(s *Scenario, _ *Input) {
			place, _ := s.File.Find("targets.api.connection")
			s.Run, s.Findings = nil, []scenario.Diagnostic{{Code: "unknown-connection", Severity: scenario.Error, Range: place.Value, Message: "no such connection"}}
		}, Invalid, "1 of 1 invalid: one: line 7: no such connection", "unknown-connection", 7, Failure, "failure"},
		{"warned by the online half", func(s *Scenario, _ *Input) {
			s.Findings = []scenario.Diagnostic{{Code: "needs-person", Severity: scenario.Warning, Message: "mind"}}
		}, Pass, "1 of 1 passed", "needs-person", 1, Warning, "success"},
		{"a place outside the file", func(s *Scenario, _ *Input) {
			s.Findings = []scenario.Diagnostic{{Code: "far", Severity: scenario.Error, Range: scenario.Range{Start: scenario.Position{Line: 900, Column: 900}, End: scenario.Position{Line: 901, Column: 1}}, Message: "far"}}
		}, Invalid, "far", "far", 35, Failure, "failure"},
		{"advisory", func(s *Scenario, _ *Input) { s.Run, s.Advisory = failing(s.File, "r"), true }, None, "0 of 1 passed; advisory: 1 failed", "assertion", p99Line, Warning, "success"},
		{"advisory and refused", func(s *Scenario, _ *Input) { s.Run.Outcome, s.Advisory = run.OutcomeRefused, true }, Refused, "1 of 1 refused", "refused", nameLine, Failure, "failure"},
		{"advisory and invalid", func(s *Scenario, _ *Input) { s.Unreadable, s.Advisory = "it is a folder", true }, Invalid, "it is a folder", "unreadable", 1, Failure, "failure"},
		{"advisory with a fault left behind", func(s *Scenario, _ *Input) { s.Run.Result.Faults[0].Proved, s.Advisory = false, true }, Inconclusive, "A fault may still be active", "unproved-lifting", faultLine, Failure, "failure"},
		{"advisory, failing and loosened", func(s *Scenario, _ *Input) {
			s.Run, s.Advisory = failing(s.File, "r"), true
			isLoosened(s)
		}, Waiting, "1 of 1 waiting for a person", "assertion", p99Line, Warning, "action_required"},
		{"check only", func(s *Scenario, in *Input) { s.Run, in.Settings.CheckOnly = nil, true }, None, "1 scenario checked, not run", "none", nameLine, Notice, "success"},
		{"check only, not read", func(s *Scenario, in *Input) { s.Run, s.File, in.Settings.CheckOnly = nil, nil, true }, Inconclusive, "not read", "no-file", 1, Failure, "failure"},
		{"configuration, and a fault left behind", func(s *Scenario, in *Input) {
			s.Run.Result.Faults[0].Proved = false
			in.Problems = []Problem{{Message: "no bench"}}
		}, Inconclusive, "A fault may still be active: one: the latency fault on engine was not shown to be lifted; 1 of 1 inconclusive; 1 problem of the change as a whole", "unproved-lifting", faultLine, Failure, "failure"},
		{"configuration", func(s *Scenario, in *Input) {
			in.Problems = []Problem{{Path: ".github/reliability.toml", Line: 2, Message: "unknown key"}}
		}, Invalid, "The change cannot be judged: .github/reliability.toml:2: unknown key", "configuration", 2, Failure, "failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := file(t, source("one"))
			in := Input{Change: Change{Repository: "github.com/acme/shop", Base: baseCommit, Head: headCommit}, Scenarios: []Scenario{{Path: "one.toml", File: f, Run: passing(f, "r")}}}
			c.change(&in.Scenarios[0], &in)
			v := Judge(in)
			if v.State != c.state || v.Conclusion() != c.conclude {
				t.Errorf("state %s, conclusion %s; want %s, %s", v.State, v.Conclusion(), c.state, c.conclude)
			}
			if !strings.Contains(v.Title, c.title) {
				t.Errorf("title %q has no %q", v.Title, c.title)
			}
			if a := v.Annotations[0]; a.Code != c.code || a.StartLine != c.line || a.Level != c.level {
				t.Errorf("annotation %s %s at line %d; want %s %s at line %d\n%s", a.Level, a.Code, a.StartLine, c.level, c.code, c.line, a.Message)
			}
		})
	}
}

func isBorderline(s *Scenario) {
	a := &s.Run.Result.Assertions[1]
	s.Run.Outcome, a.Decision, a.Value = run.OutcomeBorderline, run.DecisionBorderline, ptr(401.0)
}

func isLoosened(s *Scenario) {
	place, _ := s.File.Find("assertions.max_p99_ms")
	s.Differences = []scenario.Difference{{Path: "assertions.max_p99_ms", Direction: scenario.Looser, Range: place.Value, Message: "max_p99_ms went from 300 to 400: looser"}}
}

func TestWorse(t *testing.T) {
	order := []Verdict{{State: None}, {State: Pass}, {State: Cancelled}, {State: Waiting}, {State: Inconclusive}, {State: Fail}, {State: Breach}, {State: Refused}, {State: Invalid}, {State: Inconclusive, Unproved: true}}
	for i := range order {
		for k := range order {
			if got := order[i].Worse(order[k]); got != (i > k) {
				t.Errorf("%s worse than %s: %v", order[i].State, order[k].State, got)
			}
		}
	}
}

func TestSkipped(t *testing.T) {
	skipped := strings.Replace(source("two"), "environment", "skip = \"the engine moves\"\nenvironment", 1)
	two := Scenario{Path: "two.toml", File: file(t, skipped)}
	f := file(t, source("one"))
	if v := Judge(Input{Scenarios: []Scenario{two}}); v.State != None || v.Title != "0 scenarios run; 1 skipped" {
		t.Errorf("all skipped: %s, %q", v.State, v.Title)
	}
	v := Judge(Input{Scenarios: []Scenario{two, {Path: "one.toml", File: f, Run: passing(f, "r")}}})
	if v.State != Pass || v.Title != "1 of 2 passed; 1 skipped" {
		t.Errorf("one skipped: %s, %q", v.State, v.Title)
	}
}

func TestTitleOfManyKinds(t *testing.T) {
	v := Judge(inputs(t)["mixed"])
	if want := "1 of 3 breached, 1 failed: latency broke p99 after 1m42s"; v.Title != want {
		t.Errorf("%q, want %q", v.Title, want)
	}
	for name, in := range inputs(t) {
		if title := Judge(in).Title; utf8.RuneCountInString(title) > MaxTitle {
			t.Errorf("%s: the title is too long: %q", name, title)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{amount(512.7, Milliseconds), "513 ms"}, {amount(0.8432, Milliseconds), "0.843 ms"}, {amount(12345, Milliseconds), "12.3 s"}, {amount(1234, Milliseconds), "1234 ms"},
		{amount(0.0183, Share), "1.83%"}, {amount(1, Share), "100%"}, {amount(0, Share), "0%"}, {amount(0.99999, Share), "100%"},
		{amount(27000, Requests), "27,000"}, {amount(45.06, PerSecond), "45.1/s"}, {amount(math.Inf(1), Milliseconds), "unknown s"}, {amount(-0.5, Share), "-50%"},
		{clock(102_000), "1m42s"}, {clock(60_000), "1m"}, {clock(3_600_000), "1h"}, {clock(850), "850ms"}, {clock(0), "0s"}, {clock(36_030_000), "10h0m30s"}, {clock(600_000), "10m"}, {clock(101_600), "1m42s"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if value, limit := apart(400.04, 400, Milliseconds); value != "400.04 ms" || limit != "400 ms" {
		t.Errorf("%q and %q look the same", value, limit)
	}
	if value, limit := apart(0.99996, 1, Share); value == limit {
		t.Errorf("%q and %q look the same", value, limit)
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\r\nb\tc  d ", "a b c d"}, {"\x1b[31m", "<U+001B>[31m"}, {"a\u202eb\u200b", "a<U+202E>b<U+200B>"}, {"żółć ✓ 漢字", "żółć ✓ 漢字"}, {"\xff", "\uFFFD"}, {"\u3164x", "<U+3164>x"},
	} {
		if got := plain(c.text, 100); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := plain(strings.Repeat("ab ", 100), 20); utf8.RuneCountInString(got) > 20 || !strings.HasSuffix(got, "…") {
		t.Errorf("not cut: %q", got)
	}
}
