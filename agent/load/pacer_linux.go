package load

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// spin is how long before a due time the pacer stops sleeping and watches the clock:
// about what waking up from nanosleep takes.
const spin = 20 * time.Microsecond

// slice bounds one sleep, so that the end of a context is noticed.
const slice = 20 * time.Millisecond

// pacer waits for due times on a thread of its own. The runtime's timers wait in
// whole milliseconds, which is late by half of one on average; nanosleep on a locked
// thread is late by some microseconds.
type pacer struct{ start time.Time }

func startPacer(start time.Time) *pacer {
	runtime.LockOSThread()
	// The kernel may join wake-ups within the timer slack; one nanosecond is the
	// least (prctl(2)). Failing leaves the default of 50 us.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return &pacer{start: start}
}

// stop must be called by the goroutine that started the pacer.
func (p *pacer) stop() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0 is the thread's default
	runtime.UnlockOSThread()
}

// wait returns true at the given time from the start, or at once when that is past,
// and false when ctx ends before.
func (p *pacer) wait(ctx context.Context, at time.Duration) bool {
	for {
		left := at - time.Since(p.start)
		if ctx.Err() != nil {
			return false
		}
		switch {
		case left <= 0:
			return true
		case left <= spin && runtime.GOMAXPROCS(0) > 1:
		default:
			request := unix.NsecToTimespec(int64(min(max(left-spin, time.Microsecond), slice)))
			_ = unix.Nanosleep(&request, nil) // a signal only ends it early
		}
	}
}
