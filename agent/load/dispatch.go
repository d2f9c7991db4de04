package load

import (
	"sync"
	"time"
)

// task is one request on its way to a worker.
type task struct {
	due       time.Duration // from the start
	operation int
	request   int // which of the operation's requests
	bin       int // the second it counts to
	// own is by how much the generator itself was late with it, so far.
	own time.Duration
	// direct: a worker was free when it was handed over.
	direct bool
}

// dispatcher hands requests to free workers and keeps the others in order until a
// worker is free.
type dispatcher struct {
	mu     sync.Mutex
	idle   []*worker // the one that became free last is asked first
	queue  queue
	closed bool
	busy   int
	peak   int
}

// hand gives over what is due. It never waits.
func (d *dispatcher) hand(t task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.idle); n > 0 {
		w := d.idle[n-1]
		d.idle = d.idle[:n-1]
		d.occupy()
		t.direct = true
		w.tasks <- t // has room for one: the worker is idle
		return
	}
	d.queue.push(t)
}

// occupy needs d.mu.
func (d *dispatcher) occupy() {
	d.busy++
	d.peak = max(d.peak, d.busy)
}

// next gives a worker its next request, and waits for one. It gives false when there
// will be none.
func (d *dispatcher) next(w *worker, wasBusy bool) (task, bool) {
	d.mu.Lock()
	if wasBusy {
		d.busy--
	}
	if t, ok := d.queue.pop(); ok {
		d.occupy()
		d.mu.Unlock()
		return t, true
	}
	if d.closed {
		d.mu.Unlock()
		return task{}, false
	}
	d.idle = append(d.idle, w)
	d.mu.Unlock()
	t, ok := <-w.tasks
	return t, ok
}

// close says that nothing more will be handed over. What waits is still sent.
func (d *dispatcher) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	d.closed = true
	for _, w := range d.idle {
		close(w.tasks)
	}
	d.idle = nil
}

// abandon takes back what waits.
func (d *dispatcher) abandon() []task {
	d.mu.Lock()
	defer d.mu.Unlock()
	var left []task
	for {
		t, ok := d.queue.pop()
		if !ok {
			return left
		}
		left = append(left, t)
	}
}

func (d *dispatcher) peakInFlight() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.peak
}

// queue is first in, first out. It gives memory back when it runs empty.
type queue struct {
	tasks []task
	head  int
}

func (q *queue) push(t task) {
	// A queue that is never quite empty must not keep what has left it.
	if q.head > 1024 && q.head > len(q.tasks)/2 {
		q.tasks = append(q.tasks[:0], q.tasks[q.head:]...)
		q.head = 0
	}
	q.tasks = append(q.tasks, t)
}

func (q *queue) pop() (task, bool) {
	if q.head == len(q.tasks) {
		const keep = 4096 // tasks; a stall's queue is not kept for the rest of the run
		if cap(q.tasks) > keep {
			q.tasks = nil
		}
		q.tasks, q.head = q.tasks[:0], 0
		return task{}, false
	}
	t := q.tasks[q.head]
	q.head++
	return t, true
}
