package bench

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inorbit-hr/reliability/agent"
	"github.com/inorbit-hr/reliability/internal/tomlfile"
	"github.com/inorbit-hr/reliability/scenario"
)

// protocols that a connection may speak.
var protocols = []string{"http"}

// faultTypes that a policy may allow.
var faultTypes = []string{string(scenario.FaultLatency), string(scenario.FaultErrors), string(scenario.FaultDrop)}

// longest bounds durations: of a run, as the scenario format does, and of one request.
const (
	longestRun     = 24 * time.Hour
	longestRequest = 5 * time.Minute
)

// configName is the grammar of names: of the account, an environment, an agent, a
// connection, a proxy. It is that of scenario files, so that they can name them.
var configName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// LoadConfig reads bench.toml. read gives the bytes of the file and, later, of the
// contracts it names: from a folder, or from a commit. All problems are told at once,
// each with file, line and key.
func LoadConfig(read func(path string) ([]byte, error), file string) (*Config, error) {
	content, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("read the bench's configuration %s: %w", file, err)
	}
	c := &Config{File: file, Read: read}
	c.Plan.SetDefaults()
	f := tomlfile.Read(file, content, c)
	if err := f.Err(); err != nil {
		return nil, err
	}
	c.check(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Config) check(f *tomlfile.File) {
	switch {
	case !f.Has("format"):
		f.Refuse("format", "missing: write format = 1")
	case c.Format != 1:
		f.Refuse("format", "%d is not known to this version; it knows 1", c.Format)
	}
	checkName(f, "account.name", c.Account.Name)
	checkCeilings(f, "plan", c.Plan.MaxRate, c.Plan.MaxDuration, c.Plan.MaxInFlight, c.Plan.FaultBudget)
	atLeastOne(f, "plan.runs_at_once", c.Plan.RunsAtOnce)
	atLeastOne(f, "plan.runs_an_hour", c.Plan.RunsAnHour)
	for _, name := range sortedKeys(c.Environments) {
		checkName(f, "environments."+name, name)
	}
	if f.Has("environments.production.production_rules") && !c.Environments[environmentProduction].ProductionRules {
		f.Refuse("environments.production.production_rules", "the environment production always follows them; leave the key out")
	}
	for _, name := range sortedKeys(c.Agents) {
		checkName(f, "agents."+name, name)
		c.checkPolicy(f, name, "agents."+name+".policy")
	}
	for _, name := range sortedKeys(c.Connections) {
		c.checkConnection(f, name, "connections."+name)
	}
	c.checkProxies(f)
}

func (c *Config) checkPolicy(f *tomlfile.File, agent, key string) {
	p := c.Agents[agent].Policy
	checkCeilings(f, key, p.MaxRate, p.MaxDuration, p.MaxInFlight, p.FaultBudget)
	within(f, key+".request_timeout", p.RequestTimeout, longestRequest)
	within(f, key+".drain", p.Drain, longestRequest)
	for i, name := range p.Connections {
		at := fmt.Sprintf("%s.connections[%d]", key, i)
		switch connection, ok := c.Connections[name]; {
		case !ok:
			f.Refuse(at, "there is no [connections.%s]", name)
		case connection.Agent != agent:
			f.Refuse(at, "connection %s belongs to agent %q, not to %q", name, connection.Agent, agent)
		}
	}
	for i, fault := range p.Faults {
		if !slices.Contains(faultTypes, fault) {
			f.Refuse(fmt.Sprintf("%s.faults[%d]", key, i), "unknown fault %q; one of: %s", fault, strings.Join(faultTypes, ", "))
		}
	}
	for i, operation := range p.Writes {
		if strings.TrimSpace(operation) == "" {
			f.Refuse(fmt.Sprintf("%s.writes[%d]", key, i), "is empty; write an operationId")
		}
	}
}

