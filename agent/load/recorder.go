package load

import (
	"math"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
)

// Bounds of the histograms, in microseconds: up to ten minutes, in three digits over
// the run and two in a second.
const (
	greatest      = int64(10 * time.Minute / time.Microsecond)
	digitsRun     = 3
	digitsSeconds = 2
)

// recorder counts every request once it is due and once it has ended.
type recorder struct {
	plan Plan
	told chan<- run.Second

	mu         sync.Mutex
	warm       []*second // of the warm-up, from the start
	whole      []*second // measured, from the end of the warm-up
	next       int       // the next second to tell, warm ones first
	reached    time.Duration
	warmup     run.Counts
	total      run.Counts
	latency    *hdrhistogram.Histogram
	operations []operationCount
	look       decide.Measurements
}

type operationCount struct {
	counts  run.Counts
	latency *hdrhistogram.Histogram
}

// second is one second by scheduled time.
type second struct {
	wire    run.Second
	counts  decide.Second
	ended   int64
	latency *hdrhistogram.Histogram // of accepted requests
}

func newRecorder(plan Plan, told chan<- run.Second) *recorder {
	r := &recorder{plan: plan, told: told, latency: hdrhistogram.New(1, greatest, digitsRun)}
	for range plan.Operations {
		r.operations = append(r.operations, operationCount{latency: hdrhistogram.New(1, greatest, digitsRun)})
	}
	return r
}

// at finds the second of a time, and makes those that lie before it.
func (r *recorder) at(t time.Duration) *second {
	from, list, warm := time.Duration(0), &r.warm, true
	if t >= r.plan.Load.Warmup {
		from, list, warm = r.plan.Load.Warmup, &r.whole, false
	}
	i := int((t - from) / time.Second)
	for len(*list) <= i {
		start := from + time.Duration(len(*list))*time.Second
		*list = append(*list, &second{
			wire:    run.Second{FromMs: start.Milliseconds(), Warmup: warm},
			latency: hdrhistogram.New(1, greatest, digitsSeconds),
		})
	}
	return (*list)[i]
}

// counts are those of the warm-up or of what is measured.
func (r *recorder) counts(it item) *run.Counts {
	if it.at < r.plan.Load.Warmup {
		return &r.warmup
	}
	return &r.total
}

// due counts a request whose time has come.
func (r *recorder) due(it item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = max(r.reached, it.at)
	s := r.at(it.at)
	s.wire.Due++
	s.counts.Due++
	r.counts(it).Due++
	if it.at >= r.plan.Load.Warmup {
		r.operations[it.operation].counts.Due++
	}
}

// end counts how a request ended. A request that was not accepted is above every
// limit.
func (r *recorder) end(it item, e ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.at(it.at)
	s.ended++
	add(r.counts(it), e)
	latency := max(e.at-it.at, 0)
	limits, over := r.plan.Limits, &s.counts.Over
	for _, l := range []struct {
		limit time.Duration
		over  *int64
	}{{limits.P50, &over.P50}, {limits.P95, &over.P95}, {limits.P99, &over.P99}, {limits.Objective, &over.Objective}} {
		if l.limit > 0 && (e.class != classAccepted || latency > l.limit) {
			*l.over++
		}
	}
	if e.class == classAccepted {
		s.wire.Accepted++
		record(s.latency, latency)
	} else {
		s.wire.Errors++
		s.counts.Errors++
	}
	if e.late {
		s.wire.Late++
	}
	if e.class == classUnsent {
		s.wire.Unsent++
	}
	if e.injected {
		s.wire.Injected++
	}
	if it.at >= r.plan.Load.Warmup {
		r.measure(it, e, latency)
	}
	r.tell(r.reached)
}

// measure adds a measured request to the whole.
func (r *recorder) measure(it item, e ending, latency time.Duration) {
	o := &r.operations[it.operation]
	add(&o.counts, e)
	if e.class == classAccepted {
		record(r.latency, latency)
		record(o.latency, latency)
	}
	if e.class != classUnsent {
		r.look.Sent++
	}
	if e.late {
		r.look.Late++
	}
	if e.injected {
		r.look.Injected++
	}
}

func add(c *run.Counts, e ending) {
	if e.class == classUnsent {
		c.Unsent++
		return
	}
	c.Sent++
	if e.late {
		c.Late++
	}
	if e.class.answered() {
		c.Answered++
	}
	if e.class == classAccepted {
		c.Accepted++
		return
	}
	if c.Failed == nil {
		c.Failed = make(map[string]int64)
	}
	c.Failed[string(e.class)]++
}

func record(h *hdrhistogram.Histogram, latency time.Duration) {
	_ = h.RecordValue(min(max(latency.Microseconds(), 1), greatest)) // inside its bounds
}

// tell tells the seconds that have ended, in order. A second has ended when all of
// its requests have, and a later one is under way.
func (r *recorder) tell(reached time.Duration) {
	for {
		s, end := r.upcoming()
		if s == nil || reached < end || s.ended < s.wire.Due {
			return
		}
		r.told <- s.filled()
		r.next++
	}
}

