package load

import (
	"runtime"
	"time"
)

const (
	// spin is how long before a time the pacer stops sleeping: what a sleep that was
	// asked exactly is late by.
	spin = 20 * time.Microsecond
	// longestSleep bounds how long it takes to notice that the run was cancelled.
	longestSleep = 10 * time.Millisecond
	// tick is the grid that a machine with one processor is held to: spinning would
	// take the processor from the workers.
	tick = time.Millisecond
)

// pacer waits for due times. It belongs to one goroutine.
type pacer struct {
	start time.Time
	done  <-chan struct{}
	// ticks: times are kept to the millisecond.
	ticks bool
	sleep func(time.Duration)
}

// newPacer binds the calling goroutine to its thread until release is called.
func newPacer(start time.Time, done <-chan struct{}) (p *pacer, release func()) {
	p = &pacer{start: start, done: done, sleep: time.Sleep, ticks: runtime.GOMAXPROCS(0) == 1}
	if p.ticks {
		return p, func() {}
	}
	runtime.LockOSThread()
	sleep, restore := exactSleep()
	p.sleep = sleep
	return p, func() {
		restore()
		runtime.UnlockOSThread()
	}
}

// now is the time since the start, by a clock that never steps.
func (p *pacer) now() time.Duration { return time.Since(p.start) }

// wait returns the time once due has come; false when the run was cancelled first.
func (p *pacer) wait(due time.Duration) (time.Duration, bool) {
	for {
		select {
		case <-p.done:
			return 0, false
		default:
		}
		now := p.now()
		left := due - now
		switch {
		case left <= 0:
			return now, true
		case p.ticks:
			p.sleep(min(max(left, tick), longestSleep))
		case left > spin:
			p.sleep(min(left-spin, longestSleep))
		}
	}
}
