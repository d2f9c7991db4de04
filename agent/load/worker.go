package load

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// worker sends one request at a time on a connection of its own.
type worker struct {
	load  *load
	tasks chan task // from the dispatcher, while idle
	conn  *http.ClientConn
	wire  *wire // of conn
	// ctx is the parent of the worker's requests: one for all workers would be a lock
	// that each request takes twice.
	ctx context.Context
}

// maxHeader bounds the header of an answer, in bytes.
const maxHeader = 256 << 10

// wireKey is the context key of a **wire that is set once a connection of TCP is made. What
// fails behind it is TLS's.
type wireKey struct{}

func newTransport(p *Plan) *http.Transport {
	var d net.Dialer
	t := &http.Transport{
		TLSClientConfig:        p.TLS,
		DisableCompression:     true, // bytes are counted as the service sends them
		MaxResponseHeaderBytes: maxHeader,
		Protocols:              new(http.Protocols),
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			made := newWire(c.(*net.TCPConn))
			if to, ok := ctx.Value(wireKey{}).(**wire); ok {
				*to = made
			}
			return made, nil
		},
	}
	t.Protocols.SetHTTP1(true)
	t.Protocols.SetHTTP2(true)
	return t
}

// run serves the dispatcher until there is nothing more to send. The connection is
// opened at the time that is the worker's.
func (w *worker) run(opensAt time.Duration) {
	defer w.hangUp()
	ctx, end := context.WithCancel(w.load.ctx)
	defer end()
	w.ctx = ctx
	if w.load.sleepUntil(opensAt) {
		opening, cancel := context.WithTimeout(ctx, w.load.plan.Timeout)
		_, _ = w.connect(opening) // the first request opens it where this cannot
		cancel()
	}
	for wasBusy := false; ; wasBusy = true {
		t, ok := w.load.dispatcher.next(w, wasBusy)
		if !ok {
			return
		}
		w.serve(t)
	}
}

func (w *worker) hangUp() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

// connect gives the worker's connection, a new one where the last has ended.
func (w *worker) connect(ctx context.Context) (Class, error) {
	if w.conn != nil {
		if w.conn.Err() == nil {
			return Accepted, nil
		}
		w.hangUp()
	}
	w.wire = nil
	ctx = context.WithValue(ctx, wireKey{}, &w.wire)
	c, err := w.load.transport.NewClientConn(ctx, w.load.plan.Scheme, w.load.plan.Address)
	if err != nil {
		w.load.collector.troubled(troubleOf(err))
		return dialClass(ctx, w.wire != nil), err
	}
	w.conn = c
	return Accepted, nil
}

// serve sends one request and has its end counted.
func (w *worker) serve(t task) {
	r := result{task: t}
	if sent := w.load.now(); t.direct {
		// A worker was free, and still it took until now.
		r.own = sent - t.due
	}
	r.class, r.injected = w.exchange(t)
	r.latency = w.load.now() - t.due
	w.load.collector.ended(r)
}

// exchange sends a request and reads its answer to the end, keeping nothing of it.
func (w *worker) exchange(t task) (class Class, injected bool) {
	p := w.load.plan
	ctx, cancel := context.WithTimeout(w.ctx, p.Timeout)
	defer cancel()
	o := &p.Operations[t.operation]
	request := o.Requests[t.request].WithContext(ctx)
	answer, class := w.roundTrip(ctx, request)
	if class != Accepted {
		return class, false
	}
	_, err := io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	if answer.Close || err != nil {
		w.hangUp()
	}
	if err != nil {
		return exchangeClass(ctx, err), false
	}
	if injected = p.InjectedHeader != "" && answer.Header.Get(p.InjectedHeader) != ""; !injected && p.RevisionHeader != "" {
		w.load.collector.revision(answer.Header.Get(p.RevisionHeader))
	}
	if !o.accepts(answer.StatusCode) {
		return Status, injected
	}
	return Accepted, injected
}

// roundTrip sends a request. Where the service closed the connection before the request
// reached it, which it may do with any that has nothing to do, the request goes out once
// more on a new one.
func (w *worker) roundTrip(ctx context.Context, request *http.Request) (*http.Response, Class) {
	for again := false; ; again = true {
		reused := w.conn != nil
		if class, err := w.connect(ctx); err != nil {
			return nil, class
		}
		if request.GetBody != nil {
			body, err := request.GetBody()
			if err != nil {
				return nil, Protocol
			}
			request.Body = body
		}
		wire := w.wire
		before := wire.written.Load()
		answer, err := w.conn.RoundTrip(request)
		if err == nil {
			return answer, Accepted
		}
		w.hangUp() // and with it the wire has ended
		if again || !reused || ctx.Err() != nil || !closedIdle(err) && !wire.unreached(before) {
			return nil, exchangeClass(ctx, err)
		}
	}
}
