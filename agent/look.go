package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/inorbit-hr/reliability/agent/fault"
	"github.com/inorbit-hr/reliability/agent/load"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// startDelay lies between the decision to start and the start, so that the pacer, the
// workers and the timeline are ready for it.
const startDelay = 20 * time.Millisecond

// look runs the scenario once: its load and its timeline on one clock.
func (e *execution) look(ctx context.Context) error {
	plan, err := e.plan()
	if err != nil {
		return err
	}
	e.result.Looks++
	if plan == nil {
		line := e.startTimeline(ctx, time.Now().Add(startDelay), nil)
		e.keepFaults(line.end(ctx))
		e.noteRevisions(ctx)
		return nil
	}
	start := time.Now().Add(startDelay + plan.Lead())
	line := e.startTimeline(ctx, start, plan.Seconds())
	defer line.end(ctx) // also when the load panics
	measured, err := load.Run(ctx, *plan, start, func(s run.Second) {
		s.Injected = line.affected(s.FromMs)
		e.tell(run.RunEvent{Type: run.EventTypeSecond, Second: &s})
	})
	e.keepFaults(line.end(ctx))
	if err != nil {
		return err
	}
	for _, told := range measured.Revisions {
		e.noteRevision(e.connectionName(e.scenario.Load.Target), told)
	}
	e.noteRevisions(ctx)
	if e.trouble == "" {
		e.trouble = measured.Trouble
	}
	e.measured = append(e.measured, measured)
	e.looks = append(e.looks, measured.Look())
	e.keepLoad(plan, line)
	if measured.Ticks {
		e.tell(run.RunEvent{Type: run.EventTypeLog,
			Message: "this machine has one processor: requests were sent on a grid of a millisecond"})
	}
	return nil
}

// keepLoad puts the measurements of all looks into the result.
func (e *execution) keepLoad(plan *load.Plan, line *timeline) {
	r := load.Pool(e.measured...).Result()
	r.AskedRate = e.scenario.Load.MeanRate()
	if plan.Pattern == scenario.Poisson {
		r.Seed = int64(e.work.Seed)
	}
	for i := range r.Seconds {
		if i == len(e.injected) {
			e.injected = append(e.injected, 0)
		}
		e.injected[i] += line.affected(r.Seconds[i].FromMs)
		r.Seconds[i].Injected = e.injected[i]
	}
	e.result.Load = &r
}

// plan is the load as it is sent; nil without [load].
func (e *execution) plan() (*load.Plan, error) {
	l := e.scenario.Load
	if l == nil {
		return nil, nil
	}
	target, _ := e.scenario.Target(l.Target)
	c, ok := e.agent.connection(target.Connection)
	if !ok {
		return nil, fmt.Errorf("agent %s has no connection %s", e.agent.name, target.Connection)
	}
	plan := &load.Plan{
		Pattern: l.Pattern, Rate: l.Rate, From: l.From, Steps: l.Steps, Duration: l.Duration, Warmup: l.Warmup,
		// Each look draws its own times.
		Seed: e.work.Seed + uint64(e.result.Looks), Workers: l.InFlight(e.scenario.Assertions),
		Limits: load.LimitsOf(e.scenario), Timeout: e.agent.policy.RequestTimeout, Drain: e.agent.policy.Drain,
		LateAfter: e.agent.lateAfter,
	}
	plan.Scheme, plan.Address = c.front(target.Proxy)
	if target.Proxy != "" {
		plan.InjectedHeader = fault.Header
	}
	if c.Revision != nil && c.Revision.Path == "" {
		plan.RevisionHeader = c.Revision.Header
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
