package bench

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/inorbit-hr/reliability/run"
)

// recorder keeps the events of a running run in the store. It takes them at once and
// writes them behind: a slow disk must not delay the load.
type recorder struct {
	bench *Bench
	id    string

	mu      sync.Mutex
	pending []run.RunEvent
	more    chan struct{} // holds one signal
	end     chan struct{}
	done    chan struct{}
	err     error // of the last write
}

func newRecorder(b *Bench, id string) *recorder {
	r := &recorder{bench: b, id: id, more: make(chan struct{}, 1), end: make(chan struct{}), done: make(chan struct{})}
	go r.work()
	return r
}

// agentEvents are what an agent may tell; the rest of a run's story is the bench's.
var agentEvents = map[run.EventType]bool{
	run.EventTypeSecond: true, run.EventTypeFaultApplied: true, run.EventTypeFaultLifted: true,
	run.EventTypeLog: true, run.EventTypeLookingAgain: true,
}

// report takes an event of the agent.
func (r *recorder) report(e run.RunEvent) {
	if _, err := json.Marshal(e); err != nil || !agentEvents[e.Type] {
		r.bench.log.Error("an agent told an event that cannot be kept", "run", r.id, "type", string(e.Type), "error", err)
		return
	}
	if e.At.IsZero() {
		e.At = r.bench.clock.Now()
	}
	r.mu.Lock()
	r.pending = append(r.pending, e)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default: // a signal is there already
	}
}

// close writes what is left and gives the error that kept something out.
func (r *recorder) close() error {
	close(r.end)
	<-r.done
	return r.err
}

func (r *recorder) work() {
	defer close(r.done)
	for {
		select {
		case <-r.more:
			r.write()
		case <-r.end:
			for try := 0; try < finishTries && r.write(); try++ {
				continue
			}
			return
		}
	}
}

// write keeps what is pending, and tells whether something still is. What could not be
// kept is tried again with the next event.
func (r *recorder) write() bool {
	r.mu.Lock()
	events := r.pending
	r.mu.Unlock()
	if len(events) == 0 {
		return false
	}
	r.err = r.bench.store.Append(context.Background(), r.id, events)
	if r.err != nil {
		r.bench.log.Warn("events could not be kept yet", "run", r.id, "error", r.err)
		return true
	}
	r.mu.Lock()
	r.pending = r.pending[len(events):]
	left := len(r.pending) > 0
	r.mu.Unlock()
	r.bench.hub.changed(r.id)
	return left
}
