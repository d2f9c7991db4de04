package fault

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

const (
	// proofProbes is how many probes must show no injection. An active fault acts
	// on every probe, so the number guards against a connection in passing trouble.
	proofProbes = 3
	// probeTimeout bounds one probe; they run at the same time.
	probeTimeout = 5 * time.Second
)

// Proof says whether all faults of a proxy were shown to be lifted.
type Proof struct {
	Proved bool
	// Note says why not, or, where Proved is true, what else the probes met, such
	// as a connection that refuses. Empty where there is nothing to say.
	Note string
}

// Prove shows that no fault acts: none is active, and probes through the listener
// pass unaffected. A connection that fails behind the proxy is not an injection and
// is told in the note. Probes are not counted as requests met or affected.
func (p *Proxy) Prove(ctx context.Context) Proof {
	if proof, ok := p.proveInactive(); !ok {
		return proof
	}
	results := make([]Proof, proofProbes)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = p.probeOnce(ctx) })
	}
	wg.Wait()
	if proof, ok := p.proveInactive(); !ok {
		return proof
	}
	whole := Proof{Proved: true}
	for _, r := range results {
		if !r.Proved {
			return r
		}
		if r.Note != "" {
			whole.Note = r.Note
		}
	}
	return whole
}

func (p *Proxy) proveInactive() (Proof, bool) {
	types := p.Active()
	if len(types) == 0 {
		return Proof{}, true
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return Proof{Note: fmt.Sprintf("proxy %s: still active: %s", p.name, strings.Join(names, ", "))}, false
}

func (p *Proxy) probeOnce(ctx context.Context) Proof {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	client, pr, err := p.probes.dial(ctx, p.Addr())
	if err != nil {
		return Proof{Note: fmt.Sprintf("proxy %s does not accept connections", p.name)}
	}
	defer p.probes.forget(client.LocalAddr())
	defer func() { _ = client.Close() }()
	if p.upstream.raw {
		return p.judgeProbe(pr, "", pr.opened(ctx))
	}
	injected, answered := p.ask(ctx, client)
	return p.judgeProbe(pr, injected, answered)
}

// ask sends OPTIONS *, the harmless question that RFC 9110, section 9.3.7, has for
// this. It returns the type of the fault that answered, if one did.
func (p *Proxy) ask(ctx context.Context, client net.Conn) (injected string, answered bool) {
	t := &http.Transport{
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return client, nil },
		DisableKeepAlives: true,
		Protocols:         &http.Protocols{},
	}
	t.Protocols.SetHTTP1(!p.upstream.h2)
	t.Protocols.SetUnencryptedHTTP2(p.upstream.h2)
	defer t.CloseIdleConnections()
	req := (&http.Request{
		Method: http.MethodOptions,
		URL:    &url.URL{Scheme: "http", Host: p.Addr().String(), Path: "*"},
		Header: http.Header{"User-Agent": {"reliability-probe"}},
	}).WithContext(ctx)
	res, err := t.RoundTrip(req)
	if err != nil {
		return "", false
	}
	_ = res.Body.Close()
	return res.Header.Get(Header), true
}

func (p *Proxy) judgeProbe(pr *probe, injected string, answered bool) Proof {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	switch {
	case injected != "":
		return Proof{Note: fmt.Sprintf("proxy %s: a probe was answered by a fault of type %s", p.name, injected)}
	case len(pr.acted) > 0:
		return Proof{Note: fmt.Sprintf("proxy %s: a probe met a fault of type %s", p.name, pr.acted[0])}
	case answered:
		return Proof{Proved: true}
	case !pr.passed:
		return Proof{Note: fmt.Sprintf("proxy %s: a probe did not get through the proxy", p.name)}
	case pr.failure != "":
		return Proof{Proved: true, Note: fmt.Sprintf("connection %s %s when the lifting was probed", p.connection, pr.failure)}
	}
	return Proof{Proved: true, Note: fmt.Sprintf("connection %s gave no answer when the lifting was probed", p.connection)}
}

// probe is what the proxy knows of one of its own probes. A nil probe is an ordinary
// request.
type probe struct {
	mu      sync.Mutex
	acted   []scenario.FaultType // the faults that acted on it
	passed  bool                 // it met no fault, and went on to the connection
	open    bool                 // the connection behind it was opened
	failure string               // why the connection could not be used
	settled chan struct{}        // closed once one of these is known for good
}

func newProbe() *probe { return &probe{settled: make(chan struct{})} }

// settle needs pr.mu.
func (pr *probe) settle() {
	select {
	case <-pr.settled:
	default:
		close(pr.settled)
	}
}

// opened waits for the connection behind a raw probe, which has nothing to ask, and
// reports whether there is one.
func (pr *probe) opened(ctx context.Context) bool {
	select {
	case <-pr.settled:
	case <-ctx.Done():
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	return pr.open
}

func (pr *probe) act(t scenario.FaultType) {
	if pr == nil {
		return
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if !slices.Contains(pr.acted, t) {
		pr.acted = append(pr.acted, t)
	}
	pr.settle()
}

// pass notes that the probe goes on to the connection.
func (pr *probe) pass() {
	if pr == nil {
		return
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	pr.passed = true
}

func (pr *probe) dialled(err error) {
	if pr == nil {
		return
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	defer pr.settle()
	if pr.open = err == nil; err != nil {
		pr.failure = failure(err)
	}
}

// probes knows the proxy's own probes by the address they come from.
type probes struct {
	mu sync.Mutex
	by map[string]*probe
}

// dial holds the lock until the address is known, so that the connection cannot be
// taken for a client's.
func (ps *probes) dial(ctx context.Context, to net.Addr) (net.Conn, *probe, error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	var d net.Dialer
	c, err := d.DialContext(ctx, to.Network(), to.String())
	if err != nil {
		return nil, nil, err
	}
	if ps.by == nil {
		ps.by = map[string]*probe{}
	}
	pr := newProbe()
	ps.by[c.LocalAddr().String()] = pr
	return c, pr, nil
}

func (ps *probes) forget(from net.Addr) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.by, from.String())
}

// of returns nil for a connection that is not a probe's.
func (ps *probes) of(from net.Addr) *probe {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.by[from.String()]
}
