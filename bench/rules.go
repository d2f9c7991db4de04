package bench

import (
	"slices"

	"github.com/inorbit-hr/reliability/agent"
	"github.com/inorbit-hr/reliability/scenario"
)

// The rules of the bench's half of the online check.
var (
	unknownEnvironment = scenario.Rule{
		Code: "unknown-environment", Severity: scenario.Error,
		What:    "The scenario names an environment that the account does not have.",
		Message: `the account has no environment "stagin"; did you mean "staging"?`,
	}
	unknownConnection = scenario.Rule{
		Code: "unknown-connection", Severity: scenario.Error,
		What:    "A target names a connection that the account does not have.",
		Message: `the account has no connection "engine-stagin"; did you mean "engine-staging"?`,
	}
	wrongEnvironment = scenario.Rule{
		Code: "wrong-environment", Severity: scenario.Error,
		What:    "A target names a connection of another environment than the scenario's.",
		Message: `connection "engine" belongs to environment "production", not to "staging"`,
	}
	severalAgents = scenario.Rule{
		Code: "several-agents", Severity: scenario.Error,
		What:    "The connections of the scenario belong to more than one agent, and one agent does a run.",
		Message: `connection "engine-staging" belongs to agent "inside" and "api-staging" to agent "outside": one agent does a run`,
	}
	needsPerson = scenario.Rule{
		Code: "needs-person", Severity: scenario.Warning,
		What:    "The fault acts in an environment that follows the rules of production, so a person confirms it before each run.",
		Message: `environment "production" follows the rules of production: a person confirms this fault before each run`,
	}
)

// Rules is the manual of the online check: the rules of the bench and of its agents, by
// code. Where both have one of a code, it is the bench's.
func Rules() []scenario.Rule {
	all := []scenario.Rule{unknownEnvironment, unknownConnection, wrongEnvironment, severalAgents, needsPerson}
	for _, r := range agent.Rules() {
		if !slices.ContainsFunc(all, func(own scenario.Rule) bool { return own.Code == r.Code }) {
			all = append(all, r)
		}
	}
	return all
}
