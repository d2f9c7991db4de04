package agent

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/agent/fault"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// Bounds of a fault's life beside its own: a fault that is not renewed within the
// lease is lifted by the proxy itself.
const (
	faultLease = 10 * time.Second
	renewEvery = 3 * time.Second
	// proveTimeout bounds a proof. A run that is cancelled waits for it, twice where
	// the first fails, and has 5 s in all.
	proveTimeout = 2 * time.Second
)

// timeline is the timeline of one look under way: a goroutine an entry.
type timeline struct {
	execution *execution
	look      int // 1 for the first
	start     time.Time
	ctx       context.Context // of all entries
	stop      context.CancelFunc
	entries   sync.WaitGroup
	marks     sync.WaitGroup
	results   []*run.FaultResult // in the order of the timeline
	ended     bool

	mu     sync.Mutex
	active []*fault.Active
	marked []int64 // requests affected by each of starts, as far as it has come

	starts []time.Duration // of the load's seconds, and the end of the last
}

// startTimeline announces the faults to their proxies and starts every entry on the
// clock of the load. seconds are the starts of the load's seconds and the end of the
// last; for each, the requests that the faults affect are counted.
func (e *execution) startTimeline(ctx context.Context, start time.Time, seconds []time.Duration) *timeline {
	t := &timeline{execution: e, look: e.result.Looks, start: start, starts: seconds}
	t.ctx, t.stop = context.WithCancel(ctx)
	e.prepareProxies()
	for i, entry := range e.scenario.Timeline {
		if entry.Action != scenario.ActionFault {
			t.entries.Go(func() { t.log(entry) })
			continue
		}
		target, _ := e.scenario.Target(entry.Target)
		result := &run.FaultResult{Entry: i, Target: entry.Target, Proxy: target.Proxy, Type: string(entry.Fault.Type)}
		t.results = append(t.results, result)
		c, ok := e.agent.connection(target.Connection)
		if !ok || c.proxy == nil {
			result.Note = "connection " + target.Connection + " has no proxy at this agent"
			continue
		}
		t.entries.Go(func() { t.fault(c.proxy, entry, result) })
	}
	if len(t.results) > 0 && len(seconds) > 0 {
		t.marks.Go(t.mark)
	}
	return t
}

// prepareProxies announces to each proxy the types of all the faults that it will have,
// so that requests are found in its stream from the start.
func (e *execution) prepareProxies() {
	for _, entry := range e.scenario.Timeline {
		if p := e.proxyOf(entry); p != nil {
			p.Prepare(entry.Fault.Type)
		}
	}
}

func (e *execution) relaxProxies() {
	for _, entry := range e.scenario.Timeline {
		if p := e.proxyOf(entry); p != nil {
			p.Relax()
		}
	}
}

// proxyOf is the proxy that a fault acts on; nil for another entry, or without one.
func (e *execution) proxyOf(entry scenario.Entry) *fault.Proxy {
	if entry.Action != scenario.ActionFault {
		return nil
	}
	target, _ := e.scenario.Target(entry.Target)
	if c, ok := e.agent.connection(target.Connection); ok {
		return c.proxy
	}
	return nil
}

// end lifts what is still active, waits for every entry, and returns what became of
// the faults, in the order of the timeline. With a load the timeline ends with it;
// without one it ends by itself. Further calls return the same.
func (t *timeline) end(ctx context.Context) []run.FaultResult {
	if t.execution.scenario.Load != nil || ctx.Err() != nil {
		t.stop()
	}
	t.entries.Wait()
	t.stop()
	t.marks.Wait()
	if !t.ended {
		t.ended = true
		t.proveRest()
		t.execution.relaxProxies()
	}
	results := make([]run.FaultResult, 0, len(t.results))
	for _, f := range t.results {
		results = append(results, *f)
	}
	return results
}

func (t *timeline) log(entry scenario.Entry) {
	if t.sleepUntil(entry.At) {
		t.execution.tell(run.RunEvent{Type: run.EventTypeLog, Message: entry.Message})
	}
}

