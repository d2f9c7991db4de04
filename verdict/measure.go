package verdict

import (
	"math"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// The decisions that a measure can have.
const (
	held       = string(run.DecisionPass)
	broken     = string(run.DecisionFail)
	borderline = string(run.DecisionBorderline)
	undecided  = string(run.DecisionUndecided)
)

// kind is what a limit of the format limits.
type kind struct {
	label   string // in a sentence: "p99 latency was ..."
	short   string // in a title
	unit    Unit
	minimum bool
}

var kinds = map[string]kind{
	string(scenario.MaxErrorRate):      {"error rate", "error rate", Share, false},
	string(scenario.MaxP50):            {"p50 latency", "p50", Milliseconds, false},
	string(scenario.MaxP95):            {"p95 latency", "p95", Milliseconds, false},
	string(scenario.MaxP99):            {"p99 latency", "p99", Milliseconds, false},
	string(scenario.MinRequests):       {"number of requests", "requests", Requests, true},
	string(scenario.MaxRequests):       {"number of requests", "requests", Requests, false},
	string(scenario.MinThroughput):     {"throughput", "throughput", PerSecond, true},
	string(scenario.MaxUncounted):      {"share of requests that the service did not count", "uncounted requests", Share, false},
	"checks." + scenario.CheckSurfaces: {"surface checks", "surface checks", NoUnit, false},
	objectiveKey(partSuccess):          {"success rate", "success rate", Share, true},
	objectiveKey(partP99):              {"p99 latency", "p99", Milliseconds, false},
}

// The parts of an objective.
const (
	partSuccess = "success_rate"
	partP99     = "p99_ms"
)

func objectiveKey(part string) string { return "objective." + part }

// kindOf is what a key limits; a key that this version does not know is its own label.
func kindOf(key string) kind {
	if k, ok := kinds[key]; ok {
		return k
	}
	name := plain(key, maxName)
	return kind{label: name, short: name}
}

// asked are the keys of everything that a scenario asserts, in the order of the file.
func asked(s *scenario.Scenario) []string {
	var keys []string
	for _, l := range s.Assertions.Limits {
		keys = append(keys, string(l.Name))
	}
	for _, c := range s.Assertions.Checks {
		keys = append(keys, "checks."+c)
	}
	if o := s.Objective; o != nil {
		if o.SuccessRate > 0 {
			keys = append(keys, objectiveKey(partSuccess))
		}
		if o.P99 > 0 {
			keys = append(keys, objectiveKey(partP99))
		}
	}
	return keys
}

// measures are what a run says of every limit: those of the file first, in its order,
// then what the run tells beyond them.
func measures(s *scenario.Scenario, r *run.Result) []Measure {
	told := map[string]Measure{}
	var order []string
	for i := range r.Assertions {
		m := assertion(&r.Assertions[i])
		if _, twice := told[m.Key]; !twice {
			order = append(order, m.Key)
		} else if worse(told[m.Key].Decision, m.Decision) {
			continue
		}
		told[m.Key] = m
	}
	for _, m := range objective(s.Objective, r.Objective) {
		order = append(order, m.Key)
		told[m.Key] = m
	}
	var all []Measure
	for _, key := range append(asked(s), order...) {
		if m, ok := told[key]; ok {
			all = append(all, m)
			delete(told, key)
		}
	}
	return all
}

// worse tells whether decision a is at least as bad as b.
func worse(a, b string) bool { return badness(a) >= badness(b) }

func badness(decision string) int {
	switch decision {
	case held:
		return 0
	case borderline:
		return 1
	case broken:
		return 3
	default:
		return 2
	}
}

func assertion(a *run.AssertionResult) Measure {
	k := kindOf(a.Name)
	return Measure{
		Key: plain(a.Name, maxName), Label: k.label, Unit: k.unit, Minimum: k.minimum,
		Value: finite(a.Value), Limit: orZero(a.Limit), Decision: decision(a.Decision),
		Interval: interval(a.Interval), Samples: a.Samples,
		Over: orZero(a.Over), Allowed: orZero(a.Allowed), Reason: plain(a.Reason, maxMessage),
	}
}

// decision is the decision, or undecided where it is one that this version does not
// know.
func decision(d run.Decision) string {
	if !d.Valid() {
		return undecided
	}
	return string(d)
}

// objective are the parts of an objective: the worst window of each.
func objective(o *scenario.Objective, r *run.ObjectiveResult) []Measure {
	if r == nil {
		return nil
	}
	if o == nil {
		o = &scenario.Objective{}
	}
	var all []Measure
	for _, p := range []struct {
		name  string
		limit float64
		worst *float64
	}{{partSuccess, o.SuccessRate, r.WorstSuccessRate}, {partP99, o.P99, r.WorstP99Ms}} {
		broke := r.Breach != nil && r.Breach.Part == p.name
		if p.limit == 0 && !broke {
			continue
		}
		k := kindOf(objectiveKey(p.name))
		m := Measure{
			Key: objectiveKey(p.name), Label: k.label + " over any " + clock(r.WindowMs), Unit: k.unit, Minimum: k.minimum,
			Value: finite(p.worst), Limit: p.limit, Decision: decision(r.Decision), Reason: plain(r.Reason, maxMessage),
		}
		switch {
		case broke:
			m.Decision, m.Samples = broken, r.Breach.Samples
			if m.Limit == 0 {
				m.Limit = orZero(r.Breach.Limit)
			}
			if m.Value == nil {
				m.Value = finite(&r.Breach.Value)
			}
		case m.within() && (r.Decision == run.DecisionBorderline || r.Breach != nil):
			m.Decision, m.Reason = held, "" // it is the other part
		case r.Breach != nil:
			m.Decision = borderline
		}
		all = append(all, m)
	}
	return all
}

// within tells whether the value is known and keeps the limit.
func (m *Measure) within() bool {
	switch {
	case m.Value == nil:
		return false
	case m.Minimum:
		return *m.Value >= m.Limit
	default:
		return *m.Value <= m.Limit
	}
}

// quantile tells whether the value is a latency's quantile over the whole run.
func (m *Measure) quantile() bool { return m.Unit == Milliseconds && m.Allowed > 0 }

func interval(i *run.Interval) *Interval {
	if i == nil || finite(&i.Low) == nil || finite(&i.High) == nil {
		return nil
	}
	return &Interval{Low: i.Low, High: i.High}
}

// finite is a copy of the number, or nil where there is none that can be written.
func finite(x *float64) *float64 {
	if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
		return nil
	}
	v := *x
	return &v
}

