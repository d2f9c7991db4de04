package fault

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// guard ends a test that hangs; no test waits for it.
const guard = 20 * time.Second

// fakeClock is moved by hand.
type fakeClock struct {
	mu      sync.Mutex
	changed sync.Cond
	now     time.Duration
	timers  []*fakeTimer
}

type fakeTimer struct {
	clock *fakeClock
	at    time.Duration
	f     func()
}

func newFakeClock() *fakeClock {
	c := &fakeClock{}
	c.changed.L = &c.mu
	return c
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{clock: c, at: c.now + d, f: f}
	c.timers = append(c.timers, t)
	c.changed.Broadcast()
	return t
}

func (t *fakeTimer) Stop() bool {
	c := t.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.timers, t)
	if i < 0 {
		return false
	}
	c.timers = slices.Delete(c.timers, i, i+1)
	c.changed.Broadcast()
	return true
}

// advance moves the clock and makes the calls that are due before it returns.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	c.now += d
	var due []*fakeTimer
	c.timers = slices.DeleteFunc(c.timers, func(t *fakeTimer) bool {
		if t.at > c.now {
			return false
		}
		due = append(due, t)
		return true
	})
	c.changed.Broadcast()
	c.mu.Unlock()
	for _, t := range due {
		t.f()
	}
}

// awaitTimers waits until n calls are to be made.
func (c *fakeClock) awaitTimers(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.timers) != n {
		c.changed.Wait()
	}
}

// service is the raw TCP listener behind a proxy.
type service struct {
	t *testing.T
	l *net.TCPListener
}

func newService(t *testing.T) *service {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &service{t, l.(*net.TCPListener)}
}

func (s *service) accept() *net.TCPConn {
	s.t.Helper()
	_ = s.l.SetDeadline(time.Now().Add(guard))
	c, err := s.l.AcceptTCP()
	if err != nil {
		s.t.Fatalf("the service saw no connection: %v", err)
	}
	return guarded(s.t, c)
}

func (s *service) url(scheme string) *url.URL {
	return &url.URL{Scheme: scheme, Host: s.l.Addr().String()}
}

func guarded(t *testing.T, c *net.TCPConn) *net.TCPConn {
	_ = c.SetDeadline(time.Now().Add(guard))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func newProxy(t *testing.T, upstream *url.URL, clock Clock) *Proxy {
	t.Helper()
	p, err := Listen(context.Background(), Config{
		Name: "engine", Connection: "engine-staging", Listen: "127.0.0.1:0", Upstream: upstream, Clock: clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *Proxy) connect(t *testing.T) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return guarded(t, c.(*net.TCPConn))
}

func apply(t *testing.T, p *Proxy, f scenario.Fault) *Active {
	t.Helper()
	a, err := p.Apply(Spec{Fault: f, Lease: time.Hour, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatalf("writing %q: %v", shorten(text), err)
	}
}

// receive reads exactly the bytes of text.
func receive(t *testing.T, c net.Conn, text string) {
	t.Helper()
	got := make([]byte, len(text))
	n, err := io.ReadFull(c, got)
	if string(got[:n]) != text {
		t.Fatalf("read %q (%v)\nwant %q", shorten(string(got[:n])), err, shorten(text))
	}
}

// receiveEnd expects the end of the stream and nothing before it.
func receiveEnd(t *testing.T, c net.Conn) {
	t.Helper()
	rest, err := io.ReadAll(c)
	if len(rest) > 0 || err != nil {
		t.Fatalf("read %q, %v; want the end of the stream", shorten(string(rest)), err)
	}
}

// receiveClosed expects that nothing more comes, by an end or by a reset.
func receiveClosed(t *testing.T, c net.Conn) {
	t.Helper()
	rest, err := io.ReadAll(c)
	var timeout net.Error
	if len(rest) > 0 || errors.As(err, &timeout) && timeout.Timeout() {
		t.Fatalf("read %q, %v; want a closed connection", shorten(string(rest)), err)
	}
}

func shorten(s string) string {
	if len(s) > 300 {
		return s[:150] + "..." + s[len(s)-150:]
	}
	return s
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
