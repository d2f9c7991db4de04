package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inorbit-hr/reliability/agent/surface"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// surfaceRate is the most requests a second that a check of surfaces makes; the policy's
// max_rate may be lower.
const surfaceRate = 50

// surfaceFindings collect what the surface checks of a run found. A finding is told
// once, with the times at which it was made.
type surfaceFindings struct {
	asked    int
	rounds   []string // at the start, at the end
	findings []string
	when     map[string][]string // rounds by finding
	unknown  []string
}

// wantsSurfaces tells whether the scenario asks for the check.
func wantsSurfaces(s *scenario.Scenario) bool {
	return slices.Contains(s.Assertions.Checks, scenario.CheckSurfaces)
}

// surfaceRounds is how often surfaces are checked: before the load and after lifting; once
// where there is neither load nor fault.
func surfaceRounds(s *scenario.Scenario) int {
	if s.Load == nil && !slices.ContainsFunc(s.Timeline, func(e scenario.Entry) bool { return e.Action == scenario.ActionFault }) {
		return 1
	}
	return 2
}

// checkSurfaces checks every connection of the scenario, where the scenario asks for
// it. when says at which point of the run.
func (e *execution) checkSurfaces(ctx context.Context, when string) {
	if !wantsSurfaces(e.scenario) || ctx.Err() != nil || len(e.surfaces.rounds) == surfaceRounds(e.scenario) {
		return
	}
	e.tell(run.RunEvent{Type: run.EventTypeLog, Message: "checking surfaces " + when})
	e.surfaces.rounds = append(e.surfaces.rounds, when)
	seen := make(map[string]bool)
	for _, target := range e.scenario.Targets {
		c, ok := e.agent.connection(target.Connection)
		if !ok || c.contract == nil || seen[c.Name] {
			continue
		}
		seen[c.Name] = true
		e.surfaces.add(c.Name, when, surface.Check(ctx, surface.Connection{
			Base: c.base, Operations: c.surfaces(), Credential: c.credential,
			Timeout: e.agent.policy.RequestTimeout, Rate: min(surfaceRate, e.agent.policy.MaxRate),
		}))
	}
}

func (s *surfaceFindings) add(connection, when string, r surface.Report) {
	s.asked += r.Asked
	for _, f := range r.Findings {
		f = "connection " + connection + ": " + f
		if s.when == nil {
			s.when = map[string][]string{}
		}
		if len(s.when[f]) == 0 {
			s.findings = append(s.findings, f)
		}
		s.when[f] = append(s.when[f], when)
	}
	for _, u := range r.Unknown {
		u = "connection " + connection + ": " + u
		if !slices.Contains(s.unknown, u) {
			s.unknown = append(s.unknown, u)
		}
	}
	if r.Asked == 0 && len(r.Unknown) == 0 {
		s.unknown = append(s.unknown, "connection "+connection+" was not asked")
	}
}

// shownFindings bounds the findings in a result's reason.
const shownFindings = 5

// results is the check's result as the outcome counts it; none without the check. It is
// undecided as long as not all rounds were made.
func (s *surfaceFindings) results(of *scenario.Scenario) []run.AssertionResult {
	if !wantsSurfaces(of) {
		return nil
	}
	r := run.AssertionResult{Name: "checks.surfaces", Samples: int64(s.asked), Decision: run.DecisionPass}
	if s.asked > 0 {
		found := float64(len(s.findings))
		r.Value = &found
	}
	switch {
	case len(s.findings) > 0:
		r.Decision, r.Reason = run.DecisionFail, shown(s.findings, func(f string) string { return s.told(f, of) })
	case len(s.rounds) < surfaceRounds(of):
		r.Decision, r.Reason = run.DecisionUndecided, "not all of it was checked: the run ended before"
	case len(s.unknown) > 0:
		r.Decision, r.Reason = run.DecisionUndecided, shown(s.unknown, func(u string) string { return u })
	}
	return []run.AssertionResult{r}
}

// told is a finding with its times, where it was not always made.
func (s *surfaceFindings) told(finding string, of *scenario.Scenario) string {
	if len(s.when[finding]) == surfaceRounds(of) {
		return finding
	}
	return finding + " (" + strings.Join(s.when[finding], ", ") + ")"
}

func shown(all []string, word func(string) string) string {
	var out []string
	for _, one := range all[:min(len(all), shownFindings)] {
		out = append(out, word(one))
	}
	if more := len(all) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}
