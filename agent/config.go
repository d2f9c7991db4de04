package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Problems are all that is wrong with the configuration; keys are those of agent.toml.
// It opens nothing and reads no contract.
func (c *Config) Problems() []Problem {
	all := under(nil, "policy", c.Policy.Problems())
	known := map[string]bool{}
	for i := range c.Connections {
		connection := &c.Connections[i]
		key := "connections." + connection.Name
		if known[connection.Name] {
			all = tell(all, key, "stands there twice")
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

// proxyProblems holds to one proxy, one connection: names and listeners are one of a
// kind, and no connection is reached through a proxy of the agent, which would go round
// in circles or put the faults of one connection on another.
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
	for _, c := range connections {
		base, _, err := parseAddress(c.Protocol, c.Address)
		if err != nil {
			continue // told already
		}
		if other, ok := listeners[base.Host]; ok {
			all = tell(all, "connections."+c.Name+".address", "is where the proxy of connection %s listens; write that of the service itself", other)
		}
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

func tell(all []Problem, key, format string, args ...any) []Problem {
	return append(all, Problem{Key: key, Message: fmt.Sprintf(format, args...)})
}

// under adds the problems of a table with the table's key in front of theirs.
func under(all []Problem, table string, more []Problem) []Problem {
	for _, p := range more {
		key := table
		if p.Key != "" {
			key += "." + p.Key
		}
		all = append(all, Problem{Key: key, Message: p.Message})
	}
	return all
}

func within(all []Problem, key string, d, longest time.Duration) []Problem {
	if d <= 0 || d > longest {
		return tell(all, key, "must be above 0 and at most %s", short(longest))
	}
	return all
}

// short writes a duration without parts that are zero, as a scenario would.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// didYouMean is nothing without a word.
func didYouMean(word string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", word)
}

func sortByName(connections []Connection) []Connection {
	sorted := slices.Clone(connections)
	slices.SortFunc(sorted, func(a, b Connection) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}