func (c *Config) checkConnection(f *tomlfile.File, name, key string) {
	connection := c.Connections[name]
	checkName(f, key, name)
	if required(f, key+".environment", connection.Environment) {
		if _, ok := c.Environments[connection.Environment]; !ok {
			f.Refuse(key+".environment", "there is no [environments.%s]", connection.Environment)
		}
	}
	if required(f, key+".protocol", connection.Protocol) && !slices.Contains(protocols, connection.Protocol) {
		f.Refuse(key+".protocol", "unknown protocol %q; one of: %s", connection.Protocol, strings.Join(protocols, ", "))
	}
	if required(f, key+".address", connection.Address) {
		checkAddress(f, key+".address", connection.Address)
	}
	if required(f, key+".contract", connection.Contract) {
		connection.Contract = c.resolve(connection.Contract)
		c.Connections[name] = connection
	}
	if required(f, key+".agent", connection.Agent) {
		if _, ok := c.Agents[connection.Agent]; !ok {
			f.Refuse(key+".agent", "there is no [agents.%s]", connection.Agent)
		}
	}
	if f.Has(key+".credential_env") && !variableName.MatchString(connection.CredentialEnv) {
		f.Refuse(key+".credential_env", "must be the name of an environment variable, such as API_TOKEN")
	}
	if connection.Revision != nil {
		refuseAll(f, key+".revision", connection.Revision.Problems())
	}
	if connection.Counter != nil {
		refuseAll(f, key+".counter", connection.Counter.Problems())
	}
	if connection.Proxy != nil {
		checkName(f, key+".proxy.name", connection.Proxy.Name)
		checkListen(f, key+".proxy.listen", connection.Proxy.Listen)
	}
}

// refuseAll refuses what the agent finds wrong with a table.
func refuseAll(f *tomlfile.File, table string, problems []agent.Problem) {
	for _, p := range problems {
		at := table
		if p.Key != "" {
			at += "." + p.Key
		}
		f.Refuse(at, "%s", p.Message)
	}
}

// resolve gives a path that stands in the file, seen from where the file stands.
func (c *Config) resolve(named string) string {
	if filepath.IsAbs(named) || path.IsAbs(named) {
		return named
	}
	return path.Join(path.Dir(filepath.ToSlash(c.File)), filepath.ToSlash(named))
}

// checkProxies holds to one proxy, one connection.
func (c *Config) checkProxies(f *tomlfile.File) {
	names, listeners := map[string]string{}, map[string]string{}
	for _, name := range sortedKeys(c.Connections) {
		proxy := c.Connections[name].Proxy
		if proxy == nil {
			continue
		}
		if other, ok := names[proxy.Name]; ok {
			f.Refuse("connections."+name+".proxy.name", "connection %s has a proxy of that name already", other)
		}
		names[proxy.Name] = name
		if strings.HasSuffix(proxy.Listen, ":0") {
			continue
		}
		if other, ok := listeners[proxy.Listen]; ok {
			f.Refuse("connections."+name+".proxy.listen", "the proxy of connection %s listens there already", other)
		}
		listeners[proxy.Listen] = name
	}
}

func checkCeilings(f *tomlfile.File, key string, rate float64, duration time.Duration, inFlight int, budget time.Duration) {
	if rate <= 0 {
		f.Refuse(key+".max_rate", "must be above 0 requests a second")
	}
	within(f, key+".max_duration", duration, longestRun)
	atLeastOne(f, key+".max_in_flight", inFlight)
	if budget < 0 {
		f.Refuse(key+".fault_budget", "must not be negative")
	}
}

// checkAddress refuses what is no address of a service. The message never repeats it.
func checkAddress(f *tomlfile.File, key, address string) {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		f.Refuse(key, `must be a URL such as "http://127.0.0.1:8080"`)
	case u.User != nil:
		f.Refuse(key, "holds a credential; put it into an environment variable and name that in credential_env")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		f.Refuse(key, "must end behind the path: no query and no fragment")
	case u.Port() != "" && !isPort(u.Port()):
		f.Refuse(key, "has no port from 1 to 65535")
	}
}

func checkListen(f *tomlfile.File, key, listen string) {
	if !required(f, key, listen) {
		return
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil || host == "" || !isPort(port) && port != "0" {
		f.Refuse(key, `must be an address and a port, such as "127.0.0.1:9081"`)
	}
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

func checkName(f *tomlfile.File, key, name string) {
	if required(f, key, name) && !configName.MatchString(name) {
		f.Refuse(key, "%q is not a name: use lower-case letters, digits and single hyphens, a letter first", name)
	}
}

func required(f *tomlfile.File, key, value string) bool {
	if value == "" {
		f.Refuse(key, "missing or empty")
	}
	return value != ""
}

func atLeastOne(f *tomlfile.File, key string, n int) {
	if n < 1 {
		f.Refuse(key, "must be at least 1")
	}
}

func within(f *tomlfile.File, key string, d, longest time.Duration) {
	if d <= 0 || d > longest {
		f.Refuse(key, "must be above 0 and at most %s", longest)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
