package fault

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"

	"golang.org/x/net/http2"
	"pgregory.net/rapid"
)

// A request that the proxy takes, and net/http takes, has the same end for both.
func FuzzRequestFraming(f *testing.F) {
	for _, tc := range refused {
		f.Add([]byte(shorten(tc.request)))
	}
	for _, conv := range conversations {
		for _, st := range conv.steps {
			if st.by == "client" {
				f.Add([]byte(shorten(st.text)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		n, bad := headEnd(p, 0)
		if bad != nil || n == 0 {
			return
		}
		h, bad := parseRequest(p[:n])
		if bad != nil {
			return
		}
		r := bufio.NewReader(bytes.NewReader(p))
		_, _ = r.Discard(emptyLines(p))
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		chunked := len(req.TransferEncoding) == 1
		if h.chunked != chunked || !chunked && max(0, h.length) != req.ContentLength {
			t.Fatalf("chunked %v, length %d; net/http: %v, %d", h.chunked, h.length, req.TransferEncoding, req.ContentLength)
		}
		b := h.requestBody()
		m, err := b.scan(p[n:])
		if err != nil || !b.done() {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		rest, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(rest, p[n+m:]) {
			t.Fatalf("behind the request %q; net/http: %q", p[n+m:], rest)
		}
	})
}

// Where a body is cut into pieces does not matter.
func TestBodyScanDoesNotDependOnPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := []byte("0123aF;\r\n\r\nX: \x00")
		p := rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 60).Draw(t, "body")
		whole := body{kind: bodyChunked}
		n, err := whole.scan(p)
		pieces, at := body{kind: bodyChunked}, 0
		var perr error
		for at < len(p) && perr == nil && !pieces.done() {
			to := rapid.IntRange(at+1, len(p)).Draw(t, "cut")
			var m int
			m, perr = pieces.scan(p[at:to])
			at += m
		}
		if at != n || (perr == nil) != (err == nil) || pieces.done() != whole.done() {
			t.Fatalf("whole: %d, %v, done %v; pieces: %d, %v, done %v", n, err, whole.done(), at, perr, pieces.done())
		}
	})
}

func TestHeadEndDoesNotDependOnPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.SampledFrom([]byte("G X:\r\n\r\n\r\n")), 0, 40).Draw(t, "head")
		want, wantBad := headEnd(p, 0)
		searched := 0
		for to := range len(p) + 1 {
			n, bad := headEnd(p[:to], searched)
			if n > 0 || bad != nil {
				if n != want || (bad == nil) != (wantBad == nil) {
					t.Fatalf("whole: %d, %v; up to %d: %d, %v", want, wantBad, to, n, bad)
				}
				return
			}
			searched = to
		}
		if want != 0 || wantBad != nil {
			t.Fatalf("whole: %d, %v; pieces: nothing", want, wantBad)
		}
	})
}

// Frames from either side never break more than their connection.
func FuzzH2Frames(f *testing.F) {
	f.Add([]byte(http2.ClientPreface), true)
	f.Add(appendFrame(nil, h2frame{kind: http2.FrameSettings, payload: []byte{0, 1, 0xff, 0, 0, 0}}), true)
	f.Add(appendFrame(nil, h2frame{kind: http2.FrameHeaders, flags: 5, stream: 1, payload: []byte{0x82}}), true)
	f.Add(appendFrame(nil, h2frame{kind: http2.FrameGoAway, payload: make([]byte, 8)}), false)
	f.Fuzz(func(t *testing.T, p []byte, client bool) {
		c := &conn{proxy: &Proxy{}}
		c.proxy.active.Store(&[]*Active{})
		h := &h2{
			conn: c, streams: map[uint32]*h2stream{}, byService: map[uint32]*h2stream{},
			lastSent: 1<<32 - 1, greeted: true,
		}
		h.client, h.service = newH2out(nil, &h.mu), newH2out(nil, &h.mu)
		in := newH2in(&reader{buf: p, w: len(p)})
		handle := h.fromService
		if client {
			handle = h.fromClient
		}
		for {
			f, size, err := in.next()
			if err != nil || size == 0 {
				return
			}
			if handle(in, f) != nil {
				return
			}
			in.r.take(size)
			if len(h.byService) > len(h.streams) {
				t.Fatalf("%d streams of the service, %d of the client", len(h.byService), len(h.streams))
			}
		}
	})
}
