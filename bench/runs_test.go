package bench_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
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
