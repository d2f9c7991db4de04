package bench_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/runclient"
	"github.com/inorbit-hr/reliability/scenario"
)

// change is a source as a pull request makes it.
func change(path string) run.Source {
	return run.Source{Repository: "github.com/o/r", PullRequest: 3, Commit: "c", Base: "b", Ref: "main", Path: path}
}

func TestConcurrentStartsMakeOneRun(t *testing.T) {
	agent := newFakeAgent()
	b := open(t, agent, withFile(storeFile(t)))
	source := scenarioText("one", "api-staging")
	v, err := b.client.Upload(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	const n = 30
	var wg sync.WaitGroup
	ids := make([]string, n)
	for i := range n {
		wg.Go(func() {
			r, err := b.client.Start(t.Context(), run.StartRequest{Version: v.Sha256, Source: change("a.toml"), Holder: fmt.Sprint("h", i)})
			if err != nil {
				t.Error(err)
			}
			ids[i] = r.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("runs %s and %s", id, ids[0])
		}
	}
	b.follow(t, ids[0], "")
	if len(agent.started) != 1 {
		t.Errorf("the agent ran %d times", len(agent.started))
	}
}

func TestRunsThatShareAConnectionNeverOverlap(t *testing.T) {
	agent := newFakeAgent()
	b := open(t, agent)
	var wg sync.WaitGroup
	for i := range 8 {
		r := b.start(t, scenarioText("one", "api-staging", "engine-staging"), run.StartRequest{Source: change(fmt.Sprint(i))})
		wg.Go(func() { b.follow(t, r.ID, "") })
	}
	wg.Wait()
	if agent.most != 1 {
		t.Errorf("%d runs at once", agent.most)
	}
}

func TestRunsWithoutASharedConnectionGoAtOnce(t *testing.T) {
	agent := newFakeAgent()
	both := make(chan struct{})
	var meet sync.WaitGroup
	meet.Add(2)
	agent.script = func(ctx context.Context, w bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
		meet.Done()
		select {
		case <-both: // each waits for the other
		case <-ctx.Done():
		}
		return passAtOnce(ctx, w, report)
	}
	b := open(t, agent)
	a := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{})
	e := b.start(t, scenarioText("b", "engine-staging"), run.StartRequest{})
	meet.Wait()
	close(both)
	b.follow(t, a.ID, "")
	b.follow(t, e.ID, "")
}

func TestPlacesInTheQueue(t *testing.T) {
	agent := newFakeAgent()
	agent.script = untilCancelled
	b := open(t, agent)
	var ids []string
	for i := range 4 {
		ids = append(ids, b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change(fmt.Sprint(i))}).ID)
	}
	<-agent.started
	r, err := b.client.Get(t.Context(), ids[3])
	if err != nil || r.Status != run.StatusQueued || r.Place != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, id := range ids {
		if _, err := b.client.Cancel(t.Context(), id, run.CancelRequest{}); err != nil {
			t.Fatal(err)
		}
		b.follow(t, id, "")
	}
	var places []int
	for _, e := range b.follow(t, ids[3], "") {
		if e.Type == run.EventTypeQueued {
			places = append(places, e.Place)
		}
	}
	if want := places[len(places)-1]; want != 1 || !slices.IsSortedFunc(places, func(a, b int) int { return b - a }) {
		t.Errorf("places %v", places)
	}
}

func TestAHolderThatStopsEndsItsRun(t *testing.T) {
	agent := newFakeAgent()
	agent.script = untilCancelled
	b := open(t, agent)
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("a"), Holder: "action"})
	joined := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("a"), Holder: "cli"})
	if joined.ID != r.ID {
		t.Fatal("two runs")
	}
	<-agent.started
	if r, err := b.client.Cancel(t.Context(), r.ID, run.CancelRequest{Holder: "action"}); err != nil || r.Status != run.StatusRunning {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err := b.client.Cancel(t.Context(), r.ID, run.CancelRequest{Holder: "stranger"}); err != nil || r.Status != run.StatusRunning {
		t.Fatalf("%+v, %v", r, err)
	}
	events := b.client.Follow(t.Context(), r.ID, "cli")
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == run.EventTypeSecond {
			break // it is still going
		}
	}
	if _, err := b.client.Cancel(t.Context(), r.ID, run.CancelRequest{Holder: "cli", Reason: "job cancelled"}); err != nil {
		t.Fatal(err)
	}
	all := b.follow(t, r.ID, "")
	if last := all[len(all)-1]; last.Outcome != run.OutcomeCancelled || last.Message != "job cancelled" {
		t.Errorf("%+v", last)
	}
}

