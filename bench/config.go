package bench

import (
	"time"

	"github.com/inorbit-hr/reliability/agent"
)

// Config is bench.toml: one account with its plan, its environments, its agents with
// their policies, and its connections. A key that is not named here is refused.
type Config struct {
	// Format of the file; required, only 1.
	Format int `toml:"format"`
	// Account that everything in the file belongs to.
	Account Account `toml:"account"`
	// Plan holds the ceilings of the account.
	Plan Plan `toml:"plan"`
	// Environments by name. Every connection belongs to one of them.
	Environments map[string]Environment `toml:"environments"`
	// Agents by name: where work runs.
	Agents map[string]AgentConfig `toml:"agents"`
	// Connections by name: what scenarios may name.
	// Paths of contracts are relative to this file.
	Connections map[string]agent.Connection `toml:"connections"`

	// File is the path the configuration was read from.
	File string
	// Read reads files that the configuration names; their paths are resolved
	// against the file's folder.
	Read func(path string) ([]byte, error)
}

// Account is the table [account].
type Account struct {
	// Name of the account: lower-case letters, digits and hyphens; required.
	Name string `toml:"name"`
}

// Plan is the table [plan]: what a run of the account may ask at most, and how many
// runs there may be. Where an agent's policy says less, that counts.
type Plan struct {
	// MaxRate in requests a second; above 0, default 500.
	MaxRate float64 `toml:"max_rate"`
	// MaxDuration of a run's load, warm-up included; above 0 and at most 24h,
	// default "10m".
	MaxDuration time.Duration `toml:"max_duration"`
	// MaxInFlight bounds the requests under way at once; at least 1, default 256.
	MaxInFlight int `toml:"max_in_flight"`
	// FaultBudget is what the faults of a run may cost together: the seconds of
	// each times the share of requests it affects, a latency fault all; default
	// "5m", "0s" allows no fault.
	FaultBudget time.Duration `toml:"fault_budget"`
	// RunsAtOnce is how many runs of the account go at the same time; at least 1,
	// default 1. Runs that share a connection never do.
	RunsAtOnce int `toml:"runs_at_once"`
	// RunsAnHour is how many runs of the account start in any 60 minutes; at least
	// 1, default 60. Further ones wait.
	RunsAnHour int `toml:"runs_an_hour"`
}

// Environment is a table [environments.NAME].
type Environment struct {
	// ProductionRules tells that a fault needs a person every time; default false.
	// The environment named production always has them.
	ProductionRules bool `toml:"production_rules"`
}

// AgentConfig is a table [agents.NAME].
type AgentConfig struct {
	// Policy is what the agent lets itself be asked, the table [agents.NAME.policy].
	// It wins over the plan where it says less.
	Policy agent.Policy `toml:"policy"`
}

// SetDefaults gives an agent the policy of one that says nothing: it may do nothing.
func (a *AgentConfig) SetDefaults() { a.Policy.SetDefaults() }

// Runs of a plan that does not say how many there may be.
const (
	defaultRunsAtOnce = 1
	defaultRunsAnHour = 60
)

// SetDefaults gives the plan its documented defaults; its ceilings are those of a policy
// that names none.
func (p *Plan) SetDefaults() {
	*p = Plan{
		MaxRate: agent.DefaultMaxRate, MaxDuration: agent.DefaultMaxDuration, MaxInFlight: agent.DefaultMaxInFlight,
		FaultBudget: agent.DefaultFaultBudget, RunsAtOnce: defaultRunsAtOnce, RunsAnHour: defaultRunsAnHour,
	}
}

// environmentProduction always follows the rules of production.
const environmentProduction = "production"

// production tells whether an environment follows the rules of production.
func (c *Config) production(environment string) bool {
	return environment == environmentProduction || c.Environments[environment].ProductionRules
}
