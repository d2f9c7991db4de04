package fault

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// answers passes the service's answers back until its side ends. It is the only
// writer to the client while requests are pending.
func (h *http1) answers(out *reader) {
	defer close(h.ended)
	defer h.stop()
	for {
		if err := out.await(); err != nil {
			h.serviceEnded(err)
			return
		}
		x, ok := h.oldest()
		if !ok {
			// An answer that nobody asked for, such as 408 before a service closes.
			h.passRest(out)
			return
		}
		b, again, ok := h.passHead(out, x)
		if !ok {
			return
		}
		if again {
			continue
		}
		if err := relay(h.client, out, &b); err != nil {
			h.serviceEnded(err)
			return
		}
		if !h.answered() {
			return
		}
	}
}

// stop lets the reading side know that no answer follows.
func (h *http1) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	h.room.Broadcast()
}

// oldest is the request that the next answer belongs to. When there is none, the
// stream is taken to be opaque from here on.
func (h *http1) oldest() (exchange, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pending) == 0 {
		h.opaque = true
		return exchange{}, false
	}
	return h.pending[0], true
}

// passHead passes on an answer's head and what is here of its body. again is set
// behind an interim answer; ok is false when the stream is done with.
func (h *http1) passHead(out *reader, x exchange) (b body, again, ok bool) {
	n, searched := 0, 0
	for {
		var bad *refusal
		if n, bad = headEnd(out.bytes(), searched); bad != nil {
			h.passRest(out)
			return body{}, false, false
		}
		if n > 0 {
			break
		}
		searched = len(out.bytes())
		if err := out.fill(); err != nil {
			if h.pass(out, searched) {
				h.serviceEnded(err)
			}
			return body{}, false, false
		}
	}
	res, ok := parseResponse(out.bytes()[:n])
	switch tunnel := x.method == http.MethodConnect && res.status/100 == 2; {
	case !ok:
		h.passRest(out)
		return body{}, false, false
	case res.status == http.StatusSwitchingProtocols || tunnel:
		h.becomeOpaque()
		if x.upgrade {
			h.switched <- true
		}
		h.passRest(out)
		return body{}, false, false
	case res.status < 200:
		return body{}, true, h.pass(out, n)
	}
	if x.upgrade {
		h.switched <- false
	}
	b = res.responseBody(x.method)
	m, err := b.scan(out.bytes()[n:])
	if err != nil {
		h.passRest(out)
		return body{}, false, false
	}
	return b, false, h.pass(out, n+m)
}

// pass sends the first n bytes to the client.
func (h *http1) pass(out *reader, n int) bool {
	if _, err := h.client.Write(out.bytes()[:n]); err != nil {
		h.sever()
		return false
	}
	out.take(n)
	return true
}

// passRest passes on everything up to the end of the connection, unread.
func (h *http1) passRest(out *reader) {
	h.becomeOpaque()
	if h.pass(out, len(out.bytes())) {
		h.pump(h.client, out.src)
	}
}

func (h *http1) becomeOpaque() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opaque = true
}

// answered takes the oldest request off and sends the injected answers behind it. It
// reports whether the connection goes on.
func (h *http1) answered() bool {
	h.mu.Lock()
	h.pending = h.pending[:copy(h.pending, h.pending[1:])]
	for len(h.pending) > 0 {
		x := h.pending[0]
		if x.last {
			h.mu.Unlock()
			h.end(x)
			return false
		}
		if x.answer == nil {
			break
		}
		if _, err := h.client.Write(x.answer); err != nil {
			h.mu.Unlock()
			h.sever()
			return false
		}
		h.pending = h.pending[:copy(h.pending, h.pending[1:])]
	}
	h.room.Signal()
	h.mu.Unlock()
	return true
}

// serviceEnded passes the end of the service's side on: as an end, or as a reset,
// which alone tells a client that a body without a length is not whole.
func (h *http1) serviceEnded(err error) {
	if err != io.EOF {
		h.reset()
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	closeWrite(h.client)
	_ = h.client.SetReadDeadline(time.Now().Add(linger))
}

// writeError is a failure of the side that is written to. Where the kernel moves the
// bytes, the sides cannot be told apart, and it may be either.
type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

func isWrite(err error) bool {
	var w writeError
	return errors.As(err, &w)
}

// bulk is the size in bytes from which what is left of a body with a known length is
// moved by the kernel where it can be.
const bulk = 64 << 10

// relay passes on what is left of a body, each part as soon as it is here. It
// returns io.EOF where src ends, which is the end of a body that has no other.
func relay(dst io.Writer, src *reader, b *body) error {
	for !b.done() {
		if len(src.bytes()) == 0 && (b.kind == bodyToEnd || b.kind == bodyLength && b.left >= bulk) {
			return relayBulk(dst, src, b)
		}
		if err := src.await(); err != nil {
			return err
		}
		n, err := b.scan(src.bytes())
		if _, err := dst.Write(src.bytes()[:n]); err != nil {
			return writeError{err}
		}
		src.take(n)
		if err != nil {
			return err
		}
	}
	return nil
}

func relayBulk(dst io.Writer, src *reader, b *body) error {
	if b.kind == bodyToEnd {
		if _, err := io.Copy(dst, src.src); err != nil {
			return writeError{err}
		}
		return io.EOF
	}
	n, err := io.Copy(dst, io.LimitReader(src.src, b.left))
	if b.left -= n; err != nil {
		return writeError{err}
	}
	if b.left > 0 {
		return io.EOF
	}
	return nil
}
