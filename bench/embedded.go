package bench

import (
	"context"
	"hash/fnv"

	"github.com/inorbit-hr/reliability/agent"
	"github.com/inorbit-hr/reliability/run"
)

// Embedded makes agents that work inside this process, as bench.toml configures them.
// getenv gives the credentials that connections name by environment variable.
func Embedded(getenv func(string) string) func(ctx context.Context, c *Config, name string) (Agent, error) {
	return func(ctx context.Context, c *Config, name string) (Agent, error) {
		a, err := agent.New(ctx, agentConfig(c, name, getenv))
		if err != nil {
			return nil, err
		}
		return embedded{a, c}, nil
	}
}

// agentConfig is the part of bench.toml that one agent is told.
func agentConfig(c *Config, name string, getenv func(string) string) agent.Config {
	policy := c.Agents[name].Policy
	cfg := agent.Config{
		Name: name, Read: c.Read, Getenv: getenv,
		Policy: agent.Policy{
			Connections: policy.Connections, Faults: policy.Faults, Writes: policy.Writes,
			MaxRate: policy.MaxRate, MaxDuration: policy.MaxDuration, MaxInFlight: policy.MaxInFlight,
			FaultBudget: policy.FaultBudget, RequestTimeout: policy.RequestTimeout, Drain: policy.Drain,
		},
	}
	for _, connection := range sortedKeys(c.Connections) {
		of := c.Connections[connection]
		if of.Agent != name {
			continue
		}
		with := agent.Connection{
			Name: connection, Environment: of.Environment, Protocol: of.Protocol,
			Address: of.Address, Contract: of.Contract, CredentialEnv: of.CredentialEnv, Revision: of.Revision, Counter: of.Counter,
		}
		if of.Proxy != nil {
			with.Proxy = &agent.Proxy{Name: of.Proxy.Name, Listen: of.Proxy.Listen}
		}
		cfg.Connections = append(cfg.Connections, with)
	}
	return cfg
}

// embedded is an agent in this process as the bench sees it.
type embedded struct {
	*agent.Agent
	cfg *Config
}

// Run implements Agent. The seed comes from the run's id, so that a run can be
// repeated with what its record holds.
func (e embedded) Run(ctx context.Context, w Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(w.Run)) // a hash takes all it is given
	return e.Agent.Run(ctx, agent.Work{
		ID: w.Run, File: w.File, Seed: seed.Sum64() >> 1,
		// What a person confirmed there is one run, not two.
		Once: e.cfg.production(w.File.Scenario.Environment),
	}, report)
}
