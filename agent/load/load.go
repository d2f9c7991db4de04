// Package load is the open-loop load generator. Each request has its time before the
// load starts, and its latency counts from that time, so a stall of the service, or of
// the way to it, shows in full.
//
// One pacer hands over what is due to a fixed number of workers, each with a
// connection of its own. What is due while all of them are busy waits in a queue and
// stays in the count; what is late although one was free is the generator's own
// fault, and is counted apart.
package load

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// Pool is the result of one look or of several at the same load: counts and
// histograms are added up, and the seconds of each look follow those of the one
// before.
func Pool(looks []Measured) *run.LoadResult {
	if len(looks) == 0 {
		return nil
	}
	pooled := looks[0].rec.clone()
	peak, measured := looks[0].peak, looks[0].Look.WholeTime
	for _, l := range looks[1:] {
		pooled.add(l.rec)
		peak, measured = max(peak, l.peak), measured+l.Look.WholeTime
	}
	result := pooled.result(measured, peak)
	return &result
}

// Request is one request that an operation makes, again and again.
type Request struct {
	Method string
	Path   string // escaped, with the query
	Header http.Header
	Body   []byte
}

// Operation is one kind of request of the mix.
type Operation struct {
	Name     string
	Weight   int
	Requests []Request             // sent in turn
	Accepts  func(status int) bool // tells success
}

// Plan is a load to drive.
type Plan struct {
	Load       *scenario.Load
	Limits     Limits
	InFlight   int // workers: the most that may be in flight
	Operations []Operation
	// Base is where the connection, or the proxy in front of it, listens. Host is
	// what the requests name as their host.
	Base *url.URL
	Host string
	// Timeout bounds one request from its sending; Drain is how long requests that
	// are due may still be sent and answered when the load is over.
	Timeout, Drain time.Duration
	Seed           uint64 // of pattern poisson
}

// Limits are the latency limits of the scenario, 0 where it has none. Requests above
// each are counted exactly, by their own latency, not from a histogram.
type Limits struct{ P50, P95, P99, Objective time.Duration }

// Measured is what a load measured: one look.
type Measured struct {
	Look decide.Measurements
	rec  *recorder
	peak int
}

// Late is how late a request may be sent although a worker is free.
const Late = 10 * time.Millisecond

// item is one request that is due.
type item struct {
	at        time.Duration // from the start
	operation int
	request   int
	idle      bool // a worker was free for it
}

// generator is one load under way.
type generator struct {
	plan  Plan
	start time.Time
	queue chan item
	busy  atomic.Int64 // workers with a request
	peak  atomic.Int64
	rec   *recorder
}

// queueLimit bounds the requests that wait for a worker. What is due beyond it is
// unsent.
const queueLimit = 1 << 20

// Run drives the load from start on, and returns when all of it is answered, given
// up or, when ctx ends, cut off. Each whole second is told on seconds, in order, as
// soon as its last request has an end; the channel needs room for all of them (see
// Seconds), so that a slow reader never holds the load up.
func Run(ctx context.Context, plan Plan, start time.Time, told chan<- run.Second) Measured {
	g := &generator{
		plan: plan, start: start,
		queue: make(chan item, min(queueLimit, int(plan.Load.Rate*plan.Load.Duration.Seconds())+plan.InFlight+1)),
		rec:   newRecorder(plan, told),
	}
	sending, stop := context.WithCancel(ctx)
	defer stop()
	var workers sync.WaitGroup
	for range plan.InFlight {
		workers.Go(func() { newWorker(g).work(sending) })
	}
	reached := g.pace(ctx)
	close(g.queue)
	drain := time.AfterFunc(plan.Drain, stop)
	defer drain.Stop()
	workers.Wait()
	return g.rec.measured(reached, int(g.peak.Load()))
}

// Seconds is how many seconds a load tells: room for the channel of Run.
func Seconds(l *scenario.Load) int {
	return int(l.Duration/time.Second) + 3
}

// pace hands over each request when it is due, and returns the time that was
// reached: the load's duration, or less when ctx ended.
func (g *generator) pace(ctx context.Context) time.Duration {
	times := newSchedule(g.plan.Load, g.plan.Seed)
	weights := make([]int, len(g.plan.Operations))
	turns := make([]int, len(g.plan.Operations))
	for i, o := range g.plan.Operations {
		weights[i] = o.Weight
	}
	operations := newMix(weights)
	p := startPacer(g.start)
	defer p.stop()
	for {
		at, ok := times.Next()
		if !ok {
			at = g.plan.Load.Duration
		}
		if !p.wait(ctx, at) {
			return min(time.Since(g.start), g.plan.Load.Duration)
		}
		if !ok {
			return at
		}
		o := operations.Next()
		it := item{at: at, operation: o, request: turns[o]}
		turns[o] = (turns[o] + 1) % len(g.plan.Operations[o].Requests)
		g.hand(it)
	}
}

// hand queues a request; one that finds the queue full is never sent.
func (g *generator) hand(it item) {
	it.idle = int(g.busy.Load())+len(g.queue) < g.plan.InFlight
	g.rec.due(it)
	select {
	case g.queue <- it:
	default:
		g.rec.end(it, ending{class: classUnsent})
	}
}
