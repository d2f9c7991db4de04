package fault

import (
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// Active is a fault that was applied. Its methods are safe for concurrent use.
type Active struct {
	proxy *Proxy
	spec  Spec
	done  chan struct{} // closed once lifted

	mu            sync.Mutex
	kind          kind
	met, affected int64
	lifted        bool
	expired       bool
	renewals      int
	lease         Timer
}

// Type is the fault's type.
func (a *Active) Type() scenario.FaultType { return a.spec.Fault.Type }

// Counts gives the requests that reached the fault while it was active, and how many
// of them it affected. Probes are not counted.
func (a *Active) Counts() (met, affected int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.met, a.affected
}

// Done is closed once the fault is lifted.
func (a *Active) Done() <-chan struct{} { return a.done }

// Expired reports whether the fault was lifted because its lease ran out.
func (a *Active) Expired() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.expired
}

// Renew starts the lease anew. It reports false when the fault is lifted already.
func (a *Active) Renew() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lifted {
		return false
	}
	if a.lease != nil {
		a.lease.Stop()
	}
	a.renewals++
	n := a.renewals
	a.lease = a.proxy.clock.AfterFunc(a.spec.Lease, func() { a.expire(n) })
	return true
}

// expire lifts the fault unless it was renewed since.
func (a *Active) expire(renewal int) {
	a.mu.Lock()
	if a.lifted || a.renewals != renewal {
		a.mu.Unlock()
		return
	}
	a.expired = true
	a.end()
	a.mu.Unlock()
	a.proxy.remove(a)
}

// Lift ends the fault. When it returns, no further request is affected, and the
// requests that were being delayed have been let go. It may be called more than once.
func (a *Active) Lift() {
	a.mu.Lock()
	a.end()
	a.mu.Unlock()
	a.proxy.remove(a)
}

// end needs a.mu.
func (a *Active) end() {
	if a.lifted {
		return
	}
	a.lifted = true
	if a.lease != nil {
		a.lease.Stop()
	}
	close(a.done)
}

// meet decides for one request, or for one more piece of what has met the fault
// before, which is not counted again.
func (a *Active) meet(pr *probe, again bool) effect {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lifted {
		return effect{}
	}
	if pr != nil {
		pr.act(a.Type())
		return a.kind.probe()
	}
	e, affected := a.kind.draw()
	if again {
		return e
	}
	a.met++
	if affected {
		a.affected++
	}
	return e
}

// start begins a delay of d. wait lets it pass: it ends early when the fault is
// lifted, and reports false when gone is closed.
func (a *Active) start(d time.Duration, gone <-chan struct{}) (wait func() bool) {
	due := make(chan struct{})
	t := a.proxy.clock.AfterFunc(d, func() { close(due) })
	return func() bool {
		defer t.Stop()
		select {
		case <-due:
		case <-a.done:
		case <-gone:
			return false
		}
		return true
	}
}
