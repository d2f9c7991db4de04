package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/agent/load"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// Work is one run that the agent is asked to do.
type Work struct {
	ID   string
	File *scenario.File
	// Seed makes what is drawn at random repeatable, and is in the result.
	Seed uint64
	// Once forbids the second look: a fault that a person confirmed is not repeated.
	Once bool
}

// mostLooks is how often a borderline scenario is run and pooled.
const mostLooks = 2

// Run does the work and tells what happens on the way; report is called by one
// goroutine at a time and must not block for long. When ctx ends, the run ends as
// cancelled: load stops at once, every fault is lifted before Run returns, and what
// was measured until then is kept.
//
//	reach the connections -> check surfaces -> look, once or twice -> check surfaces -> decide
//
// The reason says in one line what decided; it is empty for pass.
func (a *Agent) Run(ctx context.Context, w Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
	e := &execution{
		agent: a, work: w, scenario: &w.File.Scenario, report: report,
		result: run.Result{Assertions: []run.AssertionResult{}, Faults: []run.FaultResult{}},
	}
	// What the bench asks is held to the policy again: the agent's word is the last.
	findings := a.Check(w.File)
	if i := slices.IndexFunc(findings, isError); i >= 0 {
		f := findings[i]
		return run.OutcomeRefused, fmt.Sprintf("line %d: %s [%s]", f.Range.Start.Line, f.Message, f.Code), e.result
	}
	outcome, reason := e.run(ctx)
	return outcome, reason, e.result
}

func isError(d scenario.Diagnostic) bool { return d.Severity == scenario.Error }

// execution is one run under way.
type execution struct {
	agent    *Agent
	work     Work
	scenario *scenario.Scenario
	report   func(run.RunEvent)
	telling  sync.Mutex
	result   run.Result
	measured []*load.Measured
	looks    []decide.Measurements
	injected []int64 // by second of the load, of all looks
	trouble  string  // what this machine lacked to send the load
	surfaces surfaceFindings
	// revisions are those that connections told, in the order in which they did.
	revisions map[string][]string
}

func (e *execution) run(ctx context.Context) (run.Outcome, string) {
	if problem := e.reach(ctx); problem != "" {
		e.judge()
		if ctx.Err() != nil {
			return run.OutcomeCancelled, "cancelled before anything was measured"
		}
		return run.OutcomeInconclusive, problem + ": nothing was measured"
	}
	e.noteRevisions(ctx)
	e.checkSurfaces(ctx, "at the start")
	for e.result.Looks < mostLooks && ctx.Err() == nil {
		if err := e.look(ctx); err != nil {
			e.judge()
			return run.OutcomeInconclusive, err.Error()
		}
		outcome, reason := e.judgeLoad()
		if outcome != run.OutcomeBorderline || e.result.Looks == mostLooks || e.work.Once || ctx.Err() != nil || e.invalid() != "" {
			break
		}
		e.tell(run.RunEvent{Type: run.EventTypeLookingAgain, Message: reason})
	}
	e.checkSurfaces(ctx, "at the end")
	return e.conclude(ctx)
}

// judge decides from all that was measured and found, and keeps it in the result.
func (e *execution) judge() (run.Outcome, string) {
	judged := decide.Judge(e.scenario, e.looks)
	e.result.Objective = judged.Objective
	e.result.Assertions = append(append([]run.AssertionResult{}, judged.Assertions...), e.surfaces.results(e.scenario)...)
	return decide.Outcome(e.result.Assertions, e.result.Objective)
}

// judgeLoad tells what the looks so far say, for the question whether another one would
// decide something. A surface that is wrong decides whatever a look says.
func (e *execution) judgeLoad() (run.Outcome, string) {
	judged := decide.Judge(e.scenario, e.looks)
	if len(e.surfaces.findings) > 0 {
		return run.OutcomeFail, ""
	}
	return judged.Outcome, judged.Reason
}

// conclude is the outcome of the whole. What the faults left behind, or did not do,
// comes before what was measured under them.
func (e *execution) conclude(ctx context.Context) (run.Outcome, string) {
	outcome, reason := e.judge()
	if unproved := e.unproved(); unproved != "" {
		e.result.UnprovedLifting = true
		e.freeze()
		return run.OutcomeInconclusive, unproved
	}
	if ctx.Err() != nil {
		return run.OutcomeCancelled, "cancelled while it ran"
	}
	if change := e.revisionChange(); change != "" {
		return run.OutcomeInconclusive, change
	}
	if e.trouble != "" {
		return run.OutcomeInconclusive, e.trouble
	}
	// A service that broke a limit broke it, whether or not the fault had a part in
	// it; one that kept all without the fault has shown nothing.
	if spoilt := e.spoilt(); spoilt != "" && (outcome == run.OutcomePass || outcome == run.OutcomeBorderline) {
		return run.OutcomeInconclusive, spoilt
	}
	return outcome, reason
}

// invalid tells why what was measured does not count, or would not if it was pooled;
// empty where it counts.
func (e *execution) invalid() string {
	for _, problem := range []string{e.unproved(), e.revisionChange(), e.trouble, e.spoilt()} {
		if problem != "" {
			return problem
		}
	}
	return ""
}

// unproved tells of a fault that was not shown to be lifted; empty where all were.
func (e *execution) unproved() string {
	for _, f := range e.result.Faults {
		if f.AppliedMs != nil && !f.Proved {
			return fmt.Sprintf("the %s fault on %s could not be shown to be lifted: %s", f.Type, f.Target, f.Note)
		}
	}
	return ""
}

// freeze keeps further faults away from where one could not be shown to be lifted.
func (e *execution) freeze() {
	for _, f := range e.result.Faults {
		if f.AppliedMs != nil && !f.Proved {
			e.agent.freeze(e.connectionName(f.Target), f.Note)
		}
	}
}

// spoilt tells of a fault that did not do what the scenario asks; empty where all did.
func (e *execution) spoilt() string {
	for _, f := range e.result.Faults {
		switch {
		case f.AppliedMs == nil:
			return fmt.Sprintf("the %s fault on %s was not applied: %s", f.Type, f.Target, f.Note)
		case f.Met == 0:
			return fmt.Sprintf("no request met the %s fault on %s, so it tested nothing; do the callers of connection %s go through proxy %s?",
				f.Type, f.Target, e.connectionName(f.Target), f.Proxy)
		}
	}
	return ""
}

func (e *execution) connectionName(target string) string {
	t, _ := e.scenario.Target(target)
	return t.Connection
}

// tell reports, one call at a time.
func (e *execution) tell(event run.RunEvent) {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.report(event)
}

func (e *execution) log(message string) {
	e.tell(run.RunEvent{Type: run.EventTypeLog, Message: message})
}
