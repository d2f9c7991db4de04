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
		a, err := agent.New(ctx, agent.Config{
			Name: name, Policy: c.Agents[name].Policy, Connections: c.connectionsOf(name), Read: c.Read, Getenv: getenv,
		})
		if err != nil {
			return nil, err
		}
		return embedded{a, c}, nil
	}
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
