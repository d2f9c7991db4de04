package agent

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

func TestARunThatPasses(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, nil)
	var r record
	outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[assertions]
max_error_rate = 0.02
checks = ["surfaces"]
`)}, r.report)
	if outcome != run.OutcomePass || reason != "" {
		t.Fatalf("%s: %s, %+v", outcome, reason, result)
	}
	if result.Load == nil || result.Load.Measured.Accepted != 400 || result.Load.Warmup.Accepted != 200 || result.Looks != 1 {
		t.Errorf("%+v", result.Load)
	}
	if r.count(run.EventTypeSecond) != 3 {
		t.Errorf("events %+v, want three seconds", r.events)
	}
	if n := len(result.Assertions); n != 2 || result.Assertions[1].Name != "checks.surfaces" || result.Assertions[1].Decision != run.DecisionPass {
		t.Errorf("assertions %+v", result.Assertions)
	}
}

func TestAFaultIsMetLiftedAndProved(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, nil)
	var r record
	outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[[timeline]]
at = "1s"
action = "fault"
target = "engine"
fault = { type = "errors", rate = 0.5, status = 503 }
for = "1s"

[assertions]
max_error_rate = 0.05
`)}, r.report)
	if outcome != run.OutcomeFail || !strings.Contains(reason, "max_error_rate") {
		t.Errorf("%s: %s", outcome, reason)
	}
	f := result.Faults[0]
	if f.AppliedMs == nil || f.LiftedMs == nil || !f.Lifted || !f.Proved || f.Met == 0 || f.Affected == 0 || f.Affected > f.Met {
		t.Errorf("fault %+v", f)
	}
	if r.count(run.EventTypeFaultApplied) != 1 || r.count(run.EventTypeFaultLifted) != 1 {
		t.Errorf("events %+v", r.events)
	}
	var injected int64
	for _, second := range result.Load.Seconds {
		injected += second.Injected
	}
	if injected != f.Affected {
		t.Errorf("%d injected by second, %d affected in all", injected, f.Affected)
	}
}

func TestAFaultThatNobodyMet(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[]`) }, nil)
	var r record
	outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[[timeline]]
at = "1s"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "10ms" }
for = "1s"

[assertions]
max_error_rate = 0.02
`)}, r.report)
	if outcome != run.OutcomeInconclusive || !strings.Contains(reason, "no request met the latency fault on engine") {
		t.Errorf("%s: %s, %+v", outcome, reason, result.Faults)
	}
}

func TestAServiceThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, nil)
	s.engine.Close()
	var r record
	outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[assertions]
max_error_rate = 0.02
`)}, r.report)
	if outcome != run.OutcomeInconclusive || reason != "connection engine refused the connection: nothing was measured" {
		t.Errorf("%s: %s", outcome, reason)
	}
	if len(result.Assertions) != 1 || result.Assertions[0].Decision != run.DecisionUndecided || result.Load != nil {
		t.Errorf("%+v", result)
	}
}

func TestCancelKeepsEvidenceAndLiftsFaults(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r := record{on: func(e run.RunEvent) {
		if e.Type == run.EventTypeSecond && !e.Second.Warmup {
			cancel()
		}
	}}
	outcome, _, result := s.agent.Run(ctx, Work{ID: "1", File: file(t, head+strings.Replace(loadText, `"3s"`, `"5m"`, 1)+`
[[timeline]]
at = "1s"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "5ms" }
for = "4m"

[assertions]
max_error_rate = 0.02
`)}, r.report)
	if outcome != run.OutcomeCancelled {
		t.Errorf("outcome %s", outcome)
	}
	if f := result.Faults[0]; !f.Lifted || !f.Proved {
		t.Errorf("fault %+v", f)
	}
	if result.Load == nil || result.Load.Measured.Accepted < 200 {
		t.Errorf("load %+v, want what was measured", result.Load)
	}
}

// A service exactly at its limit is borderline at first: it is looked at again, and both
// looks are pooled.
func TestASecondLook(t *testing.T) {
	t.Parallel()
	var n int
	var mu sync.Mutex
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if n++; r.Method == http.MethodGet && n%44 == 0 { // 1 in 44 where 1 in 50 may be
			w.WriteHeader(http.StatusInternalServerError)
		}
	}, nil)
	var r record
	outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[assertions]
max_error_rate = 0.02
`)}, r.report)
	if outcome != run.OutcomeBorderline || result.Looks != 2 || !strings.Contains(reason, "2 runs") {
		t.Errorf("%s after %d looks: %s", outcome, result.Looks, reason)
	}
	if r.count(run.EventTypeLookingAgain) != 1 || result.Load.Measured.Due != 800 {
		t.Errorf("measured %+v", result.Load.Measured)
	}
	again := slices.IndexFunc(r.events, func(e run.RunEvent) bool { return e.Type == run.EventTypeLookingAgain })
	if again < 3 || len(r.events)-again != 4 {
		t.Errorf("looked again at event %d of %d", again, len(r.events))
	}
}

