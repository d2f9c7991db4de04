package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkCompareTimeline compares two of the longest timelines, of which no entry
// stayed as it was: matching is quadratic in the entries.
func BenchmarkCompareTimeline(b *testing.B) {
	long := func(shift int) *File {
		var s strings.Builder
		s.WriteString("[targets]\na = { connection = \"a\", proxy = \"a\" }\n")
		for i := 0; s.Len() < MaxSize-120; i++ {
			fmt.Fprintf(&s, "[[timeline]]\nat = \"%dms\"\naction = \"fault\"\ntarget = \"a\"\nfault = { type = \"drop\", rate = 0.1 }\nfor = \"%dms\"\n", i, i+shift)
		}
		return Check([]byte(s.String()))
	}
	base, head := long(1), long(7)
	for b.Loop() {
		Compare(base, head)
	}
}

func BenchmarkCompareUsual(b *testing.B) {
	base, head := Check([]byte(compareBase)), Check([]byte(strings.Replace(compareBase, "400", "600", 1)))
	for b.Loop() {
		Compare(base, head)
	}
}
