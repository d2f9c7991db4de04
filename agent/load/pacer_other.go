//go:build !linux

package load

import "time"

// exactSleep is as exact as the system's timers are.
func exactSleep() (sleep func(time.Duration), release func()) {
	return time.Sleep, func() {}
}
