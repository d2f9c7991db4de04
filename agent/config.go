// Package agent does one run at a time inside a network: load, faults and surface
// checks, on the connections and within the policy that its own configuration names.
package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/agent/contract"
	"github.com/inorbit-hr/reliability/agent/fault"
	"github.com/inorbit-hr/reliability/run"
)

// Config is what an agent is told at its start.
type Config struct {
	Name        string
	Policy      Policy
	Connections []Connection
	// Read gives the contracts that connections name.
	Read func(path string) ([]byte, error)
	// Getenv gives the credentials that connections name by environment variable.
	Getenv func(string) string
}

// Policy is what the agent lets itself be asked; what it does not name is refused.
type Policy struct {
	Connections []string // that it works on
	Faults      []string // types that it injects
	// Writes are the operations other than GET and HEAD that load may use.
	Writes []string
	// RequestTimeout bounds one request, Drain how long answers are waited for
	// behind the last due time.
	RequestTimeout, Drain time.Duration
}

// Connection is one connection of the agent.
type Connection struct {
	Name            string
	Environment     string
	ProductionRules bool
	Protocol        string
	Address         string // never in a message, a result or an event
	Contract        string // path of its OpenAPI document
	CredentialEnv   string // name of the variable with a bearer token
	Proxy           *Proxy // nil without one
}

// Proxy is the listener in front of a connection.
type Proxy struct{ Name, Listen string }

// Agent is an agent at work. Its methods are safe for concurrent use.
type Agent struct {
	name        string
	policy      Policy
	connections map[string]*connection
	telling     sync.Mutex
}

// connection is a connection that was opened.
type connection struct {
	Connection
	base       *url.URL
	contract   *contract.Contract
	proxy      *fault.Proxy
	credential string
}

// New reads the contracts and opens the proxies of the agent's connections. When one
// fails, what was opened is closed again.
func New(ctx context.Context, cfg Config) (*Agent, error) {
	a := &Agent{name: cfg.Name, policy: cfg.Policy, connections: make(map[string]*connection)}
	for _, c := range cfg.Connections {
		opened, err := open(ctx, c, cfg)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("connection %s: %w", c.Name, err), a.Close(context.WithoutCancel(ctx)))
		}
		a.connections[c.Name] = opened
	}
	return a, nil
}

func open(ctx context.Context, c Connection, cfg Config) (*connection, error) {
	base, err := url.Parse(c.Address)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errors.New("the key address is not a URL with http or https")
	}
	opened := &connection{Connection: c, base: base}
	source, err := cfg.Read(c.Contract)
	if err != nil {
		return nil, fmt.Errorf("the contract %s cannot be read: %w", c.Contract, err)
	}
	if opened.contract, err = contract.Read(source); err != nil {
		return nil, fmt.Errorf("the contract %s cannot be used: %w", c.Contract, err)
	}
	if path := base.EscapedPath(); path != "" && path != "/" {
		opened.contract = opened.contract.At(path)
	}
	if c.CredentialEnv != "" {
		if opened.credential = cfg.Getenv(c.CredentialEnv); opened.credential == "" {
			return nil, fmt.Errorf("the key credential_env names the variable %s, which is not set", c.CredentialEnv)
		}
	}
	if c.Proxy != nil {
		opened.proxy, err = fault.Listen(ctx, fault.Config{
			Name: c.Proxy.Name, Connection: c.Name, Listen: c.Proxy.Listen, Upstream: base,
		})
		if err != nil {
			return nil, err
		}
	}
	return opened, nil
}

// Close lifts whatever is active and closes the proxies.
func (a *Agent) Close(context.Context) error {
	var errs []error
	for _, c := range a.connections {
		if c.proxy != nil {
			errs = append(errs, c.proxy.Close())
		}
	}
	return errors.Join(errs...)
}

func (a *Agent) connection(name string) (*connection, bool) {
	c, ok := a.connections[name]
	return c, ok
}

// Connections are what the agent works on, by name and ability.
func (a *Agent) Connections() []run.Connection {
	var all []run.Connection
	for _, c := range a.connections {
		if !slices.Contains(a.policy.Connections, c.Name) {
			continue
		}
		told := run.Connection{
			Name: c.Name, Environment: c.Environment, ProductionRules: c.ProductionRules, Protocol: c.Protocol,
			Agent: a.name, Operations: c.contract.Operations(),
		}
		if c.Proxy != nil {
			told.Proxy = c.Proxy.Name
		}
		all = append(all, told)
	}
	slices.SortFunc(all, func(x, y run.Connection) int { return compare(x.Name, y.Name) })
	return all
}

func compare(x, y string) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// front is where load for the connection goes: its proxy, where it has one.
func (c *connection) front() (scheme, address string) {
	if c.proxy != nil {
		return "http", c.proxy.Addr().String()
	}
	port := c.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[c.base.Scheme]
	}
	return c.base.Scheme, c.base.Hostname() + ":" + port
}

// requests are the requests of an operation as they are sent.
func (c *connection) requests(id string) ([]*http.Request, error) {
	operation, ok := c.contract.Operation(id)
	if !ok {
		return nil, fmt.Errorf("the contract of connection %s has no operation %s", c.Name, id)
	}
	made, err := operation.Requests()
	if err != nil {
		return nil, fmt.Errorf("the contract of connection %s gives no request: %w", c.Name, err)
	}
	requests := make([]*http.Request, 0, len(made))
	for _, m := range made {
		r, err := c.request(operation.Method, m)
		if err != nil {
			return nil, fmt.Errorf("operation %s of connection %s cannot be requested: %w", id, c.Name, err)
		}
		requests = append(requests, r)
	}
	return requests, nil
}
