package agent

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/examples/staging"
	"github.com/inorbit-hr/reliability/run"
)

// The example of the scenario format's own proposal, in seconds instead of minutes,
// against the sample: every part of it happens. Whether the limits hold says how fast
// the machine is, which is not what is tested.
func TestTheProposalsExample(t *testing.T) {
	t.Parallel()
	engine, err := staging.StartEngine(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeServer(t, engine) })
	cfg := Config{
		Name: "local", Read: readContract, Getenv: func(string) string { return "" },
		Connections: []Connection{
			{Name: "engine-staging", Environment: "staging", Protocol: "http", Address: engine.URL(), Contract: "contracts/engine.yaml",
				Proxy: &Proxy{Name: "engine", Listen: "127.0.0.1:0"}},
			// Which the sample's api gets its way through, before its own is known.
			{Name: "public-api-staging", Environment: "staging", Protocol: "http", Contract: "contracts/api.yaml"},
		},
	}
	proxy := freeAddress(t)
	cfg.Connections[0].Proxy.Listen = proxy
	api, err := staging.StartAPI(t.Context(), "127.0.0.1:0", "http://"+proxy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeServer(t, api) })
	cfg.Connections[1].Address = api.URL()
	cfg.Policy.SetDefaults()
	cfg.Policy.Connections, cfg.Policy.Faults = []string{"public-api-staging", "engine-staging"}, FaultTypes
	a := newAgent(t, cfg)
	a.lateAfter = time.Hour

	var r record
	outcome, reason, result := a.Run(t.Context(), Work{ID: "1", File: file(t, `
[scenario]
format = 1
name = "engine-under-latency"
description = "The protocol keeps p99 under 400 ms while the engine is slow"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }

[load]
target = "api"
rate = 100
duration = "8s"
warmup = "1s"
max_in_flight = 128

[[load.operations]]
openapi = "me"
weight = 1

[[timeline]]
at = "2s"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "200ms", jitter = "50ms" }
for = "3s"

[assertions]
max_error_rate = 0.01
max_p99_ms = 400
checks = ["surfaces"]

[objective]
success_rate = 0.99
p99_ms = 400
window = "5s"
`)}, r.report)
	if outcome == run.OutcomeInconclusive || outcome == run.OutcomeRefused || outcome == run.OutcomeCancelled {
		t.Fatalf("%s: %s", outcome, reason)
	}
	f := result.Faults[0]
	if !f.Proved || f.Met == 0 || f.Affected != f.Met {
		t.Errorf("fault %+v, want every request delayed and the lifting proved", f)
	}
	if got := result.Load.Measured.Due; got != int64(700*result.Looks) {
		t.Errorf("%d requests were due in %d looks", got, result.Looks)
	}
	names := []string{}
	for _, a := range result.Assertions {
		names = append(names, a.Name)
		if a.Name == "checks.surfaces" && a.Decision != run.DecisionPass {
			t.Errorf("surfaces: %s", a.Reason)
		}
	}
	if strings.Join(names, " ") != "max_error_rate max_p99_ms checks.surfaces" || result.Objective == nil {
		t.Errorf("assertions %v, objective %+v", names, result.Objective)
	}
}

func closeServer(t *testing.T, s *staging.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

// freeAddress is an address that was free a moment ago: a service and its proxy must each
// know the other's before it starts.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// Whatever a service does, a run ends with an outcome and a reason, says no address, and
// leaves nothing open.
func TestBadWeather(t *testing.T) {
	hijack := func(say string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = io.WriteString(c, say)
			_ = c.Close()
		}
	}
	silence := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 512)); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
	}
	// after lets a service be well for a number of requests.
	after := func(good int64, then http.HandlerFunc) http.HandlerFunc {
		var n atomic.Int64
		return func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) > good {
				then(w, r)
			}
		}
	}
	for name, c := range map[string]struct {
		api     http.HandlerFunc
		outcome run.Outcome
		reason  string
		class   string // of the failures
	}{
		"garbage from the start": {hijack("220 ready\r\n"), run.OutcomeInconclusive, "connection api gave an answer that is not HTTP: nothing was measured", ""},
		"closes from the start":  {hijack(""), run.OutcomeInconclusive, "connection api closed the connection without an answer: nothing was measured", ""},
		"silent from the start":  {silence, run.OutcomeInconclusive, "connection api gave no answer within 300ms: nothing was measured", ""},
		"garbage in the middle":  {after(300, hijack("220 ready\r\n")), run.OutcomeFail, "max_error_rate: ", "protocol"},
		"closes in the middle":   {after(300, hijack("")), run.OutcomeFail, "max_error_rate: ", "reset"},
		"silent in the middle":   {after(300, silence), run.OutcomeFail, "max_error_rate: ", "timeout"},
		"endless in the middle":  {after(300, endless), run.OutcomeFail, "max_error_rate: ", "timeout"},
		"fails in the middle":    {after(300, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }), run.OutcomeFail, "max_error_rate: ", "status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.api, nil)
			s.agent.policy.RequestTimeout, s.agent.policy.Drain = 3*time.Second, 3*time.Second
			if name == "silent from the start" {
				s.agent.policy.RequestTimeout = 300 * time.Millisecond
			}
			var r record
			outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[assertions]
max_error_rate = 0.02
`)}, r.report)
			if outcome != c.outcome || !strings.HasPrefix(reason, c.reason) {
				t.Errorf("%s: %s", outcome, reason)
			}
			if strings.Contains(reason, "127.0.0.1") {
				t.Errorf("the reason tells an address: %s", reason)
			}
			if c.class != "" && result.Load.Measured.Failed[c.class] == 0 {
				t.Errorf("%+v, want failures of class %s", result.Load.Measured, c.class)
			}
		})
	}
}

// A deadline ends a run as a cancellation does.
func TestADeadline(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	var r record
	outcome, _, result := s.agent.Run(ctx, Work{ID: "1", File: file(t, head+strings.Replace(loadText, `"3s"`, `"5m"`, 1)+`
[assertions]
max_error_rate = 0.02
`)}, r.report)
	if outcome != run.OutcomeCancelled || len(result.Assertions) != 1 {
		t.Errorf("%s, %+v", outcome, result)
	}
}
