package bench_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/runclient"
	"github.com/inorbit-hr/reliability/scenario"
)

// configText is a bench.toml with everything in it.
const configText = `format = 1

[account]
name = "sample"

[plan]
max_rate = 200
max_duration = "5m"
max_in_flight = 64
fault_budget = "1m"
runs_at_once = 2
runs_an_hour = 100

[environments.staging]
[environments.shared]
production_rules = true

[agents.local.policy]
connections = ["api-staging", "engine-staging", "api-shared"]
faults = ["latency", "errors"]
max_rate = 100
max_duration = "10m"

[connections.api-staging]
environment = "staging"
protocol = "http"
address = "http://secret-host.internal:18080"
contract = "contracts/api.yaml"
agent = "local"
credential_env = "API_TOKEN"

[connections.engine-staging]
environment = "staging"
protocol = "http"
address = "http://secret-host.internal:18081"
contract = "contracts/engine.yaml"
agent = "local"
proxy = { name = "engine", listen = "127.0.0.1:0" }

[connections.api-shared]
environment = "shared"
protocol = "http"
address = "http://secret-host.internal:18082"
contract = "contracts/api.yaml"
agent = "local"
proxy = { name = "shared", listen = "127.0.0.1:0" }
`

func loadConfig(t *testing.T, text string) *bench.Config {
	t.Helper()
	c, err := bench.LoadConfig(func(string) ([]byte, error) { return []byte(text), nil }, "bench.toml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// scenarioText is a scenario on the connections named, the first takes the load.
func scenarioText(name string, connections ...string) []byte {
	text := "[scenario]\nformat = 1\nname = \"" + name + "\"\nenvironment = \"staging\"\n\n[targets]\n"
	for i, c := range connections {
		text += "t" + string(rune('a'+i)) + " = { connection = \"" + c + "\" }\n"
	}
	return []byte(text + "\n[load]\ntarget = \"ta\"\nrate = 50\nduration = \"10s\"\n\n[[load.operations]]\nopenapi = \"orders.search\"\n\n[assertions]\nmax_p50_ms = 100\nchecks = [\"surfaces\"]\n")
}

// fakeAgent executes a run as the test says.
type fakeAgent struct {
	mu      sync.Mutex
	script  func(ctx context.Context, w bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result)
	check   func(f *scenario.File) []scenario.Diagnostic
	started chan string // id of each run that began
	going   int
	most    int
	closed  bool
}

func newFakeAgent() *fakeAgent {
	return &fakeAgent{started: make(chan string, 1000), script: passAtOnce}
}

// passAtOnce tells three seconds and passes.
func passAtOnce(_ context.Context, w bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
	for i := range int64(3) {
		report(run.RunEvent{Type: run.EventTypeSecond, Second: &run.Second{FromMs: i * 1000, Due: 50, Accepted: 50}})
	}
	report(run.RunEvent{Type: run.EventTypeLog, Message: "done with " + w.File.Scenario.Name})
	return run.OutcomePass, "", run.Result{Looks: 1, Assertions: []run.AssertionResult{{Name: "max_p50_ms", Limit: 100, Decision: run.DecisionPass}}}
}

// untilCancelled tells one second and goes on until it is cancelled.
func untilCancelled(ctx context.Context, _ bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
	report(run.RunEvent{Type: run.EventTypeSecond, Second: &run.Second{Due: 50}})
	<-ctx.Done()
	report(run.RunEvent{Type: run.EventTypeFaultLifted, Fault: &run.FaultResult{Type: "latency", Lifted: true, Proved: true}})
	return run.OutcomeCancelled, "the run was cancelled", run.Result{Looks: 1}
}

func (a *fakeAgent) Connections() []run.Connection {
	return []run.Connection{
		{Name: "engine-staging", Environment: "staging", Protocol: "http", Proxy: "engine", Operations: []string{"engine.search"}},
		{Name: "api-staging", Environment: "staging", Protocol: "http", Operations: []string{"orders.search"}},
	}
}

func (a *fakeAgent) Check(f *scenario.File) []scenario.Diagnostic {
	if a.check == nil {
		return nil
	}
	return a.check(f)
}

func (a *fakeAgent) Run(ctx context.Context, w bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
	a.mu.Lock()
	script := a.script
	a.going++
	a.most = max(a.most, a.going)
	a.mu.Unlock()
	a.started <- w.Run
	defer func() {
		a.mu.Lock()
		a.going--
		a.mu.Unlock()
	}()
	return script(ctx, w, report)
}

func (a *fakeAgent) Close(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	return nil
}

// fakeClock stands still until it is moved.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[chan time.Time]time.Time
	// set gets a signal for every timer that is set.
	set chan struct{}
	// stopped gets a signal for every timer that is stopped.
	stopped chan struct{}
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), timers: map[chan time.Time]time.Time{}, set: make(chan struct{}, 1<<16), stopped: make(chan struct{}, 1<<16)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := make(chan time.Time, 1)
	c.timers[timer] = c.now.Add(d)
	c.set <- struct{}{}
	return timer, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, timer)
		c.stopped <- struct{}{}
	}
}

