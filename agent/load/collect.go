package load

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
)

// lateAfter is the default of Plan.LateAfter. At rates that one agent sends, the machine
// and the runtime stay under a tenth of it.
const lateAfter = 10 * time.Millisecond

// result is the end of a request.
type result struct {
	task
	class    Class
	injected bool          // the answer tells that a fault gave it
	latency  time.Duration // from due to the end, whatever it was
	late     bool          // by the generator's fault
}

// tally counts requests. It is not safe for concurrent use.
type tally struct {
	counts   run.Counts
	injected int64
	// accepted holds the latencies of accepted answers, in microseconds. What was
	// not accepted is slower than all of them.
	accepted *hdrhistogram.PackedHistogram
	slowest  time.Duration // of all, accepted or not
}

// The geometry of histograms: microseconds up to an hour, three digits.
const (
	histogramMost   = int64(time.Hour / time.Microsecond)
	histogramDigits = 3
)

func newTally() tally {
	return tally{
		counts:   run.Counts{Failed: map[string]int64{}},
		accepted: hdrhistogram.NewPacked(1, histogramMost, histogramDigits),
	}
}

func (y *tally) ended(r result) {
	c := &y.counts
	c.Sent++
	if r.late {
		c.Late++
	}
	if r.injected {
		y.injected++
	}
	switch r.class {
	case Accepted:
		c.Answered++
		c.Accepted++
		_ = y.accepted.RecordValue(min(r.latency.Microseconds(), histogramMost)) // in range, so it is taken
	case Status:
		c.Answered++
		c.Failed[string(Status)]++
	default:
		c.Failed[string(r.class)]++
	}
	y.slowest = max(y.slowest, r.latency)
}

// unsent counts a request that was due and is not sent any more.
func (y *tally) unsent(waited time.Duration) {
	y.counts.Unsent++
	y.slowest = max(y.slowest, waited)
}

func (y *tally) add(other *tally) {
	a, b := &y.counts, &other.counts
	a.Due += b.Due
	a.Sent += b.Sent
	a.Unsent += b.Unsent
	a.Late += b.Late
	a.Answered += b.Answered
	a.Accepted += b.Accepted
	for class, n := range b.Failed {
		a.Failed[class] += n
	}
	y.injected += other.injected
	y.accepted.Merge(other.accepted)
	y.slowest = max(y.slowest, other.slowest)
}

// second is what one second of the load holds, by due time.
type second struct {
	from   time.Duration // from the start of the load
	warmup bool
	tally
	over   decide.Over
	passed bool // no further request is due in it
	cut    bool // the load was cancelled before all of it had ended
}

func (s *second) complete() bool {
	return s.passed && s.counts.Due == s.counts.Sent+s.counts.Unsent
}

func (s *second) errors() int64 { return s.counts.Due - s.counts.Accepted }

// collector counts what becomes of requests, by second and by operation.
type collector struct {
	plan *Plan
	// grown wakes whoever waits for complete seconds; it has room for one.
	grown chan struct{}

	mu         sync.Mutex
	seconds    []*second
	operations []tally // measured requests alone
	warmups    int     // how many seconds belong to warm-up
	trouble    string  // the first that the machine had with itself
	revisions  []string
}

func newCollector(p *Plan) *collector {
	c := &collector{
		plan:    p,
		grown:   make(chan struct{}, 1),
		warmups: p.warmupSeconds(),
	}
	for range p.Operations {
		c.operations = append(c.operations, newTally())
	}
	return c
}

// due counts a request that is handed over.
func (c *collector) due(t task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reach(t.bin)
	c.seconds[t.bin].counts.Due++
	if t.bin >= c.warmups {
		c.operations[t.operation].counts.Due++
	}
}

// reach adds the seconds up to bin, and closes those before it. It needs c.mu.
func (c *collector) reach(bin int) {
	if len(c.seconds) > bin {
		return
	}
	for len(c.seconds) <= bin {
		if n := len(c.seconds); n > 0 {
			c.seconds[n-1].passed = true
		}
		c.seconds = append(c.seconds, &second{from: c.plan.secondFrom(len(c.seconds)), warmup: len(c.seconds) < c.warmups, tally: newTally()})
	}
	c.tell()
}

// close says that nothing more will be due.
func (c *collector) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reach(c.plan.second(c.plan.Duration - 1))
	c.seconds[len(c.seconds)-1].passed = true
	c.tell()
}

// cut marks what has not ended by now: the load was cancelled, and what becomes of it
// says nothing of the service.
func (c *collector) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.seconds {
		s.cut = s.cut || !s.complete()
		s.passed = true
	}
	c.tell()
}

func (c *collector) tell() {
	select {
	case c.grown <- struct{}{}:
	default:
	}
}

// ended counts the end of a request.
func (c *collector) ended(r result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.late = r.own > c.plan.LateAfter
	s := c.seconds[r.bin]
	s.ended(r)
	if !s.warmup {
		c.operations[r.operation].ended(r)
		s.count(c.plan.Limits, r.class == Accepted, r.latency)
	}
	if s.complete() {
		c.tell()
	}
}

// unsent counts a request that is not sent any more; now is from the start.
func (c *collector) unsent(t task, now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.seconds[t.bin]
	s.unsent(now - t.due)
	if !s.warmup {
		c.operations[t.operation].unsent(now - t.due)
		s.count(c.plan.Limits, false, 0)
	}
	if s.complete() {
		c.tell()
	}
}

// troubled notes what this machine lacked; nothing for an empty text.
func (c *collector) troubled(what string) {
	if what == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trouble == "" {
		c.trouble = what
	}
}

// mostRevisions bounds how many revisions of a service are kept: two are one too many.
const mostRevisions = 4

// revision notes the revision that an answer told.
func (c *collector) revision(told string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if told != "" && len(c.revisions) < mostRevisions && !slices.Contains(c.revisions, told) {
		c.revisions = append(c.revisions, strings.Clone(told))
	}
}

// count counts a measured request over the limits that the scenario names. One that was
// not accepted is over each.
func (s *second) count(l Limits, accepted bool, latency time.Duration) {
	over := func(n *int64, limit time.Duration) {
		if limit > 0 && (!accepted || latency > limit) {
			*n++
		}
	}
	over(&s.over.P50, l.P50)
	over(&s.over.P95, l.P95)
	over(&s.over.P99, l.P99)
	over(&s.over.Objective, l.Objective)
}

// completed gives the seconds from index from on that are complete, in order.
func (c *collector) completed(from int) []run.Second {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []run.Second
	for _, s := range c.seconds[min(from, len(c.seconds)):] {
		if !s.complete() {
			break
		}
		out = append(out, s.wire())
	}
	return out
}
