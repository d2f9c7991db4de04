package fault

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

const (
	getRequest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	okAnswer   = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	injected   = "HTTP/1.1 503 Service Unavailable\r\nReliability-Fault: errors\r\nContent-Length: 0\r\n\r\n"
)

func wantCounts(t *testing.T, a *Active, met, affected int64) {
	t.Helper()
	if m, n := a.Counts(); m != met || n != affected {
		t.Errorf("%s: met %d, affected %d; want %d, %d", a.Type(), m, n, met, affected)
	}
}

func TestErrorsAnswerInTheServicesPlace(t *testing.T) {
	s := newService(t)
	p := newProxy(t, s.url("http"), nil)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	c := p.connect(t)
	send(t, c, getRequest)
	receive(t, c, injected)
	send(t, c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe")
	receive(t, c, injected)
	send(t, c, "lloPOST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	receive(t, c, injected)
	wantCounts(t, a, 3, 3)

	a.Lift()
	send(t, c, getRequest)
	up := s.accept()
	receive(t, up, getRequest) // and nothing of the three before
	send(t, up, okAnswer)
	receive(t, c, okAnswer)
	wantCounts(t, a, 3, 3)
}

func TestErrorsCloseWhereTheConnectionCannotGoOn(t *testing.T) {
	const last = "HTTP/1.1 418 I'm a teapot\r\nReliability-Fault: errors\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	for name, request := range map[string]string{
		"asked to close":  "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Close\r\n\r\n",
		"HTTP/1.0":        "GET / HTTP/1.0\r\n\r\n",
		"waiting for 100": "PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := newProxy(t, newService(t).url("http"), nil)
			apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1, Status: 418})
			c := p.connect(t)
			send(t, c, request)
			receive(t, c, last)
			receiveEnd(t, c)
		})
	}
}

func TestErrorsKeepTheOrderOfPipelinedRequests(t *testing.T) {
	s := newService(t)
	p := newProxy(t, s.url("http"), nil)
	p.Prepare(scenario.FaultErrors)
	c := p.connect(t)
	send(t, c, getRequest)
	up := s.accept()
	receive(t, up, getRequest)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	send(t, c, getRequest+getRequest)
	awaitMet(t, a, 2)
	send(t, up, okAnswer)
	receive(t, c, okAnswer+injected+injected)
}

// awaitMet waits until n requests have met the fault.
func awaitMet(t *testing.T, a *Active, n int64) {
	t.Helper()
	for stop := time.Now().Add(guard); ; {
		if met, _ := a.Counts(); met >= n {
			return
		}
		if time.Now().After(stop) {
			t.Fatalf("no %d requests met the fault", n)
		}
		runtime.Gosched()
	}
}

func TestDropClosesWithoutAnAnswer(t *testing.T) {
	s := newService(t)
	p := newProxy(t, s.url("http"), nil)
	p.Prepare(scenario.FaultDrop)
	c := p.connect(t)
	send(t, c, getRequest)
	up := s.accept()
	receive(t, up, getRequest)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultDrop, Rate: 1})
	send(t, c, getRequest)
	awaitMet(t, a, 1)
	send(t, up, okAnswer)
	receive(t, c, okAnswer) // the answer before it is not lost
	receiveClosed(t, c)
	receiveClosed(t, up)
	wantCounts(t, a, 1, 1)
}

func TestLatencyWaitsAndLiftLetsGo(t *testing.T) {
	clock := newFakeClock()
	s := newService(t)
	p := newProxy(t, s.url("http"), clock)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: 200 * time.Millisecond})
	c := p.connect(t)
	send(t, c, getRequest)
	clock.awaitTimers(2) // the lease and the request
	clock.advance(199 * time.Millisecond)
	clock.awaitTimers(2)
	clock.advance(time.Millisecond)
	up := s.accept()
	receive(t, up, getRequest)
	send(t, up, okAnswer)
	receive(t, c, okAnswer)

	send(t, c, getRequest)
	clock.awaitTimers(2)
	a.Lift() // in the middle of the delay
	receive(t, up, getRequest)
	a.Lift()
	clock.awaitTimers(0)
	wantCounts(t, a, 2, 2)
}

