package decide_test

import (
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

func TestQuantileLimits(t *testing.T) {
	// 3000 requests in 30 s; so many in the first seconds, one a second, are slow.
	spread := func(slow int) trace {
		tr := flat(30, 100, 20)
		for i := range slow {
			tr[i%30][i/30] = 500
		}
		return tr
	}
	p99 := limit(scenario.MaxP99, 400)
	for _, c := range []struct {
		name  string
		limit scenario.Limit
		trace trace
		want  run.Outcome
		says  []string
	}{
		{"under the limit", p99, spread(20), run.OutcomePass, nil},
		{"exactly at the limit", p99, spread(30), run.OutcomePass, nil},
		{"over, not certain", p99, spread(36), run.OutcomeBorderline,
			[]string{"max_p99_ms: p99 500 ms is over the limit, but not for certain", "1.2 % of 3000 requests were above 400 ms where 1 % may be", "95 % interval", "1 run", "times the rate or duration would decide"}},
		{"over and certain", p99, spread(90), run.OutcomeFail, []string{"max_p99_ms: p99 500 ms: 3 % of 3000"}},
		{"p50 holds", limit(scenario.MaxP50, 19), flat(30, 100, 20).set(0, 30, 60, 10), run.OutcomePass, nil},
		{"p50 fails", limit(scenario.MaxP50, 19), flat(30, 100, 20), run.OutcomeFail, []string{"max_p50_ms: p50 20 ms"}},
		{"p95 at its limit", limit(scenario.MaxP95, 400), spread(150), run.OutcomePass, nil},
		{"p95 fails", limit(scenario.MaxP95, 400), spread(300), run.OutcomeFail, []string{"max_p95_ms"}},
		{"answers that never came are slow", p99, flat(30, 100, 20).set(0, 30, 5, never), run.OutcomeFail,
			[]string{"the p99 lies among the requests that were not accepted; 20 ms is the greatest"}},
		{"errors at their limit", limit(scenario.MaxErrorRate, 0.01), flat(30, 100, 20).set(0, 30, 1, never), run.OutcomePass, nil},
		{"errors over", limit(scenario.MaxErrorRate, 0.01), flat(30, 100, 20).set(0, 30, 3, never), run.OutcomeFail,
			[]string{"max_error_rate: error rate: 3 % of 3000 requests were not accepted where 1 % may be"}},
		{"no error allowed, none seen", limit(scenario.MaxErrorRate, 0), flat(1, 2, 20), run.OutcomePass, nil},
		{"no error allowed, one seen", limit(scenario.MaxErrorRate, 0), flat(30, 100, 20).set(7, 8, 1, never), run.OutcomeFail, []string{"max_error_rate"}},
		{"all errors allowed", limit(scenario.MaxErrorRate, 1), flat(30, 100, never), run.OutcomePass, nil},
		{"everything fails", p99, flat(30, 100, never), run.OutcomeFail, []string{"no request was accepted, so the p99 has no value"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := judge(plan(len(c.trace), len(c.trace[0]), c.limit), c.trace)
			wantOutcome(t, j, c.want)
			for _, s := range c.says {
				if !strings.Contains(j.Reason, s) {
					t.Errorf("reason %q lacks %q", j.Reason, s)
				}
			}
		})
	}
}

func TestResultOfALimit(t *testing.T) {
	s := plan(300, 100, limit(scenario.MaxP99, 400))
	a := judge(s, flat(300, 100, 20).set(0, 300, 3, 450)).Assertions[0]
	if a.Name != "max_p99_ms" || a.Limit != 400 || a.Decision != run.DecisionFail || a.Samples != 30000 {
		t.Errorf("%+v", a)
	}
	if a.Value == nil || *a.Value != 450 || a.Over != 0.03 || a.Allowed != 0.01 {
		t.Errorf("value %v over %v allowed %v", a.Value, a.Over, a.Allowed)
	}
	if a.EffectiveSamples > 30000 || a.EffectiveSamples < 27000 {
		t.Errorf("%v effective samples of 30000 that do not correlate", a.EffectiveSamples)
	}
	if a.Interval == nil || a.Interval.Low < 0.027 || a.Interval.Low > 0.03 || a.Interval.High < 0.03 || a.Interval.High > 0.033 {
		t.Errorf("interval %+v", a.Interval)
	}
}

func TestUndecided(t *testing.T) {
	p99 := limit(scenario.MaxP99, 400)
	for _, c := range []struct {
		name  string
		s     *scenario.Scenario
		looks []decide.Measurements
		says  string
	}{
		{"nothing asserted", plan(30, 100), []decide.Measurements{flat(30, 100, 1).look(plan(30, 100))}, "nothing is asserted"},
		{"no looks", plan(30, 100, p99), nil, "max_p99_ms: a p99 needs at least 300 measured requests; none were measured"},
		{"empty look", plan(30, 100, p99), []decide.Measurements{{}}, "none were measured"},
		{"too few", plan(30, 4, p99), []decide.Measurements{flat(30, 4, 1).look(plan(30, 4, p99))}, "a p99 needs at least 300 measured requests; 120 were measured"},
		{"too few, all slow", plan(30, 4, p99), []decide.Measurements{flat(30, 4, 900).look(plan(30, 4, p99))}, "120 were measured"},
		{"too few for a p50", plan(29, 1, limit(scenario.MaxP50, 5)), []decide.Measurements{flat(29, 1, 1).look(plan(29, 1))}, "a p50 needs at least 30 measured requests; 29 were measured"},
		{"too few for a p95", plan(59, 1, limit(scenario.MaxP95, 5)), []decide.Measurements{flat(59, 1, 1).look(plan(59, 1))}, "a p95 needs at least 60 measured requests; 59 were measured"},
		{"too few for an error rate", plan(10, 100, limit(scenario.MaxErrorRate, 0.001)), []decide.Measurements{flat(10, 100, 1).look(plan(10, 100))}, "an error rate of at most 0.1 % needs at least 3000 measured requests; 1000 were measured"},
		{"cut short", plan(30, 100, p99), []decide.Measurements{flat(12, 100, 900).look(plan(12, 100, p99))}, "the run was cut short: 12s of 30s were measured"},
		{"second look cut short", plan(30, 100, p99), []decide.Measurements{flat(30, 100, 1).look(plan(30, 100, p99)), flat(12, 100, 1).look(plan(12, 100, p99))}, "cut short"},
		{"late", plan(30, 100, p99), late(flat(30, 100, 1).look(plan(30, 100, p99)), 4), "the generator fell behind: 4 of 3000 measured requests were sent over 10 ms late"},
		{"late and slow", plan(30, 100, p99), late(flat(30, 100, 900).look(plan(30, 100, p99)), 4), "the generator fell behind"},
		{"uncounted without a counter", plan(30, 100, limit(scenario.MaxUncounted, 0.1)), []decide.Measurements{flat(30, 100, 1).look(plan(30, 100))}, "what the service counted is not known"},
		{"a limit of another version", plan(30, 100, limit("max_p999_ms", 1)), []decide.Measurements{flat(30, 100, 1).look(plan(30, 100))}, "cannot judge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := decide.Judge(c.s, c.looks)
			wantOutcome(t, j, run.OutcomeInconclusive)
			if !strings.Contains(j.Reason, c.says) {
				t.Errorf("reason %q lacks %q", j.Reason, c.says)
			}
		})
	}
}

