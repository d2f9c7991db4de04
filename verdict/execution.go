package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inorbit-hr/reliability/run"
)

// execution tells what the scenario's run says, or why there is none.
func (j *judge) execution() {
	r := j.Run
	if r != nil && r.Result != nil {
		j.out.Faults = faults(r.Result)
		j.lifting(r.Result)
	}
	if j.NotRun != nil {
		j.notRun()
	}
	switch {
	case j.Deleted:
	case j.File == nil:
		if j.Unreadable == "" && j.NotRun == nil {
			j.inconclusive("no-file", "the file was not read, so nothing can be said of it")
		}
	case r == nil:
		j.noRun()
	case r.Version != j.File.Hash():
		j.inconclusive("other-version", fmt.Sprintf("run %s is of another version of the file (%s) than the change's (%s)",
			plain(r.ID, maxName), shortHash(r.Version), shortHash(j.File.Hash())))
	case r.Status != run.StatusFinished:
		j.unfinished()
	default:
		j.finished()
	}
}

func shortHash(hash string) string { return plain(cut(hash, 12), maxName) }

func (j *judge) inconclusive(code, message string) {
	j.found(Finding{State: Inconclusive, code: code, where: j.find.name(), headline: message, Message: message, details: j.context()})
}

// lifting: a fault that was applied and not shown to be lifted comes before anything
// else, whatever the run measured.
func (j *judge) lifting(res *run.Result) {
	told := false
	for _, f := range res.Faults {
		if f.AppliedMs == nil || f.Lifted && f.Proved {
			continue
		}
		told = true
		at, ok := j.find.fault(f.Entry)
		if !ok {
			at = j.find.name()
		}
		what := fmt.Sprintf("the %s fault on %s", plain(f.Type, maxName), plain(f.Target, maxName))
		j.unproved(at, what, plain(f.Note, maxMessage))
	}
	if res.UnprovedLifting && !told {
		j.unproved(j.find.name(), "a fault", "")
	}
}

func (j *judge) unproved(at where, what, note string) {
	j.found(Finding{
		State: Inconclusive, unproved: true, code: "unproved-lifting", where: at,
		headline: what + " was not shown to be lifted",
		Message:  withReason(what+" may still be active: it was not shown to be lifted", note),
		details:  []string{"Its target is frozen for later faults until somebody with the right to has looked at it."},
	})
}

func (j *judge) notRun() {
	f := Finding{State: j.NotRun.State, timedOut: j.NotRun.TimedOut, code: "not-run", where: j.find.name()}
	reason := plain(j.NotRun.Reason, maxMessage)
	switch f.State {
	case Waiting:
		f.Message = "waits for a person: " + orElse(reason, "no reason was given")
	case Cancelled:
		f.Message = withReason("the run was cancelled", reason)
	case Refused:
		f.Message = "the run was refused: " + orElse(reason, "no reason was given")
	default:
		f.State = Inconclusive
		if f.timedOut {
			f.code = "timed-out"
		}
		f.Message = "could not be measured: " + orElse(reason, "no reason was given")
	}
	f.headline = orElse(reason, f.Message)
	if j.Run != nil {
		f.details = append(j.before(), j.context()...)
	}
	j.found(f)
}

// noRun: what was not run must say why, or it is inconclusive.
func (j *judge) noRun() {
	refused := slices.ContainsFunc(j.findings, func(f Finding) bool { return f.State == Invalid })
	if j.NotRun != nil || refused || j.out.Skipped != "" || j.settings.CheckOnly {
		return
	}
	if j.troubled {
		j.inconclusive("no-run", "was not run, because the change as a whole cannot be judged")
		return
	}
	j.inconclusive("no-run", "was not run, and nothing says why")
}

// unfinished: a run that has not ended says nothing yet.
func (j *judge) unfinished() {
	if j.NotRun != nil {
		return
	}
	reason := plain(j.Run.Reason, maxMessage)
	switch j.Run.Status {
	case run.StatusWaiting:
		message := orElse(reason, "a fault in production must be confirmed on the bench")
		j.found(Finding{State: Waiting, code: "waiting", where: j.find.name(), headline: message, Message: "waits for a person: " + message})
	case run.StatusQueued, run.StatusRunning:
		j.inconclusive("unfinished", withReason("the run has not ended", reason))
	default:
		j.inconclusive("unknown-status", "the bench gave a status that this version does not know: "+plain(string(j.Run.Status), maxName))
	}
}

