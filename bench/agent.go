package bench

import (
	"context"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// Agent is where work runs, as the bench sees it.
type Agent interface {
	// Connections that it works on, by name and ability.
	Connections() []run.Connection
	// Check is the agent's half of the online check: contracts, policy, proxies. The
	// file passed the offline half.
	Check(f *scenario.File) []scenario.Diagnostic
	// Run executes a run and tells of it while it goes. When ctx ends it ends early,
	// cancelled; every fault is lifted before it returns. The reason says in a line
	// what the measurements do not.
	Run(ctx context.Context, w Work, report func(run.RunEvent)) (outcome run.Outcome, reason string, result run.Result)
	// Close lifts everything and ends the agent.
	Close(ctx context.Context) error
}

// Work is one run to execute.
type Work struct {
	Run  string // its id
	File *scenario.File
}
