package fault

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"

	"github.com/inorbit-hr/reliability/scenario"
)

// h2stream is one request and its answer.
type h2stream struct {
	number  uint32 // the client's
	service uint32 // the service's; 0 while it has not gone on
	head    []hpack.HeaderField
	end     bool // nothing follows the head

	delayed bool
	gone    chan struct{} // of a delayed request: closed when it is given up
	held    []h2held      // what the client sent during the delay

	clientOver, serviceOver bool
}

// h2held is a frame, or a head with its fields.
type h2held struct {
	frame  h2frame
	head   bool
	fields []hpack.HeaderField
	end    bool // nothing follows
}

// decide lets a request meet the faults; one that has to wait does not hold up the
// others. It needs h.mu.
func (h *h2) decide(s *h2stream) {
	active := *h.proxy.active.Load()
	if !delays(active) {
		e, _ := decide(active, h.gone, h.probe)
		h.carryOut(s, e)
		return
	}
	s.delayed, s.gone = true, make(chan struct{})
	h.wg.Go(func() {
		e, ok := decide(active, s.gone, h.probe)
		if !ok {
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.streams[s.number] == s {
			s.delayed = false
			h.carryOut(s, e)
			h.service.changed.Broadcast()
			h.client.changed.Broadcast()
		}
	})
}

// delays reports whether a request may have to wait.
func delays(active []*Active) bool {
	for _, a := range active {
		if a.Type() == scenario.FaultLatency {
			return true
		}
	}
	return false
}

// carryOut does what the faults decided. It needs h.mu.
func (h *h2) carryOut(s *h2stream, e effect) {
	switch {
	case e.drop:
		h.resetStream(s, http2.ErrCodeInternal)
	case e.status != 0:
		h.client.addHead(s.number, injectedHead(s.head, e.status), true)
		if !s.end && !s.heldEnd() {
			// RFC 9113, section 8.1: the rest of the body is not needed.
			h.resetStream(s, http2.ErrCodeNo)
			return
		}
		h.forget(s)
	case h.goneAway:
		h.refuse(s)
	default:
		h.probe.pass()
		h.goOn(s)
	}
}

// goOn passes a request on, and what the client sent of it since. It needs h.mu.
func (h *h2) goOn(s *h2stream) {
	h.lastSent += 2
	s.service = h.lastSent
	h.byService[s.service] = s
	h.sendHead(s, s.head, s.end)
	s.head = nil
	held := s.held
	s.held = nil
	for _, x := range held {
		h.held -= len(x.frame.payload)
		if x.head {
			h.sendHead(s, x.fields, x.end)
			continue
		}
		h.toService(s, x.frame)
	}
}

func (h *h2) sendHead(s *h2stream, fields []hpack.HeaderField, end bool) {
	h.service.addHead(s.service, fields, end)
	if end {
		h.clientOver(s)
	}
}

// toService passes a frame of a request on, or keeps it while the request waits. The
// service's window bounds what has to be kept. It needs h.mu.
func (h *h2) toService(s *h2stream, f h2frame) {
	if s.delayed {
		f.payload = bytes.Clone(f.payload)
		s.held = append(s.held, h2held{frame: f, end: endsStream(f)})
		h.held += len(f.payload)
		return
	}
	f.stream = s.service
	h.service.add(f)
	switch {
	case f.kind == http2.FrameRSTStream:
		h.forget(s)
	case endsStream(f):
		h.clientOver(s)
	}
}

// endsStream reports whether a frame that is not a head is its side's last.
func endsStream(f h2frame) bool {
	return f.kind == http2.FrameData && f.has(http2.FlagDataEndStream)
}

func (h *h2) clientOver(s *h2stream) {
	if s.clientOver = true; s.serviceOver {
		h.forget(s)
	}
}

func (h *h2) serviceDone(s *h2stream, reset bool) {
	if s.serviceOver = true; s.clientOver || reset {
		h.forget(s)
	}
}

// refuse tells the client that a request was not touched and may be repeated.
func (h *h2) refuse(s *h2stream) { h.resetStream(s, http2.ErrCodeRefusedStream) }

func (h *h2) resetStream(s *h2stream, code http2.ErrCode) {
	h.client.add(h2frame{kind: http2.FrameRSTStream, stream: s.number, payload: number(uint32(code))})
	h.forget(s)
}

// forget ends what is known of a request. It needs h.mu.
func (h *h2) forget(s *h2stream) {
	for _, x := range s.held {
		h.held -= len(x.frame.payload)
		h.credit(h.client, x.frame)
	}
	s.held = nil
	delete(h.streams, s.number)
	delete(h.byService, s.service)
	if s.delayed {
		s.delayed = false
		close(s.gone)
	}
}

// abandon gives up the requests that are still delayed when the connection has ended.
func (h *h2) abandon() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.streams {
		h.forget(s)
	}
}

// heldEnd reports whether the client's side ended during the delay.
func (s *h2stream) heldEnd() bool {
	for _, x := range s.held {
		if x.end {
			return true
		}
	}
	return false
}

// injectedHead is the whole of an injected answer. A gRPC call is answered with the
// code that stands for the status.
func injectedHead(request []hpack.HeaderField, status int) []hpack.HeaderField {
	marked := hpack.HeaderField{Name: strings.ToLower(Header), Value: string(scenario.FaultErrors)}
	if !isGRPC(request) {
		return []hpack.HeaderField{
			{Name: ":status", Value: strconv.Itoa(status)}, marked, {Name: "content-length", Value: "0"},
		}
	}
	return []hpack.HeaderField{
		{Name: ":status", Value: "200"},
		{Name: "content-type", Value: "application/grpc"},
		marked,
		{Name: "grpc-status", Value: strconv.Itoa(int(grpcCode(status)))},
		{Name: "grpc-message", Value: "injected by a fault"},
	}
}

func isGRPC(request []hpack.HeaderField) bool {
	for _, f := range request {
		if f.Name == "content-type" {
			return strings.HasPrefix(f.Value, "application/grpc")
		}
	}
	return false
}

// grpcCode maps a status as gRPC clients do
// (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md).
func grpcCode(status int) codes.Code {
	switch status {
	case 400:
		return codes.Internal
	case 401:
		return codes.Unauthenticated
	case 403:
		return codes.PermissionDenied
	case 404:
		return codes.Unimplemented
	case 429, 502, 503, 504:
		return codes.Unavailable
	}
	return codes.Unknown
}
