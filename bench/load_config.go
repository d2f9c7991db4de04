package bench

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inorbit-hr/reliability/agent"
	"github.com/inorbit-hr/reliability/internal/tomlfile"
	"github.com/inorbit-hr/reliability/scenario"
)

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
	refuse(f, "plan", c.Plan.ceilings().Problems())
	atLeastOne(f, "plan.runs_at_once", c.Plan.RunsAtOnce)
	atLeastOne(f, "plan.runs_an_hour", c.Plan.RunsAnHour)
	for _, name := range sortedKeys(c.Environments) {
		checkName(f, "environments."+name, name)
	}
	if f.Has("environments.production.production_rules") && !c.Environments[environmentProduction].ProductionRules {
		f.Refuse("environments.production.production_rules", "the environment production always follows them; leave the key out")
	}
	for _, name := range sortedKeys(c.Connections) {
		c.checkConnection(f, name)
	}
	for _, name := range sortedKeys(c.Agents) {
		c.checkAgent(f, name)
	}
}

// checkConnection holds a connection to the rest of the file; what it is by itself, its
// agent says.
func (c *Config) checkConnection(f *tomlfile.File, name string) {
	key, connection := "connections."+name, c.Connections[name]
	connection.Name = name
	if _, ok := c.Environments[connection.Environment]; !ok && connection.Environment != "" {
		f.Refuse(key+".environment", "there is no [environments.%s]", connection.Environment)
	}
	if f.Has(key+".credential_env") && connection.CredentialEnv == "" {
		f.Refuse(key+".credential_env", "is empty; leave it out where requests carry no token")
	}
	if _, ok := c.Agents[connection.Agent]; !ok {
		if connection.Agent == "" {
			f.Refuse(key+".agent", "missing or empty")
		} else {
			f.Refuse(key+".agent", "there is no [agents.%s]", connection.Agent)
		}
		refuse(f, key, connection.Problems())
	}
	if connection.Contract != "" {
		connection.Contract = c.resolve(connection.Contract)
	}
	c.Connections[name] = connection
}

// checkAgent has an agent check its part of the file.
func (c *Config) checkAgent(f *tomlfile.File, name string) {
	checkName(f, "agents."+name, name)
	policy := c.Agents[name].Policy
	elsewhere := map[string]bool{} // keys of connections that belong to another agent
	for i, connection := range policy.Connections {
		if of, ok := c.Connections[connection]; ok && of.Agent != name {
			key := fmt.Sprintf("policy.connections[%d]", i)
			elsewhere[key] = true
			f.Refuse("agents."+name+"."+key, "connection %s belongs to agent %q", connection, of.Agent)
		}
	}
	part := agent.Config{Name: name, Policy: policy, Connections: c.connectionsOf(name)}
	for _, p := range part.Problems() {
		key := p.Key
		if elsewhere[key] {
			continue
		}
		if strings.HasPrefix(key, "policy") {
			key = "agents." + name + "." + key
		}
		f.Refuse(key, "%s", p.Message)
	}
}

// connectionsOf are the connections of an agent, by name.
func (c *Config) connectionsOf(name string) (all []agent.Connection) {
	for _, connection := range sortedKeys(c.Connections) {
		if of := c.Connections[connection]; of.Agent == name {
			all = append(all, of)
		}
	}
	return all
}

// resolve gives a path that stands in the file, seen from where the file stands.
func (c *Config) resolve(named string) string {
	if filepath.IsAbs(named) || path.IsAbs(named) {
		return named
	}
	return path.Join(path.Dir(filepath.ToSlash(c.File)), filepath.ToSlash(named))
}

// refuse tells problems of a table.
func refuse(f *tomlfile.File, table string, problems []agent.Problem) {
	for _, p := range problems {
		key := table
		if p.Key != "" {
			key += "." + p.Key
		}
		f.Refuse(key, "%s", p.Message)
	}
}

func checkName(f *tomlfile.File, key, name string) {
	switch {
	case name == "":
		f.Refuse(key, "missing or empty")
	case !scenario.ValidName(name):
		f.Refuse(key, "%q is not a name: use lower-case letters, digits and single hyphens, a letter first", name)
	}
}

func atLeastOne(f *tomlfile.File, key string, n int) {
	if n < 1 {
		f.Refuse(key, "must be at least 1")
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