func TestLatencyIsUniformAndSeeded(t *testing.T) {
	f := scenario.Fault{Type: scenario.FaultLatency, Latency: 200 * time.Millisecond, Jitter: 50 * time.Millisecond}
	draw := func(seed uint64) []time.Duration {
		k, err := newKind(Spec{Fault: f, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		d := make([]time.Duration, 20_000)
		for i := range d {
			e, _ := k.draw()
			d[i] = e.delay
		}
		return d
	}
	one, again, other := draw(1), draw(1), draw(2)
	same := 0
	for i := range one {
		if one[i] != again[i] {
			t.Fatalf("draw %d differs under one seed: %s, %s", i, one[i], again[i])
		}
		if one[i] == other[i] {
			same++
		}
	}
	if same > 10 {
		t.Errorf("%d of %d draws are the same under two seeds", same, len(one))
	}
	// Kolmogorov-Smirnov at 0.1 %: 1.95 / sqrt(20000) = 0.0138.
	if d := distanceFromUniform(one, 150*time.Millisecond, 250*time.Millisecond); d > 0.0138 {
		t.Errorf("distance from the uniform distribution %.4f", d)
	}
}

func TestLatencyDoesNotHoldOtherConnections(t *testing.T) {
	clock := newFakeClock()
	s := newService(t)
	p := newProxy(t, s.url("http"), clock)
	apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Second, Jitter: time.Second})
	for range 50 {
		send(t, p.connect(t), getRequest)
	}
	clock.awaitTimers(51) // all are delayed at once
	clock.advance(2 * time.Second)
	for range 50 {
		receive(t, s.accept(), getRequest)
	}
}

func TestFaultsOfDifferentTypesActTogether(t *testing.T) {
	clock := newFakeClock()
	p := newProxy(t, newService(t).url("http"), clock)
	errs := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	slow := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Second})
	if _, err := p.Apply(Spec{Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 1}, Lease: time.Hour}); err == nil {
		t.Error("two faults of one type were applied")
	}
	c := p.connect(t)
	send(t, c, getRequest)
	clock.awaitTimers(3)
	clock.advance(time.Second)
	receive(t, c, injected)
	wantCounts(t, errs, 1, 1)
	wantCounts(t, slow, 1, 1)
}

// An error decided after the delay must not come from a fault lifted during it.
func TestLiftDuringAnotherFaultsDelay(t *testing.T) {
	clock := newFakeClock()
	s := newService(t)
	p := newProxy(t, s.url("http"), clock)
	errs := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Second})
	send(t, p.connect(t), getRequest)
	clock.awaitTimers(3)
	errs.Lift()
	clock.advance(time.Second)
	receive(t, s.accept(), getRequest)
	wantCounts(t, errs, 0, 0)
}

func TestLease(t *testing.T) {
	clock := newFakeClock()
	p := newProxy(t, newService(t).url("http"), clock)
	a, err := p.Apply(Spec{Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 1}, Lease: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		clock.advance(9 * time.Second)
		if !a.Renew() {
			t.Fatal("a renewal in time was refused")
		}
	}
	clock.advance(9 * time.Second)
	if len(p.Active()) != 1 || a.Expired() {
		t.Fatal("the fault was lifted before its lease ran out")
	}
	clock.advance(time.Second)
	<-a.Done()
	if !a.Expired() || a.Renew() || len(p.Active()) != 0 {
		t.Errorf("after the lease: expired %v, active %v", a.Expired(), p.Active())
	}
	if _, err := p.Apply(Spec{Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 1}, Lease: time.Second}); err != nil {
		t.Errorf("after an expired fault: %v", err)
	}
}

func TestApplyRefusesWhatCannotAct(t *testing.T) {
	p := newProxy(t, newService(t).url("http"), nil)
	for name, spec := range map[string]Spec{
		"no lease":             {Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 1}},
		"unknown type":         {Fault: scenario.Fault{Type: "noise"}, Lease: 1},
		"no rate":              {Fault: scenario.Fault{Type: scenario.FaultDrop}, Lease: 1},
		"status of success":    {Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 1, Status: 200}, Lease: 1},
		"no latency":           {Fault: scenario.Fault{Type: scenario.FaultLatency}, Lease: 1},
		"jitter above latency": {Fault: scenario.Fault{Type: scenario.FaultLatency, Latency: 1, Jitter: 2}, Lease: 1},
	} {
		if _, err := p.Apply(spec); err == nil || !strings.Contains(err.Error(), "proxy engine") {
			t.Errorf("%s: error %v; want one that names the proxy", name, err)
		}
	}
	if len(p.Active()) != 0 {
		t.Errorf("active after refusals: %v", p.Active())
	}
}

// newOKService answers every request with 200 at once.
func newOKService(t *testing.T) *service {
	s := newService(t)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(s.l) })
	t.Cleanup(func() { _ = srv.Close(); wg.Wait() })
	return s
}

func TestSharesAreExactUnderConcurrency(t *testing.T) {
	for _, f := range []scenario.Fault{
		{Type: scenario.FaultErrors, Rate: 0.1},
		{Type: scenario.FaultDrop, Rate: 0.37},
	} {
		t.Run(string(f.Type), func(t *testing.T) {
			p := newProxy(t, newOKService(t).url("http"), nil)
			a := apply(t, p, f)
			const clients, each = 20, 50
			var wg sync.WaitGroup
			var mu sync.Mutex
			seen := map[string]int{}
			for range clients {
				wg.Go(func() {
					var got []string
					var r *requester
					for range each {
						if r == nil {
							r = newRequester(p.Addr())
						}
						result := r.get()
						if result == "closed" {
							r.close()
							r = nil
						}
						got = append(got, result)
					}
					if r != nil {
						r.close()
					}
					mu.Lock()
					defer mu.Unlock()
					for _, g := range got {
						seen[g]++
					}
				})
			}
			wg.Wait()
			const n = clients * each
			affected := int64(f.Rate * n)
			wantCounts(t, a, n, affected)
			name := map[scenario.FaultType]string{scenario.FaultErrors: "injected 503", scenario.FaultDrop: "closed"}[f.Type]
			if seen[name] != int(affected) || seen["200"] != n-int(affected) {
				t.Errorf("clients saw %v; want %d %s", seen, affected, name)
			}
		})
	}
}