// A service that is replaced while it is tested was not tested: whose the measurements
// are, nobody can say.
func TestARevisionThatChanges(t *testing.T) {
	for name, revision := range map[string]*Revision{"header": {Header: "Service-Revision"}, "path": {Path: "/version"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				told := "r1"
				if n.Add(1) > 300 {
					told = "r2"
				}
				w.Header().Set("Service-Revision", told)
				if r.URL.Path == "/version" {
					fmt.Fprintln(w, told)
				}
			}))
			t.Cleanup(api.Close)
			cfg := siteConfig(api.URL, api.URL)
			cfg.Connections[0].Revision = revision
			a := newAgent(t, cfg)
			a.lateAfter = time.Hour
			var r record
			outcome, reason, result := a.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[assertions]
max_error_rate = 0.02
`)}, r.report)
			if outcome != run.OutcomeInconclusive || reason != "connection api changed its revision from r1 to r2 while it was tested" {
				t.Errorf("%s: %s", outcome, reason)
			}
			if result.TestedRevision != "r1" || result.Assertions[0].Decision != run.DecisionPass {
				t.Errorf("%+v", result)
			}
		})
	}
}

func TestOnlyARevisionIsKept(t *testing.T) {
	for told, want := range map[string]string{
		"v1.2.3": "v1.2.3", "0123abcd": "0123abcd", "": "", "<html>": "", "a b": "", strings.Repeat("a", 129): "",
	} {
		if got := knownRevision(told); got != want {
			t.Errorf("%q is kept as %q, want %q", told, got, want)
		}
	}
}

// A fault that cannot be shown to be lifted comes before all else, and no other may hide
// it.
func TestAnUnprovedLiftingFreezesTheTarget(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, nil)
	scenarioText := head + loadText + `
[[timeline]]
at = "1s"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "1ms" }
for = "1s"

[assertions]
max_error_rate = 0.02
`
	r := record{on: func(e run.RunEvent) {
		if e.Type == run.EventTypeFaultApplied { // the proxy dies with its fault
			_ = s.agent.connections["engine"].proxy.Close()
		}
	}}
	outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, scenarioText)}, r.report)
	if outcome != run.OutcomeInconclusive || !result.UnprovedLifting || !strings.Contains(reason, "could not be shown to be lifted") {
		t.Errorf("%s: %s", outcome, reason)
	}
	outcome, reason, _ = s.agent.Run(t.Context(), Work{ID: "2", File: file(t, scenarioText)}, r.report)
	if outcome != run.OutcomeRefused || !strings.Contains(reason, "[frozen-target]") {
		t.Errorf("afterwards: %s: %s", outcome, reason)
	}
	if !s.agent.Unfreeze("engine") || s.agent.Unfreeze("engine") {
		t.Error("engine was not frozen once")
	}
	if found := s.agent.Check(file(t, scenarioText)); len(found) > 0 {
		t.Errorf("after unfreezing: %+v", found)
	}
}

// The load goes through the proxy of its own target: what a fault does there, it meets.
func TestAFaultOnTheLoadsOwnTarget(t *testing.T) {
	t.Parallel()
	answer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `["anchor"]`)
	}
	for fault, class := range map[string]string{`{ type = "errors", rate = 0.25, status = 503 }`: "status", `{ type = "drop", rate = 0.25 }`: "reset"} {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, answer, answer)
			var r record
			outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+strings.Replace(loadText, `"api"`, `"engine"`, 1)+`
[[timeline]]
at = "1s"
action = "fault"
target = "engine"
fault = `+fault+`
for = "1s"

[assertions]
max_error_rate = 0.02
`)}, r.report)
			if outcome != run.OutcomeFail {
				t.Errorf("%s: %s", outcome, reason)
			}
			f, c := result.Faults[0], result.Load.Measured
			if f.Affected == 0 || c.Failed[class] != f.Affected || c.Accepted != c.Due-f.Affected || len(c.Failed) != 1 {
				t.Errorf("measured %+v, fault %+v: want each request that was affected to have failed, and no other", c, f)
			}
		})
	}
}

// What a person confirmed is run once.
func TestOnce(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && n.Add(1)%44 == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}, nil)
	var r record
	outcome, _, result := s.agent.Run(t.Context(), Work{ID: "1", Once: true, File: file(t, head+loadText+`
[assertions]
max_error_rate = 0.02
`)}, r.report)
	if outcome != run.OutcomeBorderline || result.Looks != 1 {
		t.Errorf("%s after %d looks", outcome, result.Looks)
	}
}

// Without load there is only what the surfaces say.
func TestSurfacesAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `["anchor"]`) }, nil)
	var r record
	outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, `
[scenario]
format = 1
name = "surfaces"
environment = "staging"

[targets]
api = { connection = "api" }

[assertions]
checks = ["surfaces"]
`)}, r.report)
	want := "checks.surfaces: connection api: things.list answers in another shape than declared: status 200: "
	if outcome != run.OutcomeFail || !strings.HasPrefix(reason, want) || result.Load != nil {
		t.Errorf("%s: %s", outcome, reason)
	}
}
