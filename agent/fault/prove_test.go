package fault

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

func prove(t *testing.T, p *Proxy) Proof {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	return p.Prove(ctx)
}

func TestProveAfterLifting(t *testing.T) {
	for _, f := range []scenario.Fault{
		{Type: scenario.FaultErrors, Rate: 0.001},
		{Type: scenario.FaultDrop, Rate: 0.001},
		{Type: scenario.FaultLatency, Latency: time.Millisecond},
	} {
		p := newProxy(t, newOKService(t).url("http"), nil)
		a := apply(t, p, f)
		if proof := prove(t, p); proof.Proved || !strings.Contains(proof.Note, string(f.Type)) {
			t.Errorf("%s: active, and Prove says %+v", f.Type, proof)
		}
		a.Lift()
		if proof := prove(t, p); proof != (Proof{Proved: true}) {
			t.Errorf("%s: lifted, and Prove says %+v", f.Type, proof)
		}
		wantCounts(t, a, 0, 0)
	}
}

// A probe by itself finds a fault that the list of active ones would hide.
func TestProbesMeetEveryFault(t *testing.T) {
	for _, f := range []scenario.Fault{
		{Type: scenario.FaultErrors, Rate: 0.001},
		{Type: scenario.FaultDrop, Rate: 0.001},
		{Type: scenario.FaultLatency, Latency: time.Millisecond},
	} {
		p := newProxy(t, newOKService(t).url("http"), nil)
		a := apply(t, p, f)
		for range 20 {
			if proof := p.probeOnce(context.Background()); proof.Proved || !strings.Contains(proof.Note, string(f.Type)) {
				t.Fatalf("%s: a probe says %+v", f.Type, proof)
			}
		}
		wantCounts(t, a, 0, 0)
	}
}

func TestProveWithoutAFault(t *testing.T) {
	p := newProxy(t, newOKService(t).url("http"), nil)
	if proof := prove(t, p); proof != (Proof{Proved: true}) {
		t.Errorf("passed through: %+v", proof)
	}
	p.Prepare(scenario.FaultErrors)
	if proof := prove(t, p); proof != (Proof{Proved: true}) {
		t.Errorf("parsed: %+v", proof)
	}
}

func TestProveTellsTheServicesFailureApart(t *testing.T) {
	gone := newService(t)
	_ = gone.l.Close()
	closing := newService(t)
	go func() {
		for {
			c, err := closing.l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	for name, tc := range map[string]struct {
		s    *service
		want string
	}{
		"refuses": {gone, "refused the connection"},
		"closes":  {closing, "gave no answer"},
	} {
		for _, prepared := range []bool{false, true} {
			p := newProxy(t, tc.s.url("http"), nil)
			if prepared {
				apply(t, p, scenario.Fault{Type: scenario.FaultDrop, Rate: 1}).Lift()
			}
			proof := prove(t, p)
			if !proof.Proved || !strings.Contains(proof.Note, "connection engine-staging "+tc.want) {
				t.Errorf("%s, prepared %v: %+v", name, prepared, proof)
			}
			if strings.Contains(proof.Note, tc.s.l.Addr().String()) {
				t.Errorf("%s: the note holds the connection's address: %q", name, proof.Note)
			}
		}
	}
}

func TestProveOfASilentService(t *testing.T) {
	s := newService(t) // accepts in the kernel, answers nothing
	p := newProxy(t, s.url("http"), nil)
	apply(t, p, scenario.Fault{Type: scenario.FaultDrop, Rate: 1}).Lift()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	// Whether the probes got through the proxy in that time is open; that nothing
	// was injected is what a proof would have to say.
	if proof := p.Prove(ctx); proof.Note == "" {
		t.Errorf("a silent service left no note: %+v", proof)
	}
}

func TestProveOnAClosedProxy(t *testing.T) {
	p := newProxy(t, newOKService(t).url("http"), nil)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if proof := prove(t, p); proof.Proved || proof.Note == "" {
		t.Errorf("closed: %+v", proof)
	}
}
