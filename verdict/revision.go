package verdict

import (
	"fmt"
	"strings"
)

// Tested compares the revision that a run tested with the change's head.
type Tested string

// The values of Tested.
const (
	TestedNothing Tested = ""       // no run, or no head to compare with
	TestedHead    Tested = "head"   // the change's head
	TestedOther   Tested = "other"  // another revision
	TestedUntold  Tested = "untold" // the service does not tell its revision
)

// revision holds what staging ran against what the change is.
func (j *judge) revision() {
	head := j.change.Head
	if head == "" {
		return
	}
	told := j.out.Run.Revision
	switch {
	case told == "":
		j.out.Tested = TestedUntold
		return
	case sameCommit(told, head):
		j.out.Tested = TestedHead
		return
	}
	j.out.Tested = TestedOther
	message := fmt.Sprintf("%s runs %s, not the change's head %s", j.place(), shortCommit(told), shortCommit(head))
	f := Finding{State: Inconclusive, code: "revision", where: j.find.name(), headline: message, Message: message}
	if s := j.settings.Revision; s == "" || s == RevisionNote {
		j.warnings = append(j.warnings, f)
		return
	}
	j.found(f)
}

// place is where the scenario ran, in the reader's words.
func (j *judge) place() string { return orElse(j.out.Environment, "the environment") }

// sameCommit tells whether two names of a commit are the same; either may be short.
func sameCommit(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 7 && isHex(a) && isHex(b) && strings.HasPrefix(b, a)
}