func TestLease(t *testing.T) {
	agent, clock := newFakeAgent(), newFakeClock()
	agent.script = untilCancelled
	b := open(t, agent, withClock(clock))
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Holder: "action"})
	<-agent.started

	// While its stream is open the run is held, however long it takes.
	ctx, leave := context.WithCancel(t.Context())
	opened, left := make(chan struct{}), make(chan error)
	go func() {
		var last error
		for e, err := range b.client.Follow(ctx, r.ID, "action") {
			if last = err; err == nil && e.Type == run.EventTypeSecond {
				close(opened)
			}
		}
		left <- last
	}()
	<-opened
	// The queue, the leases, the watch over the run, and the stream.
	clock.ticking(4)
	for range 40 {
		clock.advance(5 * time.Second)
		clock.ticking(4)
	}
	if got, err := b.client.Get(t.Context(), r.ID); err != nil || got.Status != run.StatusRunning {
		t.Fatalf("held: %+v, %v", got, err)
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("left with %v", err)
	}
	// Its waiter is gone: a minute later the run is cancelled. Nobody else holds it.
	done := make(chan []run.RunEvent)
	go func() { done <- b.follow(t, r.ID, "") }()
	events := runClock(clock, 5*time.Second, done)
	last := events[len(events)-1]
	if last.Outcome != run.OutcomeCancelled || !strings.Contains(last.Message, "nobody waits for the run any more") {
		t.Errorf("%+v", last)
	}
	if held := last.At.Sub(newFakeClock().now); held < 260*time.Second {
		t.Errorf("it ended %s after its start, and was held for 200 s and 60 s more", held)
	}
}

func TestARunThatHangsIsCancelled(t *testing.T) {
	agent, clock := newFakeAgent(), newFakeClock()
	agent.script = untilCancelled
	b := open(t, agent, withClock(clock))
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{})
	<-agent.started
	done := make(chan []run.RunEvent)
	go func() { done <- b.follow(t, r.ID, "") }()
	events := runClock(clock, time.Minute, done)
	if last := events[len(events)-1]; last.Outcome != run.OutcomeCancelled || last.Message != "the run took longer than 15m20s" {
		t.Errorf("%+v", last)
	}
}

func TestRestart(t *testing.T) {
	file := storeFile(t)
	agent := newFakeAgent()
	gone := make(chan struct{})
	agent.script = func(context.Context, bench.Work, func(run.RunEvent)) (run.Outcome, string, run.Result) {
		<-gone // it takes no notice: as if the process had died
		return run.OutcomePass, "", run.Result{}
	}
	first := open(t, agent, withFile(file))
	running := first.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("a"), Holder: "h"})
	queued := first.start(t, scenarioText("b", "api-staging"), run.StartRequest{Source: change("b"), Holder: "h"})
	<-agent.started
	crashed, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Bench.Close(crashed); err == nil {
		t.Error("closing did not tell that a run was still going")
	}
	close(gone)

	agent = newFakeAgent()
	second := open(t, agent, withFile(file))
	events := second.follow(t, running.ID, "h")
	last := events[len(events)-1]
	if last.Outcome != run.OutcomeCancelled && last.Outcome != run.OutcomeInconclusive {
		t.Errorf("running: %+v", last)
	}
	events = second.follow(t, queued.ID, "h")
	if last := events[len(events)-1]; last.Outcome != run.OutcomePass {
		t.Errorf("queued: %+v", last)
	}
	if _, err := first.client.Get(t.Context(), queued.ID); err == nil {
		t.Error("the first bench still answers")
	}
	old, err := runclient.New(runclient.Options{URL: second.URL(), Token: first.Token(), Sleep: noSleep})
	if err != nil {
		t.Fatal(err)
	}
	var refused *runclient.Refused
	if _, err := old.Get(t.Context(), queued.ID); !errors.As(err, &refused) || refused.Problem.Status != 401 {
		t.Errorf("the token of the first bench: %v", err)
	}
}

