package agent

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// Config is all that an agent is told: by its own file, or by the bench that it is
// embedded in.
type Config struct {
	// Name of the agent.
	Name string
	// Policy of the agent.
	Policy Policy
	// Connections that it has; which of them it works on, the policy says.
	Connections []Connection
	// Read reads the contracts that the connections name; required.
	Read func(path string) ([]byte, error)
	// Getenv gives the environment variables that hold credentials; required, os.Getenv
	// in a program.
	Getenv func(string) string
}

// Problem is something wrong in a configuration. Its message never repeats an address
// or a credential.
type Problem struct {
	Key     string // such as policy.max_rate or connections.engine-staging.address
	Message string
}

// Error writes the problem as KEY: MESSAGE.
func (p Problem) Error() string { return p.Key + ": " + p.Message }

// Proxy is the listener in front of a connection.
type Proxy struct{ Name, Listen string }

// Agent is an agent at work. Its methods are safe for concurrent use.
type Agent struct {
	name        string
	policy      Policy
	connections map[string]*connection
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
		known[connection.Name] = true
		all = under(all, key, connection.Problems())
		if connection.Agent != "" && connection.Agent != c.Name {
			all = tell(all, key+".agent", "is %q; this is agent %q", connection.Agent, c.Name)
		}
	}
	for i, name := range c.Policy.Connections {
		if !known[name] {
			all = tell(all, fmt.Sprintf("policy.connections[%d]", i), "there is no connection %q", name)
		}
	}
	return append(all, proxyProblems(c.Connections)...)
}

// proxyProblems holds to one proxy, one connection.
func proxyProblems(connections []Connection) (all []Problem) {
	names, listeners := map[string]string{}, map[string]string{}
	for _, c := range connections {
		if c.Proxy == nil {
			continue
		}
		key := "connections." + c.Name + ".proxy"
		if other, ok := names[c.Proxy.Name]; ok {
			all = tell(all, key+".name", "connection %s has a proxy of that name already", other)
		}
		names[c.Proxy.Name] = c.Name
		if strings.HasSuffix(c.Proxy.Listen, ":0") {
			continue
		}
		if other, ok := listeners[c.Proxy.Listen]; ok {
			all = tell(all, key+".listen", "the proxy of connection %s listens there already", other)
		}
		listeners[c.Proxy.Listen] = c.Name
	}
	return all
}

// check gives the problems as one error, a line each.
func (c *Config) check() error {
	var all []error
	for _, p := range c.Problems() {
		all = append(all, p)
	}
	return errors.Join(all...)
}