// advance moves the clock, and tells how many timers fired.
func (c *fakeClock) advance(d time.Duration) (fired int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for timer, at := range c.timers {
		if !at.After(c.now) {
			timer <- c.now
			delete(c.timers, timer)
			fired++
		}
	}
	return fired
}

// ticking waits until n timers are set.
func (c *fakeClock) ticking(n int) {
	for {
		c.mu.Lock()
		set := len(c.timers)
		c.mu.Unlock()
		if set >= n {
			return
		}
		<-c.set
	}
}

// idle waits until at most n timers are set.
func (c *fakeClock) idle(n int) {
	for {
		c.mu.Lock()
		set := len(c.timers)
		c.mu.Unlock()
		if set <= n {
			return
		}
		<-c.stopped
	}
}

// runClock moves the clock, step by step, until the result is there. Before it moves on,
// whoever goes by the clock has set a new timer for the one that fired: nobody is left
// behind.
func runClock[T any](c *fakeClock, step time.Duration, result <-chan T) T {
	for len(c.set) > 0 {
		<-c.set // set before
	}
	for {
		for fired := c.advance(step); fired > 0; fired-- {
			select {
			case r := <-result:
				return r
			case <-c.set:
			}
		}
		select {
		case r := <-result:
			return r
		default:
		}
	}
}

// opened is a bench under test with its client.
type opened struct {
	*bench.Bench
	client *runclient.Client
	agent  *fakeAgent
}

// noSleep lets a client try again at once.
func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

type option func(*bench.Options)

func open(t *testing.T, agent *fakeAgent, options ...option) *opened {
	t.Helper()
	o := bench.Options{
		Config:   loadConfig(t, configText),
		NewAgent: func(context.Context, *bench.Config, string) (bench.Agent, error) { return agent, nil },
		Log:      slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}
	for _, set := range options {
		set(&o)
	}
	b, err := bench.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	client, err := runclient.New(runclient.Options{URL: b.URL(), Token: b.Token(), Sleep: noSleep})
	if err != nil {
		t.Fatal(err)
	}
	return &opened{Bench: b, client: client, agent: agent}
}

func withFile(path string) option    { return func(o *bench.Options) { o.Store = path } }
func withClock(c bench.Clock) option { return func(o *bench.Options) { o.Clock = c } }
func withLog(w io.Writer) option {
	return func(o *bench.Options) {
		o.Log = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
}
func withConfig(c *bench.Config) option {
	return func(o *bench.Options) { o.Config = c }
}

func storeFile(t *testing.T) string { return filepath.Join(t.TempDir(), "a bench #1.db") }

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	if os.Getenv("BENCH_TEST_LOG") != "" {
		w.t.Logf("%s", p)
	}
	return len(p), nil
}

// start uploads a scenario and starts a run of it.
func (o *opened) start(t *testing.T, source []byte, request run.StartRequest) run.Run {
	t.Helper()
	v, err := o.client.Upload(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	request.Version = v.Sha256
	r, err := o.client.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// follow reads all events of a run. It may be called from any goroutine.
func (o *opened) follow(t *testing.T, id, holder string) []run.RunEvent {
	t.Helper()
	var all []run.RunEvent
	for e, err := range o.client.Follow(t.Context(), id, holder) {
		if err != nil {
			t.Error(err)
			break
		}
		all = append(all, e)
	}
	return all
}

func types(events []run.RunEvent) []run.EventType {
	all := make([]run.EventType, len(events))
	for i, e := range events {
		all[i] = e.Type
	}
	return all
}