// A bench that is killed leaves a file that the next one goes on with.
func TestKilled(t *testing.T) {
	file := storeFile(t)
	victim := exec.CommandContext(t.Context(), os.Args[0])
	victim.Stderr = os.Stderr
	victim.Env = append(os.Environ(), victimFile+"="+file)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var running, queued string
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, _ := fmt.Sscanf(lines.Text(), "runs %s %s", &running, &queued); n == 2 {
			break
		}
	}
	if queued == "" {
		t.Fatalf("the bench to be killed says nothing: %v", lines.Err())
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // it was killed

	b := open(t, newFakeAgent(), withFile(file))
	events := b.follow(t, running, "h")
	if got := types(events); !slices.Equal(got, []run.EventType{run.EventTypeQueued, run.EventTypeStarted, run.EventTypeSecond, run.EventTypeFinished}) {
		t.Errorf("events %v", got)
	}
	if last := events[len(events)-1]; last.Outcome != run.OutcomeInconclusive || !strings.Contains(last.Message, "the bench stopped while the run was going") {
		t.Errorf("%+v", last)
	}
	events = b.follow(t, queued, "h")
	if last := events[len(events)-1]; last.Outcome != run.OutcomePass {
		t.Errorf("queued: %+v", last)
	}
}

func TestCloseCutsOffWhoDoesNotRead(t *testing.T) {
	agent := newFakeAgent()
	agent.script = func(_ context.Context, _ bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
		for range 3000 {
			report(run.RunEvent{Type: run.EventTypeLog, Message: strings.Repeat("x", 8000)})
		}
		return run.OutcomePass, "", run.Result{}
	}
	b := open(t, agent)
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{})
	stuck, err := net.Dial("tcp", strings.TrimPrefix(b.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	fmt.Fprintf(stuck, "GET /v1/runs/%s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", r.ID, b.Token())
	b.follow(t, r.ID, "")
	if err := b.Bench.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsWhatIsRunning(t *testing.T) {
	agent := newFakeAgent()
	agent.script = untilCancelled
	file := storeFile(t)
	b := open(t, agent, withFile(file))
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("a")})
	queued := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("b")})
	<-agent.started
	followed := make(chan []run.RunEvent)
	go func() { followed <- b.follow(t, r.ID, "") }()
	if err := b.Bench.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := <-followed
	if last := events[len(events)-1]; last.Outcome != run.OutcomeCancelled || last.Message != "the bench was stopped" {
		t.Errorf("%+v", last)
	}
	if !slices.Contains(types(events), run.EventTypeFaultLifted) || !agent.closed {
		t.Errorf("events %v, agent closed: %v", types(events), agent.closed)
	}
	if err := b.Bench.Close(t.Context()); err != nil {
		t.Errorf("closed again: %v", err)
	}
	after := open(t, newFakeAgent(), withFile(file))
	if events := after.follow(t, queued.ID, ""); events[len(events)-1].Outcome != run.OutcomePass {
		t.Errorf("queued: %+v", events)
	}
}

func TestOpenFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := storeFile(t)
	open(t, newFakeAgent(), withFile(file))
	for _, c := range []struct {
		name   string
		change func(*bench.Options)
		want   string
	}{
		{"port in use", func(o *bench.Options) { o.Listen = taken.Addr().String() }, "cannot listen on " + taken.Addr().String() + ": the port is in use; stop what uses it, or set another port in the setting listen"},
		{"no address", func(o *bench.Options) { o.Listen = "nowhere" }, "cannot listen on nowhere, as the setting listen says"},
		{"file in use", func(o *bench.Options) { o.Store = file }, "another bench has it open"},
		{"agent that fails", func(o *bench.Options) {
			o.NewAgent = func(context.Context, *bench.Config, string) (bench.Agent, error) {
				return nil, errors.New("contract contracts/api.yaml: not there")
			}
		}, "start agent local: contract contracts/api.yaml: not there"},
		{"no configuration", func(o *bench.Options) { o.Config = nil }, "Config"},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := newFakeAgent()
			o := bench.Options{Config: loadConfig(t, configText), NewAgent: func(context.Context, *bench.Config, string) (bench.Agent, error) { return agent, nil }}
			c.change(&o)
			if _, err := bench.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestRefusedRuns(t *testing.T) {
	refusing := func(f *scenario.File) []scenario.Diagnostic {
		place, _ := f.Find("load.operations[0].openapi")
		return []scenario.Diagnostic{{Code: "unknown-operation", Severity: scenario.Error, Range: place.Value, Message: "no such operation"}}
	}
	agent := newFakeAgent()
	b := open(t, agent)
	agent.check = refusing
	r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("a")})
	if r.Status != run.StatusFinished || r.Outcome != run.OutcomeRefused || r.Reason != "line 15: no such operation [unknown-operation]" {
		t.Errorf("%+v", r)
	}
	if events := b.follow(t, r.ID, "h"); len(events) != 1 || events[0].Outcome != run.OutcomeRefused {
		t.Errorf("%+v", events)
	}
	skipped := strings.Replace(string(scenarioText("b", "engine-staging")), "environment", "skip = \"broken\"\nenvironment", 1)
	agent.check = nil
	r = b.start(t, []byte(skipped), run.StartRequest{Source: change("b")})
	if r.Outcome != run.OutcomeRefused || r.Reason != "the scenario is skipped: broken" {
		t.Errorf("%+v", r)
	}
	if len(agent.started) != 0 {
		t.Error("a refused run was run")
	}
}

// A policy may change while a run is queued: what counts is what it says when the run
// starts.
func TestRefusedAtItsStart(t *testing.T) {
	agent := newFakeAgent()
	release := make(chan struct{})
	agent.script = func(ctx context.Context, w bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
		<-release
		return passAtOnce(ctx, w, report)
	}
	var mu sync.Mutex
	var found []scenario.Diagnostic
	agent.check = func(*scenario.File) []scenario.Diagnostic {
		mu.Lock()
		defer mu.Unlock()
		return found
	}
	b := open(t, agent)
	first := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("a")})
	<-agent.started
	second := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change("b")})
	mu.Lock()
	found = []scenario.Diagnostic{{Code: "policy", Severity: scenario.Error, Range: scenario.Range{Start: scenario.Position{Line: 2, Column: 1}}, Message: "not any more"}}
	mu.Unlock()
	close(release)
	b.follow(t, first.ID, "")
	events := b.follow(t, second.ID, "")
	if last := events[len(events)-1]; last.Outcome != run.OutcomeRefused || last.Message != "line 2: not any more [policy]" {
		t.Errorf("%+v", last)
	}
}

