package decide

import (
	"fmt"
	"math"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// Judgement is what the looks at a scenario say.
type Judgement struct {
	// Assertions are the limits of [assertions] in the order of the file. Checks are
	// not among them: whoever makes them appends their results and calls Outcome.
	Assertions []run.AssertionResult
	// Objective is nil without an [objective].
	Objective *run.ObjectiveResult
	Outcome   run.Outcome // pass, fail, breach, borderline or inconclusive
	// Reason is one line: what decided. Empty for pass.
	Reason string
}

// Judge decides a scenario from one look, or from two that it pools: requests over a
// limit are added, windows by equal offset. A first look that is borderline is worth
// a second; the order of two looks does not matter.
//
// Whatever cannot be known is undecided, which makes the outcome inconclusive: too
// few requests; a run cut short; a generator that sent more than mostLate of the
// requests late, since it then measured itself. A breach seen before a run was cut
// short stays one.
func Judge(s *scenario.Scenario, looks []Measurements) Judgement {
	e := gather(s, looks)
	var j Judgement
	for _, l := range s.Assertions.Limits {
		j.Assertions = append(j.Assertions, e.limit(l))
	}
	if s.Objective != nil {
		j.Objective = e.objective(s.Objective)
	}
	j.Outcome, j.Reason = Outcome(j.Assertions, j.Objective)
	return j
}

// Outcome is the outcome of a run from its parts: a breach before a failed assertion,
// that before anything undecided, that before anything borderline. Nothing asserted
// is inconclusive. The reason names the part that decided; it is empty for pass.
func Outcome(assertions []run.AssertionResult, objective *run.ObjectiveResult) (run.Outcome, string) {
	if objective != nil && objective.Decision == run.DecisionFail {
		return run.OutcomeBreach, "objective: " + objective.Reason
	}
	if len(assertions) == 0 && objective == nil {
		return run.OutcomeInconclusive, "nothing is asserted"
	}
	for _, step := range []struct {
		decided func(run.Decision) bool
		outcome run.Outcome
	}{
		{func(d run.Decision) bool { return d == run.DecisionFail }, run.OutcomeFail},
		// A decision that is not known is not one.
		{func(d run.Decision) bool { return d != run.DecisionPass && d != run.DecisionBorderline }, run.OutcomeInconclusive},
		{func(d run.Decision) bool { return d == run.DecisionBorderline }, run.OutcomeBorderline},
	} {
		for _, a := range assertions {
			if step.decided(a.Decision) {
				return step.outcome, a.Name + ": " + a.Reason
			}
		}
		if objective != nil && step.decided(objective.Decision) {
			return step.outcome, "objective: " + objective.Reason
		}
	}
	return run.OutcomePass, ""
}

// mostLate is the share of the measured requests of a look that its generator may
// send over 10 ms late by its own fault, as one in so many.
const mostLate = 1000

// evidence is what all looks together hold, and why it may not be enough.
type evidence struct {
	scenario *scenario.Scenario
	looks    []Measurements
	seconds  int      // of the longest look
	phases   [][2]int // of the measured seconds, between starts and ends of faults
	planned  float64  // seconds that a whole look measures

	// unfit says why nothing that was measured may decide; empty where it may.
	unfit string
	// short says that a look was cut short; empty where each is whole.
	short string
}

func gather(s *scenario.Scenario, looks []Measurements) *evidence {
	e := &evidence{scenario: s, looks: looks}
	if s.Load != nil {
		e.planned = s.Load.Measured().Seconds()
	}
	var late, lateOf int64
	whole := math.Inf(1)
	for _, m := range looks {
		var due int64
		for _, second := range m.Seconds {
			due += second.Due
		}
		e.seconds = max(e.seconds, len(m.Seconds))
		whole = min(whole, m.WholeTime)
		if m.Late*mostLate > due && m.Late > late {
			late, lateOf = m.Late, due
		}
	}
	if late > 0 {
		e.unfit = fmt.Sprintf("the generator fell behind: %d of %d measured requests were sent over 10 ms late although a worker was free (0.1 %% may be); a lower rate or a machine with more to spare would decide", late, lateOf)
	}
	// Half a second of slack for a clock, and less for a load of seconds.
	if whole < e.planned-min(0.5, e.planned/100) {
		e.short = fmt.Sprintf("the run was cut short: %s of %s were measured; a whole run would decide", seconds(whole), seconds(e.planned))
	}
	e.phases = phases(s, e.seconds)
	return e
}

// limit judges one limit of [assertions].
func (e *evidence) limit(l scenario.Limit) run.AssertionResult {
	switch l.Name {
	case scenario.MaxP50, scenario.MaxP95, scenario.MaxP99:
		return e.quantile(l)
	case scenario.MaxErrorRate:
		return e.errorRate(l)
	case scenario.MinRequests, scenario.MaxRequests, scenario.MinThroughput:
		return e.count(l)
	case scenario.MaxUncounted:
		return e.uncounted(l)
	}
	return run.AssertionResult{Name: string(l.Name), Limit: l.Value, Decision: run.DecisionUndecided,
		Reason: "this version cannot judge it"}
}

// enough tells whether n requests can be judged where needed ones are; expected is
// how many the load should have made. Times drawn at random make fewer or more than
// expected, and a load that was made for just enough is not held to a bad draw.
func (e *evidence) enough(n, needed int64, expected float64) bool {
	if n >= needed {
		return true
	}
	if e.scenario.Load == nil || e.scenario.Load.Pattern != scenario.Poisson || expected < float64(needed) {
		return false
	}
	short := float64(needed - n)
	const deviations = 4
	return short*short <= deviations*deviations*float64(needed)
}
