package fault

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// Config describes a proxy.
type Config struct {
	Name       string // the proxy's name
	Connection string // the connection's name; messages use it, never its address
	Listen     string // host:port; port 0 takes a free one
	// Upstream is the connection's address: http or https; grpc or grpcs for
	// services that speak HTTP/2 alone; tcp for bytes that are not HTTP. Its path is
	// not used. The listener itself speaks plain text: TLS begins behind the proxy.
	Upstream *url.URL
	Clock    Clock // nil is the system's
}

// Proxy is a listener in front of one connection. Its methods are safe for concurrent
// use.
type Proxy struct {
	name       string
	connection string
	upstream   endpoint
	clock      Clock
	listener   *net.TCPListener
	ctx        context.Context // ends with Close
	cancel     context.CancelFunc
	wg         sync.WaitGroup
	probes     probes

	active atomic.Pointer[[]*Active] // in the order in which a request meets them

	mu       sync.Mutex
	prepared bool
	closed   bool
	conns    map[*conn]struct{}
}

// Listen opens the listener and passes everything through. ctx bounds the opening
// alone; the proxy runs until Close.
func Listen(ctx context.Context, cfg Config) (*Proxy, error) {
	up, err := newEndpoint(cfg.Upstream)
	if err != nil {
		return nil, fmt.Errorf("proxy %s: connection %s: %w", cfg.Name, cfg.Connection, err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return nil, listenError(cfg, err)
	}
	p := &Proxy{
		name:       cfg.Name,
		connection: cfg.Connection,
		upstream:   up,
		clock:      cfg.Clock,
		listener:   l.(*net.TCPListener),
		conns:      map[*conn]struct{}{},
	}
	if p.clock == nil {
		p.clock = systemClock{}
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.active.Store(&[]*Active{})
	p.wg.Go(p.accept)
	return p, nil
}

// listenError says which key of the file is to be changed.
func listenError(cfg Config, err error) error {
	why := "cannot be opened"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		why = "is in use; free it or choose another"
	case errors.Is(err, syscall.EACCES):
		why = "needs rights that the agent does not have; choose one above 1023"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("proxy %s: listen = %q is not an address of this machine", cfg.Name, cfg.Listen)
	}
	_, port, split := net.SplitHostPort(cfg.Listen)
	if split != nil {
		return fmt.Errorf("proxy %s: listen = %q is not host:port", cfg.Name, cfg.Listen)
	}
	return fmt.Errorf("proxy %s: listen = %q: port %s %s: %w", cfg.Name, cfg.Listen, port, why, err)
}

// Name is the proxy's name.
func (p *Proxy) Name() string { return p.name }

// Addr is the address that the proxy listens on.
func (p *Proxy) Addr() net.Addr { return p.listener.Addr() }

// Prepare announces the types of the faults that a run's timeline holds. From now on
// requests are found in the stream, and connections older than that are closed: they
// could not be told apart into requests. Without a type it does nothing.
func (p *Proxy) Prepare(types ...scenario.FaultType) {
	if len(types) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prepare()
}

// prepare needs p.mu.
func (p *Proxy) prepare() {
	if p.prepared {
		return
	}
	p.prepared = true
	for c := range p.conns {
		if !c.parsed {
			c.sever()
		}
	}
}

// Relax ends what Prepare began: new connections are passed through unread, unless a
// fault is still active. Connections that are open stay as they are.
func (p *Proxy) Relax() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prepared = len(*p.active.Load()) > 0
}

// Check says why a fault could not act here, without applying it.
func (p *Proxy) Check(f scenario.Fault) error {
	_, err := p.kind(Spec{Fault: f})
	return err
}

func (p *Proxy) kind(s Spec) (kind, error) {
	if p.upstream.raw && s.Fault.Type == scenario.FaultErrors {
		return nil, fmt.Errorf("proxy %s: a fault of type errors answers HTTP requests, and connection %s is raw TCP", p.name, p.connection)
	}
	k, err := newKind(s)
	if err != nil {
		return nil, fmt.Errorf("proxy %s: %w", p.name, err)
	}
	return k, nil
}

// Apply makes a fault act until it is lifted or its lease runs out. Faults of
// different types may be active at once, two of one type may not.
func (p *Proxy) Apply(s Spec) (*Active, error) {
	if s.Lease <= 0 {
		return nil, fmt.Errorf("proxy %s: a fault needs a lease above 0, not %s", p.name, s.Lease)
	}
	k, err := p.kind(s)
	if err != nil {
		return nil, err
	}
	a := &Active{proxy: p, spec: s, kind: k, done: make(chan struct{})}
	if err := p.add(a); err != nil {
		return nil, err
	}
	a.Renew()
	return a, nil
}

func (p *Proxy) add(a *Active) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("proxy %s is closed", p.name)
	}
	now := *p.active.Load()
	for _, other := range now {
		if other.Type() == a.Type() {
			return fmt.Errorf("proxy %s: a fault of type %s is active already; lift it first", p.name, a.Type())
		}
	}
	p.prepare()
	next := append(slices.Clone(now), a)
	slices.SortFunc(next, func(x, y *Active) int { return order[x.Type()] - order[y.Type()] })
	p.active.Store(&next)
	return nil
}

func (p *Proxy) remove(a *Active) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := slices.DeleteFunc(slices.Clone(*p.active.Load()), func(x *Active) bool { return x == a })
	p.active.Store(&next)
}

// Active lists the types of the active faults.
func (p *Proxy) Active() []scenario.FaultType {
	var types []scenario.FaultType
	for _, a := range *p.active.Load() {
		types = append(types, a.Type())
	}
	return types
}

// decide lets a request meet the active faults: it waits out their delay and returns
// what is to be done then, nothing for a request that goes on. ok is false when the
// request was given up in the meantime.
func decide(active []*Active, gone <-chan struct{}, pr *probe) (e effect, ok bool) {
	for _, a := range active {
		e := a.meet(pr, false)
		if e.delay > 0 && !a.start(e.delay, gone)() {
			return effect{}, false
		}
		if e.drop || e.status != 0 {
			return e, true
		}
	}
	return effect{}, true
}

// Close lifts every fault, closes the listener and all connections, and waits until
// nothing of the proxy is left. It may be called more than once.
func (p *Proxy) Close() error {
	for _, a := range *p.active.Load() {
		a.Lift()
	}
	p.mu.Lock()
	p.closed = true
	for c := range p.conns {
		c.sever()
	}
	p.mu.Unlock()
	for _, a := range *p.active.Load() { // applied in between
		a.Lift()
	}
	p.cancel()
	err := p.listener.Close()
	p.wg.Wait()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("proxy %s: closing the listener: %w", p.name, err)
	}
	return nil
}

// The pauses after a failed accept, such as when file descriptors run out.
const (
	acceptPauseFirst = 5 * time.Millisecond
	acceptPauseMost  = time.Second
)

func (p *Proxy) accept() {
	pause := acceptPauseFirst
	for {
		client, err := p.listener.AcceptTCP()
		if err == nil {
			pause = acceptPauseFirst
			if c := p.register(client); c != nil {
				p.wg.Go(c.serve)
			}
			continue
		}
		if p.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			return
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-p.ctx.Done():
			t.Stop()
			return
		}
		pause = min(2*pause, acceptPauseMost)
	}
}

// register returns nil when the proxy is closed.
func (p *Proxy) register(client *net.TCPConn) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = client.Close()
		return nil
	}
	c := &conn{proxy: p, client: client, parsed: p.prepared, gone: make(chan struct{})}
	p.conns[c] = struct{}{}
	return c
}

func (p *Proxy) unregister(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}
