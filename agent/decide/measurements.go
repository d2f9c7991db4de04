// Package decide turns what a run measured into decisions: pass, fail, borderline or
// undecided for each assertion and for the objective, and the moment the objective
// broke. It is pure: no network, no clock, no randomness of its own.
package decide

// Measurements are one look: one execution of a scenario's load. A run whose first
// look is borderline has a second, and both are pooled.
type Measurements struct {
	// Seconds are the measured seconds, warm-up left out, in order: Seconds[i]
	// holds the requests whose scheduled time lies in [i, i+1) seconds behind the
	// end of warm-up. A last second that is not whole holds what it has.
	Seconds []Second
	// WholeTime is the measured time in seconds, such as 270 for 5m with 30s
	// warm-up. Less than the scenario plans means that the run was cut short: a
	// breach seen until then is kept, and everything else is undecided.
	WholeTime float64
	// Quantile gives the latency in milliseconds under which the share q of the
	// measured requests in Seconds[from:to] stayed, a request without an accepted
	// answer counting as slower than all others. +Inf where the quantile falls
	// among those.
	Quantile func(from, to int, q float64) float64
	// Counted is what the service counted over the measured time; nil without a
	// counter.
	Counted *int64
	// Injected is how many measured requests were answered by an injected fault;
	// they never reached the service's counter.
	Injected int64
	// Sent is how many measured requests were sent.
	Sent int64
	// Late is how many measured requests were sent over 10 ms late although a
	// worker was free: the generator's own fault.
	Late int64
}

// Second is one measured second, by scheduled time.
type Second struct {
	Due    int64 // requests whose time lay in it, sent or not
	Errors int64 // due and not accepted: no answer, or one that expect does not take
	// Over counts the requests above each latency limit of the scenario; one that
	// was not accepted is above every limit.
	Over Over
}

// Over counts requests above the limits that a scenario names; 0 for a limit it
// does not name.
type Over struct {
	P50, P95, P99 int64 // the max_p50_ms, max_p95_ms and max_p99_ms of [assertions]
	Objective     int64 // p99_ms of [objective]
}
