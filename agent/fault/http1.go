package fault

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// headTimeout bounds the time from a head's first byte to its last.
	headTimeout = 30 * time.Second
	// maxPending bounds the requests of one connection that wait for their answer.
	maxPending = 128
)

// http1 is one client's HTTP/1 connection. One goroutine reads requests and passes
// them on, another passes the answers back; each message goes on as the bytes that
// came. Each client has its own connection to the service, opened with the first
// request that goes on, so a request never waits for another client's.
//
//	requests: client -> meet the faults -> pending, service
//	answers:  service -> head of pending -> client
type http1 struct {
	*conn
	in *reader
	up net.Conn

	switched chan bool     // the answer to a request to upgrade: another protocol, or not
	ended    chan struct{} // closed when answers is over

	mu      sync.Mutex
	room    sync.Cond  // pending has room, or ended
	pending []exchange // requests whose answer has not been passed on, oldest first
	over    bool       // no answer will be passed on any more
	opaque  bool       // the stream is not HTTP/1 any more
}

// exchange is a request whose answer is due.
type exchange struct {
	method  string
	upgrade bool
	answer  []byte // injected; nil where the service answers
	last    bool   // the connection ends with the answer
}

func (c *conn) serveHTTP1(in *reader) {
	h := &http1{
		conn:     c,
		in:       in,
		switched: make(chan bool, 1),
		ended:    make(chan struct{}),
	}
	h.room.L = &h.mu
	h.requests()
	if h.up != nil {
		<-h.ended
	}
}

// requests passes requests on until the client's side ends.
func (h *http1) requests() {
	for upgrading := false; ; {
		if err := h.in.await(); err != nil {
			h.clientEnded(err)
			return
		}
		if upgrading && !h.awaitSwitch() {
			return
		}
		switch opaque, over := h.state(); {
		case opaque:
			h.tunnel()
			return
		case over:
			h.drain()
			return
		}
		if h.in.take(emptyLines(h.in.bytes())); len(h.in.bytes()) == 0 {
			continue
		}
		raw, req, refused, err := h.readRequest()
		if err != nil {
			h.clientEnded(err)
			return
		}
		if refused != nil {
			h.finish(exchange{answer: refused.answer()})
			return
		}
		upgrading = req.upgrade
		if !h.request(raw, req) {
			return
		}
	}
}

// readRequest returns the next head, raw and read. raw is valid until the reader's
// next fill.
func (h *http1) readRequest() (raw []byte, req head, refused *refusal, err error) {
	for searched := 0; ; {
		p := h.in.bytes()
		n, refused := headEnd(p, searched)
		if refused != nil {
			return nil, head{}, refused, nil
		}
		if n > 0 {
			if searched > 0 {
				h.setDeadline(time.Time{})
			}
			req, refused := parseRequest(p[:n])
			return p[:n], req, refused, nil
		}
		if searched == 0 {
			h.setDeadline(time.Now().Add(headTimeout))
		}
		searched = len(p)
		if err := h.in.fill(); err != nil {
			return nil, head{}, nil, err
		}
	}
}

// request lets one request meet the faults and does what they decide. It reports
// whether the connection can take another.
func (h *http1) request(raw []byte, req head) bool {
	e, ok := decide(*h.proxy.active.Load(), h.gone, h.probe)
	switch {
	case !ok:
		return false
	case e.drop:
		h.finish(exchange{})
		return false
	case e.status != 0:
		return h.inject(len(raw), req, e.status)
	}
	h.probe.pass()
	return h.forward(raw, req)
}

// inject answers in the service's place and skips the request's body.
func (h *http1) inject(headLen int, req head, status int) bool {
	h.in.take(headLen)
	b := req.requestBody()
	// A client that waits for 100 Continue may send its body now, or never.
	last := req.close || req.oldHTTP || req.expect && !b.done()
	x := exchange{answer: injectedAnswer(status, last)}
	if last {
		h.finish(x)
		return false
	}
	h.respond(x)
	if err := h.relay(io.Discard, &b); err != nil {
		h.clientEnded(err)
		return false
	}
	return true
}

// injectedAnswer is small and fixed: the status, and what says that it is injected.
func injectedAnswer(status int, last bool) []byte {
	text := http.StatusText(status)
	if text == "" {
		text = "Injected"
	}
	connection := ""
	if last {
		connection = "Connection: close\r\n"
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%s: errors\r\nContent-Length: 0\r\n%s\r\n", status, text, Header, connection)
}

// refusedHeader marks an answer to a request that the proxy did not understand.
const refusedHeader = "Reliability-Proxy"

func (r *refusal) answer() []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%s: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
		r.status, http.StatusText(r.status), refusedHeader, r.reason)
}

