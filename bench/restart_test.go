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
	"testing"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/runclient"
)

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
	opened, followed := make(chan struct{}), make(chan []run.RunEvent)
	go func() {
		var events []run.RunEvent
		for e, err := range b.client.Follow(t.Context(), r.ID, "") {
			if err != nil {
				t.Error(err)
				break
			}
			if events = append(events, e); len(events) == 1 {
				close(opened)
			}
		}
		followed <- events
	}()
	<-opened
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
