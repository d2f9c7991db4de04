package fault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/inorbit-hr/reliability/scenario"
)

func h2Protocols() *http.Protocols {
	p := &http.Protocols{}
	p.SetUnencryptedHTTP2(true)
	return p
}

// newH2Service speaks HTTP/2 alone.
func newH2Service(t *testing.T, handler http.HandlerFunc) *service {
	s := newService(t)
	srv := &http.Server{Handler: handler, Protocols: h2Protocols()}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(s.l) })
	t.Cleanup(func() { _ = srv.Close(); wg.Wait() })
	return s
}

func h2Client(t *testing.T) *http.Client {
	tr := &http.Transport{Protocols: h2Protocols()}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: guard}
}

// h2Get returns what the client sees in a word.
func h2Get(c *http.Client, p *Proxy) string {
	res, err := c.Get("http://" + p.Addr().String() + "/x")
	if err != nil {
		var stream http2.StreamError
		if errors.As(err, &stream) || strings.Contains(err.Error(), "stream error") {
			return "reset"
		}
		return err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err.Error()
	}
	if f := res.Header.Get(Header); f != "" {
		return fmt.Sprint("injected ", res.StatusCode)
	}
	return fmt.Sprint(res.StatusCode)
}

func TestH2PassesEverythingOn(t *testing.T) {
	s := newH2Service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.Header().Set("Link", "</a>")
			w.WriteHeader(http.StatusEarlyHints)
		}
		w.Header().Set("Trailer", "X-Sum")
		w.Header()["X-Two"] = []string{"a", "b"}
		w.Header().Set("X-Got", r.Header.Get("X-Sent")+" "+r.RequestURI+" "+r.Host)
		_ = http.NewResponseController(w).Flush()
		n, err := io.Copy(w, r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Sum", fmt.Sprint(n, r.Trailer.Get("X-End")))
	})
	for mode, prepare := range map[string]func(*Proxy){
		"passed": func(*Proxy) {},
		"parsed": func(p *Proxy) { p.Prepare(scenario.FaultErrors) },
		"delayed": func(p *Proxy) {
			apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Millisecond, Jitter: time.Millisecond})
		},
	} {
		t.Run(mode, func(t *testing.T) {
			p := newProxy(t, s.url("http"), nil)
			prepare(p)
			c := h2Client(t)
			var wg sync.WaitGroup
			for i := range 40 {
				wg.Go(func() {
					body := random(i * 10_000)
					method := []string{http.MethodPut, http.MethodPost}[i%2]
					req, err := http.NewRequest(method, "http://"+p.Addr().String()+"/a?b=c", io.NopCloser(bytes.NewReader(body)))
					if err != nil {
						t.Error(err)
						return
					}
					req.Host = "elsewhere.example"
					req.Header.Set("X-Sent", strings.Repeat("v", i*2_000)) // more than one frame
					req.Trailer = http.Header{"X-End": {"!"}}
					res, err := c.Do(req)
					if err != nil {
						t.Error(err)
						return
					}
					defer func() { _ = res.Body.Close() }()
					got, err := io.ReadAll(res.Body)
					if err != nil || !bytes.Equal(got, body) {
						t.Errorf("%d bytes came back of %d: %v", len(got), len(body), err)
					}
					if got, want := res.Trailer.Get("X-Sum"), fmt.Sprint(len(body), "!"); got != want {
						t.Errorf("trailer %q; want %q", got, want)
					}
					if got, want := res.Header.Get("X-Got"), req.Header.Get("X-Sent")+" /a?b=c elsewhere.example"; got != want {
						t.Errorf("head %q; want %q", shorten(got), shorten(want))
					}
					if got := res.Header["X-Two"]; len(got) != 2 || got[0] != "a" || got[1] != "b" {
						t.Errorf("X-Two %v", got)
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestH2FaultsAreExact(t *testing.T) {
	s := newH2Service(t, func(http.ResponseWriter, *http.Request) {})
	for _, tc := range []struct {
		fault scenario.Fault
		seen  string
	}{
		{scenario.Fault{Type: scenario.FaultErrors, Rate: 0.1}, "injected 503"},
		{scenario.Fault{Type: scenario.FaultErrors, Rate: 0.1, Status: 429}, "injected 429"},
		{scenario.Fault{Type: scenario.FaultDrop, Rate: 0.37}, "reset"},
	} {
		p := newProxy(t, s.url("http"), nil)
		a := apply(t, p, tc.fault)
		// A fault acts on requests one by one, though all share one connection.
		c := h2Client(t)
		var mu sync.Mutex
		seen := map[string]int{}
		var wg sync.WaitGroup
		const workers, each = 10, 100
		for range workers {
			wg.Go(func() {
				for range each {
					got := h2Get(c, p)
					mu.Lock()
					seen[got]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		const n = workers * each
		want := int(tc.fault.Rate*n + 0.5)
		wantCounts(t, a, n, int64(want))
		if seen[tc.seen] != want || seen["200"] != n-want {
			t.Errorf("%+v: clients saw %v; want %d %s", tc.fault, seen, want, tc.seen)
		}
		a.Lift()
		if got := h2Get(c, p); got != "200" {
			t.Errorf("after lifting: %s", got)
		}
	}
}

func TestH2LatencyHoldsNoOtherRequestAndLiftLetsGo(t *testing.T) {
	s := newH2Service(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	clock := newFakeClock()
	p := newProxy(t, s.url("http"), clock)
	c := h2Client(t)
	p.Prepare(scenario.FaultLatency)
	if got := h2Get(c, p); got != "200" { // opens the connection
		t.Fatal(got)
	}
	a := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: 10 * time.Second, Jitter: 9 * time.Second})
	results := make(chan string, 20)
	for range 20 {
		go func() {
			body := random(30_000)
			res, err := c.Post("http://"+p.Addr().String(), "", bytes.NewReader(body))
			if err != nil {
				results <- err.Error()
				return
			}
			defer func() { _ = res.Body.Close() }()
			got, err := io.ReadAll(res.Body)
			results <- fmt.Sprint(bytes.Equal(got, body), err)
		}()
	}
	clock.awaitTimers(21)           // all wait at once
	clock.advance(10 * time.Second) // out of their order
	first := <-results
	if first != fmt.Sprint(true, nil) {
		t.Error(first)
	}
	a.Lift()
	for range 19 {
		if got := <-results; got != first {
			t.Error(got)
		}
	}
	wantCounts(t, a, 20, 20)
}

func TestH2RequestGivenUpDuringItsDelay(t *testing.T) {
	served := make(chan struct{}, 10)
	s := newH2Service(t, func(http.ResponseWriter, *http.Request) { served <- struct{}{} })
	clock := newFakeClock()
	p := newProxy(t, s.url("http"), clock)
	c := h2Client(t)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Hour / 2})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.Addr().String(), io.NopCloser(bytes.NewReader(random(20_000))))
		_, err := c.Do(req)
		done <- err
	}()
	clock.awaitTimers(2)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	clock.awaitTimers(1) // the delay is given up
	a.Lift()
	if got := h2Get(c, p); got != "200" {
		t.Error(got)
	}
	<-served
	select {
	case <-served:
		t.Error("the service saw a request that was given up")
	default:
	}
}

// The bodies of requests that go no further must not eat the connection's window.
func TestH2WindowSurvivesInjections(t *testing.T) {
	s := newH2Service(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	p := newProxy(t, s.url("http"), nil)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	c := h2Client(t)
	piece := random(1 << 20)
	post := func() string {
		res, err := c.Post("http://"+p.Addr().String(), "", io.NopCloser(bytes.NewReader(piece)))
		if err != nil {
			return err.Error()
		}
		_ = res.Body.Close()
		return res.Status[:3] + res.Header.Get(Header)
	}
	for range 50 { // 50 MiB; the window is about 1 MiB
		if got := post(); got != "503errors" {
			t.Fatal(got)
		}
	}
	a.Lift()
	for range 3 {
		if got := post(); got != "200" {
			t.Fatal(got)
		}
	}
}

func TestH2LargeBodiesBothWays(t *testing.T) {
	s := newH2Service(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	p := newProxy(t, s.url("http"), nil)
	p.Prepare(scenario.FaultErrors)
	const size = 32 << 20
	piece := random(1 << 20)
	res, err := h2Client(t).Post("http://"+p.Addr().String(), "", io.LimitReader(&repeat{piece, 0}, size))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if n, err := compare(res.Body, io.LimitReader(&repeat{piece, 0}, size)); err != nil || n != size {
		t.Errorf("%d bytes came back: %v", n, err)
	}
}

func TestH2Events(t *testing.T) {
	next := make(chan struct{})
	s := newH2Service(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	})
	p := newProxy(t, s.url("http"), nil)
	p.Prepare(scenario.FaultErrors)
	res, err := h2Client(t).Get("http://" + p.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	for i := range 3 { // each comes before the next is sent
		got := make([]byte, len("data: 0\n\n"))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != fmt.Sprintf("data: %d\n\n", i) {
			t.Fatalf("%q, %v", got, err)
		}
		next <- struct{}{}
	}
}

// A service that shuts down says which requests it has not seen.
func TestH2GoAway(t *testing.T) {
	s := newService(t)
	var inside, release sync.WaitGroup
	inside.Add(1)
	release.Add(1)
	srv := &http.Server{Protocols: h2Protocols(), Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		inside.Done()
		release.Wait()
	})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(s.l) })
	p := newProxy(t, s.url("http"), nil)
	p.Prepare(scenario.FaultErrors)
	c := h2Client(t)
	got := make(chan string, 1)
	go func() { got <- h2Get(c, p) }()
	inside.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	wg.Go(func() {
		if err := srv.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	release.Done()
	if g := <-got; g != "200" {
		t.Errorf("the request under way: %s", g)
	}
	wg.Wait()
}

func TestH2BadFrames(t *testing.T) {
	frame := func(length int, kind, flags byte, stream uint32, payload string) string {
		return string([]byte{byte(length >> 16), byte(length >> 8), byte(length), kind, flags}) + string(number(stream)) + payload
	}
	for name, bytes := range map[string]string{
		"a frame beyond the bound":     frame(h2MaxFrame+1, 0, 0, 1, ""),
		"a continuation of nothing":    frame(1, 9, 4, 1, "x"),
		"a head interrupted":           frame(1, 1, 0, 1, "\x82") + frame(8, 6, 0, 0, "12345678"),
		"padding longer than a head":   frame(2, 1, 0xc, 1, "\x09x"),
		"padding without a length":     frame(0, 1, 0xc, 1, ""),
		"priority cut off":             frame(2, 1, 0x24, 1, "xx"),
		"HPACK that refers to nothing": frame(1, 1, 5, 1, "\xff\xff\xff\xff\x0f"[:1]),
		"settings cut off":             frame(5, 4, 0, 0, "12345"),
		"a promise from a client":      frame(4, 5, 4, 1, "\x00\x00\x00\x02"),
		"an even stream":               frame(1, 1, 5, 2, "\x82"),
		"a head on no stream":          frame(1, 1, 5, 0, "\x82"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			p := newProxy(t, s.url("http"), nil)
			p.Prepare(scenario.FaultErrors)
			c := p.connect(t)
			send(t, c, http2.ClientPreface+frame(0, 4, 0, 0, "")+bytes)
			up := s.accept()
			receiveClosed(t, c)
			_, err := io.ReadAll(up)
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				t.Error("the service's side was left open")
			}
		})
	}
}

// A block of a few bytes must not become gigabytes of fields.
func TestH2HeadBomb(t *testing.T) {
	block := []byte("\x40\x01a") // a literal that is indexed
	block = append(block, 0x7f)  // a length of 127 and more
	block = append(block, 0x81, 0x1d)
	block = append(block, strings.Repeat("v", 127+0x81-0x80+0x1d<<7)...)
	in := newH2in(nil)
	bomb := append(block, bytes.Repeat([]byte{0xbe}, 500_000)...) // that entry, again and again
	if len(bomb) > maxHead {
		t.Fatal("the block is refused for its length alone")
	}
	_, _, err := in.fieldsOf(h2frame{kind: http2.FrameHeaders, flags: http2.FlagHeadersEndHeaders, stream: 1, payload: bomb})
	if err == nil {
		t.Fatal("a bomb was taken")
	}
	if in.size > 2*maxHead && len(in.fields) > 1000 {
		t.Errorf("%d fields were kept", len(in.fields))
	}
}

func TestProveH2(t *testing.T) {
	s := newH2Service(t, func(http.ResponseWriter, *http.Request) {})
	for _, f := range []scenario.Fault{
		{Type: scenario.FaultErrors, Rate: 0.001},
		{Type: scenario.FaultDrop, Rate: 0.001},
		{Type: scenario.FaultLatency, Latency: time.Millisecond},
	} {
		p := newProxy(t, s.url("grpc"), nil)
		a := apply(t, p, f)
		if proof := p.probeOnce(t.Context()); proof.Proved || !strings.Contains(proof.Note, string(f.Type)) {
			t.Errorf("%s: a probe says %+v", f.Type, proof)
		}
		a.Lift()
		if proof := prove(t, p); proof != (Proof{Proved: true}) {
			t.Errorf("%s: lifted, and Prove says %+v", f.Type, proof)
		}
		wantCounts(t, a, 0, 0)
	}
}
