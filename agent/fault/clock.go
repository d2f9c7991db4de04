package fault

import "time"

// Clock gives delays and leases their time.
type Clock interface {
	// AfterFunc calls f in its own goroutine once d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a call that a Clock has yet to make.
type Timer interface {
	// Stop cancels the call and reports whether it did.
	Stop() bool
}

// timerLead is how much earlier than due the runtime's timer is set: it waits in
// whole milliseconds, half of one too long on average. The rest is slept exactly.
const timerLead = 1200 * time.Microsecond

type systemClock struct{}

func (systemClock) AfterFunc(d time.Duration, f func()) Timer {
	due := time.Now().Add(d)
	return time.AfterFunc(d-timerLead, func() {
		if rest := time.Until(due); rest > 0 {
			sleepExactly(rest)
		}
		f()
	})
}
