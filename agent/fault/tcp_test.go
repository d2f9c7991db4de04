package fault

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

func TestRawIsPassedOnByteForByte(t *testing.T) {
	for _, prepared := range []bool{false, true} {
		s := newService(t)
		p := newProxy(t, s.url("tcp"), nil)
		if prepared {
			p.Prepare(scenario.FaultDrop)
		}
		c := p.connect(t)
		up := s.accept()
		send(t, up, "+greeting first\r\n")
		receive(t, c, "+greeting first\r\n")
		send(t, c, "\x00\x01GET / HTTP/9\n")
		receive(t, up, "\x00\x01GET / HTTP/9\n")
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		receiveEnd(t, up)
		send(t, up, "bye")
		if err := up.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		receive(t, c, "bye")
		receiveEnd(t, c)
	}
}

func TestRawLatencyKeepsOrderAndLiftLetsGo(t *testing.T) {
	clock := newFakeClock()
	s := newService(t)
	p := newProxy(t, s.url("tcp"), clock)
	a := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: time.Second})
	c := p.connect(t)
	up := s.accept()
	send(t, c, "one")
	clock.awaitTimers(2) // the lease, and these bytes
	send(t, c, "two")
	clock.awaitTimers(3)
	send(t, up, "an answer is not delayed")
	receive(t, c, "an answer is not delayed")
	clock.advance(time.Second)
	receive(t, up, "onetwo")
	send(t, c, "three")
	clock.awaitTimers(2)
	a.Lift()
	receive(t, up, "three")
	wantCounts(t, a, 1, 1)
}

func TestRawDropIsExactOverConnections(t *testing.T) {
	s := newService(t)
	p := newProxy(t, s.url("tcp"), nil)
	p.Prepare(scenario.FaultDrop)
	open := p.connect(t)
	up := s.accept()
	send(t, open, "before")
	receive(t, up, "before")

	a := apply(t, p, scenario.Fault{Type: scenario.FaultDrop, Rate: 0.25})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := s.l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			})
		}
	})
	const n = 80
	dropped := 0
	for range n {
		c := p.connect(t)
		_, err := io.WriteString(c, "x")
		if err == nil {
			_, err = io.ReadFull(c, make([]byte, 1))
		}
		if err != nil {
			dropped++
		}
		_ = c.Close()
	}
	wantCounts(t, a, n, n/4)
	if dropped != n/4 {
		t.Errorf("%d connections were dropped; want %d", dropped, n/4)
	}
	// The connection that was open before meets the fault once, with its next bytes.
	_, _ = io.WriteString(open, "1")
	awaitMet(t, a, n+1)
	_, _ = io.WriteString(open, "2")
	_ = s.l.Close()
	_ = open.Close()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if met, _ := a.Counts(); met != n+1 {
		t.Errorf("met %d; want %d", met, n+1)
	}
}

func TestRawRefusesErrors(t *testing.T) {
	p := newProxy(t, newService(t).url("tcp"), nil)
	_, err := p.Apply(Spec{Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 1}, Lease: time.Hour})
	if err == nil || !strings.Contains(err.Error(), "connection engine-staging is raw TCP") {
		t.Errorf("errors on raw TCP: %v", err)
	}
}

func TestProveRaw(t *testing.T) {
	gone := newService(t)
	_ = gone.l.Close()
	for _, f := range []scenario.Fault{
		{Type: scenario.FaultDrop, Rate: 0.01},
		{Type: scenario.FaultLatency, Latency: time.Minute},
	} {
		p := newProxy(t, newService(t).url("tcp"), nil)
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
	p := newProxy(t, gone.url("tcp"), nil)
	if proof := prove(t, p); !proof.Proved || !strings.Contains(proof.Note, "refused") {
		t.Errorf("a connection that refuses: %+v", proof)
	}
}
