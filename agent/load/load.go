package load

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// load is one load while it is sent.
type load struct {
	plan       *Plan
	start      time.Time
	ctx        context.Context // of all requests; ends with the load
	transport  *http.Transport
	dispatcher dispatcher
	collector  *collector
}

// Run sends a load that starts at start, which may lie ahead by as much as the plan's
// Lead, and returns once every request has ended. observe is told each second, in order,
// once all its requests have ended; it is never called concurrently, and holds nothing up
// but itself.
//
// When ctx ends, the load ends at once: what was measured until then is returned and
// marked as cancelled. The error is for a plan that cannot be sent.
func Run(ctx context.Context, p Plan, start time.Time, observe func(run.Second)) (*Measured, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	if p.LateAfter == 0 {
		p.LateAfter = lateAfter
	}
	requests, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(errEnded)
	l := &load{plan: &p, start: start, ctx: requests, transport: newTransport(&p), collector: newCollector(&p)}
	defer l.transport.CloseIdleConnections()

	var workers, others sync.WaitGroup
	stop := make(chan struct{}) // for the observer: nothing more will be counted
	others.Go(func() { l.report(observe, stop) })
	l.startWorkers(&workers)
	drained := make(chan struct{})
	others.Go(func() {
		workers.Wait()
		close(drained)
	})
	sent := make(chan bool) // whether all was handed over
	var ticks bool
	others.Go(func() {
		whole, coarse := l.pace(ctx.Done())
		ticks = coarse
		sent <- whole
	})
	cancelled := !<-sent
	if !cancelled {
		l.collector.close()
		l.dispatcher.close()
		cancelled = !l.drain(ctx, drained)
	}
	if cancelled {
		l.collector.cut()
	}
	l.abandon(end)
	<-drained
	close(stop)
	others.Wait()
	return l.result(cancelled, ticks), nil
}

func (l *load) now() time.Duration { return time.Since(l.start) }

// sleepUntil gives false when the load ended first.
func (l *load) sleepUntil(at time.Duration) bool {
	t := time.NewTimer(at - l.now())
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// startWorkers gives each worker the time at which it opens its connection.
func (l *load) startWorkers(wg *sync.WaitGroup) {
	p := l.plan
	every := p.opening() / time.Duration(p.Workers)
	for i := range p.Workers {
		w := &worker{load: l, tasks: make(chan task, 1)}
		at := time.Duration(i)*every - p.Lead()
		wg.Go(func() { w.run(at) })
	}
}

// pace hands over every request when it is due. It gives false when done was closed
// first.
func (l *load) pace(done <-chan struct{}) (whole, ticks bool) {
	p, release := newPacer(l.start, done)
	defer release()
	times, mixed := newSchedule(l.plan), newMix(l.plan.Operations)
	turns := make([]int, len(l.plan.Operations))
	warming, now := l.plan.Warmup > 0, p.now()
	for due, ok := times.due(); ok; due, ok = times.due() {
		if due > now {
			if now, ok = p.wait(due); !ok {
				return false, p.ticks
			}
		}
		if warming && due >= l.plan.Warmup {
			warming = false
			mixed.restart() // so that it is exact over what is measured
		}
		t := task{due: due, operation: mixed.next(), bin: l.plan.second(due), own: now - due}
		t.request = turns[t.operation]
		turns[t.operation] = (t.request + 1) % len(l.plan.Operations[t.operation].Requests)
		l.collector.due(t)
		l.dispatcher.hand(t)
	}
	// The load lasts as long as the plan says, also behind its last request.
	_, whole = p.wait(l.plan.Duration)
	return whole, p.ticks
}

// drain waits for the answers that are still to come, as long as the plan allows. It
// gives false when ctx ended first.
func (l *load) drain(ctx context.Context, drained <-chan struct{}) bool {
	t := time.NewTimer(l.plan.Drain)
	defer t.Stop()
	select {
	case <-drained:
	case <-t.C:
	case <-ctx.Done():
		return false
	}
	return true
}

// abandon ends what is still under way.
func (l *load) abandon(end context.CancelCauseFunc) {
	now := l.now()
	for _, t := range l.dispatcher.abandon() {
		l.collector.unsent(t, now)
	}
	l.dispatcher.close()
	end(errEnded)
}

// report tells the seconds as they complete.
func (l *load) report(observe func(run.Second), stop <-chan struct{}) {
	told := 0
	tell := func() {
		for _, s := range l.collector.completed(told) {
			told++
			if observe != nil {
				observe(s)
			}
		}
	}
	for {
		select {
		case <-l.collector.grown:
			tell()
		case <-stop:
			tell()
			return
		}
	}
}

func (l *load) result(cancelled, ticks bool) *Measured {
	c := l.collector
	return &Measured{
		plan: l.plan, seconds: c.seconds, warmups: c.warmups, operations: c.operations,
		peak: l.dispatcher.peakInFlight(), loads: 1, Cancelled: cancelled, Ticks: ticks,
		Trouble: c.trouble, Revisions: c.revisions,
	}
}
