package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/inorbit-hr/reliability/bench/queue"
	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// queueSource is the account's queue in the store.
type queueSource struct{ bench *Bench }

// Queue implements queue.Source.
func (s queueSource) Queue(ctx context.Context, now time.Time) (queue.State, error) {
	queued, running, began, err := s.bench.store.Queue(ctx, s.bench.account, now.Add(-queue.Hour))
	return queue.State{Queued: entries(queued), Running: entries(running), Began: began}, err
}

func entries(runs []store.Queued) []queue.Entry {
	all := make([]queue.Entry, len(runs))
	for i, r := range runs {
		all[i] = queue.Entry{ID: r.ID, Connections: r.Connections}
	}
	return all
}

// Claim implements queue.Source.
func (s queueSource) Claim(ctx context.Context, id string) (bool, error) {
	return s.bench.store.Claim(ctx, id, s.bench.clock.Now())
}

// begin executes a claimed run beside whatever else goes on.
func (b *Bench) begin(id string) {
	ctx, end := context.WithCancelCause(context.Background())
	b.mu.Lock()
	b.active[id] = end
	if b.closed {
		end(cancelled(stopped))
	}
	b.runs.Add(1)
	b.mu.Unlock()
	b.hub.changed(id)
	go func() {
		defer b.runs.Done()
		defer end(nil)
		b.execute(ctx, id, end)
	}()
}

// running tells whether a run is executed here and has not ended.
func (b *Bench) running(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.active[id] != nil
}

// execute sees a run from its start to its end in the store.
func (b *Bench) execute(ctx context.Context, id string, cancel context.CancelCauseFunc) {
	end := b.perform(ctx, id, cancel)
	end.At = b.clock.Now()
	if end.Result != nil {
		if _, err := json.Marshal(end.Result); err != nil {
			b.log.Error("a result cannot be kept", "run", id, "error", err)
			end = store.End{Outcome: run.OutcomeInconclusive, Reason: "what was measured cannot be kept", At: end.At}
		}
	}
	if err := b.finish(id, end); err != nil {
		// The store has it as running; the next process ends it as inconclusive.
		b.log.Error("the end of a run could not be kept", "run", id, "outcome", string(end.Outcome), "error", err)
	}
	b.mu.Lock()
	delete(b.active, id)
	b.mu.Unlock()
	b.hub.changed(id)
	b.kick()
}

// slack is what a run may take beyond its load: two drains, checks and probes.
const slack = 15 * time.Minute

// runLength is how long a scenario takes by itself.
func runLength(s *scenario.Scenario) (length time.Duration) {
	if s.Load != nil {
		length = s.Load.Duration
	}
	for _, e := range s.Timeline {
		length = max(length, e.At+e.For)
	}
	return length
}

// watch cancels a run that takes far longer than its file says, twice for a second
// look: whatever holds it up, the queue goes on. The caller stops the watch.
func (b *Bench) watch(id string, f *scenario.File) (stop func()) {
	longest := 2*runLength(&f.Scenario) + slack
	done, ended := make(chan struct{}), make(chan struct{})
	fired, stopTimer := b.clock.Timer(longest)
	go func() {
		defer close(ended)
		defer stopTimer()
		select {
		case <-done:
		case <-fired:
			b.log.Error("a run takes too long and is cancelled", "run", id, "longest", longest)
			b.cancel(context.Background(), id, "the run took longer than "+longest.String())
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// finishTries bounds how often the end of a run is tried to be kept.
const finishTries = 5

func (b *Bench) finish(id string, end store.End) (err error) {
	for range finishTries {
		if _, err = b.store.Finish(context.Background(), id, end); err == nil {
			return nil
		}
	}
	return err
}

// perform runs a run on its agent and says how it ended.
func (b *Bench) perform(ctx context.Context, id string, cancel context.CancelCauseFunc) store.End {
	inconclusive := func(doing string, err error) store.End {
		b.log.Error("a run could not be executed", "run", id, "error", fmt.Errorf("%s: %w", doing, err))
		return store.End{Outcome: run.OutcomeInconclusive, Reason: "the bench could not execute the run: its log says more"}
	}
	// Not with ctx: a cancelled run is read too.
	background := context.WithoutCancel(ctx)
	r, err := b.store.Run(background, b.account, id)
	if err != nil {
		return inconclusive("read it", err)
	}
	if r.CancelReason != "" {
		// It was cancelled before it could be told so.
		cancel(cancelled(r.CancelReason))
	}
	_, source, err := b.store.Version(background, b.account, r.Version)
	if err != nil {
		return inconclusive("read its version", err)
	}
	f := scenario.Check(source)
	checked := b.check(f)
	if refused := checked.refusal(); refused != "" {
		return store.End{Outcome: run.OutcomeRefused, Reason: refused}
	}
	stopWatch := b.watch(id, f)
	defer stopWatch()
	rec := newRecorder(b, id)
	outcome, reason, result := checked.agent.Run(ctx, Work{Run: id, File: f}, rec.report)
	if err := rec.close(); err != nil {
		b.log.Error("events of a run could not be kept", "run", id, "error", err)
	}
	var why cancelled
	if outcome == run.OutcomeCancelled && errors.As(context.Cause(ctx), &why) {
		reason = string(why)
	}
	if !outcome.Valid() {
		b.log.Error("an agent gave no known outcome", "run", id, "outcome", string(outcome))
		outcome, reason = run.OutcomeInconclusive, "the agent gave no known outcome"
	}
	return store.End{Outcome: outcome, Reason: reason, Result: whole(result)}
}

// whole gives a result the lists that the contract says it has, however empty.
func whole(r run.Result) *run.Result {
	if r.Assertions == nil {
		r.Assertions = []run.AssertionResult{}
	}
	if r.Faults == nil {
		r.Faults = []run.FaultResult{}
	}
	if load := r.Load; load != nil {
		load.Operations = append([]run.OperationResult{}, load.Operations...)
		load.Seconds = append([]run.Second{}, load.Seconds...)
	}
	return &r
}
