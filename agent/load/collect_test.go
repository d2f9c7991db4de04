package load

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// request is one of a drawn load: when it was due and what became of it.
type request struct {
	task
	class   Class
	latency time.Duration
	unsent  bool
}

func (r request) accepted() bool { return !r.unsent && r.class == Accepted }

var classes = []Class{Accepted, Accepted, Accepted, Connect, TLS, Timeout, Reset, Protocol, Status, Unfinished}

func drawRequests(t *rapid.T, p *Plan) []request {
	n := rapid.IntRange(0, 60).Draw(t, "requests")
	all := make([]request, n)
	for i := range all {
		r := &all[i]
		r.due = time.Duration(rapid.Int64Range(0, int64(p.Duration)-1).Draw(t, "due"))
		r.operation = rapid.IntRange(0, len(p.Operations)-1).Draw(t, "operation")
		r.class = rapid.SampledFrom(classes).Draw(t, "class")
		r.latency = time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "latency"))
		r.unsent = rapid.Bool().Draw(t, "unsent")
		r.bin = p.second(r.due)
	}
	slices.SortFunc(all, func(a, b request) int { return int(a.due - b.due) })
	return all
}

// What the collector tells is what a list of all requests would, whatever the order in
// which they end.
func TestCollectorAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Plan{Operations: make([]Operation, 2), LateAfter: time.Second, Limits: Limits{P99: time.Second, Objective: 2 * time.Second}}
		p.Warmup = time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "warmup"))
		p.Duration = p.Warmup + time.Duration(rapid.Int64Range(1, int64(3*time.Second)).Draw(t, "measured"))
		all := drawRequests(t, p)
		c := newCollector(p)
		for _, r := range all {
			c.due(r.task)
		}
		c.close()
		for _, i := range rapid.Permutation(numbers(len(all))).Draw(t, "order") {
			if r := all[i]; r.unsent {
				c.unsent(r.task, r.due+r.latency)
			} else {
				c.ended(result{task: r.task, class: r.class, latency: r.latency})
			}
		}
		if told := len(c.completed(0)); told != len(c.seconds) {
			t.Fatalf("%d of %d seconds are complete", told, len(c.seconds))
		}
		m := &Measured{plan: p, seconds: c.seconds, warmups: c.warmups, operations: c.operations, loads: 1}
		compare(t, p, m, all)
	})
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func compare(t *rapid.T, p *Plan, m *Measured, all []request) {
	measured := slices.DeleteFunc(slices.Clone(all), func(r request) bool { return r.due < p.Warmup })
	count := func(list []request, is func(request) bool) (n int64) {
		for _, r := range list {
			if is(r) {
				n++
			}
		}
		return n
	}
	r := m.Result()
	if r.Warmup.Due != int64(len(all)-len(measured)) || r.Measured.Due != int64(len(measured)) {
		t.Fatalf("%d due in warm-up and %d measured of %d", r.Warmup.Due, r.Measured.Due, len(all))
	}
	var failed int64
	for class, n := range r.Measured.Failed {
		if class != string(Status) {
			failed += n
		}
	}
	if k := r.Measured; k.Due != k.Sent+k.Unsent || k.Sent != k.Answered+failed || k.Answered != k.Accepted+k.Failed[string(Status)] ||
		k.Accepted != count(measured, request.accepted) {
		t.Fatalf("counts do not add up: %+v", k)
	}
	look := m.Look()
	for i, second := range look.Seconds {
		in := slices.DeleteFunc(slices.Clone(measured), func(r request) bool { return int((r.due-p.Warmup)/time.Second) != i })
		over := func(limit time.Duration) int64 {
			return count(in, func(r request) bool { return !r.accepted() || r.latency > limit })
		}
		if second.Due != int64(len(in)) || second.Errors != second.Due-count(in, request.accepted) ||
			second.Over.P99 != over(p.Limits.P99) || second.Over.Objective != over(p.Limits.Objective) || second.Over.P50 != 0 {
			t.Fatalf("second %d is %+v of %+v", i, second, in)
		}
	}
	for _, q := range []float64{0.01, 0.5, 0.95, 0.99, 1} {
		if got, want := look.Quantile(0, len(look.Seconds), q), exactQuantile(measured, q); !near(got, want) {
			t.Fatalf("quantile %v is %v, want %v", q, got, want)
		}
	}
}

// exactQuantile takes the nearest rank, in milliseconds.
func exactQuantile(list []request, q float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	var all []float64
	for _, r := range list {
		if !r.accepted() {
			all = append(all, math.Inf(1))
			continue
		}
		all = append(all, float64(r.latency.Microseconds())/1000)
	}
	slices.Sort(all)
	return all[max(int(math.Ceil(q*float64(len(all))-1e-9)), 1)-1]
}

// near allows for three digits.
func near(got, want float64) bool {
	if math.IsInf(want, 1) || math.IsNaN(want) {
		return math.IsInf(got, 1) == math.IsInf(want, 1) && math.IsNaN(got) == math.IsNaN(want)
	}
	return math.Abs(got-want) <= want/1000+0.001
}

// Two loads of one plan pool to what one load of all their requests would be.
func TestPoolAddsUp(t *testing.T) {
	p := &Plan{Operations: make([]Operation, 1), Duration: 2 * time.Second, LateAfter: time.Second}
	load := func(latency time.Duration) *Measured {
		c := newCollector(p)
		for i := range 4 {
			r := result{task: task{due: time.Duration(i) * 500 * time.Millisecond, bin: i / 2}, latency: latency}
			c.due(r.task)
			c.ended(r)
		}
		c.close()
		return &Measured{plan: p, seconds: c.seconds, operations: c.operations, loads: 1, peak: 1, Revisions: []string{"a"}}
	}
	slow := load(100 * time.Millisecond)
	slow.Revisions, slow.peak = []string{"b"}, 3
	m := Pool(load(time.Millisecond), slow)
	r := m.Result()
	if r.Measured.Due != 8 || r.MeasuredSeconds != 4 || len(r.Seconds) != 2 || r.Seconds[1].Due != 4 || r.PeakInFlight != 3 || len(m.Revisions) != 2 {
		t.Errorf("%+v", r)
	}
	if r.Latency.P50Ms > 2 || r.Latency.P95Ms < 99 {
		t.Errorf("latency %+v, want half of it slow", r.Latency)
	}
}
