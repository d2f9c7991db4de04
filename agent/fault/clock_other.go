//go:build !linux

package fault

import "time"

// sleepExactly is as exact as the runtime's timers.
func sleepExactly(d time.Duration) { time.Sleep(d) }
