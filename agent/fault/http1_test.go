package fault

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// parsed gives a proxy that looks at requests.
func parsed(t *testing.T, s *service) *Proxy {
	t.Helper()
	p := newProxy(t, s.url("http"), nil)
	p.Prepare(scenario.FaultErrors)
	return p
}

// refused are requests whose end is not the same for everybody who reads them, and
// others that no service takes.
var refused = []struct {
	name, request string
	status        string
}{
	{"length beside chunks", "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
	{"chunks beside length", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "400"},
	{"two lengths", "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "400"},
	{"two equal lengths", "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "400"},
	{"a list of lengths", "POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\nhello", "400"},
	{"a signed length", "POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\nhello", "400"},
	{"a negative length", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"},
	{"a length in hex", "POST / HTTP/1.1\r\nContent-Length: 0x5\r\n\r\nhello", "400"},
	{"an empty length", "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", "400"},
	{"a length too long", "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "400"},
	{"space before the colon", "POST / HTTP/1.1\r\nContent-Length : 5\r\n\r\nhello", "400"},
	{"a folded line", "POST / HTTP/1.1\r\nX: a\r\n Content-Length: 5\r\n\r\nhello", "400"},
	{"a field without a colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", "400"},
	{"a field without a name", "GET / HTTP/1.1\r\n: x\r\n\r\n", "400"},
	{"a bare CR in a value", "GET / HTTP/1.1\r\nX: a\rContent-Length: 5\r\n\r\n", "400"},
	{"a NUL in a value", "GET / HTTP/1.1\r\nX: a\x00b\r\n\r\n", "400"},
	{"lines that end in LF", "GET / HTTP/1.1\nHost: x\n\n", "400"},
	{"one line that ends in LF", "GET / HTTP/1.1\r\nX: a\nContent-Length: 5\r\n\r\n", "400"},
	{"an encoding before chunked", "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"},
	{"an encoding behind chunked", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n", "501"},
	{"chunked twice", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501"},
	{"chunked hidden by a tab", "POST / HTTP/1.1\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", "501"},
	{"identity", "POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n", "501"},
	{"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
	{"HTTP/0.9", "GET /\r\n\r\n", "400"},
	{"HTTP/1.2", "GET / HTTP/1.2\r\n\r\n", "505"},
	{"HTTP/3", "GET / HTTP/3\r\n\r\n", "505"},
	{"two spaces", "GET  / HTTP/1.1\r\n\r\n", "400"},
	{"a space in the target", "GET /a b HTTP/1.1\r\n\r\n", "400"},
	{"a control character in the target", "GET /a\x01 HTTP/1.1\r\n\r\n", "400"},
	{"a space before the method", " GET / HTTP/1.1\r\n\r\n", "400"},
	{"a method that is no token", "G@T / HTTP/1.1\r\n\r\n", "400"},
	{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400"},
	{"a bare CR first", "\rGET / HTTP/1.1\r\n\r\n", "400"},
	{"a head without end", "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", maxHead), "431"},
}

func TestRequestsThatAreRefused(t *testing.T) {
	for _, tc := range refused {
		t.Run(tc.name, func(t *testing.T) {
			s := newService(t)
			c := parsed(t, s).connect(t)
			_, _ = io.WriteString(c, tc.request+"GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n")
			all, err := io.ReadAll(c)
			if err != nil && len(all) == 0 {
				t.Fatal(err)
			}
			if got := string(all); !strings.HasPrefix(got, "HTTP/1.1 "+tc.status+" ") ||
				!strings.Contains(got, "\r\n"+refusedHeader+": ") || strings.Count(got, "\r\n\r\n") != 1 {
				t.Errorf("answer %q; want one refusal with %s", got, tc.status)
			}
			_ = s.l.SetDeadline(time.Now())
			if up, err := s.l.Accept(); err == nil {
				_ = up.Close()
				t.Error("the service was called")
			}
		})
	}
}

func TestARefusalWaitsForTheAnswersBeforeIt(t *testing.T) {
	s := newService(t)
	c := parsed(t, s).connect(t)
	send(t, c, getRequest+"GET / HTTP/1.1\nX: y\n\n")
	up := s.accept()
	receive(t, up, getRequest)
	send(t, up, okAnswer)
	receive(t, c, okAnswer+"HTTP/1.1 400 ")
}

func TestBrokenChunksEndTheConnection(t *testing.T) {
	for _, chunks := range []string{"zz\r\n", "5\nhello", "5\r\nhelloX\r\n", "-1\r\n", "\r\n", "1 \x00\r\n", "FFFFFFFFFFFFFFFF\r\n", "0\r\n X: folded\r\n\r\n", "0\r\nX: y\n\r\n", ";x\r\n", "5;" + strings.Repeat("x", maxChunkLine) + "\r\n"} {
		s := newService(t)
		c := parsed(t, s).connect(t)
		send(t, c, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
		up := s.accept()
		_, _ = io.WriteString(c, chunks+"GET /hidden HTTP/1.1\r\n\r\n")
		got, _ := io.ReadAll(up)
		if strings.Contains(string(got), "hidden") {
			t.Errorf("chunks %q: the service saw %q", chunks, got)
		}
		receiveClosed(t, c)
	}
}

func TestEmptyLinesBetweenRequestsAreSkipped(t *testing.T) {
	s := newService(t)
	c := parsed(t, s).connect(t)
	send(t, c, "\r\n\r\n"+getRequest)
	up := s.accept()
	receive(t, up, getRequest)
}

// random is a body that compresses to nothing shorter and repeats nowhere.
func random(n int) []byte {
	p := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(p)
	return p
}

// Bodies far beyond every buffer pass both ways at once, and memory stays bounded.
func TestLargeBodiesAreStreamed(t *testing.T) {
	const size = 64 << 20
	piece := random(1 << 20)
	for _, framing := range []string{"length", "chunked", "to the end"} {
		t.Run(framing, func(t *testing.T) {
			s := newService(t)
			srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = http.NewResponseController(w).EnableFullDuplex()
				switch framing {
				case "length":
					w.Header().Set("Content-Length", r.Header.Get("X-Size"))
				case "to the end":
					w.Header().Set("Connection", "close")
					w.Header().Set("Transfer-Encoding", "identity")
				}
				_, _ = io.Copy(w, r.Body)
			})}
			var wg sync.WaitGroup
			wg.Go(func() { _ = srv.Serve(s.l) })
			defer wg.Wait()
			defer func() { _ = srv.Close() }()

			p := parsed(t, s)
			body := io.LimitReader(&repeat{piece, 0}, size)
			req, err := http.NewRequest(http.MethodPost, "http://"+p.Addr().String(), body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Size", "67108864")
			if framing == "length" {
				req.ContentLength = size
			}
			tr := &http.Transport{}
			defer tr.CloseIdleConnections()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			want := io.LimitReader(&repeat{piece, 0}, size)
			if n, err := compare(res.Body, want); err != nil || n != size {
				t.Fatalf("%d bytes came back: %v", n, err)
			}
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
				t.Errorf("%d bytes were allocated for a body of %d", grown, size)
			}
		})
	}
}

type repeat struct {
	p []byte
	i int
}

func (r *repeat) Read(b []byte) (int, error) {
	n := copy(b, r.p[r.i:])
	r.i = (r.i + n) % len(r.p)
	return n, nil
}

func compare(got, want io.Reader) (n int64, err error) {
	a, b := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		k, err := io.ReadFull(got, a)
		if _, werr := io.ReadFull(want, b[:k]); werr != nil || !bytes.Equal(a[:k], b[:k]) {
			return n, errors.New("the bytes differ")
		}
		n += int64(k)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

func TestClientGone(t *testing.T) {
	for name, tc := range map[string]struct {
		request string
		linger  int // 0 resets
	}{
		"while it waits, by an end":  {getRequest, -1},
		"while it waits, by a reset": {getRequest, 0},
		"in its body, by an end":     {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab", -1},
		"in its body, by a reset":    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab", 0},
		"in a large body":            {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\nab", 0},
		"in chunks":                  {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			c := parsed(t, s).connect(t)
			send(t, c, tc.request)
			up := s.accept()
			receive(t, up, tc.request)
			_ = c.SetLinger(tc.linger)
			_ = c.Close()
			receiveClosed(t, up)
		})
	}
}

func TestClientGoneInTheAnswer(t *testing.T) {
	s := newService(t)
	c := parsed(t, s).connect(t)
	send(t, c, getRequest)
	up := s.accept()
	receive(t, up, getRequest)
	send(t, up, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
	receive(t, c, "HTTP/1.1 200 OK\r\n")
	_ = c.Close()
	piece := make([]byte, 64<<10)
	for {
		if _, err := up.Write(piece); err != nil {
			return // the service is told
		}
	}
}

// A service that refuses leaves a closed connection, not an answer that it never gave.
func TestServiceRefuses(t *testing.T) {
	for _, prepared := range []bool{false, true} {
		s := newService(t)
		_ = s.l.Close()
		p := newProxy(t, s.url("http"), nil)
		if prepared {
			p.Prepare(scenario.FaultErrors)
		}
		c := p.connect(t)
		_, _ = io.WriteString(c, getRequest)
		receiveClosed(t, c)
	}
}

func TestServiceResets(t *testing.T) {
	for name, answered := range map[string]string{
		"before its answer":    "",
		"in its head":          "HTTP/1.1 200",
		"in a body of length":  "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
		"in a large body":      "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\nab",
		"in a body to the end": "HTTP/1.1 200 OK\r\n\r\nab",
		"in chunks":            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
		"in another protocol":  "HTTP/1.1 101 Switching Protocols\r\n\r\nab",
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			c := parsed(t, s).connect(t)
			send(t, c, getRequest)
			up := s.accept()
			receive(t, up, getRequest)
			send(t, up, answered)
			if strings.Contains(answered, "\r\n\r\n") {
				receive(t, c, answered)
			}
			_ = up.SetLinger(0)
			_ = up.Close()
			// An end would make a body without a length look whole.
			if _, err := io.ReadAll(c); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the client sees %v; want a reset", err)
			}
		})
	}
}

// A service that answers early and closes while the body still comes: the answer is
// not lost to the reset that the body meets.
func TestEarlyAnswerAndClose(t *testing.T) {
	const early = "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	s := newService(t)
	c := parsed(t, s).connect(t)
	send(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nab")
	up := s.accept()
	send(t, up, early)
	_ = up.Close() // with unread bytes: a reset
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = io.Copy(c, io.LimitReader(&repeat{random(64 << 10), 0}, 1<<22)) })
	got := make([]byte, len(early))
	n, err := io.ReadFull(c, got)
	_ = c.Close()
	wg.Wait()
	// The kernel drops unread bytes at a reset; that is the real thing's race too.
	if err != nil && !errors.Is(err, syscall.ECONNRESET) || string(got[:n]) != early[:n] {
		t.Errorf("the client saw %q, %v", got[:n], err)
	}
}

func TestInjectionWhileTheClientSendsALargeBody(t *testing.T) {
	p := newProxy(t, newService(t).url("http"), nil)
	apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	c := p.connect(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n")
		_, _ = io.Copy(c, io.LimitReader(&repeat{random(64 << 10), 0}, 8<<20))
		_, _ = io.WriteString(c, getRequest)
	})
	receive(t, c, injected+injected)
	wg.Wait()
}

func TestManyPipelinedRequestsAreBounded(t *testing.T) {
	s := newService(t)
	p := parsed(t, s)
	c := p.connect(t)
	const n = 10 * maxPending
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = io.WriteString(c, strings.Repeat(getRequest, n)) })
	up := s.accept()
	receive(t, up, strings.Repeat(getRequest, maxPending))
	_ = up.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	var timeout net.Error
	if k, err := up.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("read %d, %v behind %d requests without an answer", k, err, maxPending)
	}
	_ = up.SetReadDeadline(time.Now().Add(guard))
	for i := range n {
		send(t, up, okAnswer)
		if i+maxPending < n {
			receive(t, up, getRequest)
		}
		receive(t, c, okAnswer)
	}
	wg.Wait()
}
