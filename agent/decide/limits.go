package decide

import (
	"fmt"
	"math"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// result starts the result of a limit, undecided.
func result(l scenario.Limit) run.AssertionResult {
	return run.AssertionResult{Name: string(l.Name), Limit: l.Value, Decision: run.DecisionUndecided}
}

// quantileKind is a latency limit of [assertions]: so many percent may be above it.
type quantileKind struct {
	word    string
	q       float64
	percent int64
	needed  int64 // requests, as the rules of the scenario file have it
	over    counter
}

var quantileKinds = map[scenario.LimitName]quantileKind{
	scenario.MaxP50: {"p50", 0.50, 50, 30, func(s Second) int64 { return s.Over.P50 }},
	scenario.MaxP95: {"p95", 0.95, 5, 60, func(s Second) int64 { return s.Over.P95 }},
	scenario.MaxP99: {"p99", 0.99, 1, 300, func(s Second) int64 { return s.Over.P99 }},
}

// quantile judges a latency limit by the share of requests above it.
func (e *evidence) quantile(l scenario.Limit) run.AssertionResult {
	kind := quantileKinds[l.Name]
	r := result(l)
	allowed := decimal(float64(kind.percent) / 100)
	q := question{
		need:    "a " + kind.word,
		needed:  kind.needed,
		allowed: allowed,
		over:    kind.over,
		above:   fmt.Sprintf("above %s ms", number(l.Value)),
	}
	value, cut, known := e.latency(0, e.seconds, kind.q)
	if n, k := e.sum(0, e.seconds, kind.over); !allowed.below(k, n) {
		value = min(value, l.Value) // histograms round, counts do not
	}
	var note string
	if known {
		r.Value = &value
		q.value = kind.word + " " + number(value) + " ms"
	}
	if cut {
		note = unanswered(kind.word, value, known)
		q.value = kind.word + " of requests without an accepted answer"
	}
	n, k := e.ask(&r, q)
	r.Allowed = allowed.value
	if n > 0 {
		r.Over = float64(k) / float64(n)
	}
	r.Reason = join(r.Reason, note)
	return r
}

// unanswered explains a quantile that lies among requests that were not accepted.
func unanswered(word string, greatest float64, known bool) string {
	if !known {
		return "no request was accepted, so the " + word + " has no value"
	}
	return fmt.Sprintf("the %s lies among the requests that were not accepted; %s ms is the greatest latency of an accepted one", word, number(greatest))
}

// errorRate judges max_error_rate. Injected errors count like any other.
func (e *evidence) errorRate(l scenario.Limit) run.AssertionResult {
	r := result(l)
	q := question{
		need:    fmt.Sprintf("an error rate of at most %s", percent(l.Value)),
		needed:  decimal(l.Value).needed(),
		allowed: decimal(l.Value),
		over:    errorsOf,
		above:   "not accepted",
	}
	n, k := e.sum(0, e.seconds, errorsOf)
	if n > 0 {
		value := float64(k) / float64(n)
		r.Value = &value
		q.value = "error rate"
	}
	e.ask(&r, q)
	return r
}

// question is a limit on a share of the measured requests.
type question struct {
	need    string // what needs samples: "a p99"
	value   string // what was measured: "p99 412 ms"
	needed  int64  // requests to judge it
	above   string // what the counted requests are: "above 400 ms"
	allowed share
	over    counter
}

// ask decides a share over the whole run: at or under the limit with enough requests
// it passes, over it and certain it fails, over it and not certain it is borderline.
func (e *evidence) ask(r *run.AssertionResult, q question) (n, k int64) {
	n, k = e.sum(0, e.seconds, q.over)
	effect := designEffect(e.looks, q.over, e.phases)
	r.Samples = n
	if n > 0 {
		r.EffectiveSamples = float64(n) / effect
		low, high := interval(float64(k)/effect, float64(n)/effect)
		r.Interval = &run.Interval{Low: low, High: high}
	}
	expected := e.planned * float64(len(e.looks))
	if e.scenario.Load != nil {
		expected *= e.scenario.Load.MeanRate()
	}
	switch {
	case e.unfit != "":
		r.Reason = e.unfit
	case n == 0 || e.short == "" && !e.enough(n, q.needed, expected):
		r.Reason = fmt.Sprintf("%s needs at least %d measured requests; %s", q.need, q.needed, measured(n))
	case e.short != "":
		r.Reason = e.short
	case !q.allowed.below(k, n):
		r.Decision = run.DecisionPass
	case certain(k, n, effect, q.allowed.value, level):
		r.Decision = run.DecisionFail
		r.Reason = fmt.Sprintf("%s: %s", q.value, e.shares(q, k, n, r))
	default:
		r.Decision = run.DecisionBorderline
		r.Reason = fmt.Sprintf("%s is over the limit, but not for certain: %s; %s",
			q.value, e.shares(q, k, n, r), decider(more(k, n, effect, q.allowed.value, level), "rate or duration"))
	}
	return n, k
}

// shares writes the evidence of a share: interval, limit, samples and looks.
func (e *evidence) shares(q question, k, n int64, r *run.AssertionResult) string {
	return fmt.Sprintf("%s of %d requests were %s where %s may be (95 %% interval %s to %s, worth %d independent requests, %s)",
		percent(float64(k)/float64(n)), n, q.above, percent(q.allowed.value),
		percent(r.Interval.Low), percent(r.Interval.High), int64(r.EffectiveSamples), runs(len(e.looks)))
}

// decider says how much more of what would decide.
func decider(times float64, what string) string {
	if times == 0 {
		return fmt.Sprintf("it is so close that not even %d times the %s would decide", mostMore, what)
	}
	return fmt.Sprintf("about %s times the %s would decide", number(roundUp(times)), what)
}

// roundUp keeps two digits of a factor, so that what is promised suffices.
func roundUp(f float64) float64 {
	if f < 10 {
		return math.Ceil(f*10) / 10
	}
	return math.Ceil(f)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
