package bench

import "sync"

// hub wakes those in this process who wait for a run to change. It carries no news:
// what happened is read from the store.
type hub struct {
	mu      sync.Mutex
	waiting map[string]map[*subscription]bool // by run
}

// subscription is one who waits. After a change, C holds a signal.
type subscription struct {
	C   chan struct{}
	run string
	hub *hub
}

func newHub() *hub { return &hub{waiting: map[string]map[*subscription]bool{}} }

// subscribe must be followed by close.
func (h *hub) subscribe(run string) *subscription {
	s := &subscription{C: make(chan struct{}, 1), run: run, hub: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[run] == nil {
		h.waiting[run] = map[*subscription]bool{}
	}
	h.waiting[run][s] = true
	return s
}

func (s *subscription) close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.waiting[s.run], s)
	if len(s.hub.waiting[s.run]) == 0 {
		delete(s.hub.waiting, s.run)
	}
}

// changed wakes who waits for a run.
func (h *hub) changed(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.waiting[run] {
		select {
		case s.C <- struct{}{}:
		default: // it has a signal that it did not see yet
		}
	}
}