func orZero(x float64) float64 {
	if v := finite(&x); v != nil {
		return *v
	}
	return 0
}

// faults are what the run's faults did.
func faults(r *run.Result) []Fault {
	var all []Fault
	for _, f := range r.Faults {
		all = append(all, Fault{
			Entry: f.Entry, Type: plain(f.Type, maxName), Target: plain(f.Target, maxName),
			Applied: f.AppliedMs, Lifted: f.LiftedMs, Proved: f.Lifted && f.Proved,
			Met: f.Met, Affected: f.Affected, Note: plain(f.Note, maxMessage),
		})
	}
	return all
}

// about is what the verdict says of a run itself.
func about(r *run.Run) *Run {
	if r == nil {
		return nil
	}
	a := &Run{
		ID: plain(r.ID, maxName), Attempt: r.Attempt, Version: plain(r.Version, maxName),
		Commit: plain(r.Source.Commit, maxName), Outcome: plain(string(r.Outcome), maxName),
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
	}
	if r.Result == nil {
		return a
	}
	a.Revision, a.Looks = plain(r.Result.TestedRevision, maxName), r.Result.Looks
	if o := r.Result.Objective; o != nil && o.Breach != nil {
		b := o.Breach
		a.Breach = &Break{
			Part: plain(b.Part, maxName), Value: orZero(b.Value), Limit: orZero(b.Limit), Samples: b.Samples,
			At: b.AtMs, AfterMeasuring: b.AfterMeasuringMs, AfterFault: b.AfterFaultMs, Fault: b.Fault,
		}
	}
	return a
}

// compare puts what the base branch gave beside each measure.
func compare(all []Measure, s *scenario.Scenario, base *run.Run) {
	if base == nil || base.Result == nil {
		return
	}
	before := map[string]*float64{}
	for _, m := range measures(s, base.Result) {
		before[m.Key] = m.Value
	}
	for i := range all {
		all[i].Base = before[all[i].Key]
	}
}