func late(m decide.Measurements, n int64) []decide.Measurements {
	m.Late = n
	return []decide.Measurements{m}
}

func TestLateInBounds(t *testing.T) {
	s := plan(30, 100, limit(scenario.MaxP99, 400))
	wantOutcome(t, decide.Judge(s, late(flat(30, 100, 1).look(s), 3)), run.OutcomePass)
}

func TestPoissonIsNotHeldToABadDraw(t *testing.T) {
	s := plan(300, 1, limit(scenario.MaxP99, 400))
	short := flat(290, 1, 1)
	short = append(short, make(trace, 10)...) // ten seconds without a request
	wantOutcome(t, judge(s, short), run.OutcomeInconclusive)
	s.Load.Pattern = scenario.Poisson
	wantOutcome(t, judge(s, short), run.OutcomePass)
	s.Load.Rate = 0.97 // the load was never made for 300
	wantOutcome(t, judge(s, short), run.OutcomeInconclusive)
}

func TestCounts(t *testing.T) {
	counted := func(n, injected int64) func(*decide.Measurements) {
		return func(m *decide.Measurements) { m.Counted, m.Injected = &n, injected }
	}
	for _, c := range []struct {
		name  string
		limit scenario.Limit
		with  func(*decide.Measurements)
		want  run.Outcome
		value float64
	}{
		{"min reached", limit(scenario.MinRequests, 3000), nil, run.OutcomePass, 3000},
		{"min missed", limit(scenario.MinRequests, 3001), nil, run.OutcomeFail, 3000},
		{"min counts what was sent", limit(scenario.MinRequests, 3000), func(m *decide.Measurements) { m.Sent = 2999 }, run.OutcomeFail, 2999},
		{"max kept", limit(scenario.MaxRequests, 3000), nil, run.OutcomePass, 3000},
		{"max passed", limit(scenario.MaxRequests, 2999), nil, run.OutcomeFail, 3000},
		{"throughput reached", limit(scenario.MinThroughput, 90), nil, run.OutcomePass, 90},
		{"throughput missed", limit(scenario.MinThroughput, 90.1), nil, run.OutcomeFail, 90},
		{"all counted", limit(scenario.MaxUncounted, 0), counted(3000, 0), run.OutcomePass, 0},
		{"one uncounted", limit(scenario.MaxUncounted, 0), counted(2999, 0), run.OutcomeFail, 1.0 / 3000},
		{"injected are not missed", limit(scenario.MaxUncounted, 0), counted(2000, 1000), run.OutcomePass, 0},
		{"uncounted at the limit", limit(scenario.MaxUncounted, 0.01), counted(2970, 0), run.OutcomePass, 0.01},
		{"uncounted over it", limit(scenario.MaxUncounted, 0.01), counted(2969, 0), run.OutcomeFail, 31.0 / 3000},
		{"somebody else calls", limit(scenario.MaxUncounted, 0.01), counted(3031, 0), run.OutcomeInconclusive, 0},
		{"all injected", limit(scenario.MaxUncounted, 0.01), counted(0, 3000), run.OutcomeInconclusive, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := plan(30, 100, c.limit)
			m := flat(30, 100, 20).set(0, 30, 10, never).look(s)
			if c.with != nil {
				c.with(&m)
			}
			j := decide.Judge(s, []decide.Measurements{m})
			wantOutcome(t, j, c.want)
			got := -1.0
			if v := j.Assertions[0].Value; v != nil {
				got = *v
			}
			if got != c.value {
				t.Errorf("value %v, want %v", got, c.value)
			}
		})
	}
}