// fault applies one fault when it is due, keeps it alive, lifts it when its time or
// the run is over, and has the lifting proved.
func (t *timeline) fault(proxy *fault.Proxy, entry scenario.Entry, result *run.FaultResult) {
	if !t.sleepUntil(entry.At) {
		result.Note = "the run ended before it was due"
		return
	}
	// Each look draws its own delays and choices.
	seed := t.execution.work.Seed + uint64(result.Entry) + uint64(t.look)<<32
	active, err := proxy.Apply(fault.Spec{Fault: entry.Fault, Lease: faultLease, Seed: seed})
	if err != nil {
		result.Note = err.Error()
		return
	}
	defer active.Lift() // whatever happens below
	t.mu.Lock()
	t.active = append(t.active, active)
	t.mu.Unlock()
	result.AppliedMs = t.offset()
	t.tell(run.EventTypeFaultApplied, result)
	t.keep(active, entry.At+entry.For)
	if active.Expired() {
		result.Note = "its lease ran out before it was to be lifted, so it acted for less than its time"
	}
	active.Lift()
	result.LiftedMs, result.Lifted = t.offset(), true
	result.Met, result.Affected = active.Counts()
	if len(proxy.Active()) == 0 { // else the proof would meet the other; end makes it up
		t.prove(proxy, result)
	}
	t.tell(run.EventTypeFaultLifted, result)
}

// prove has the lifting shown. It is done also where the run was cancelled.
func (t *timeline) prove(proxy *fault.Proxy, result *run.FaultResult) {
	ctx, done := context.WithTimeout(context.WithoutCancel(t.ctx), proveTimeout)
	defer done()
	proof := proxy.Prove(ctx)
	result.Proved = proof.Proved
	if proof.Note != "" {
		result.Note = proof.Note
	}
}

// proveRest has the lifting shown of those that were not yet: another fault was active
// on their proxy, or the proof failed under the load.
func (t *timeline) proveRest() {
	var proofs sync.WaitGroup
	for _, f := range t.results {
		if p := t.execution.proxyOf(t.execution.scenario.Timeline[f.Entry]); f.AppliedMs != nil && !f.Proved && p != nil {
			proofs.Go(func() { t.prove(p, f) })
		}
	}
	proofs.Wait()
}

// keep renews the fault until its end, or the run's.
func (t *timeline) keep(active *fault.Active, end time.Duration) {
	timer := time.NewTimer(time.Until(t.start.Add(end)))
	defer timer.Stop()
	renew := time.NewTicker(renewEvery)
	defer renew.Stop()
	for {
		select {
		case <-timer.C:
			return
		case <-t.ctx.Done():
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

func (t *timeline) offset() *int64 {
	ms := max(time.Since(t.start), 0).Milliseconds()
	return &ms
}

// sleepUntil waits for a time of the run; false when that ends before.
func (t *timeline) sleepUntil(at time.Duration) bool {
	timer := time.NewTimer(time.Until(t.start.Add(at)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return t.ctx.Err() == nil
	case <-t.ctx.Done():
		return false
	}
}

// mark counts the requests affected by the start of every second of the load.
func (t *timeline) mark() {
	for _, at := range t.starts {
		if !t.sleepUntil(at) {
			return
		}
		total := t.total()
		t.mu.Lock()
		t.marked = append(t.marked, total)
		t.mu.Unlock()
	}
}

// total counts the requests that the faults have affected so far.
func (t *timeline) total() int64 {
	t.mu.Lock()
	active := slices.Clone(t.active)
	t.mu.Unlock()
	var sum int64
	for _, a := range active {
		_, affected := a.Counts()
		sum += affected
	}
	return sum
}

// affected counts the requests that the faults affected in the second of the load that
// starts then.
func (t *timeline) affected(fromMs int64) int64 {
	i, ok := slices.BinarySearchFunc(t.starts, fromMs, func(d time.Duration, ms int64) int { return cmp.Compare(d.Milliseconds(), ms) })
	if !ok {
		return 0
	}
	until := t.total()
	t.mu.Lock()
	defer t.mu.Unlock()
	if i >= len(t.marked) {
		return 0
	}
	if i+1 < len(t.marked) {
		until = t.marked[i+1] // else the mark is due at this moment, or the run has ended
	}
	return until - t.marked[i]
}

// keepFaults adds what became of the faults of a look to the result, entry by entry.
func (e *execution) keepFaults(now []run.FaultResult) {
	if len(e.result.Faults) == len(now) {
		for i, before := range e.result.Faults {
			f := &now[i]
			f.Met += before.Met
			f.Affected += before.Affected
			f.Proved = f.Proved && before.Proved
			f.Lifted = f.Lifted && before.Lifted
			if f.Note == "" {
				f.Note = before.Note
			}
		}
	}
	e.result.Faults = now
}
