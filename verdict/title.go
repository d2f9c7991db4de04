package verdict

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// passed says in one line that every limit held, with the measured values.
func passed(all []Measure, borderline bool) string {
	var parts []string
	for i := range all {
		parts = append(parts, all[i].line())
	}
	return withReason(lead(borderline), strings.Join(parts, ", "))
}

func lead(borderline bool) string {
	if borderline {
		return "passed, but a limit is too close to judge"
	}
	return "every limit held"
}

// maxAsides bounds what stands behind the reason in a title, in code points.
const maxAsides = MaxTitle / 2

// title says the whole in one line: how many of how many, the worst one's reason, and
// what the reader must know beside it.
func title(v *Verdict) string {
	text, headline := leading(v)
	asides := ""
	for _, a := range aside(v) {
		if utf8.RuneCountInString(asides+a) > maxAsides {
			asides += "; …"
			break
		}
		asides += "; " + a
	}
	if headline != "" {
		room := MaxTitle - utf8.RuneCountInString(text+asides) - 2
		text += ": " + bound(headline, max(room, 20))
	}
	return bound(text+asides, MaxTitle)
}

// leading is the count of what decides, and the reason of the worst.
func leading(v *Verdict) (lead, headline string) {
	if len(v.Problems) > 0 && !v.Unproved {
		return "The change cannot be judged", v.Problems[0].text()
	}
	total := len(v.Scenarios)
	if total == 0 {
		return "0 scenarios", ""
	}
	parts := v.tallies(true)
	if len(parts) == 0 {
		return quiet(v, total), ""
	}
	parts[0] = strings.Replace(parts[0], " ", fmt.Sprintf(" of %d ", total), 1)
	lead = strings.Join(parts, ", ")
	worst := &v.Scenarios[0]
	headline = worst.Name + " " + worst.counted.headline
	if worst.counted.State != Breach && worst.counted.State != Fail {
		headline = worst.Name + ": " + worst.counted.headline
	}
	if v.Unproved {
		return "A fault may still be active", worst.Name + ": " + worst.counted.headline + "; " + lead
	}
	return lead, headline
}

// quiet is the lead where nothing blocks.
func quiet(v *Verdict, total int) string {
	passed, checked, idle := 0, 0, 0
	for i := range v.Scenarios {
		switch s := &v.Scenarios[i]; {
		case s.State == Pass:
			passed++
		case s.State == None && (s.Deleted || s.Skipped != ""):
			idle++
		case s.State == None:
			checked++
		}
	}
	switch {
	case v.CheckOnly:
		return counted(passed+checked, "scenario", "scenarios") + " checked, not run"
	case idle == total:
		return "0 scenarios run"
	default:
		return fmt.Sprintf("%d of %d passed", passed, total)
	}
}

// tally is how many scenarios are in one state.
type tally struct {
	n        int
	word     string
	blocking bool
}

// counts are the states that are there, worst first, those that block apart from
// those that do not.
func (v *Verdict) counts() []tally {
	var all []tally
	for i := range v.Scenarios { // worst first already
		s := &v.Scenarios[i]
		if s.State == Pass || s.State == None {
			continue
		}
		state, late := s.State, s.TimedOut
		if s.Blocking {
			state, late = s.counted.State, s.counted.timedOut
		}
		word := stateWord(state, late)
		found := false
		for k := range all {
			if all[k].word == word && all[k].blocking == s.Blocking {
				all[k].n, found = all[k].n+1, true
			}
		}
		if !found {
			all = append(all, tally{1, word, s.Blocking})
		}
	}
	return all
}

// tallies are the counts in words: "1 breached".
func (v *Verdict) tallies(blocking bool) []string {
	var parts []string
	for _, c := range v.counts() {
		if c.blocking == blocking {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return parts
}

// stateWord is a state after a number: "1 breached".
func stateWord(s State, timedOut bool) string {
	switch s {
	case Pass:
		return "passed"
	case None:
		return "not run"
	case Fail:
		return "failed"
	case Breach:
		return "breached"
	case Invalid:
		return "invalid"
	case Refused:
		return "refused"
	case Waiting:
		return "waiting for a person"
	case Cancelled:
		return "cancelled"
	default:
		if timedOut {
			return "timed out"
		}
		return "inconclusive"
	}
}

// aside is what the reader must know beside the lead.
func aside(v *Verdict) []string {
	var parts []string
	switch {
	case v.Unproved && len(v.Problems) > 0:
		parts = append(parts, counted(len(v.Problems), "problem", "problems")+" of the change as a whole")
	case len(v.Problems) > 0:
		if blocking := v.tallies(true); len(blocking) > 0 {
			parts = append(parts, strings.Join(blocking, ", "))
		}
	}
	if advisory := v.tallies(false); len(advisory) > 0 {
		parts = append(parts, "advisory: "+strings.Join(advisory, ", "))
	}
	skipped, deleted, near, untold := 0, 0, 0, 0
	other := ""
	for i := range v.Scenarios {
		s := &v.Scenarios[i]
		skipped += one(s.Skipped != "")
		deleted += one(s.Deleted && !s.Blocking)
		near += one(s.Borderline && s.State == Pass)
		untold += one(s.Tested == TestedUntold)
		if s.Tested == TestedOther && other == "" {
			other = fmt.Sprintf("%s runs %s, not %s", orElse(s.Environment, "the environment"), shortCommit(s.Run.Revision), shortCommit(v.Change.Head))
		}
	}
	for _, p := range []struct {
		n    int
		word string
	}{{near, "borderline"}, {skipped, "skipped"}, {deleted, "deleted"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if other != "" {
		parts = append(parts, other)
	}
	if untold > 0 {
		parts = append(parts, "tested revision not told")
	}
	return parts
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