// requester sends requests one after the other and never repeats one.
type requester struct {
	c net.Conn
	r *bufio.Reader
}

func newRequester(to net.Addr) *requester {
	c, err := net.Dial("tcp", to.String())
	if err != nil {
		panic(err)
	}
	_ = c.SetDeadline(time.Now().Add(guard))
	return &requester{c, bufio.NewReader(c)}
}

func (r *requester) close() { _ = r.c.Close() }

func (r *requester) get() string {
	if _, err := io.WriteString(r.c, getRequest); err != nil {
		return "write: " + err.Error()
	}
	res, err := http.ReadResponse(r.r, nil)
	if err != nil {
		return "closed"
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if res.Header.Get(Header) != "" {
		return "injected " + res.Status[:3]
	}
	return res.Status[:3]
}

func TestPrepareClosesOlderConnectionsOnly(t *testing.T) {
	s := newOKService(t)
	p := newProxy(t, s.url("http"), nil)
	old := newRequester(p.Addr())
	defer old.close()
	if got := old.get(); got != "200" {
		t.Fatal(got)
	}
	p.Prepare()
	if got := old.get(); got != "200" {
		t.Fatalf("a run without faults closed a connection: %s", got)
	}
	p.Prepare(scenario.FaultErrors)
	receiveClosed(t, old.c)

	parsed := newRequester(p.Addr())
	defer parsed.close()
	if got := parsed.get(); got != "200" {
		t.Fatal(got)
	}
	a := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1})
	if got := parsed.get(); got != "injected 503" {
		t.Errorf("the fault does not act on a connection opened before it: %s", got)
	}
	p.Relax() // the fault is active: requests are still found
	late := newRequester(p.Addr())
	defer late.close()
	if got := late.get(); got != "injected 503" {
		t.Errorf("the fault does not act after Relax: %s", got)
	}
	a.Lift()
	p.Relax()
	if got := parsed.get(); got != "200" {
		t.Errorf("Relax closed a connection: %s", got)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s := newService(t)
	clock := newFakeClock()
	p := newProxy(t, s.url("http"), clock)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Minute})
	c := p.connect(t)
	send(t, c, getRequest)
	clock.awaitTimers(2)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-a.Done():
	default:
		t.Error("the fault outlives its proxy")
	}
	clock.awaitTimers(0)
	receiveClosed(t, c)
	if err := p.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := p.Apply(Spec{Fault: scenario.Fault{Type: scenario.FaultDrop, Rate: 1}, Lease: 1}); err == nil {
		t.Error("a closed proxy took a fault")
	}
}

func TestListenErrorsNameTheKey(t *testing.T) {
	s := newService(t)
	port := s.l.Addr().String()[strings.LastIndex(s.l.Addr().String(), ":")+1:]
	secret := s.url("http")
	secret.Host = "10.9.8.7:81"
	for _, tc := range []struct {
		name string
		cfg  Config
		want []string
	}{
		{"port in use", Config{Listen: s.l.Addr().String(), Upstream: secret}, []string{"listen", "port " + port, "in use"}},
		{"no port", Config{Listen: "127.0.0.1", Upstream: secret}, []string{"listen", "host:port"}},
		{"foreign address", Config{Listen: "192.0.2.1:0", Upstream: secret}, []string{"listen", "not an address of this machine"}},
		{"no upstream", Config{Listen: "127.0.0.1:0"}, []string{"connection engine-staging", "host"}},
		{"scheme", Config{Listen: "127.0.0.1:0", Upstream: schemed(secret, "ftp")}, []string{"connection engine-staging", `"ftp"`}},
		{"no upstream port", Config{Listen: "127.0.0.1:0", Upstream: schemed(hosted(secret, "10.9.8.7"), "tcp")}, []string{"connection engine-staging", "port"}},
	} {
		tc.cfg.Name, tc.cfg.Connection = "engine", "engine-staging"
		p, err := Listen(context.Background(), tc.cfg)
		if err == nil {
			_ = p.Close()
			t.Errorf("%s: no error", tc.name)
			continue
		}
		for _, w := range append(tc.want, "proxy engine") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", tc.name, err, w)
			}
		}
		if strings.Contains(err.Error(), "10.9.8.7") {
			t.Errorf("%s: %q holds the connection's address", tc.name, err)
		}
	}
}