func TestCutShortKeepsTooManyRequests(t *testing.T) {
	s := plan(300, 100, limit(scenario.MaxRequests, 900))
	wantOutcome(t, judge(s, flat(10, 100, 1)), run.OutcomeFail)
	wantOutcome(t, judge(s, flat(9, 100, 1)), run.OutcomeInconclusive)
}

func TestOutcomeOrder(t *testing.T) {
	a := func(d run.Decision) run.AssertionResult {
		return run.AssertionResult{Name: "checks.surfaces", Decision: d, Reason: string(d)}
	}
	o := func(d run.Decision) *run.ObjectiveResult { return &run.ObjectiveResult{Decision: d, Reason: string(d)} }
	for _, c := range []struct {
		assertions []run.AssertionResult
		objective  *run.ObjectiveResult
		want       run.Outcome
	}{
		{nil, nil, run.OutcomeInconclusive},
		{[]run.AssertionResult{a("pass")}, nil, run.OutcomePass},
		{nil, o("pass"), run.OutcomePass},
		{[]run.AssertionResult{a("fail")}, o("fail"), run.OutcomeBreach},
		{[]run.AssertionResult{a("undecided"), a("fail")}, o("borderline"), run.OutcomeFail},
		{[]run.AssertionResult{a("borderline"), a("pass")}, o("undecided"), run.OutcomeInconclusive},
		{[]run.AssertionResult{a("pass"), a("borderline")}, o("pass"), run.OutcomeBorderline},
		{[]run.AssertionResult{a("pass")}, o("borderline"), run.OutcomeBorderline},
		{[]run.AssertionResult{a("")}, nil, run.OutcomeInconclusive},
		{[]run.AssertionResult{a("pass"), a("else")}, nil, run.OutcomeInconclusive},
	} {
		got, reason := decide.Outcome(c.assertions, c.objective)
		if got != c.want || (reason == "") != (got == run.OutcomePass) {
			t.Errorf("%v, %v: %s (%s), want %s", c.assertions, c.objective, got, reason, c.want)
		}
	}
}
