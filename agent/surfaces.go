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

// surfaceFindings collect what the surface checks of a run found.
type surfaceFindings struct {
	asked    int
	rounds   int
	findings []string
}

// checkSurfaces checks every connection of the scenario, where the scenario asks for
// it. when says at which point of the run.
func (e *execution) checkSurfaces(ctx context.Context, when string) {
	if !slices.Contains(e.scenario.Assertions.Checks, scenario.CheckSurfaces) || ctx.Err() != nil {
		return
	}
	e.surfaces.rounds++
	seen := make(map[string]bool)
	for _, target := range e.scenario.Targets {
		c, ok := e.agent.connection(target.Connection)
		if !ok || seen[target.Connection] {
			continue
		}
		seen[target.Connection] = true
		report := surface.Check(ctx, surface.Connection{
			Name: target.Connection, Base: c.base, Contract: c.contract, Credential: c.credential,
			Timeout: e.agent.policy.RequestTimeout,
		})
		e.surfaces.asked += report.Asked
		for _, f := range report.Findings {
			e.surfaces.findings = append(e.surfaces.findings, when+", "+f)
		}
	}
}

// shownFindings bounds the findings in a result's reason.
const shownFindings = 5

// results is the check's result as the outcome counts it; none without the check.
func (s *surfaceFindings) results(of *scenario.Scenario) []run.AssertionResult {
	if !slices.Contains(of.Assertions.Checks, scenario.CheckSurfaces) {
		return nil
	}
	found := float64(len(s.findings))
	r := run.AssertionResult{Name: "checks.surfaces", Value: &found, Samples: int64(s.asked), Decision: run.DecisionPass}
	switch {
	case s.rounds == 0 || s.asked == 0:
		r.Value, r.Decision, r.Reason = nil, run.DecisionUndecided, "no surface was asked"
	case len(s.findings) > 0:
		r.Decision = run.DecisionFail
		shown := s.findings[:min(len(s.findings), shownFindings)]
		r.Reason = strings.Join(shown, "; ")
		if more := len(s.findings) - len(shown); more > 0 {
			r.Reason += fmt.Sprintf("; and %d more", more)
		}
	}
	return []run.AssertionResult{r}
}
