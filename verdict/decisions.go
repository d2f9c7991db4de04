package verdict

import (
	"fmt"
	"strings"

	"github.com/inorbit-hr/reliability/run"
)

// decisions holds a run's outcome against its own evidence: every limit of the file
// must have been decided, and the worst decision counts. An outcome that no decision
// explains stands all the same.
func (j *judge) decisions(reason string) {
	res := j.Run.Result
	if res == nil {
		res = &run.Result{}
	}
	before := len(j.findings)
	explained := j.eachMeasure()
	if o := res.Objective; o != nil && (o.Breach != nil || o.Decision == run.DecisionFail) {
		j.breach(o)
		explained[run.OutcomeBreach] = true
	}
	if o := res.Objective; o != nil && o.Breach == nil && o.Windows <= 0 && o.Decision == run.DecisionPass {
		j.inconclusive("not-measured", "no window of the objective was judged")
	}
	j.missing()
	if outcome := j.Run.Outcome; !explained[outcome] {
		j.unexplained(outcome, reason)
	}
	j.passed = len(j.findings) == before
}

// eachMeasure turns decisions into findings and tells which outcomes they explain.
func (j *judge) eachMeasure() map[run.Outcome]bool {
	explained := map[run.Outcome]bool{run.OutcomePass: true}
	for i := range j.out.Measured {
		m := &j.out.Measured[i]
		switch m.Decision {
		case held:
			if m.Value == nil && m.Unit != NoUnit {
				j.undecided(m)
			}
		case broken:
			if !m.objective() { // the breach tells those
				j.found(j.measured(Fail, "assertion", m))
				explained[run.OutcomeFail] = true
			}
		case borderline:
			j.borderline(m)
			explained[run.OutcomeBorderline] = true
		default:
			j.undecided(m)
		}
	}
	return explained
}

func (m *Measure) objective() bool { return strings.HasPrefix(m.Key, "objective.") }

func (j *judge) measured(state State, code string, m *Measure) Finding {
	f := Finding{State: state, code: code, where: j.find.measure(m.Key), headline: m.short(), Message: m.sentence()}
	if evidence := m.evidence(); evidence != "" {
		f.details = append(f.details, evidence)
	}
	f.details = append(f.details, j.context()...)
	return f
}

func (j *judge) undecided(m *Measure) {
	f := j.measured(Inconclusive, "undecided", m)
	f.headline = withReason(kindOf(m.Key).short+" could not be judged", m.Reason)
	j.found(f)
}

// borderline: over the limit, but not with certainty; the repository's settings say
// whether that blocks.
func (j *judge) borderline(m *Measure) {
	j.out.Borderline = true
	f := j.measured(Inconclusive, "borderline", m)
	f.headline = kindOf(m.Key).short + " is too close to its limit to judge"
	if s := j.settings.Borderline; s == "" || s == BorderlineNote {
		j.warnings = append(j.warnings, f)
		return
	}
	j.found(f)
}

// breach stands on the fault that was active, else on the objective.
func (j *judge) breach(o *run.ObjectiveResult) {
	b := o.Breach
	f := Finding{State: Breach, code: "breach", where: j.find.measure(objectiveKey(partP99)), Message: "the objective broke", headline: "broke its objective"}
	if b != nil {
		f.Message, f.headline = j.breachText(o), breachShort(b)
		f.where = j.find.measure(objectiveKey(b.Part))
		if b.Fault != nil {
			if at, ok := j.find.fault(*b.Fault); ok {
				f.where = at
			}
		}
		text := fmt.Sprintf("At %s of the run; %s requests in the window", clock(b.AtMs), count(b.Samples))
		if o.Suspect > 0 {
			text += fmt.Sprintf("; %d more of %d windows were over the limit, but not certainly", o.Suspect, o.Windows)
		}
		f.details = append(f.details, text)
	}
	for i := range j.out.Measured {
		if m := &j.out.Measured[i]; m.objective() && m.Value != nil {
			text := "Worst window: " + m.line()
			if m.Base != nil {
				text += "; base branch: " + amount(*m.Base, m.Unit)
			}
			f.details = append(f.details, text)
		}
	}
	f.details = append(f.details, j.context()...)
	j.found(f)
}

// breachText says when and how the objective broke, with the fault that was active.
func (j *judge) breachText(o *run.ObjectiveResult) string {
	fault := ""
	if b := o.Breach; b.Fault != nil && j.File != nil {
		if t := j.File.Scenario.Timeline; *b.Fault >= 0 && *b.Fault < len(t) {
			fault = plain(fmt.Sprintf("%s fault on %s", t[*b.Fault].Fault.Type, t[*b.Fault].Target), maxMessage)
		}
	}
	return breachSentence(o.Breach, o.WindowMs, fault)
}

// missing: a limit of the file that the run says nothing of was not measured.
func (j *judge) missing() {
	told := map[string]bool{}
	for i := range j.out.Measured {
		told[j.out.Measured[i].Key] = true
	}
	for _, key := range asked(&j.File.Scenario) {
		if told[key] {
			continue
		}
		k := kindOf(key)
		f := Finding{
			State: Inconclusive, code: "not-measured", where: j.find.measure(key), details: j.context(),
			headline: k.short + " was not measured", Message: "the run does not tell the " + k.label,
		}
		j.found(f)
	}
	if len(told) == 0 && len(asked(&j.File.Scenario)) == 0 {
		j.inconclusive("not-measured", "the run judged nothing")
	}
}

// unexplained keeps an outcome that no decision of the run explains.
func (j *judge) unexplained(outcome run.Outcome, reason string) {
	reason = orElse(reason, "the run does not say why")
	f := Finding{where: j.find.name(), details: j.context(), headline: reason}
	switch outcome {
	case run.OutcomeFail:
		f.State, f.code, f.Message = Fail, "assertion", "an assertion failed: "+reason
	case run.OutcomeBreach:
		f.State, f.code, f.Message = Breach, "breach", "the objective broke: "+reason
	case run.OutcomeBorderline:
		j.out.Borderline = true
		f.State, f.code, f.Message = Inconclusive, "borderline", "a limit is over, but not certainly: "+reason
		if s := j.settings.Borderline; s == "" || s == BorderlineNote {
			j.warnings = append(j.warnings, f)
			return
		}
	default:
		return
	}
	j.found(f)
}
