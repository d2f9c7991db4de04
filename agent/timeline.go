package agent

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/agent/fault"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// Bounds of a fault's life beside its own: a fault that is not renewed within the
// lease is lifted by the proxy itself.
const (
	faultLease   = 10 * time.Second
	renewEvery   = 3 * time.Second
	proveTimeout = 3 * time.Second
)

// timeline is the timeline of one look under way: a goroutine an entry.
type timeline struct {
	execution *execution
	start     time.Time
	stop      context.CancelFunc
	entries   sync.WaitGroup
	proxies   map[*fault.Proxy]bool

	mu     sync.Mutex
	faults map[int]*run.FaultResult // by entry
}

// startTimeline announces the faults to their proxies and starts every entry on the
// clock of the load.
func (e *execution) startTimeline(ctx context.Context, start time.Time) *timeline {
	ctx, stop := context.WithCancel(ctx)
	t := &timeline{
		execution: e, start: start, stop: stop, proxies: make(map[*fault.Proxy]bool), faults: make(map[int]*run.FaultResult),
	}
	for i, entry := range e.scenario.Timeline {
		if entry.Action != scenario.ActionFault {
			t.entries.Go(func() { t.log(ctx, entry) })
			continue
		}
		target, _ := e.scenario.Target(entry.Target)
		result := &run.FaultResult{Entry: i, Target: entry.Target, Proxy: target.Proxy, Type: string(entry.Fault.Type)}
		t.faults[i] = result
		c, ok := e.agent.connection(target.Connection)
		if !ok || c.proxy == nil {
			result.Note = "connection " + target.Connection + " has no proxy at this agent"
			continue
		}
		c.proxy.Prepare(entry.Fault.Type)
		t.proxies[c.proxy] = true
		t.entries.Go(func() { t.fault(ctx, c.proxy, entry, result) })
	}
	return t
}

// end lifts what is still active, waits for every entry, and returns what became of
// the faults, in the order of the timeline. With a load the timeline ends with it;
// without one it ends by itself.
func (t *timeline) end(ctx context.Context) []run.FaultResult {
	if t.execution.scenario.Load != nil || ctx.Err() != nil {
		t.stop()
	}
	t.entries.Wait()
	t.stop()
	for proxy := range t.proxies {
		proxy.Relax()
	}
	var results []run.FaultResult
	for i := range t.execution.scenario.Timeline {
		if f, ok := t.faults[i]; ok {
			results = append(results, *f)
		}
	}
	return results
}

func (t *timeline) log(ctx context.Context, entry scenario.Entry) {
	if t.sleepUntil(ctx, entry.At) {
		t.execution.tell(run.RunEvent{Type: run.EventTypeLog, Message: entry.Message})
	}
}

// fault applies one fault when it is due, keeps it alive, lifts it when its time or
// the run is over, and has the lifting proved.
func (t *timeline) fault(ctx context.Context, proxy *fault.Proxy, entry scenario.Entry, result *run.FaultResult) {
	if !t.sleepUntil(ctx, entry.At) {
		result.Lifted, result.Proved, result.Note = true, true, "the run ended before it was due, so it was never applied"
		return
	}
	active, err := proxy.Apply(fault.Spec{Fault: entry.Fault, Lease: faultLease, Seed: t.execution.work.Seed + uint64(result.Entry)})
	if err != nil {
		result.Note = fmt.Sprintf("it could not be applied: %v", err)
		return
	}
	applied := t.offset()
	result.AppliedMs = &applied
	t.tell(run.EventTypeFaultApplied, result)
	t.keep(ctx, active, entry.At+entry.For)
	if active.Expired() {
		result.Note = "its lease ran out before it was lifted, so it acted for less than its time"
	}
	active.Lift()
	lifted := t.offset()
	result.LiftedMs, result.Lifted = &lifted, true
	result.Met, result.Affected = active.Counts()
	proving, done := context.WithTimeout(context.WithoutCancel(ctx), proveTimeout)
	defer done()
	proof := proxy.Prove(proving)
	result.Proved = proof.Proved
	if proof.Note != "" {
		result.Note = proof.Note
	}
	t.tell(run.EventTypeFaultLifted, result)
}

// keep renews the fault until its end, or the run's.
func (t *timeline) keep(ctx context.Context, active *fault.Active, end time.Duration) {
	timer := time.NewTimer(time.Until(t.start.Add(end)))
	defer timer.Stop()
	renew := time.NewTicker(renewEvery)
	defer renew.Stop()
	for {
		select {
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		case <-active.Done():
			return
		case <-renew.C:
			active.Renew()
		}
	}
}

func (t *timeline) tell(kind run.EventType, result *run.FaultResult) {
	copied := *result
	t.execution.tell(run.RunEvent{Type: kind, Fault: &copied})
}

func (t *timeline) offset() int64 { return max(time.Since(t.start), 0).Milliseconds() }

// sleepUntil waits for a time of the run; false when ctx ends before.
func (t *timeline) sleepUntil(ctx context.Context, at time.Duration) bool {
	timer := time.NewTimer(time.Until(t.start.Add(at)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// mergeFaults adds up the faults of two looks, entry by entry.
func mergeFaults(before, now []run.FaultResult) []run.FaultResult {
	if len(before) != len(now) {
		return now
	}
	for i := range now {
		now[i].Met += before[i].Met
		now[i].Affected += before[i].Affected
		now[i].Proved = now[i].Proved && before[i].Proved
		now[i].Lifted = now[i].Lifted && before[i].Lifted
		if now[i].Note == "" {
			now[i].Note = before[i].Note
		}
	}
	return now
}
