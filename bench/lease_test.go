package bench_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

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
	clock.idle(3) // the bench has noticed
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
