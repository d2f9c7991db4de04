package bench_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/run"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(victimFile); file != "" {
		if err := victim(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func TestRunFromStartToEnd(t *testing.T) {
	for name, options := range map[string][]option{"memory": nil, "file": {withFile(storeFile(t))}} {
		t.Run(name, func(t *testing.T) {
			b := open(t, newFakeAgent(), options...)
			source := scenarioText("baseline", "api-staging")

			checked, err := b.client.Check(t.Context(), source)
			if err != nil || len(checked.Findings) != 0 || checked.NeedsPerson {
				t.Fatalf("check: %+v, %v", checked, err)
			}
			r := b.start(t, source, run.StartRequest{Holder: "ci"})
			if r.Attempt != 1 || r.Version != checked.Version || r.Name != "baseline" || r.Environment != "staging" {
				t.Fatalf("started %+v", r)
			}
			events := b.follow(t, r.ID, "ci")
			want := []run.EventType{
				run.EventTypeQueued, run.EventTypeStarted, run.EventTypeSecond, run.EventTypeSecond, run.EventTypeSecond,
				run.EventTypeLog, run.EventTypeFinished,
			}
			if !slices.Equal(types(events), want) {
				t.Fatalf("events %v, want %v", types(events), want)
			}
			for i, e := range events {
				if e.ID != int64(i+1) || e.Run != r.ID || e.At.IsZero() {
					t.Errorf("event %d is %+v", i+1, e)
				}
			}
			got, err := b.client.Get(t.Context(), r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != run.StatusFinished || got.Outcome != run.OutcomePass || got.Result == nil || got.Result.Assertions[0].Name != "max_p50_ms" ||
				got.StartedAt.IsZero() || got.FinishedAt.IsZero() {
				t.Fatalf("run %+v", got)
			}
			again, err := b.client.Cancel(t.Context(), r.ID, run.CancelRequest{})
			if err != nil || again.Outcome != run.OutcomePass {
				t.Fatalf("cancelling a finished run: %+v, %v", again, err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	agent := newFakeAgent()
	agent.script = untilCancelled
	b := open(t, agent)
	r := b.start(t, scenarioText("long", "api-staging"), run.StartRequest{})
	<-agent.started
	got, err := b.client.Cancel(t.Context(), r.ID, run.CancelRequest{Reason: "superseded"})
	if err != nil || got.Status != run.StatusRunning && got.Status != run.StatusFinished {
		t.Fatalf("cancel: %+v, %v", got, err)
	}
	events := b.follow(t, r.ID, "")
	last := events[len(events)-1]
	if last.Outcome != run.OutcomeCancelled || last.Message != "superseded" {
		t.Fatalf("last event %+v", last)
	}
	if !slices.Contains(types(events), run.EventTypeCancelling) || !slices.Contains(types(events), run.EventTypeFaultLifted) {
		t.Fatalf("events %v: no cancelling, or no lifting", types(events))
	}
}
