package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inorbit-hr/reliability/scenario"
)

// Check is the agent's half of the online check: it holds a file that passed the offline
// half to the agent's connections, their contracts, and the policy. A file with errors is
// not looked at: what it means is not known.
func (a *Agent) Check(f *scenario.File) []scenario.Diagnostic {
	if !f.OK() {
		return nil
	}
	c := &check{agent: a, file: f, scenario: &f.Scenario, reached: map[string]*connection{}}
	c.targets()
	c.load()
	c.faults()
	c.frozen()
	c.surfaces()
	c.counter()
	c.found = append(c.found, CheckCeilings(f, a.policy.Ceilings(), "the agent's policy")...)
	scenario.Sort(c.found)
	return c.found
}

type check struct {
	agent    *Agent
	file     *scenario.File
	scenario *scenario.Scenario
	// reached are the connections that the agent has, by the name of their target. What
	// a target names that is not there was told.
	reached map[string]*connection
	found   []scenario.Diagnostic
}

func (c *check) tell(r scenario.Rule, path, format string, args ...any) *scenario.Diagnostic {
	c.found = append(c.found, c.file.Problem(r.Code, r.Severity, path, format, args...))
	return &c.found[len(c.found)-1]
}

// targets holds what stands in [targets] to the connections.
func (c *check) targets() {
	for _, t := range c.scenario.Targets {
		path := "targets." + t.Name + ".connection"
		connection, ok := c.agent.connection(t.Connection)
		if !ok {
			meant := scenario.Closest(t.Connection, c.agent.policy.Connections)
			c.tell(unknownConnection, path, "the agent has no connection %q%s", t.Connection, didYouMean(meant)).Suggestion = meant
			continue
		}
		c.reached[t.Name] = connection
		if !c.agent.policy.allowsConnection(t.Connection) {
			c.tell(notAllowed, path, "the agent's policy does not allow connection %q; allowed: %s", t.Connection, list(c.agent.policy.Connections))
		}
		if connection.Environment != c.scenario.Environment {
			c.tell(wrongEnvironment, path, "connection %q belongs to environment %q, not to %q",
				t.Connection, connection.Environment, c.scenario.Environment)
		}
		c.proxy(t, connection)
	}
}

func (c *check) proxy(t scenario.Target, connection *connection) {
	path := "targets." + t.Name + ".proxy"
	switch {
	case t.Proxy == "":
	case connection.Proxy == nil:
		c.tell(wrongProxy, path, "connection %q has no proxy", t.Connection)
	case connection.Proxy.Name != t.Proxy:
		c.tell(wrongProxy, path, "the proxy of connection %q is %q, not %q",
			t.Connection, connection.Proxy.Name, t.Proxy).Suggestion = connection.Proxy.Name
	}
}

// load holds the operations to the contract of the load's connection.
func (c *check) load() {
	if c.scenario.Load == nil {
		return
	}
	connection, ok := c.reached[c.scenario.Load.Target]
	if !ok {
		return
	}
	if connection.Protocol == ProtocolTCP {
		c.tell(wrongProtocol, "load.target", "connection %q speaks tcp, which takes no load", connection.Name)
		return
	}
	for i, o := range c.scenario.Load.Operations {
		path := fmt.Sprintf("load.operations[%d]", i)
		switch {
		case o.GRPC != "" && connection.Protocol == ProtocolGRPC:
			c.tell(wrongProtocol, path+".grpc", "operation %q is gRPC, and this agent does not support gRPC load", o.GRPC)
		case o.GRPC != "":
			c.tell(wrongProtocol, path+".grpc", "operation %q is gRPC, and connection %q speaks %s", o.GRPC, connection.Name, connection.Protocol)
		case connection.Protocol != ProtocolHTTP:
			c.tell(wrongProtocol, path+".openapi", "operation %q is OpenAPI, and connection %q speaks %s", o.OpenAPI, connection.Name, connection.Protocol)
		default:
			c.operation(path+".openapi", o.OpenAPI, connection)
		}
	}
}

func (c *check) operation(path, id string, connection *connection) {
	operation, ok := connection.contract.Operation(id)
	if !ok {
		meant := scenario.Closest(id, connection.contract.Operations())
		c.tell(unknownOperation, path, "the contract of connection %q has no operation %q%s",
			connection.Name, id, didYouMean(meant)).Suggestion = meant
		return
	}
	if !operation.Safe() && !c.agent.policy.allowsWrite(id) {
		c.tell(notAllowed, path, "the agent's policy does not allow operation %q (%s) as load; allowed writes: %s",
			id, operation.Method, list(c.agent.policy.Writes))
	}
	if _, err := operation.Requests(); err != nil {
		c.tell(noRequest, path, "%s", err)
	}
}

// faults holds the faults of the timeline to the policy and to what the proxy can do.
func (c *check) faults() {
	for i, e := range c.scenario.Timeline {
		if e.Action != scenario.ActionFault {
			continue
		}
		path := fmt.Sprintf("timeline[%d].fault.type", i)
		if !c.agent.policy.allowsFault(e.Fault.Type) {
			c.tell(notAllowed, path, "the agent's policy does not allow fault %q; allowed: %s", e.Fault.Type, list(c.agent.policy.Faults))
		}
		if connection, ok := c.reached[e.Target]; ok && connection.Protocol == ProtocolTCP && e.Fault.Type == scenario.FaultErrors {
			c.tell(wrongProtocol, path, "a fault of type errors answers requests, and connection %q speaks tcp", connection.Name)
		}
	}
}

// surfaces refuses a surface check of a connection that there is none for.
func (c *check) surfaces() {
	i := slices.Index(c.scenario.Assertions.Checks, scenario.CheckSurfaces)
	if i < 0 {
		return
	}
	path := fmt.Sprintf("assertions.checks[%d]", i)
	told := map[string]bool{}
	for _, target := range slices.Sorted(maps.Keys(c.reached)) {
		connection := c.reached[target]
		if told[connection.Name] {
			continue
		}
		told[connection.Name] = true
		switch {
		case connection.Protocol != ProtocolHTTP:
			c.tell(uncheckedProtocol, path, "connection %q speaks %s, for which there is no surfaces check", connection.Name, connection.Protocol)
		case len(connection.surfaces()) == 0:
			c.tell(noRequest, path, "the contract of connection %q has no GET or HEAD operation that a request can be made for, so its surfaces cannot be checked",
				connection.Name)
		}
	}
}

// counter refuses max_uncounted: no connection has a counter.
func (c *check) counter() {
	if _, ok := c.scenario.Assertions.Limit(scenario.MaxUncounted); ok {
		c.tell(noCounter, "assertions."+string(scenario.MaxUncounted), "no connection of the agent has a counter, so max_uncounted cannot be measured")
	}
}

// list writes names, or none.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
