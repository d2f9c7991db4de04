package load_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/agent/load"
	"github.com/inorbit-hr/reliability/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plan is a short load against a server.
func plan(t *testing.T, server *httptest.Server, paths ...string) load.Plan {
	t.Helper()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		paths = []string{"/"}
	}
	p := load.Plan{
		Scheme: u.Scheme, Address: u.Host, Rate: 200, Duration: 1500 * time.Millisecond, Warmup: 500 * time.Millisecond,
		Workers: 8, Timeout: 10 * time.Second, Drain: 10 * time.Second,
	}
	for _, path := range paths {
		p.Operations = append(p.Operations, load.Operation{Name: path, Weight: 1, Requests: []*http.Request{get(t, server.URL+path)}})
	}
	return p
}

func get(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func send(t *testing.T, ctx context.Context, p load.Plan, observe func(run.Second)) *load.Measured {
	t.Helper()
	m, err := load.Run(ctx, p, time.Now().Add(p.Lead()), observe)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEveryRequestIsCountedOnce(t *testing.T) {
	var got sync.Map
	count := func(path string) int64 {
		n, _ := got.LoadOrStore(path, new(atomic.Int64))
		return n.(*atomic.Int64).Add(1)
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		count(r.URL.Path)
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		if body, _ := io.ReadAll(r.Body); r.Method == http.MethodPost && string(body) != "{}" {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprint(w, "hello")
	})
	p := plan(t, s, "/a", "/b", "/c")
	p.Operations[1].Weight = 3
	post, err := http.NewRequest(http.MethodPost, s.URL+"/c", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	p.Operations[2].Requests = []*http.Request{post}
	for _, o := range p.Operations {
		o.Requests[0].Header.Set("Authorization", "Bearer secret")
	}
	var seconds []run.Second
	m := send(t, context.Background(), p, func(s run.Second) { seconds = append(seconds, s) })

	r := m.Result()
	want := run.Counts{Due: 200, Sent: 200, Answered: 200, Accepted: 200}
	if got := r.Measured; got.Due != want.Due || got.Sent != want.Sent || got.Answered != want.Answered || got.Accepted != want.Accepted || len(got.Failed) > 0 {
		t.Errorf("measured %+v, want %+v", got, want)
	}
	if got := r.Warmup; got.Due != 100 || got.Accepted != 100 {
		t.Errorf("warm-up %+v, want 100 accepted", got)
	}
	for i, n := range []int64{40, 120, 40} {
		if got := r.Operations[i].Counts.Accepted; got != n {
			t.Errorf("operation %s: %d accepted, want %d", r.Operations[i].Operation, got, n)
		}
	}
	if len(seconds) != 2 || !seconds[0].Warmup || seconds[0].Due != 100 || seconds[1].Warmup || seconds[1].Due != 200 || seconds[1].FromMs != 500 {
		t.Errorf("seconds told: %+v", seconds)
	}
	if total := count("/a") + count("/b") + count("/c") - 3; total != 300 {
		t.Errorf("the server saw %d requests, want 300", total)
	}
	look := m.Look()
	if len(look.Seconds) != 1 || look.Seconds[0].Due != 200 || look.Seconds[0].Errors != 0 || look.WholeTime != 1 || look.Sent != 200 {
		t.Errorf("look: %+v", look)
	}
	if r.PeakInFlight < 1 || r.PeakInFlight > p.Workers {
		t.Errorf("peak of %d requests under way, with %d workers", r.PeakInFlight, p.Workers)
	}
}

// A stall of the service must show in full: what was due meanwhile counts from when it
// was due, though four connections could never have carried it.
func TestAStallShowsInFull(t *testing.T) {
	const stallAfter = 100 // requests, 200 being due in the first second
	release := make(chan struct{})
	var n atomic.Int64
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		if n.Add(1) > stallAfter {
			<-release
		}
	})
	p := plan(t, s)
	p.Warmup, p.Workers, p.Duration = 0, 4, 2*time.Second
	start := time.Now().Add(p.Lead())
	time.AfterFunc(time.Until(start.Add(time.Second)), func() { close(release) })
	m, err := load.Run(context.Background(), p, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := m.Result()
	if r.Measured.Accepted != 400 || len(r.Measured.Failed) > 0 {
		t.Fatalf("%+v, want 400 accepted", r.Measured)
	}
	if r.PeakInFlight != 4 {
		t.Errorf("peak of %d, want all 4 workers", r.PeakInFlight)
	}
	// The answers to what was due from 0.5 s on came no sooner than at 1 s. Had
	// latency counted from sending, only four would be slow.
	if v := m.Look().Quantile(0, 1, 0.75); v < 245 {
		t.Errorf("p75 of the second with the stall is %v ms, want 250 or more", v)
	}
}

func TestFailuresAreToldApart(t *testing.T) {
	hijack := func(w http.ResponseWriter, say string) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(c, say)
		_ = c.Close()
	}
	forever := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/status":
			w.WriteHeader(http.StatusTeapot)
		case "/reset":
			hijack(w, "")
		case "/short":
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
		case "/garbage":
			hijack(w, "220 mail.invalid ESMTP\r\n")
		case "/redirect":
			http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusFound)
		case "/timeout":
			select {
			case <-r.Context().Done():
			case <-forever:
			}
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
			}
		}
	})
	defer close(forever)
	for path, class := range map[string]string{
		"/status": "status", "/reset": "reset", "/short": "reset", "/garbage": "protocol", "/redirect": "",
		"/timeout": "timeout", "/endless": "timeout",
	} {
		t.Run(class+path[1:], func(t *testing.T) {
			p := plan(t, s, path)
			p.Rate, p.Warmup, p.Duration, p.Timeout = 10, 0, 500*time.Millisecond, 50*time.Millisecond
			if class != "timeout" {
				p.Timeout = 10 * time.Second
			}
			r := send(t, context.Background(), p, nil).Result()
			if class == "" {
				if r.Measured.Accepted != 5 {
					t.Errorf("%+v, want a redirect taken as an answer", r.Measured)
				}
				return
			}
			if r.Measured.Failed[class] != 5 || len(r.Measured.Failed) != 1 || r.Measured.Accepted != 0 {
				t.Errorf("%+v, want 5 of class %s", r.Measured, class)
			}
			if r.Seconds[0].Errors != 5 {
				t.Errorf("%d errors, want 5", r.Seconds[0].Errors)
			}
		})
	}
}

func TestAConnectionThatRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{URL: "http://" + l.Addr().String()}
	p := plan(t, s)
	_ = l.Close()
	p.Rate, p.Warmup, p.Duration = 20, 0, 500*time.Millisecond
	if r := send(t, context.Background(), p, nil).Result(); r.Measured.Failed["connect"] != 10 {
		t.Errorf("%+v, want 10 of class connect", r.Measured)
	}
}

func TestTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto)
		if r.ProtoMajor != 2 {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	p := plan(t, s)
	p.Rate, p.Warmup, p.Duration = 40, 0, 500*time.Millisecond

	untrusted := send(t, context.Background(), p, nil).Result()
	if untrusted.Measured.Failed["tls"] != 20 {
		t.Errorf("untrusted: %+v, want 20 of class tls", untrusted.Measured)
	}
	p.TLS = s.Client().Transport.(*http.Transport).TLSClientConfig
	if r := send(t, context.Background(), p, nil).Result(); r.Measured.Accepted != 20 {
		t.Errorf("over HTTP/2: %+v, want 20 accepted", r.Measured)
	}
}

// What is due while every worker waits, and is never sent, has failed and is slower than
// any limit.
func TestUnsentAndUnfinishedAreSlowerThanAnyLimit(t *testing.T) {
	hold := make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) { <-hold })
	defer close(hold)
	p := plan(t, s)
	p.Rate, p.Warmup, p.Duration, p.Workers, p.Drain = 100, 0, 500*time.Millisecond, 2, 50*time.Millisecond
	p.Limits = load.Limits{P99: time.Hour, Objective: time.Hour}
	m := send(t, context.Background(), p, nil)
	c := m.Result().Measured
	if c.Due != 50 || c.Sent != 2 || c.Unsent != 48 || c.Failed["unfinished"] != 2 {
		t.Errorf("%+v, want 2 unfinished and 48 unsent of 50", c)
	}
	second := m.Look().Seconds[0]
	if second.Over.P99 != 50 || second.Over.Objective != 50 || second.Over.P50 != 0 || second.Errors != 50 {
		t.Errorf("%+v, want all 50 over the limits that are named", second)
	}
	if v := m.Look().Quantile(0, 1, 0.01); v < 1e300 {
		t.Errorf("p1 is %v, want +Inf: nothing was answered", v)
	}
}

func TestCancelEndsTheLoadAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var held atomic.Int64
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil || held.Load() > 0 {
			held.Add(1)
			<-r.Context().Done() // only the end of the load ends it
		}
	})
	p := plan(t, s)
	p.Warmup, p.Duration = 0, time.Hour
	m := send(t, ctx, p, func(second run.Second) {
		if second.FromMs == 0 {
			cancel()
		}
	})
	if !m.Cancelled {
		t.Error("not marked as cancelled")
	}
	look := m.Look()
	if len(look.Seconds) == 0 || look.WholeTime != float64(len(look.Seconds)) {
		t.Errorf("look has %d seconds over %v s, want those that were whole", len(look.Seconds), look.WholeTime)
	}
	for i, second := range look.Seconds {
		if second.Due != 200 || second.Errors != 0 {
			t.Errorf("second %d: %+v, want nothing that was cut off", i, second)
		}
	}
	if c := m.Result().Measured; c.Due < 200 || c.Due != c.Sent+c.Unsent {
		t.Errorf("%+v, want all that was due to be counted", c)
	}
}

func TestAConnectionClosedAfterEveryAnswer(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	p := plan(t, s)
	if r := send(t, context.Background(), p, nil).Result(); r.Measured.Accepted != 200 {
		t.Errorf("%+v, want 200 accepted", r.Measured)
	}
}

// A service may close a connection that has nothing to do: that is no failure of it.
func TestConnectionsThatTheServiceClosesWhileTheyAreIdle(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.IdleTimeout = time.Millisecond
	s.Start()
	t.Cleanup(s.Close)
	p := plan(t, s)
	p.Rate, p.Duration, p.Warmup = 5, 2*time.Second, 0
	if r := send(t, context.Background(), p, nil).Result(); r.Measured.Accepted != r.Measured.Due {
		t.Errorf("%+v, want every request accepted", r.Measured)
	}
}