func (j *judge) finished() {
	r := j.Run
	if r.Result != nil {
		j.out.Measured = measures(&j.File.Scenario, r.Result)
		for i := range j.out.Measured {
			m := &j.out.Measured[i]
			m.Line = j.find.measure(m.Key).r.Start.Line
		}
		compare(j.out.Measured, &j.File.Scenario, j.Base)
		j.out.Picture = picture(&j.File.Scenario, r.Result)
	}
	j.revision()
	reason := plain(r.Reason, maxMessage)
	switch r.Outcome {
	case run.OutcomePass, run.OutcomeBorderline, run.OutcomeFail, run.OutcomeBreach:
		j.decisions(reason)
	case run.OutcomeRefused:
		j.ended(Refused, "refused", "the run was refused", orElse(reason, "no reason was given"))
	case run.OutcomeCancelled:
		if j.NotRun != nil { // that says why
			return
		}
		j.ended(Cancelled, "cancelled", "the run was cancelled", reason)
	case run.OutcomeInconclusive:
		j.ended(Inconclusive, "inconclusive", "could not be measured", reason)
	default:
		j.inconclusive("unknown-outcome", "the bench gave an outcome that this version does not know: "+orElse(plain(string(r.Outcome), maxName), "none"))
	}
}

// ended tells a run that ended without a decision, at the first limit that was not
// decided where that is why.
func (j *judge) ended(state State, code, what, reason string) {
	f := Finding{State: state, code: code, where: j.find.name(), details: j.context()}
	if state == Inconclusive {
		for i := range j.out.Measured {
			m := &j.out.Measured[i]
			if m.Decision == held || m.Decision == broken {
				continue
			}
			f.where = j.find.measure(m.Key)
			if reason == "" {
				reason = m.sentence()
			}
			break
		}
	}
	if reason == "" && state == Inconclusive && j.leftBehind() {
		return // that is why, and it is told already
	}
	f.details = append(j.before(), f.details...)
	f.Message = withReason(what, reason)
	f.headline = orElse(reason, what)
	j.found(f)
}

// before is what was seen before a run ended without a decision.
func (j *judge) before() []string {
	if res := j.Run.Result; res != nil && res.Objective != nil && res.Objective.Breach != nil {
		return []string{"Before that: " + j.breachText(res.Objective)}
	}
	return nil
}

// leftBehind tells whether a fault was found that may still be active.
func (j *judge) leftBehind() bool {
	return slices.ContainsFunc(j.findings, func(f Finding) bool { return f.unproved })
}

// context are the lines about the run that every annotation of a measurement bears.
func (j *judge) context() []string {
	var lines []string
	if r := j.out.Run; r != nil {
		lines = append(lines, r.line())
		if head := j.change.Head; head != "" && r.Commit != "" && !sameCommit(r.Commit, head) {
			lines = append(lines, "It ran for commit "+shortCommit(r.Commit)+", whose file is the same")
		}
	}
	if !j.settings.CheckOnly {
		lines = append(lines, baseLine(j.out.Base))
	}
	return lines
}

// line says which run it was, and of what.
func (r *Run) line() string {
	parts := []string{"Run " + orElse(r.ID, "without id")}
	if r.Attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", r.Attempt))
	}
	if r.Looks > 1 {
		parts = append(parts, fmt.Sprintf("%d runs pooled", r.Looks))
	}
	if r.Revision != "" {
		parts = append(parts, "tested revision "+shortCommit(r.Revision))
	} else {
		parts = append(parts, "the service did not tell its revision")
	}
	return strings.Join(parts, ", ")
}

func baseLine(base *Run) string {
	if base == nil {
		return "Base branch: no finished run of this scenario"
	}
	text := "Base branch: " + outcomeWord(base.Outcome)
	if base.Breach != nil {
		b := *base.Breach
		after := b.AfterMeasuring
		if b.AfterFault != nil {
			after = *b.AfterFault
		}
		text += " after " + clock(after)
	}
	text += fmt.Sprintf(" (run %s", orElse(base.ID, "without id"))
	if base.Commit != "" {
		text += ", commit " + shortCommit(base.Commit)
	}
	return text + ")"
}

func outcomeWord(outcome string) string {
	switch run.Outcome(outcome) {
	case run.OutcomePass:
		return "passed"
	case run.OutcomeFail:
		return "failed"
	case run.OutcomeBreach:
		return "breached"
	case "":
		return "without outcome"
	default:
		return outcome
	}
}
