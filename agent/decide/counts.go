package decide

import (
	"fmt"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// count judges the limits on how much load there was. They are counts and no samples:
// there is nothing to be unsure of, and with two looks each has to keep them; the
// value is the worse one's.
func (e *evidence) count(l scenario.Limit) run.AssertionResult {
	r := result(l)
	atMost := l.Name == scenario.MaxRequests
	var value float64
	for i, m := range e.looks {
		v, ok := float64(m.Sent), true
		if l.Name == scenario.MinThroughput {
			v, ok = throughput(m)
		}
		if !ok {
			r.Reason = "no time was measured"
			return r
		}
		if i == 0 || atMost == (v > value) {
			value = v
		}
	}
	if len(e.looks) == 0 {
		r.Reason = "nothing was measured"
		return r
	}
	r.Value = &value
	for _, m := range e.looks {
		n, _ := (&evidence{looks: []Measurements{m}}).sum(0, len(m.Seconds), errorsOf)
		r.Samples += n
	}
	broken := value < l.Value
	if atMost {
		broken = value > l.Value
	}
	switch {
	case e.unfit != "":
		r.Reason = e.unfit
	case e.short != "" && !(atMost && broken): // more requests than allowed stay so
		r.Reason = e.short
	case broken:
		r.Decision = run.DecisionFail
		r.Reason = brokenCount(l, value)
	default:
		r.Decision = run.DecisionPass
	}
	return r
}

// throughput is the accepted requests a second.
func throughput(m Measurements) (float64, bool) {
	if m.WholeTime <= 0 {
		return 0, false
	}
	var accepted int64
	for _, s := range m.Seconds {
		accepted += s.Due - s.Errors
	}
	return float64(accepted) / m.WholeTime, true
}

func brokenCount(l scenario.Limit, value float64) string {
	switch l.Name {
	case scenario.MinThroughput:
		return fmt.Sprintf("%s requests a second were accepted, and at least %s must be", number(value), number(l.Value))
	case scenario.MaxRequests:
		return fmt.Sprintf("%.0f requests were sent, and at most %.0f may be", value, l.Value)
	}
	return fmt.Sprintf("%.0f requests were sent, and at least %.0f must be", value, l.Value)
}

// uncounted judges max_uncounted: of the requests that were sent and that no injected
// fault answered, the share that the service did not count. Both are counts of the
// same requests, so there is nothing to be unsure of; but a service that counted more
// than was sent has other callers, and they may hide what it lost.
func (e *evidence) uncounted(l scenario.Limit) run.AssertionResult {
	r := result(l)
	var sent, counted int64
	missing := len(e.looks) == 0
	for _, m := range e.looks {
		sent += m.Sent - m.Injected
		if m.Counted == nil {
			missing = true
			continue
		}
		counted += *m.Counted
	}
	if missing {
		r.Reason = "what the service counted is not known; a counter of its connection would decide"
		return r
	}
	r.Samples = max(sent, 0)
	if sent <= 0 {
		r.Reason = "no request was sent that an injected fault did not answer"
		return r
	}
	allowed := decimal(l.Value)
	value := max(0, float64(sent-counted)/float64(sent))
	r.Value = &value
	switch {
	case e.unfit != "":
		r.Reason = e.unfit
	case e.short != "":
		r.Reason = e.short
	case allowed.below(counted-sent, sent):
		r.Reason = fmt.Sprintf("the service counted %d requests where %d were sent to it: something else calls it; a run that has it alone would decide", counted, sent)
	case allowed.below(sent-counted, sent):
		r.Decision = run.DecisionFail
		r.Reason = fmt.Sprintf("the service counted %d of %d requests: %s uncounted, and at most %s may be", counted, sent, percent(value), percent(l.Value))
	default:
		r.Decision = run.DecisionPass
	}
	return r
}
