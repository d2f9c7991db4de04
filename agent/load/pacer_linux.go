package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// exactSleep sleeps on the calling thread, in the kernel: the runtime's own timers wait
// in whole milliseconds. The thread's timer slack, 50 us by default, is taken away until
// release gives it back.
func exactSleep() (sleep func(time.Duration), release func()) {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	}
	release = func() {}
	if err == nil {
		// Without the slack that was there the thread would stay as it is, which
		// costs a wake-up now and then.
		release = func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack), 0, 0, 0) }
	}
	return func(d time.Duration) {
		ts := unix.NsecToTimespec(int64(d))
		// A sleep that a signal ended early is continued by the caller, who looks
		// at the clock.
		_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &ts, nil)
	}, release
}
