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

type systemClock struct{}

func (systemClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
