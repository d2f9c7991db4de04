// Package agent does the work of a run inside the network of the services: under a
// policy of its own it sends the load, applies and lifts the faults, checks the surfaces
// and decides.
//
//	agent           configuration, policy, the agent's half of the online check, a run
//	agent/contract  what a service can be asked
//	agent/fault     the listener in front of a service, where faults act
//	agent/decide    what the measurements say; pure
package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/agent/fault"
	"github.com/inorbit-hr/reliability/run"
)

// Agent works on connections under its policy. Its proxies are open from New to Close.
type Agent struct {
	name        string
	policy      Policy
	connections map[string]*connection
	lateAfter   time.Duration // of loads; 0 means their default

	freezing sync.Mutex
	frozen   map[string]string // why, by connection

	closing sync.Once
	closed  chan struct{} // closed when everything is
	failure error         // of closing; read behind closed
}

// New checks the configuration, reads the contracts and opens the proxies, so that the
// services behind them have their way at once. ctx bounds the opening alone. Where a step
// fails, what was opened before is closed again; the error names the connection, and the
// caller knows the agent.
func New(ctx context.Context, cfg Config) (*Agent, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("the configuration is wrong:\n%w", err)
	}
	a := &Agent{name: cfg.Name, policy: cfg.Policy, connections: map[string]*connection{}, closed: make(chan struct{})}
	for _, c := range sortByName(cfg.Connections) {
		ready, err := newConnection(&cfg, c)
		if err != nil {
			return nil, err // it names the connection
		}
		a.connections[c.Name] = ready
	}
	for _, name := range a.names() {
		if err := a.connections[name].open(ctx); err != nil {
			return nil, errors.Join(err, a.closeProxies())
		}
	}
	return a, nil
}

// open opens the connection's proxy, where it has one.
func (c *connection) open(ctx context.Context) error {
	if c.Proxy == nil {
		return nil
	}
	proxy, err := fault.Listen(ctx, fault.Config{
		Name: c.Proxy.Name, Connection: c.Name, Listen: c.Proxy.Listen, Upstream: c.base,
	})
	if err != nil {
		return fmt.Errorf("connection %s: open its proxy: %w", c.Name, err)
	}
	c.proxy = proxy
	return nil
}

// Close lifts every fault and closes the proxies. It waits until nothing is left, or
// until ctx ends; the closing goes on then, and a further call waits for it again.
func (a *Agent) Close(ctx context.Context) error {
	a.closing.Do(func() {
		go func() {
			defer close(a.closed)
			a.failure = a.closeProxies()
		}()
	})
	select {
	case <-a.closed:
	case <-ctx.Done():
		select {
		case <-a.closed: // what is done is done, however late the question
		default:
			return fmt.Errorf("agent %s: close: %w", a.name, context.Cause(ctx))
		}
	}
	return a.failure
}

func (a *Agent) closeProxies() error {
	var failed []error
	for _, name := range a.names() {
		if c := a.connections[name]; c.proxy != nil {
			failed = append(failed, c.proxy.Close())
		}
	}
	return errors.Join(failed...)
}

func (a *Agent) names() []string { return slices.Sorted(maps.Keys(a.connections)) }

// connection gives a connection of that name, which the policy may not allow.
func (a *Agent) connection(name string) (*connection, bool) {
	c, ok := a.connections[name]
	return c, ok
}

// Connections are those that the policy lets the agent work on, by name. Whether their
// environment follows the rules of production, the bench knows.
func (a *Agent) Connections() []run.Connection {
	all := []run.Connection{}
	for _, name := range a.names() {
		c := a.connections[name]
		if !a.policy.allowsConnection(name) {
			continue
		}
		told := run.Connection{
			Name: name, Agent: a.name, Environment: c.Environment, Protocol: c.Protocol, Operations: []string{},
		}
		if c.contract != nil {
			told.Operations = append(told.Operations, c.contract.Operations()...)
		}
		if c.Proxy != nil {
			told.Proxy = c.Proxy.Name
		}
		all = append(all, told)
	}
	return all
}
