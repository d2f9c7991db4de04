package fault

import (
	"encoding/binary"
	"io"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	// h2MaxStreams bounds the requests of one connection that are under way.
	h2MaxStreams = 16 << 10
	// h2MaxHeld bounds the bytes of one connection that are kept for requests being
	// delayed. A service's window is mostly far below; one above it makes the client
	// wait.
	h2MaxHeld = 16 << 20
)

// h2 is one client's HTTP/2 connection and the service's behind it. Frames are passed
// on as they come, each side keeping the other's flow control and settings. Three
// things change on the way:
//
//   - Streams are numbered anew towards the service: a request that is delayed or
//     answered by a fault would leave a gap, or come out of order, which HTTP/2 forbids.
//   - Heads are encoded anew, field by field in their order, since HPACK makes each
//     depend on those before it.
//   - Priorities, which need the old numbers and are deprecated, are left out.
//
// A fault that drops resets the request's stream: closing the connection would drop
// requests that it does not affect.
type h2 struct {
	*conn
	client, service *h2out
	wg              sync.WaitGroup // delayed requests

	mu        sync.Mutex
	streams   map[uint32]*h2stream // by the client's number
	byService map[uint32]*h2stream // by the service's number
	lastSeen  uint32               // the client's highest number
	lastSent  uint32               // the service's highest number
	greeted   bool                 // the service's settings came, which go first
	goneAway  bool                 // the service takes no further request
	goneTo    uint32               // the last that the client was told of
	held      int                  // bytes kept for delayed requests
}

// serveH2 serves a client that has sent HTTP/2's preface.
func (c *conn) serveH2(in *reader) {
	in.take(len(http2.ClientPreface))
	up, err := c.dial(protocolHTTP2)
	if err != nil {
		return
	}
	h := &h2{
		conn:    c,
		streams: map[uint32]*h2stream{}, byService: map[uint32]*h2stream{},
		lastSent: 1<<32 - 1, // so that the first is 1
	}
	h.client, h.service = newH2out(c.client, &h.mu), newH2out(up, &h.mu)
	h.service.buf = append(h.service.buf, http2.ClientPreface...)
	var wg sync.WaitGroup
	for _, o := range []*h2out{h.client, h.service} {
		wg.Go(func() {
			switch err := o.send(); {
			case err != nil:
				h.reset()
			case o == h.client:
				_ = c.client.SetReadDeadline(time.Now().Add(linger))
			}
		})
	}
	wg.Go(func() { h.ended(h.client, h.read(newH2in(newReader(up)), h.fromService)) })
	h.ended(h.service, h.read(newH2in(in), h.fromClient))
	wg.Wait()
	h.abandon()
	h.wg.Wait()
}

// ended passes the end of one side on to the other, after all that came before it.
func (h *h2) ended(to *h2out, err error) {
	h.mu.Lock()
	lingered := h.client.over && to == h.service
	h.mu.Unlock()
	to.end()
	switch {
	case lingered:
		h.sever()
	case err != io.EOF:
		h.client.end()
		h.service.end()
		h.reset()
	}
}

// read handles the frames of one side until it ends.
func (h *h2) read(in *h2in, handle func(*h2in, h2frame) error) error {
	for {
		f, size, err := in.next()
		if err != nil {
			return err
		}
		if size > 0 {
			if err := handle(in, f); err != nil {
				return err
			}
			in.r.take(size)
			continue
		}
		h.mu.Lock()
		h.service.awaitRoom()
		h.client.awaitRoom()
		for h.held > h2MaxHeld && !h.service.over {
			h.service.changed.Wait()
		}
		h.mu.Unlock()
		if err := in.r.fill(); err != nil {
			return err
		}
	}
}