// upcoming is the next second to tell, and where it ends.
func (r *recorder) upcoming() (*second, time.Duration) {
	if r.next < len(r.warm) {
		end := time.Duration(r.next+1) * time.Second
		return r.warm[r.next], min(end, r.plan.Load.Warmup)
	}
	if i := r.next - len(r.warm); i < len(r.whole) {
		return r.whole[i], r.plan.Load.Warmup + time.Duration(i+1)*time.Second
	}
	return nil, 0
}

func (s *second) filled() run.Second {
	s.wire.P50Ms, s.wire.P99Ms, s.wire.MaxMs = milliseconds(s.latency, 50), milliseconds(s.latency, 99), float64(s.latency.Max())/1000
	return s.wire
}

func milliseconds(h *hdrhistogram.Histogram, percent float64) float64 {
	if h.TotalCount() == 0 {
		return 0
	}
	return float64(h.ValueAtPercentile(percent)) / 1000
}

// measured closes the count. reached is how far the schedule was driven.
func (r *recorder) measured(reached time.Duration, peak int) Measured {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(math.MaxInt64)
	l := r.plan.Load
	whole := max(reached-l.Warmup, 0)
	if whole > 0 {
		r.at(reached - 1) // seconds at the end that had no request count as well
	}
	r.look.WholeTime = whole.Seconds()
	for _, s := range r.whole {
		r.look.Seconds = append(r.look.Seconds, s.counts)
	}
	r.look.Quantile = r.quantile
	return Measured{Look: r.look, rec: r, peak: peak}
}

func (r *recorder) result(measured float64, peak int) run.LoadResult {
	result := run.LoadResult{
		AskedRate: r.plan.Load.MeanRate(), MeasuredSeconds: measured, Measured: r.total, Warmup: r.warmup,
		Latency: latencyOf(r.latency, r.total.Due), PeakInFlight: peak, MaxInFlight: r.plan.InFlight,
		Operations: []run.OperationResult{}, Seconds: []run.Second{},
	}
	for i, o := range r.operations {
		result.Operations = append(result.Operations, run.OperationResult{
			Operation: r.plan.Operations[i].Name, Counts: o.counts, Latency: latencyOf(o.latency, o.counts.Due),
		})
	}
	for _, s := range append(append([]*second{}, r.warm...), r.whole...) {
		result.Seconds = append(result.Seconds, s.filled())
	}
	if r.plan.Load.Pattern == "poisson" {
		result.Seed = int64(r.plan.Seed)
	}
	return result
}

// clone is a copy whose counts can be added to.
func (r *recorder) clone() *recorder {
	c := newRecorder(r.plan, nil)
	c.add(r)
	return c
}

// add adds what another look at the same load counted.
func (r *recorder) add(o *recorder) {
	r.warm, r.whole = append(r.warm, o.warm...), append(r.whole, o.whole...)
	addCounts(&r.warmup, o.warmup)
	addCounts(&r.total, o.total)
	r.latency.Merge(o.latency)
	for i := range r.operations {
		addCounts(&r.operations[i].counts, o.operations[i].counts)
		r.operations[i].latency.Merge(o.operations[i].latency)
	}
}

func addCounts(to *run.Counts, from run.Counts) {
	to.Due += from.Due
	to.Sent += from.Sent
	to.Unsent += from.Unsent
	to.Late += from.Late
	to.Answered += from.Answered
	to.Accepted += from.Accepted
	for class, n := range from.Failed {
		if to.Failed == nil {
			to.Failed = make(map[string]int64)
		}
		to.Failed[class] += n
	}
}

// latencyOf reads the quantiles over all that was due: one that falls among requests
// without an accepted answer is told as the greatest value.
func latencyOf(h *hdrhistogram.Histogram, due int64) run.Latency {
	at := func(q float64) float64 {
		v := quantileOf(h, due, q)
		if math.IsInf(v, 1) {
			return float64(h.Max()) / 1000
		}
		return v
	}
	return run.Latency{P50Ms: at(0.5), P95Ms: at(0.95), P99Ms: at(0.99), P999Ms: at(0.999), MaxMs: float64(h.Max()) / 1000}
}

// quantileOf is the latency in milliseconds that the share q of due requests stayed
// under; +Inf where it falls among those without an accepted answer.
func quantileOf(h *hdrhistogram.Histogram, due int64, q float64) float64 {
	rank := int64(math.Ceil(q * float64(due)))
	accepted := h.TotalCount()
	if accepted == 0 || rank > accepted {
		return math.Inf(1)
	}
	return float64(h.ValueAtPercentile(100*float64(rank)/float64(accepted))) / 1000
}

// quantile is the Quantile of the look.
func (r *recorder) quantile(from, to int, q float64) float64 {
	if from == 0 && to >= len(r.whole) {
		return quantileOf(r.latency, r.total.Due, q)
	}
	merged := hdrhistogram.New(1, greatest, digitsSeconds)
	var due int64
	for _, s := range r.whole[max(from, 0):min(to, len(r.whole))] {
		merged.Merge(s.latency)
		due += s.counts.Due
	}
	return quantileOf(merged, due, q)
}
