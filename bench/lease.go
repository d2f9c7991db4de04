package bench

import (
	"context"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

const (
	// lease is how long a run is held after its waiter was last there.
	lease = 60 * time.Second
	// renewEvery is how often a follower's stream renews its hold, and shows life.
	renewEvery = 15 * time.Second
	// expireEvery is how often ended leases are looked for.
	expireEvery = 5 * time.Second
	// confirmWithin is how long a run waits for a person.
	confirmWithin = 24 * time.Hour
)

// Why runs are cancelled by their leases.
const (
	unheld      = "nobody waits for the run any more: its waiter has been gone for 60 s"
	unconfirmed = "nobody confirmed the run within 24 hours"
	released    = "its waiter stopped"
)

// expire ends, until ctx does, runs that nobody waits for any more.
func (b *Bench) expire(ctx context.Context) {
	for ctx.Err() == nil {
		expired, err := b.store.Expire(ctx, b.clock.Now(), unheld, unconfirmed)
		if err != nil && ctx.Err() == nil {
			b.log.Error("the leases could not be looked at", "error", err)
		}
		for _, r := range expired {
			b.log.Warn("ended a run whose lease is over", "run", r.ID, "status", string(r.Status))
			reason := unheld
			if r.Status == run.StatusWaiting {
				reason = unconfirmed
			}
			b.signal(r.ID, reason)
		}
		fired, stop := b.clock.Timer(expireEvery)
		select {
		case <-ctx.Done():
		case <-fired:
		}
		stop()
	}
}

// cancel asks a run to end, and sees to it.
func (b *Bench) cancel(ctx context.Context, id, reason string) {
	if _, err := b.store.Cancel(ctx, b.account, id, reason, b.clock.Now()); err != nil {
		b.log.Error("a run could not be marked as cancelled", "run", id, "error", err)
	}
	b.signal(id, reason)
}

// signal passes on that the store has a run as cancelled.
func (b *Bench) signal(id, reason string) {
	b.mu.Lock()
	end := b.active[id]
	b.mu.Unlock()
	if end != nil {
		end(cancelled(reason))
	}
	b.hub.changed(id)
	b.kick()
}

// cancelled is why a run's context ended.
type cancelled string

func (c cancelled) Error() string { return string(c) }