// respond sends an answer that is not the service's, in its turn.
func (h *http1) respond(x exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pending) > 0 && !h.over {
		h.awaitRoom()
		h.pending = append(h.pending, x)
		return
	}
	if _, err := h.client.Write(x.answer); err != nil {
		h.sever()
	}
}

// awaitRoom needs h.mu.
func (h *http1) awaitRoom() {
	for len(h.pending) >= maxPending && !h.over {
		h.room.Wait()
	}
}

// finish sends a last answer in its turn, or none, and ends the connection.
func (h *http1) finish(x exchange) {
	x.last = true
	h.mu.Lock()
	queued := len(h.pending) > 0 && !h.over
	if queued {
		h.pending = append(h.pending, x)
	}
	h.mu.Unlock()
	if queued {
		<-h.ended
		return
	}
	h.end(x)
}

// end closes the client's connection after a last answer; without one, at once.
func (h *http1) end(x exchange) {
	if len(x.answer) == 0 {
		h.sever()
		return
	}
	if _, err := h.client.Write(x.answer); err == nil {
		h.lingerClose()
	}
	h.sever()
}

// lingerClose gives the client time to read the last answer: closing with unread
// bytes would reset the connection and might take the answer with it.
func (h *http1) lingerClose() {
	closeWrite(h.client)
	_ = h.client.SetReadDeadline(time.Now().Add(linger))
	_, _ = io.Copy(io.Discard, h.client)
}

// forward passes a request on. It reports whether the connection can take another.
func (h *http1) forward(raw []byte, req head) bool {
	if h.up == nil {
		up, err := h.dial(protocolHTTP1)
		if err != nil {
			h.sever()
			return false
		}
		h.up = up
		go h.answers(newReader(up)) // serveHTTP1 waits for h.ended
	}
	h.mu.Lock()
	h.awaitRoom()
	over := h.over // the service closed meanwhile
	h.pending = append(h.pending, exchange{method: req.method, upgrade: req.upgrade})
	h.mu.Unlock()
	if over {
		return h.drain()
	}

	b := req.requestBody()
	rest := h.in.bytes()[len(raw):]
	n, err := b.scan(rest)
	if err != nil {
		h.reset()
		return false
	}
	whole := h.in.bytes()[:len(raw)+n] // one write for the head and what is here of the body
	if _, err := h.up.Write(whole); err != nil {
		return h.drain()
	}
	h.in.take(len(whole))
	switch err := h.relay(h.up, &b); {
	case err == nil:
		return true
	case isWrite(err):
		return h.drain()
	default:
		h.clientEnded(err)
		return false
	}
}

// relay passes on what is left of a request's body.
func (h *http1) relay(dst io.Writer, b *body) error { return relay(dst, h.in, b) }

// drain reads and forgets what the client still sends to a service that reads no
// more, so that the answer on its way to the client is not lost. It returns false:
// the connection takes no further request.
func (h *http1) drain() bool {
	_, err := io.Copy(io.Discard, h.client)
	if err == nil {
		err = io.EOF
	}
	h.clientEnded(err)
	return false
}

// clientEnded passes the end of the client's side on.
func (h *http1) clientEnded(err error) {
	h.mu.Lock()
	over := h.over
	idle := len(h.pending) == 0 && !h.opaque
	h.mu.Unlock()
	switch {
	case over, h.up == nil, err == io.EOF && idle:
		h.sever()
	case err == io.EOF:
		closeWrite(h.up)
	default:
		h.reset()
	}
}

func (h *http1) state() (opaque, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opaque, h.over
}

// setDeadline bounds reading from the client, unless the service's end has done so
// for good.
func (h *http1) setDeadline(t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.over {
		_ = h.client.SetReadDeadline(t)
	}
}

// awaitSwitch waits for the answer to a request to upgrade.
func (h *http1) awaitSwitch() bool {
	select {
	case <-h.switched:
		return true
	case <-h.ended:
	}
	select {
	case <-h.switched:
		return true
	default:
		return false
	}
}

// tunnel passes the client's bytes on unread from here on.
func (h *http1) tunnel() {
	p := h.in.bytes()
	if _, err := h.up.Write(p); err != nil {
		h.reset()
		return
	}
	h.in.take(len(p))
	h.pump(h.up, h.client)
}
