package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inorbit-hr/reliability/scenario"
)

// Judge gives the one answer for a change. The worst scenario decides; from the worst:
// a fault that was not shown to be lifted, invalid, refused, breach, fail,
// inconclusive, waiting, cancelled, pass. What is not known is inconclusive, never a
// pass.
func Judge(in Input) Verdict {
	v := Verdict{CheckOnly: in.Settings.CheckOnly, Change: in.Change}
	for _, note := range in.Notes {
		v.Notes = append(v.Notes, plain(note, maxMessage))
	}
	for _, p := range in.Problems {
		v.Problems = append(v.Problems, Problem{Path: p.Path, Line: max(0, p.Line), Message: plain(p.Message, maxMessage)})
	}
	for i := range in.Scenarios {
		j := judge{Scenario: in.Scenarios[i], change: in.Change, settings: in.Settings, troubled: len(in.Problems) > 0}
		v.Scenarios = append(v.Scenarios, j.judged())
		v.Annotations = append(v.Annotations, j.annotations()...)
	}
	for _, p := range v.Problems {
		v.Annotations = append(v.Annotations, problemAnnotation(p))
	}
	v.settle()
	slices.SortStableFunc(v.Scenarios, func(a, b Judged) int { return cmp.Compare(rank(&b), rank(&a)) })
	sortAnnotations(v.Annotations)
	v.Title = title(&v)
	return v
}

// settle finds the state of the whole.
func (v *Verdict) settle() {
	v.State = None
	if len(v.Problems) > 0 {
		v.State = Invalid
	}
	worst := v.State.severity()
	for i := range v.Scenarios {
		c := &v.Scenarios[i].counted
		switch n := severityOf(c.State, c.unproved); {
		case n > worst:
			v.State, v.Unproved, v.TimedOut, worst = c.State, c.unproved, c.timedOut, n
		case n == worst:
			v.TimedOut = v.TimedOut || c.timedOut
		}
	}
	v.TimedOut = v.TimedOut && v.State == Inconclusive
	if v.CheckOnly && v.State == Pass {
		v.State = None
	}
}

// covered tells whether being advisory keeps a finding from blocking: it does for a
// failure, a breach and what could not be measured, and for nothing else.
func (f *Finding) covered(advisory bool) bool {
	return advisory && !f.unproved && (f.State == Fail || f.State == Breach || f.State == Inconclusive)
}

func severityOf(s State, unproved bool) int {
	if unproved {
		return severityUnproved
	}
	return s.severity()
}

// rank orders scenarios for showing: what blocks first, then the worst.
func rank(s *Judged) int {
	if s.Blocking {
		return 100 + severityOf(s.counted.State, s.counted.unproved)
	}
	return severityOf(s.State, s.Unproved)
}

// judge works on one scenario.
type judge struct {
	Scenario
	change   Change
	settings Settings
	troubled bool // the change as a whole has problems

	passed   bool // the run held every limit of the file
	findings []Finding
	warnings []Finding // block nothing
	out      Judged
	find     finder
}

func (j *judge) judged() Judged {
	j.find = finder{j.File}
	j.out = Judged{
		Path: j.Path, Name: shownPath(j.Path), Advisory: j.Advisory, Deleted: j.Deleted, Approved: j.Approved,
		State: None, Base: about(j.Base), Run: about(j.Run),
	}
	if j.File != nil {
		if name := j.File.Scenario.Name; name != "" {
			j.out.Name = plain(name, maxName)
		}
		j.out.Environment = plain(j.File.Scenario.Environment, maxName)
		j.out.Skipped = plain(j.File.Scenario.Skip, maxMessage)
	}
	j.files()
	j.loosening()
	j.execution()
	slices.SortStableFunc(j.findings, func(a, b Finding) int {
		return cmp.Compare(severityOf(b.State, b.unproved), severityOf(a.State, a.unproved))
	})
	j.out.Findings = j.findings
	j.conclude()
	return j.out
}

