package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/agent/fault"
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
func (a *Agent) Run(ctx context.Context, w Work, report func(run.RunEvent)) (run.Outcome, string, run.Result) {
	e := &execution{
		agent: a, work: w, scenario: &w.File.Scenario, report: report,
		result: run.Result{Assertions: []run.AssertionResult{}, Faults: []run.FaultResult{}},
	}
	if findings := a.Check(w.File); refuses(findings) {
		return run.OutcomeRefused, "the agent's policy does not allow it: " + findings[0].Message, e.result
	}
	outcome, reason := e.run(ctx)
	return outcome, reason, e.result
}

func refuses(findings []scenario.Diagnostic) bool {
	for _, f := range findings {
		if f.Severity != scenario.Warning {
			return true
		}
	}
	return false
}

// execution is one run under way.
type execution struct {
	agent    *Agent
	work     Work
	scenario *scenario.Scenario
	report   func(run.RunEvent)
	result   run.Result
	measured []*load.Measured
	looks    []decide.Measurements
	surfaces surfaceFindings
}

func (e *execution) run(ctx context.Context) (run.Outcome, string) {
	if err := e.reachable(ctx); err != nil {
		if ctx.Err() != nil {
			return run.OutcomeCancelled, "cancelled before the load started"
		}
		return run.OutcomeInconclusive, err.Error()
	}
	e.checkSurfaces(ctx, "before the load")
	for {
		if err := e.look(ctx); err != nil {
			return run.OutcomeInconclusive, err.Error()
		}
		outcome, reason := e.judge(ctx)
		if outcome != run.OutcomeBorderline || len(e.looks) == mostLooks || e.work.Once {
			return outcome, reason
		}
		e.report(run.RunEvent{Type: run.EventTypeLookingAgain, Message: reason})
	}
}

// judge decides from what the looks so far measured.
func (e *execution) judge(ctx context.Context) (run.Outcome, string) {
	if e.scenario.Load == nil || ctx.Err() != nil {
		e.checkSurfaces(ctx, "at the end")
	}
	judged := decide.Judge(e.scenario, e.looks)
	e.result.Assertions, e.result.Objective, e.result.Looks = judged.Assertions, judged.Objective, max(len(e.looks), 1)
	if e.scenario.Load != nil && ctx.Err() == nil {
		e.checkSurfaces(ctx, "after the load")
	}
	e.result.Assertions = append(e.result.Assertions, e.surfaces.results(e.scenario)...)
	outcome, reason := decide.Outcome(e.result.Assertions, e.result.Objective)
	unmet := ""
	for _, f := range e.result.Faults {
		if !f.Proved && f.AppliedMs != nil {
			e.result.UnprovedLifting = true
			return run.OutcomeInconclusive, fmt.Sprintf("the %s fault on %s could not be shown to be lifted: %s", f.Type, f.Target, f.Note)
		}
		if f.Met == 0 && unmet == "" {
			unmet = fmt.Sprintf("no request met the %s fault on %s, so it tested nothing", f.Type, f.Target)
		}
	}
	switch {
	case ctx.Err() != nil:
		return run.OutcomeCancelled, "cancelled while it ran"
	case unmet != "":
		return run.OutcomeInconclusive, unmet
	}
	return outcome, reason
}

// startDelay lies between the decision to start and the first request, so that the
// pacer, the workers and the timeline are ready for it.
const startDelay = 20 * time.Millisecond

// look runs the scenario once: its load and its timeline on one clock.
func (e *execution) look(ctx context.Context) error {
	plan, err := e.plan()
	if err != nil {
		return err
	}
	if plan == nil {
		e.result.Faults = mergeFaults(e.result.Faults, e.startTimeline(ctx, time.Now()).end(ctx))
		return nil
	}
	start := time.Now().Add(startDelay + plan.Lead())
	line := e.startTimeline(ctx, start)
	measured, err := load.Run(ctx, *plan, start, func(s run.Second) {
		e.tell(run.RunEvent{Type: run.EventTypeSecond, Second: &s})
	})
	e.result.Faults = mergeFaults(e.result.Faults, line.end(ctx))
	if err != nil {
		return err
	}
	e.measured = append(e.measured, measured)
	e.looks = append(e.looks, measured.Look())
	result := load.Pool(e.measured...).Result()
	result.AskedRate = e.scenario.Load.MeanRate()
	if plan.Pattern == scenario.Poisson {
		result.Seed = int64(plan.Seed)
	}
	e.result.Load = &result
	return nil
}

// tell reports, one call at a time.
func (e *execution) tell(event run.RunEvent) {
	e.agent.telling.Lock()
	defer e.agent.telling.Unlock()
	e.report(event)
}

// plan is the load as it is driven; nil without [load].
func (e *execution) plan() (*load.Plan, error) {
	l := e.scenario.Load
	if l == nil {
		return nil, nil
	}
	target, _ := e.scenario.Target(l.Target)
	c, ok := e.agent.connection(target.Connection)
	if !ok {
		return nil, fmt.Errorf("connection %s is not one of this agent", target.Connection)
	}
	scheme, address := c.front()
	plan := &load.Plan{
		Scheme: scheme, Address: address, Pattern: l.Pattern, Rate: l.Rate, From: l.From, Steps: l.Steps,
		Duration: l.Duration, Warmup: l.Warmup, Seed: e.work.Seed, Workers: l.InFlight(e.scenario.Assertions),
		Limits: load.LimitsOf(e.scenario), Timeout: e.agent.policy.RequestTimeout, Drain: e.agent.policy.Drain,
		InjectedHeader: fault.Header,
	}
	for _, o := range l.Operations {
		requests, err := c.requests(o.OpenAPI)
		if err != nil {
			return nil, err
		}
		plan.Operations = append(plan.Operations, load.Operation{
			Name: o.Name(), Weight: o.Weight, Requests: requests, Statuses: o.Statuses,
		})
	}
	return plan, nil
}
