package decide_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

var never = math.Inf(1) // the latency of a request without an accepted answer

// trace is a look by its latencies in milliseconds, a slice a second.
type trace [][]float64

// flat makes seconds of rate requests each at the same latency.
func flat(seconds, rate int, ms float64) trace {
	t := make(trace, seconds)
	for i := range t {
		t[i] = slices.Repeat([]float64{ms}, rate)
	}
	return t
}

// set gives the first n requests of each second in from:to another latency.
func (t trace) set(from, to, n int, ms float64) trace {
	for i := from; i < to; i++ {
		for j := range n {
			t[i][j] = ms
		}
	}
	return t
}

func over(latencies []float64, limit float64) (n int64) {
	for _, ms := range latencies {
		if limit > 0 && ms > limit {
			n++
		}
	}
	return n
}

// look measures the trace under the limits of a scenario.
func (t trace) look(s *scenario.Scenario) decide.Measurements {
	m := decide.Measurements{WholeTime: float64(len(t))}
	limit := func(n scenario.LimitName) float64 { v, _ := s.Assertions.Limit(n); return v }
	for _, latencies := range t {
		second := decide.Second{Due: int64(len(latencies))}
		for _, ms := range latencies {
			if math.IsInf(ms, 1) {
				second.Errors++
			}
		}
		second.Over.P50 = over(latencies, limit(scenario.MaxP50))
		second.Over.P95 = over(latencies, limit(scenario.MaxP95))
		second.Over.P99 = over(latencies, limit(scenario.MaxP99))
		if s.Objective != nil {
			second.Over.Objective = over(latencies, s.Objective.P99)
		}
		m.Sent += second.Due
		m.Seconds = append(m.Seconds, second)
	}
	m.Quantile = func(from, to int, q float64) float64 { return quantile(t[from:to], q) }
	return m
}

// quantile is the smallest latency that at least the share q does not exceed.
func quantile(seconds [][]float64, q float64) float64 {
	all := slices.Concat(seconds...)
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	rank := int(math.Ceil(q*float64(len(all)) - 1e-9))
	return all[min(max(rank, 1), len(all))-1]
}

// plan is a scenario over so many measured seconds.
func plan(seconds, rate int, limits ...scenario.Limit) *scenario.Scenario {
	return &scenario.Scenario{
		Load: &scenario.Load{Rate: float64(rate), Duration: time.Duration(seconds) * time.Second,
			Pattern: scenario.Constant},
		Assertions: scenario.Assertions{Limits: limits},
	}
}

func limit(name scenario.LimitName, v float64) scenario.Limit {
	return scenario.Limit{Name: name, Value: v}
}

func judge(s *scenario.Scenario, traces ...trace) decide.Judgement {
	var looks []decide.Measurements
	for _, t := range traces {
		looks = append(looks, t.look(s))
	}
	return decide.Judge(s, looks)
}

func wantOutcome(t *testing.T, j decide.Judgement, want run.Outcome) {
	t.Helper()
	if j.Outcome != want {
		t.Fatalf("outcome %s (%s), want %s", j.Outcome, j.Reason, want)
	}
	if (j.Reason == "") != (want == run.OutcomePass) {
		t.Errorf("outcome %s with reason %q", j.Outcome, j.Reason)
	}
}
