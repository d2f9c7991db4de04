package fault

import (
	"syscall"
	"time"
)

// sleepExactly sleeps on a thread of its own, to some 0.1 ms.
func sleepExactly(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	for syscall.Nanosleep(&t, &t) == syscall.EINTR { // t is what is left
	}
}