// conclude finds the scenario's state and says it in one line.
func (j *judge) conclude() {
	out := &j.out
	for i := range j.findings {
		f := &j.findings[i]
		if i == 0 {
			out.State, out.Unproved, out.Summary = f.State, f.unproved, f.Message
		}
		out.TimedOut = out.TimedOut || f.timedOut && f.State == out.State
		switch {
		case f.covered(j.Advisory):
		case !out.Blocking:
			out.Blocking, out.counted = true, *f
		case f.State == out.counted.State:
			out.counted.timedOut = out.counted.timedOut || f.timedOut
		}
	}
	if len(j.findings) > 0 {
		if !out.Blocking {
			out.counted.State = None
		}
		return
	}
	defer func() { out.counted.State = out.State }()
	switch {
	case out.Deleted:
		out.Summary = "deleted by this change"
		if out.Approved {
			out.Summary += ", approved by a person"
		}
	case out.Skipped != "":
		out.Summary = "skipped: " + out.Skipped
	case j.passed:
		out.State = Pass
		out.Summary = passed(out.Measured, out.Borderline)
	default:
		out.Summary = "checked, not run"
	}
}

func (j *judge) found(f Finding) { j.findings = append(j.findings, f) }

// files tells what is wrong with the file itself, or with its fit to the account.
func (j *judge) files() {
	if j.Deleted {
		return
	}
	if j.Unreadable != "" {
		reason := plain(j.Unreadable, maxMessage)
		j.found(Finding{State: Invalid, Message: "the file cannot be read: " + reason, headline: "cannot be read: " + reason, code: "unreadable"})
	}
	var all []scenario.Diagnostic
	if j.File != nil {
		all = append(all, j.File.Diagnostics...)
	}
	for _, d := range append(all, j.Findings...) {
		j.diagnostic(d)
	}
}

func (j *judge) diagnostic(d scenario.Diagnostic) {
	f := Finding{State: Invalid, Message: plain(d.Message, maxMessage), code: plain(d.Code, maxName), where: where{d.Range}}
	if s := plain(d.Suggestion, maxMessage); s != "" && !strings.Contains(f.Message, s) {
		f.details = []string{"Write instead: " + s}
	}
	f.headline = f.Message
	if line := d.Range.Start.Line; line > 0 {
		f.headline = fmt.Sprintf("line %d: %s", line, f.Message)
	}
	if d.Severity == scenario.Warning {
		j.warnings = append(j.warnings, f)
		return
	}
	j.found(f)
}

// loosening tells how the change moved the bar, and whether a person must agree.
func (j *judge) loosening() {
	for i := range j.Differences {
		d := &j.Differences[i]
		diff := Difference{
			Path: plain(d.Path, maxName), Direction: plain(string(d.Direction), maxName),
			Message: plain(strings.TrimSuffix(d.Message, ": "+string(d.Direction)), maxMessage),
			Line:    d.Range.Start.Line, BaseLine: d.BaseRange.Start.Line, InBase: d.InBase,
		}
		j.out.Differences = append(j.out.Differences, diff)
		// A deletion is told once, as a whole. A direction that is not known is looser.
		if j.Deleted || d.Direction == scenario.Tighter || d.Direction == scenario.Different {
			continue
		}
		f := Finding{State: Waiting, code: "loosened", headline: "lowers the bar: " + diff.Message, Message: "this change lowers the bar: " + diff.Message}
		if !d.InBase {
			f.where = where{d.Range}
		}
		if diff.BaseLine > 0 {
			f.details = append(f.details, fmt.Sprintf("On the base branch it is line %d.", diff.BaseLine))
		}
		j.needsPerson(f)
	}
	if j.Deleted {
		j.needsPerson(Finding{
			State: Waiting, code: "deleted", headline: "was deleted", Message: "this change deletes the scenario: what it guarded is no longer tested",
			details: []string{"The line is that of the base branch's version."},
		})
	}
}

// needsPerson makes it a finding where a person must still agree, else a warning.
func (j *judge) needsPerson(f Finding) {
	switch {
	case j.Approved:
		f.details = append(f.details, "A person approved it.")
		j.warnings = append(j.warnings, f)
	case j.settings.Loosened == LoosenedNote:
		j.warnings = append(j.warnings, f)
	default:
		f.details = append(f.details, "A person who is neither the author nor a committer of the change must approve it.")
		j.found(f)
	}
}
