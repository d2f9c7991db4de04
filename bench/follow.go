package bench

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/inorbit-hr/reliability/bench/api"
	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
)

// eventsAtOnce bounds how many events a follower reads at a time.
const eventsAtOnce = 200

// Follow implements api.Service.
func (b *Bench) Follow(ctx context.Context, who store.Token, id, holder string, after int64) (api.Follower, error) {
	r, err := b.store.Run(ctx, who.Account, id)
	if err != nil {
		return nil, notFound(err)
	}
	f := &follower{bench: b, id: id, holder: holder, after: after, renewed: b.clock.Now(), changes: b.hub.subscribe(id)}
	if holder != "" && r.Status != run.StatusFinished {
		if err := b.store.Hold(ctx, id, holder, f.renewed.Add(lease)); err != nil {
			f.changes.close()
			return nil, err
		}
	}
	return f, nil
}

// follower reads one run's events out of the store.
type follower struct {
	bench   *Bench
	id      string
	holder  string
	after   int64
	renewed time.Time
	changes *subscription
	ending  bool // the bench is closing, and the run is not running
}

// errStopping ends streams when the bench closes.
var errStopping = errors.New("the bench is stopping")

// Next implements api.Follower.
func (f *follower) Next(ctx context.Context) ([]store.Event, error) {
	for {
		// The status is read before the events: a run that has ended gets no more.
		finished, err := f.bench.store.Finished(ctx, f.id)
		if err != nil {
			return nil, err
		}
		events, err := f.bench.store.Events(ctx, f.id, f.after, eventsAtOnce)
		if err != nil {
			return nil, err
		}
		f.renew(ctx)
		if n := len(events); n > 0 {
			f.after = events[n-1].ID
			if events[n-1].Type == run.EventTypeFinished {
				return events, io.EOF
			}
			return events, nil
		}
		if finished {
			return nil, io.EOF
		}
		alive, err := f.wait(ctx)
		if err != nil || alive {
			return nil, err
		}
	}
}

// wait waits for a change of the run, or until a sign of life is due.
func (f *follower) wait(ctx context.Context) (alive bool, err error) {
	stopping := f.bench.stopping
	select {
	case <-stopping:
		switch {
		case f.bench.running(f.id):
			stopping = nil // it tells its end first
		case f.ending:
			return false, errStopping
		default:
			// It may have ended since the events were read: once more.
			f.ending = true
			return false, nil
		}
	default:
	}
	fired, stop := f.bench.clock.Timer(renewEvery)
	defer stop()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-stopping: // look again
	case <-f.changes.C:
	case <-fired:
		f.renew(ctx)
		return true, nil
	}
	return false, nil
}

// renew keeps the hold alive.
func (f *follower) renew(ctx context.Context) {
	if now := f.bench.clock.Now(); f.holder != "" && now.Sub(f.renewed) >= renewEvery {
		f.hold(ctx, now)
	}
}

func (f *follower) hold(ctx context.Context, now time.Time) {
	f.renewed = now
	if err := f.bench.store.Renew(ctx, f.id, f.holder, now.Add(lease)); err != nil {
		f.bench.log.WarnContext(ctx, "a hold could not be renewed", "run", f.id, "error", err)
	}
}

// Close implements api.Follower. From here the lease runs.
func (f *follower) Close() {
	f.changes.close()
	if f.holder != "" {
		f.hold(context.Background(), f.bench.clock.Now())
	}
}
