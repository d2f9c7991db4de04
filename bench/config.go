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
	Connections map[string]ConnectionConfig `toml:"connections"`

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
	// Policy is what the agent lets itself be asked.
	Policy Policy `toml:"policy"`
}

// Policy is the table [agents.NAME.policy]. It wins over the plan where it says less.
type Policy struct {
	// Connections that the agent works on; absent means none.
	Connections []string `toml:"connections"`
	// Faults that the agent injects: latency, errors, drop; absent means none.
	Faults []string `toml:"faults"`
	// Writes are the operations other than GET and HEAD that load may use; absent
	// means none.
	Writes []string `toml:"writes"`
	// MaxRate in requests a second; above 0, default 500.
	MaxRate float64 `toml:"max_rate"`
	// MaxDuration of a run's load; above 0 and at most 24h, default "10m".
	MaxDuration time.Duration `toml:"max_duration"`
	// MaxInFlight bounds the requests under way at once; at least 1, default 256.
	MaxInFlight int `toml:"max_in_flight"`
	// FaultBudget is what the faults of a run may cost together, counted as in
	// [plan]; default "5m".
	FaultBudget time.Duration `toml:"fault_budget"`
	// RequestTimeout is how long an answer is waited for; above 0 and at most 5m,
	// default "10s".
	RequestTimeout time.Duration `toml:"request_timeout"`
	// Drain is how long answers are waited for after the last request was due;
	// above 0 and at most 5m, default "10s".
	Drain time.Duration `toml:"drain"`
}

// ConnectionConfig is a table [connections.NAME].
type ConnectionConfig struct {
	// Environment it belongs to, one of [environments]; required.
	Environment string `toml:"environment"`
	// Protocol it speaks: http; required.
	Protocol string `toml:"protocol"`
	// Address of the service, such as "http://127.0.0.1:8080"; required. It stays
	// with the agent and is in no answer, record or message.
	Address string `toml:"address"`
	// Contract is the path of its OpenAPI document, relative to this file;
	// required. Load names operations of it.
	Contract string `toml:"contract"`
	// Agent that works on it, one of [agents]; required.
	Agent string `toml:"agent"`
	// CredentialEnv is the name of an environment variable that holds a bearer
	// token for the service; absent means requests carry none.
	CredentialEnv string `toml:"credential_env"`
	// Revision is where the service tells which revision of it runs, such as
	// { header = "Service-Revision" } or { path = "/version" }; absent means that it
	// does not.
	Revision *agent.Revision `toml:"revision"`
	// Counter is where the service counts its requests, such as
	// { path = "/metrics", metric = "http_requests_total" }; absent means nowhere.
	Counter *agent.Counter `toml:"counter"`
	// Proxy is the agent's listener in front of the connection, where faults act;
	// absent means there is none.
	Proxy *ProxyConfig `toml:"proxy"`
}

// ProxyConfig is proxy = { name, listen } of a connection.
type ProxyConfig struct {
	// Name that a scenario calls the listener by; required, one of a kind.
	Name string `toml:"name"`
	// Listen is the address of the listener, such as "127.0.0.1:9081"; required.
	// Point the callers of the service at it.
	Listen string `toml:"listen"`
}

// Ceilings of a new plan and a new policy.
const (
	defaultRate        = 500
	defaultDuration    = 10 * time.Minute
	defaultInFlight    = 256
	defaultFaultBudget = 5 * time.Minute
	defaultTimeout     = 10 * time.Second
	defaultRunsAtOnce  = 1
	defaultRunsAnHour  = 60
)

// SetDefaults gives an agent the policy of one that says nothing: it may do nothing.
func (a *AgentConfig) SetDefaults() {
	a.Policy = Policy{
		MaxRate: defaultRate, MaxDuration: defaultDuration, MaxInFlight: defaultInFlight,
		FaultBudget: defaultFaultBudget, RequestTimeout: defaultTimeout, Drain: defaultTimeout,
	}
}

// SetDefaults gives the plan its documented defaults.
func (p *Plan) SetDefaults() {
	*p = Plan{
		MaxRate: defaultRate, MaxDuration: defaultDuration, MaxInFlight: defaultInFlight,
		FaultBudget: defaultFaultBudget, RunsAtOnce: defaultRunsAtOnce, RunsAnHour: defaultRunsAnHour,
	}
}

// environmentProduction always follows the rules of production.
const environmentProduction = "production"

// production tells whether an environment follows the rules of production.
func (c *Config) production(environment string) bool {
	return environment == environmentProduction || c.Environments[environment].ProductionRules
}
