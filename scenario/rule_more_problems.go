package scenario

import (
	"fmt"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var moreProblems = Rule{
	Code: "more-problems", Severity: Error,
	What:    "Of one file at most 100 problems are told, in the order of the file, errors before warnings; this says how many more there are. It is a warning where only warnings are left out.",
	Message: "12 more problems are not shown; mend those above first",
	// The example would fill a page: the tests make it.
}

// more says how many problems are left out, at the first of them and as severe as it:
// errors are left out only where there are more than 100, so a file is not refused for
// its warnings.
func (f *File) more(first tree.Span, severity Severity, n int) Diagnostic {
	what := "problems are"
	if n == 1 {
		what = "problem is"
	}
	return Diagnostic{
		Code: moreProblems.Code, Severity: severity, Range: f.rangeOf(first),
		Message: fmt.Sprintf("%d more %s not shown; mend those above first", n, what),
	}
}
