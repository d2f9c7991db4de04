package verdict

import (
	"cmp"
	"slices"
	"strings"
)

// maxAnnotationTitle is in code points; GitHub takes 255 characters.
// https://docs.github.com/en/rest/checks/runs
const maxAnnotationTitle = 200

// annotations are those of one scenario; there is at least one.
func (j *judge) annotations() []Annotation {
	var all []Annotation
	for i := range j.findings {
		f := &j.findings[i]
		level := Failure
		if f.State == Waiting || f.State == Cancelled || f.covered(j.Advisory) {
			level = Warning
		}
		all = append(all, j.annotation(f, level, f.verb()))
	}
	for i := range j.warnings {
		a := j.annotation(&j.warnings[i], Warning, j.warnings[i].warned())
		a.severity = None.severity() // behind every warning that blocks
		all = append(all, a)
	}
	if j.passed || len(j.findings) == 0 && !j.Deleted {
		all = append(all, j.good())
	}
	return all
}

// verb says what happened to a scenario, after its name.
func (f *Finding) verb() string {
	switch {
	case f.unproved:
		return "may have left a fault behind"
	case f.code == "timed-out":
		return "timed out"
	}
	switch f.State {
	case Fail:
		return "failed"
	case Breach:
		return "breached its objective"
	case Invalid:
		return "is invalid"
	case Refused:
		return "was refused"
	case Waiting:
		return "waits for a person"
	case Cancelled:
		return "was cancelled"
	default:
		return "is inconclusive"
	}
}

// warned is verb for what blocks nothing.
func (f *Finding) warned() string {
	switch f.code {
	case "loosened":
		return "has a lower bar"
	case "deleted":
		return "was deleted"
	case "borderline":
		return "is borderline"
	case "revision":
		return "was measured on another revision"
	default:
		return "has a warning"
	}
}

func (j *judge) annotation(f *Finding, level Level, verb string) Annotation {
	name := j.out.Name
	if j.Advisory {
		name += " (advisory)"
	}
	a := j.at(f.where, level, f.code, name+" "+verb, append([]string{f.Message}, f.details...))
	a.severity = severityOf(f.State, f.unproved)
	return a
}

// good is the notice of a scenario whose run held every limit, or that nothing was
// found about.
func (j *judge) good() Annotation {
	message := []string{j.out.Summary}
	verb, at := "passed", j.find.name()
	state := None
	switch {
	case j.passed:
		state = Pass
		message = []string{lead(j.out.Borderline)}
		for i := range j.out.Measured {
			m := &j.out.Measured[i]
			line := m.line()
			if evidence := m.evidence(); evidence != "" {
				line += ": " + evidence
			}
			message = append(message, line)
		}
		message = append(message, j.context()...)
	case j.out.Skipped != "":
		verb, message = "was skipped", []string{"not run: " + j.out.Skipped}
		if w, ok := j.find.value("scenario.skip"); ok {
			at = w
		}
	default:
		verb = "was checked, not run"
	}
	name := j.out.Name
	if j.Advisory {
		name += " (advisory)"
	}
	return j.at(at, Notice, string(state), name+" "+verb, message)
}

func (j *judge) at(w where, level Level, code, title string, message []string) Annotation {
	s := j.find.place(w)
	return Annotation{
		Path: j.Path, StartLine: s.startLine, EndLine: s.endLine, StartColumn: s.startColumn, EndColumn: s.endColumn,
		Level: level, Code: code, Title: bound(title, maxAnnotationTitle), Message: strings.Join(message, "\n"),
		Source: s.source, SourceColumn: s.sourceColumn,
	}
}

func problemAnnotation(p Problem) Annotation {
	line := max(1, p.Line)
	return Annotation{
		Path: p.Path, StartLine: line, EndLine: line, Level: Failure, Code: "configuration",
		Title: "The change cannot be judged", Message: p.Message, SourceColumn: 1, severity: Invalid.severity(),
	}
}

// sortAnnotations brings the worst to the front: platforms show only the first few.
func sortAnnotations(all []Annotation) {
	slices.SortStableFunc(all, func(a, b Annotation) int {
		return cmp.Or(
			cmp.Compare(levelRank(a.Level), levelRank(b.Level)),
			cmp.Compare(b.severity, a.severity),
			strings.Compare(a.Path, b.Path),
			cmp.Compare(a.StartLine, b.StartLine),
			cmp.Compare(a.StartColumn, b.StartColumn),
		)
	})
}

func levelRank(l Level) int {
	switch l {
	case Failure:
		return 0
	case Warning:
		return 1
	default:
		return 2
	}
}
