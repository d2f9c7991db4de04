package verdict

import (
	"strings"
	"testing"
)

// A quantile that broke because requests failed is not told as a value within its
// limit.
func TestAQuantileThatFailedAway(t *testing.T) {
	value := 10.3
	m := &Measure{
		Key: "max_p95_ms", Label: "p95 latency", Unit: Milliseconds, Value: &value, Limit: 250, Over: 0.15, Allowed: 0.05,
		Samples: 1320, Decision: broken,
	}
	if got := m.sentence(); strings.Contains(got, "within") || !strings.Contains(got, "15% of 1320 requests were slower than 250 ms or failed") {
		t.Errorf("got %q", got)
	}
	if got := m.short(); !strings.Contains(got, "15% failed or over 250 ms") {
		t.Errorf("got %q", got)
	}
	value = 400
	if got := m.sentence(); !strings.Contains(got, "was 400 ms, over the limit of 250 ms") {
		t.Errorf("got %q", got)
	}
}
