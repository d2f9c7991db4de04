package verdict

import (
	"fmt"
	"strings"

	"github.com/inorbit-hr/reliability/run"
)

// sentence says how a measure stands against its limit: "p99 latency was 512 ms, over
// the limit of 400 ms".
func (m *Measure) sentence() string {
	if m.Unit == NoUnit {
		switch m.Decision {
		case held:
			return m.Label + " passed"
		case broken:
			return withReason(m.Label+" failed", m.Reason)
		default:
			return withReason(m.Label+" could not be judged", m.Reason)
		}
	}
	if m.Value == nil {
		return withReason(m.Label+" could not be judged", orElse(m.Reason, "nothing was measured"))
	}
	value, limit := apart(*m.Value, m.Limit, m.Unit)
	if m.failedAway() {
		return fmt.Sprintf("%s: %s of %s requests were slower than %s or failed, where %s is allowed; the slowest that did not fail took %s",
			m.Label, amount(m.Over, Share), count(m.Samples), limit, amount(m.Allowed, Share), value)
	}
	text := fmt.Sprintf("%s was %s, %s %s", m.Label, value, m.side(), limit)
	switch m.Decision {
	case held, broken:
		return text
	case borderline:
		return withReason(text+", but not certainly", m.Reason)
	default:
		return withReason(text+", which is not enough to judge", m.Reason)
	}
}

// failedAway tells a quantile that broke its limit by requests that failed, which are
// slower than any limit: its value, of those that did not fail, is within the limit and
// explains nothing.
func (m *Measure) failedAway() bool {
	return m.Decision == broken && m.quantile() && m.Samples > 0 && m.within()
}

// short is the measure in a title: "p99 512 ms over 400 ms".
func (m *Measure) short() string {
	k := kindOf(m.Key)
	if m.Unit == NoUnit || m.Value == nil {
		return k.short + " failed"
	}
	value, limit := apart(*m.Value, m.Limit, m.Unit)
	if m.failedAway() {
		return fmt.Sprintf("%s: %s failed or over %s", k.short, amount(m.Over, Share), limit)
	}
	side := "over"
	if m.Minimum {
		side = "under"
	}
	return fmt.Sprintf("%s %s %s %s", k.short, value, side, limit)
}

func (m *Measure) side() string {
	name := "limit of"
	if m.Minimum {
		name = "minimum of"
	}
	switch {
	case m.within():
		return "within the " + name
	case m.Minimum:
		return "under the " + name
	default:
		return "over the " + name
	}
}

// evidence says what the decision rests on, or nothing where there is no more to say.
func (m *Measure) evidence() string {
	var parts []string
	switch {
	case m.quantile() && m.Samples > 0:
		parts = append(parts, fmt.Sprintf("%s of %s requests were slower than %s or failed (%s is allowed)",
			amount(m.Over, Share), count(m.Samples), amount(m.Limit, m.Unit), amount(m.Allowed, Share)))
	case m.Samples > 0:
		parts = append(parts, count(m.Samples)+" requests")
	}
	if m.Interval != nil {
		parts = append(parts, fmt.Sprintf("95%% interval %s to %s", amount(m.Interval.Low, Share), amount(m.Interval.High, Share)))
	}
	if m.Base != nil {
		parts = append(parts, "base branch: "+amount(*m.Base, m.Unit))
	}
	return strings.Join(parts, "; ")
}

// line is the measure on one line: "p99 latency 312 ms (limit 400 ms)".
func (m *Measure) line() string {
	switch {
	case m.Unit == NoUnit:
		return m.sentence()
	case m.Value == nil:
		return m.Label + " not measured"
	}
	name := "limit"
	if m.Minimum {
		name = "minimum"
	}
	value, limit := apart(*m.Value, m.Limit, m.Unit)
	return fmt.Sprintf("%s %s (%s %s)", m.Label, value, name, limit)
}

// breachSentence says when and how the objective broke.
func breachSentence(b *run.Breach, windowMs int64, fault string) string {
	when := clock(b.AfterMeasuringMs) + " after measuring began"
	if b.AfterFaultMs != nil && fault != "" {
		when = clock(*b.AfterFaultMs) + " after the " + fault + " began"
	}
	k := kindOf(objectiveKey(b.Part))
	name := "limit"
	if k.minimum {
		name = "minimum"
	}
	value, limit := apart(orZero(b.Value), orZero(b.Limit), k.unit)
	return fmt.Sprintf("the objective broke %s: %s over the last %s was %s, %s %s", when, k.label, clock(windowMs), value, name, limit)
}

// breachShort is the breach in a title: "broke p99 after 1m42s".
func breachShort(b *run.Breach) string {
	after := b.AfterMeasuringMs
	if b.AfterFaultMs != nil {
		after = *b.AfterFaultMs
	}
	return "broke " + kindOf(objectiveKey(b.Part)).short + " after " + clock(after)
}

func withReason(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
