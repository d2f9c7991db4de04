package queue

import (
	"context"
	"time"
)

// Source is where the queue is kept.
type Source interface {
	// Queue gives the state at a moment.
	Queue(ctx context.Context, now time.Time) (State, error)
	// Claim marks a queued run as running. It tells whether this caller did: another
	// one may have been quicker, or the run was cancelled.
	Claim(ctx context.Context, id string) (bool, error)
}

// Clock is the time that the loop goes by.
type Clock interface {
	Now() time.Time
	Timer(d time.Duration) (fired <-chan time.Time, stop func())
}

// Loop starts runs as soon as they may start.
type Loop struct {
	Source Source
	Limits Limits
	Clock  Clock
	// Wake is sent to when a run came or ended.
	Wake <-chan struct{}
	// Start is called with each claimed run; it must return at once.
	Start func(id string)
	// Failed is told of an error of the source; the loop tries again.
	Failed func(error)
}

// again is how long the loop waits at most before it looks again on its own: after an
// error, or where a wake-up was for another process.
const again = 5 * time.Second

// Run works until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	for ctx.Err() == nil {
		wait, err := l.step(ctx)
		if err != nil && ctx.Err() == nil {
			l.Failed(err)
		}
		fired, stop := l.Clock.Timer(wait)
		select {
		case <-ctx.Done():
		case <-l.Wake:
		case <-fired:
		}
		stop()
	}
}

// step starts what may start, and gives how long to wait for the next look.
func (l *Loop) step(ctx context.Context) (time.Duration, error) {
	now := l.Clock.Now()
	state, err := l.Source.Queue(ctx, now)
	if err != nil {
		return again, err
	}
	d := Decide(state, l.Limits, now)
	for _, id := range d.Start {
		claimed, err := l.Source.Claim(ctx, id)
		if err != nil {
			return again, err
		}
		if claimed {
			l.Start(id)
		}
	}
	if d.Wait > 0 {
		return min(d.Wait, again), nil
	}
	return again, nil
}
