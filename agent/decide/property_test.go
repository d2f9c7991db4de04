package decide_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
	"pgregory.net/rapid"
)

// anyTrace draws a look in which a share of the requests of each stretch is slow or
// never answered.
func anyTrace(seconds, rate int) *rapid.Generator[trace] {
	return rapid.Custom(func(t *rapid.T) trace {
		tr := flat(seconds, rate, 20)
		for range rapid.IntRange(0, 3).Draw(t, "stretches") {
			from := rapid.IntRange(0, seconds-1).Draw(t, "from")
			to := rapid.IntRange(from, seconds).Draw(t, "to")
			n := rapid.IntRange(0, rate).Draw(t, "n")
			tr.set(from, to, n, rapid.SampledFrom([]float64{10, 399, 401, 900, never}).Draw(t, "ms"))
		}
		return tr
	})
}

// anyScenario draws limits and an objective over those traces.
func anyScenario(seconds, rate int) *rapid.Generator[*scenario.Scenario] {
	return rapid.Custom(func(t *rapid.T) *scenario.Scenario {
		s := plan(seconds, rate)
		for _, name := range []scenario.LimitName{scenario.MaxP50, scenario.MaxP95, scenario.MaxP99} {
			if rapid.Bool().Draw(t, string(name)) {
				s.Assertions.Limits = append(s.Assertions.Limits, limit(name, 400))
			}
		}
		s.Assertions.Limits = append(s.Assertions.Limits,
			limit(scenario.MaxErrorRate, rapid.SampledFrom([]float64{0, 0.01, 0.1, 1}).Draw(t, "error rate")))
		if rapid.Bool().Draw(t, "objective") {
			s.Objective = &scenario.Objective{SuccessRate: rapid.SampledFrom([]float64{0, 0.99, 0.5}).Draw(t, "success rate"),
				P99: 400, Window: time.Duration(rapid.IntRange(1, seconds+1).Draw(t, "window")) * time.Second}
		}
		if rapid.Bool().Draw(t, "fault") {
			s.Timeline = []scenario.Entry{{Action: scenario.ActionFault, Target: "engine",
				At:  time.Duration(rapid.IntRange(0, seconds*1000).Draw(t, "at")) * time.Millisecond,
				For: time.Duration(rapid.IntRange(1, seconds*1000).Draw(t, "for")) * time.Millisecond}}
		}
		return s
	})
}

func draw(t *rapid.T) (*scenario.Scenario, trace, trace) {
	seconds := rapid.IntRange(1, 40).Draw(t, "seconds")
	rate := rapid.IntRange(1, 30).Draw(t, "rate")
	s := anyScenario(seconds, rate).Draw(t, "scenario")
	return s, anyTrace(seconds, rate).Draw(t, "first"), anyTrace(seconds, rate).Draw(t, "second")
}

func red(d run.Decision) bool { return d == run.DecisionFail }

// TestMoreSlowRequestsNeverHelp turns quick requests into ones that are never answered.
func TestMoreSlowRequestsNeverHelp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, tr, _ := draw(t)
		before := judge(s, tr)
		for range rapid.IntRange(1, 50).Draw(t, "worse") {
			second := tr[rapid.IntRange(0, len(tr)-1).Draw(t, "second")]
			second[rapid.IntRange(0, len(second)-1).Draw(t, "request")] = never
		}
		after := judge(s, tr)
		for i := range before.Assertions {
			b, a := before.Assertions[i].Decision, after.Assertions[i].Decision
			if (red(b) || b == run.DecisionBorderline) && a == run.DecisionPass {
				t.Fatalf("%s: %s, then %s", before.Assertions[i].Name, b, a)
			}
			if (b == run.DecisionUndecided) != (a == run.DecisionUndecided) {
				t.Fatalf("%s: %s, then %s", before.Assertions[i].Name, b, a)
			}
		}
		if o := before.Objective; o != nil && (red(o.Decision) || o.Suspect > 0) && after.Objective.Decision == run.DecisionPass {
			t.Fatalf("objective: %s, then pass", o.Decision)
		}
		if before.Outcome != run.OutcomePass && after.Outcome == run.OutcomePass {
			t.Fatalf("%s, then pass", before.Outcome)
		}
	})
}

func TestOrderOfLooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, b := draw(t)
		one, other := judge(s, a, b), judge(s, b, a)
		if !reflect.DeepEqual(one, other) {
			a, _ := json.Marshal(one)
			b, _ := json.Marshal(other)
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

// TestPooled holds the values of two looks to those of all their requests together.
func TestPooled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, b := draw(t)
		both := judge(s, a, b)
		union := slices.Concat(a, b)
		for i, r := range both.Assertions {
			if want := judge(s, a).Assertions[i].Samples + judge(s, b).Assertions[i].Samples; r.Samples != want {
				t.Fatalf("%s: %d samples of %d", r.Name, r.Samples, want)
			}
			q, ok := map[string]float64{"max_p50_ms": 0.5, "max_p95_ms": 0.95, "max_p99_ms": 0.99}[r.Name]
			if !ok {
				continue
			}
			want := quantile(union, q)
			if math.IsInf(want, 1) {
				want = greatest(union)
			}
			if r.Value == nil && want > 0 || r.Value != nil && *r.Value != want {
				t.Fatalf("%s: %+v, want %v", r.Name, r, want)
			}
		}
	})
}

// greatest is the greatest latency of an accepted request, 0 where there is none.
func greatest(seconds [][]float64) float64 {
	g := 0.0
	for _, ms := range slices.Concat(seconds...) {
		if !math.IsInf(ms, 1) {
			g = max(g, ms)
		}
	}
	return g
}

// TestPassIsEarned finds no pass that the plain shares do not allow, and none without
// requests enough.
func TestPassIsEarned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, a, _ := draw(t)
		j := judge(s, a)
		if j.Outcome != run.OutcomePass {
			return
		}
		all := slices.Concat(a...)
		for _, r := range j.Assertions {
			allowed, needed, lim := 0.0, 1.0, 400.0
			switch r.Name {
			case "max_p50_ms":
				allowed, needed = 0.5, 30
			case "max_p95_ms":
				allowed, needed = 0.05, 60
			case "max_p99_ms":
				allowed, needed = 0.01, 300
			case "max_error_rate":
				allowed, lim = r.Limit, math.MaxFloat64
				if allowed > 0 {
					needed = 3 / allowed
				}
			}
			if k := over(all, lim); float64(k) > allowed*float64(len(all))+1e-9 || float64(len(all)) < needed-1e-9 {
				t.Fatalf("%s passed with %d of %d over", r.Name, k, len(all))
			}
		}
		if s.Objective == nil {
			return
		}
		w := int(s.Objective.Window.Seconds())
		for to := w; to <= len(a); to++ {
			in := slices.Concat(a[to-w : to]...)
			if 100*over(in, 400) > int64(len(in)) || len(in) < 300 {
				t.Fatalf("the window to %d passed with %d of %d", to, over(in, 400), len(in))
			}
		}
	})
}

// TestNothingIsNeverGreen leaves out the measurements, or requests in all of them.
func TestNothingIsNeverGreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := draw(t)
		var looks []decide.Measurements
		for range rapid.IntRange(0, 2).Draw(t, "looks") {
			seconds := make(trace, rapid.IntRange(0, 50).Draw(t, "empty seconds"))
			looks = append(looks, seconds.look(s))
		}
		if j := decide.Judge(s, looks); j.Outcome != run.OutcomeInconclusive || j.Reason == "" {
			t.Fatalf("%s (%s)", j.Outcome, j.Reason)
		}
	})
}

// TestResultsCanBeSent throws counts at the decision that no trace has; numbers that
// JSON does not know must not come out.
func TestResultsCanBeSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(20, 100).Draw(t, "scenario")
		s.Assertions.Limits = append(s.Assertions.Limits, limit(scenario.MinThroughput, 1), limit(scenario.MaxUncounted, 0.1),
			limit(scenario.MinRequests, 1))
		var looks []decide.Measurements
		for range rapid.IntRange(0, 3).Draw(t, "looks") {
			value := rapid.SampledFrom([]float64{0, 1, 1e9, math.Inf(1), math.NaN()}).Draw(t, "quantile")
			counted := rapid.Int64Range(0, 1e9).Draw(t, "counted")
			m := decide.Measurements{
				WholeTime: rapid.SampledFrom([]float64{0, 19.5, 20, 21, 1e6}).Draw(t, "time"),
				Quantile:  func(int, int, float64) float64 { return value },
				Counted:   &counted,
				Sent:      rapid.Int64Range(0, 1e9).Draw(t, "sent"),
			}
			for range rapid.IntRange(0, 25).Draw(t, "seconds") {
				due := rapid.Int64Range(0, 1e6).Draw(t, "due")
				errors := rapid.Int64Range(0, due).Draw(t, "errors")
				slow := rapid.Int64Range(errors, due).Draw(t, "slow")
				m.Seconds = append(m.Seconds, decide.Second{Due: due, Errors: errors,
					Over: decide.Over{P50: slow, P95: slow, P99: slow, Objective: slow}})
			}
			looks = append(looks, m)
		}
		j := decide.Judge(s, looks)
		if _, err := json.Marshal(j); err != nil {
			t.Fatal(err)
		}
		if !j.Outcome.Valid() || (j.Reason == "") != (j.Outcome == run.OutcomePass) {
			t.Fatalf("%s (%s)", j.Outcome, j.Reason)
		}
	})
}
