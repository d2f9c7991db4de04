//go:build !linux

package load

import (
	"context"
	"time"
)

// pacer waits for due times by the runtime's timers, late by up to a millisecond.
type pacer struct{ start time.Time }

func startPacer(start time.Time) *pacer { return &pacer{start: start} }

func (p *pacer) stop() {}

// wait returns true at the given time from the start, or at once when that is past,
// and false when ctx ends before.
func (p *pacer) wait(ctx context.Context, at time.Duration) bool {
	left := at - time.Since(p.start)
	if left <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