// fromClient handles one of the client's frames.
func (h *h2) fromClient(in *h2in, f h2frame) error {
	switch f.kind {
	case http2.FrameHeaders, http2.FrameContinuation:
		fields, complete, err := in.fieldsOf(f)
		if err != nil || !complete {
			return err
		}
		return h.clientHead(in.head.stream, fields, in.head.has(http2.FlagHeadersEndStream))
	case http2.FrameSettings:
		return h.settings(h.service, f, true)
	case http2.FramePriority, framePriorityUpdate:
		return nil
	case http2.FramePushPromise:
		return errH2
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.stream == 0 {
		h.service.add(f)
		return nil
	}
	s := h.streams[f.stream]
	if s == nil {
		h.credit(h.client, f)
		return nil
	}
	if f.kind == http2.FrameRSTStream && s.delayed {
		h.forget(s)
		return nil
	}
	h.toService(s, f)
	return nil
}

// framePriorityUpdate is PRIORITY_UPDATE of RFC 9218, section 7.1.
const framePriorityUpdate http2.FrameType = 0x10

// fromService handles one of the service's frames.
func (h *h2) fromService(in *h2in, f h2frame) error {
	switch f.kind {
	case http2.FrameHeaders, http2.FrameContinuation:
		fields, complete, err := in.fieldsOf(f)
		if err != nil || !complete {
			return err
		}
		h.serviceHead(in.head.stream, fields, in.head.has(http2.FlagHeadersEndStream))
		return nil
	case http2.FrameSettings:
		return h.settings(h.client, f, false)
	case http2.FrameGoAway:
		return h.goAway(f)
	case http2.FramePushPromise:
		return errH2 // it was told not to
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.stream == 0 {
		h.client.add(f)
		return nil
	}
	s := h.byService[f.stream]
	if s == nil {
		h.credit(h.service, f)
		return nil
	}
	out := f
	out.stream = s.number
	h.client.add(out)
	if f.kind == http2.FrameRSTStream || endsStream(f) {
		h.serviceDone(s, f.kind == http2.FrameRSTStream)
	}
	return nil
}

// settings passes settings on within the proxy's own bounds.
func (h *h2) settings(to *h2out, f h2frame, fromClient bool) error {
	out := f
	if !f.has(http2.FlagSettingsAck) {
		p, err := boundSettings(f.payload, fromClient)
		if err != nil {
			return err
		}
		out.payload = p
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	to.add(out)
	if !fromClient {
		h.greeted = true
		to.changed.Broadcast()
	}
	return nil
}

// credit gives the sender of a body's bytes that go no further their room in the
// connection's window back. It needs h.mu.
func (h *h2) credit(to *h2out, f h2frame) {
	if f.kind == http2.FrameData && len(f.payload) > 0 {
		to.add(h2frame{kind: http2.FrameWindowUpdate, payload: number(uint32(len(f.payload)))})
	}
}

// clientHead handles a request's head, or the trailers of its body.
func (h *h2) clientHead(number uint32, fields []hpack.HeaderField, end bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.streams[number]; s != nil {
		if s.delayed {
			s.held = append(s.held, h2held{head: true, fields: fields, end: end})
			return nil
		}
		h.sendHead(s, fields, end)
		return nil
	}
	if number%2 == 0 || len(h.streams) >= h2MaxStreams {
		return errH2
	}
	if number <= h.lastSeen {
		return nil // behind an answer that did not wait for it
	}
	h.awaitGreeting()
	h.lastSeen = number
	s := &h2stream{number: number, head: fields, end: end}
	h.streams[number] = s
	if h.goneAway {
		h.refuse(s)
		return nil
	}
	h.decide(s)
	return nil
}

// awaitGreeting waits for the service's settings: a fault must not answer before them.
// It needs h.mu.
func (h *h2) awaitGreeting() {
	for !h.greeted && !h.client.over {
		h.service.changed.Broadcast()
		h.client.changed.Wait()
	}
}

// serviceHead handles an answer's head, interim or not, or the trailers of its body.
func (h *h2) serviceHead(number uint32, fields []hpack.HeaderField, end bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.byService[number]
	if s == nil {
		return
	}
	h.client.addHead(s.number, fields, end)
	if end {
		h.serviceDone(s, false)
	}
}

// goAway tells the client which requests the service will not answer.
func (h *h2) goAway(f h2frame) error {
	if len(f.payload) < 8 {
		return errH2
	}
	last := binary.BigEndian.Uint32(f.payload) & (1<<31 - 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	told := last
	if last < 1<<31-1 {
		if !h.goneAway {
			h.goneAway, h.goneTo = true, h.lastSeen
		}
		told = h.goneTo // by the client's numbers, and never more than before
		for _, s := range h.streams {
			if s.service > last && !s.delayed {
				h.refuse(s)
			}
		}
	}
	out := h2frame{kind: http2.FrameGoAway, payload: append(number(told), f.payload[4:]...)}
	h.client.add(out)
	return nil
}
