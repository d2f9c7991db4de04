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

const contractText = `
openapi: 3.0.3
info: { title: sample, version: "1" }
paths:
  /things:
    get:
      operationId: things.list
      responses:
        "200":
          description: all things
          content: { application/json: { schema: { type: array, items: { type: string } } } }
`

// site is an api in front of an engine, which it reaches through the agent's proxy.
type site struct {
	agent       *Agent
	api, engine *httptest.Server
}

// newSite starts both and an agent; a nil handler takes the plain one.
func newSite(t *testing.T, api, engine http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	if engine == nil {
		engine = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `["anchor"]`)
		}
	}
	s.engine = httptest.NewServer(engine)
	t.Cleanup(s.engine.Close)
	var proxy string
	if api == nil {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		t.Cleanup(client.CloseIdleConnections)
		api = func(w http.ResponseWriter, r *http.Request) {
			answer, err := client.Get("http://" + proxy + "/things")
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `["anchor"]`)
		}
	}
	s.api = httptest.NewServer(api)
	t.Cleanup(s.api.Close)
	s.agent = newAgent(t, siteConfig(s.api.URL, s.engine.URL))
	s.agent.lateAfter = time.Hour // how busy the machine is, is not what is tested
	proxy = s.agent.connections["engine"].proxy.Addr().String()
	return s
}

func siteConfig(api, engine string) Config {
	cfg := Config{
		Name: "local",
		Connections: []Connection{
			{Name: "api", Environment: "staging", Protocol: "http", Address: api, Contract: "api.yaml"},
			{Name: "engine", Environment: "staging", Protocol: "http", Address: engine, Contract: "engine.yaml",
				Proxy: &Proxy{Name: "engine", Listen: "127.0.0.1:0"}},
		},
		Read:   func(string) ([]byte, error) { return []byte(contractText), nil },
		Getenv: func(string) string { return "" },
	}
	cfg.Policy.SetDefaults()
	cfg.Policy.Connections, cfg.Policy.Faults = []string{"api", "engine"}, FaultTypes
	return cfg
}

const head = `
[scenario]
format = 1
name = "sample"
environment = "staging"

[targets]
api = { connection = "api" }
engine = { connection = "engine", proxy = "engine" }
`

// record keeps the events of a run.
type record struct {
	mu     sync.Mutex
	events []run.RunEvent
	on     func(run.RunEvent)
}

func (r *record) report(e run.RunEvent) {
	r.mu.Lock()
	r.events = append(r.events, e)
	on := r.on
	r.mu.Unlock()
	if on != nil {
		on(e)
	}
}

func (r *record) count(kind run.EventType) (n int) {
	for _, e := range r.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

const loadText = `
[load]
target = "api"
rate = 200
duration = "3s"
warmup = "1s"
max_in_flight = 64
operations = [{ openapi = "things.list" }]
`

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