func TestAgentsThatMisbehave(t *testing.T) {
	infinite := 1.0
	for range 2000 {
		infinite *= 10
	}
	for name, c := range map[string]struct {
		script func(context.Context, bench.Work, func(run.RunEvent)) (run.Outcome, string, run.Result)
		reason string
	}{
		"no outcome": {func(context.Context, bench.Work, func(run.RunEvent)) (run.Outcome, string, run.Result) {
			return "", "", run.Result{}
		}, "the agent gave no known outcome"},
		"unknown outcome": {func(context.Context, bench.Work, func(run.RunEvent)) (run.Outcome, string, run.Result) {
			return "great", "", run.Result{}
		}, "the agent gave no known outcome"},
		"a result that is no JSON": {func(context.Context, bench.Work, func(run.RunEvent)) (run.Outcome, string, run.Result) {
			return run.OutcomePass, "", run.Result{Assertions: []run.AssertionResult{{Limit: infinite}}}
		}, "what was measured cannot be kept"},
		"events that are none": {func(_ context.Context, _ bench.Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
			report(run.RunEvent{Type: run.EventTypeFinished, Outcome: run.OutcomePass})
			report(run.RunEvent{Type: "other"})
			report(run.RunEvent{Type: run.EventTypeSecond, Second: &run.Second{MaxMs: infinite}})
			return run.OutcomeInconclusive, "it fell behind", run.Result{}
		}, "it fell behind"},
	} {
		t.Run(name, func(t *testing.T) {
			agent := newFakeAgent()
			agent.script = c.script
			b := open(t, agent)
			events := b.follow(t, b.start(t, scenarioText("a", "api-staging"), run.StartRequest{}).ID, "")
			if got, want := types(events), []run.EventType{run.EventTypeQueued, run.EventTypeStarted, run.EventTypeFinished}; !slices.Equal(got, want) {
				t.Errorf("events %v", got)
			}
			if last := events[len(events)-1]; last.Outcome != run.OutcomeInconclusive || last.Message != c.reason {
				t.Errorf("%+v", last)
			}
		})
	}
}

func TestWaitingForAPerson(t *testing.T) {
	agent, clock := newFakeAgent(), newFakeClock()
	b := open(t, agent, withClock(clock))
	r := b.start(t, faultText("shared", "api-shared", "shared", `type = "latency", latency = "50ms"`, "5s"), run.StartRequest{Source: change("a"), Holder: "action"})
	if r.Status != run.StatusWaiting || !strings.Contains(r.Reason, "person") {
		t.Fatalf("%+v", r)
	}
	done := make(chan []run.RunEvent)
	go func() { done <- b.follow(t, r.ID, "action") }()
	events := runClock(clock, 10*time.Minute, done)
	last := events[len(events)-1]
	if got := types(events); !slices.Equal(got, []run.EventType{run.EventTypeWaiting, run.EventTypeFinished}) || last.Outcome != run.OutcomeCancelled || !strings.Contains(last.Message, "24 hours") {
		t.Errorf("%+v", events)
	}
	if waited := last.At.Sub(events[0].At); waited < 24*time.Hour {
		t.Errorf("it waited %s", waited)
	}
	if len(agent.started) != 0 {
		t.Error("it was run")
	}
}

// faultText is a scenario with a fault on a connection's proxy.
func faultText(environment, connection, proxy, fault, length string) []byte {
	return []byte(`[scenario]
format = 1
name = "fault"
environment = "` + environment + `"

[targets]
t = { connection = "` + connection + `", proxy = "` + proxy + `" }

[load]
target = "t"
rate = 50
duration = "4m"

[[load.operations]]
openapi = "orders.search"

[[timeline]]
at = "1s"
action = "fault"
target = "t"
fault = { ` + fault + ` }
for = "` + length + `"

[assertions]
max_error_rate = 0.5
`)
}

func TestListingPages(t *testing.T) {
	b := open(t, newFakeAgent())
	for i := range 5 {
		r := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change(fmt.Sprint(i % 2))})
		b.follow(t, r.ID, "")
		if i%2 == 0 {
			continue
		}
		again := b.start(t, scenarioText("a", "api-staging"), run.StartRequest{Source: change(fmt.Sprint(i % 2)), Again: true})
		b.follow(t, again.ID, "")
	}
	var all []run.Run
	params := run.ListRunsParams{Repository: "github.com/o/r", Ref: "main", Limit: 1}
	for {
		page, err := b.client.List(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Runs...)
		if params.Before = page.Next; page.Next == "" {
			break
		}
	}
	var told []string
	for _, r := range all {
		told = append(told, fmt.Sprint(r.Source.Path, "/", r.Attempt))
	}
	if got, want := strings.Join(told, " "), "1/3 1/2 1/1 0/1"; got != want {
		t.Errorf("runs %s, want %s", got, want)
	}
	connections, err := b.client.Connections(t.Context())
	if err != nil || len(connections) != 2 || connections[0].Name != "api-staging" || connections[0].Agent != "local" {
		t.Errorf("%+v, %v", connections, err)
	}
}
