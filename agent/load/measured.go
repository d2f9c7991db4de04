package load

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
)

// Measured is what one load measured, or several pooled.
type Measured struct {
	plan       *Plan
	seconds    []*second
	warmups    int
	operations []tally
	peak       int
	loads      int
	// Cancelled: the load was ended before its time.
	Cancelled bool
	// Trouble is what the machine lacked to send the load, in words; empty where it
	// lacked nothing. What was measured then says nothing of the service.
	Trouble string
	// Revisions are those that answers told, in the order in which they were first
	// seen.
	Revisions []string
	// Ticks: the machine has one processor, and due times were kept to the
	// millisecond.
	Ticks bool
}

// measured gives the seconds that count. Behind one that was cut off there is none.
func (m *Measured) measured() []*second {
	if len(m.seconds) <= m.warmups {
		return nil
	}
	of := m.seconds[m.warmups:]
	if i := slices.IndexFunc(of, func(s *second) bool { return s.cut }); i >= 0 {
		of = of[:i]
	}
	return of
}

// Look is the measurement as the decision takes it: seconds that a cancellation cut off
// are left out.
func (m *Measured) Look() decide.Measurements {
	of := m.measured()
	look := decide.Measurements{WholeTime: m.wholeTime(of)}
	for _, s := range of {
		look.Seconds = append(look.Seconds, decide.Second{Due: s.counts.Due, Errors: s.errors(), Over: s.over})
		look.Injected += s.injected
		look.Sent += s.counts.Sent
		look.Late += s.counts.Late
	}
	look.Quantile = func(from, to int, q float64) float64 {
		var n int64
		merged := newTally()
		for _, s := range of[from:to] {
			n += s.counts.Due
			merged.accepted.Merge(s.accepted)
		}
		return quantile(merged.accepted, n, q)
	}
	return look
}

func (m *Measured) wholeTime(of []*second) float64 {
	whole := (m.plan.Duration - m.plan.Warmup).Seconds()
	if m.Cancelled {
		return min(whole, float64(len(of)))
	}
	return whole
}

// quantile is the latency in milliseconds that the share q of n requests kept, of which
// those that are not among the accepted are slower than all; +Inf where it falls among
// these, NaN without a request.
func quantile(accepted *hdrhistogram.PackedHistogram, n int64, q float64) float64 {
	if n == 0 {
		return math.NaN()
	}
	rank := int64(math.Ceil(q*float64(n) - 1e-9))
	rank = max(rank, 1)
	if rank > accepted.TotalCount() {
		return math.Inf(1)
	}
	var seen int64
	for us, count := range accepted.ForEachBucket {
		if seen += count; seen >= rank {
			return float64(us) / 1000
		}
	}
	return math.Inf(1)
}

// wireQuantile tells a quantile that falls among requests without an accepted answer as
// the greatest value.
func (y *tally) wireQuantile(q float64) float64 {
	v := quantile(y.accepted, y.counts.Due, q)
	if math.IsNaN(v) {
		return 0
	}
	return min(v, milli(y.slowest))
}

func milli(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}

func (y *tally) latency() run.Latency {
	return run.Latency{
		P50Ms: y.wireQuantile(0.5), P95Ms: y.wireQuantile(0.95), P99Ms: y.wireQuantile(0.99),
		P999Ms: y.wireQuantile(0.999), MaxMs: milli(y.slowest),
	}
}

func (s *second) wire() run.Second {
	return run.Second{
		FromMs: s.from.Milliseconds(), Warmup: s.warmup,
		Due: s.counts.Due, Accepted: s.counts.Accepted, Errors: s.errors(),
		Injected: s.injected, Late: s.counts.Late, Unsent: s.counts.Unsent,
		P50Ms: s.wireQuantile(0.5), P99Ms: s.wireQuantile(0.99), MaxMs: milli(s.slowest),
	}
}

// Result is the measurement as the wire tells it: all that was sent, what a
// cancellation cut off included.
func (m *Measured) Result() run.LoadResult {
	warmup, all := newTally(), newTally()
	r := run.LoadResult{MaxInFlight: m.plan.Workers, PeakInFlight: m.peak}
	for _, s := range m.seconds {
		r.Seconds = append(r.Seconds, s.wire())
		if s.warmup {
			warmup.add(&s.tally)
		} else {
			all.add(&s.tally)
		}
	}
	r.Warmup, r.Measured, r.Latency = warmup.counts, all.counts, all.latency()
	r.MeasuredSeconds = float64(m.loads) * m.wholeTime(m.measured())
	for i, o := range m.plan.Operations {
		y := &m.operations[i]
		r.Operations = append(r.Operations, run.OperationResult{Operation: o.Name, Counts: y.counts, Latency: y.latency()})
	}
	return r
}

// Pool joins the measurements of loads of one plan: counts are added, seconds by equal
// offset.
func Pool(loads ...*Measured) *Measured {
	if len(loads) == 1 {
		return loads[0]
	}
	all := &Measured{plan: loads[0].plan, warmups: loads[0].warmups}
	for range loads[0].operations {
		all.operations = append(all.operations, newTally())
	}
	for _, m := range loads {
		all.loads += m.loads
		all.peak = max(all.peak, m.peak)
		all.Cancelled = all.Cancelled || m.Cancelled
		all.Ticks = all.Ticks || m.Ticks
		if all.Trouble == "" {
			all.Trouble = m.Trouble
		}
		for _, r := range m.Revisions {
			if !slices.Contains(all.Revisions, r) {
				all.Revisions = append(all.Revisions, r)
			}
		}
		for i := range m.operations {
			all.operations[i].add(&m.operations[i])
		}
		for i, s := range m.seconds {
			if i == len(all.seconds) {
				all.seconds = append(all.seconds, &second{from: s.from, warmup: s.warmup, tally: newTally()})
			}
			all.seconds[i].tally.add(&s.tally)
			all.seconds[i].cut = all.seconds[i].cut || s.cut
		}
	}
	return all
}
