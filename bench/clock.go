package bench

import "time"

// Clock is the time that the bench goes by.
type Clock interface {
	Now() time.Time
	// Timer fires once after d, unless it is stopped before; stopping it late does
	// nothing.
	Timer(d time.Duration) (fired <-chan time.Time, stop func())
}

// systemClock is the machine's.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Timer(d time.Duration) (<-chan time.Time, func()) {
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}
