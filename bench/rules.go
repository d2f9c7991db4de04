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
		Online:  true,
		Bad:     "[scenario]\nformat = 1\nname = \"example\"\nenvironment = \"stagin\"\n",
		Good:    "[scenario]\nformat = 1\nname = \"example\"\nenvironment = \"staging\"\n",
	}
	unknownConnection = scenario.Rule{
		Code: "unknown-connection", Severity: scenario.Error,
		What:    "A target names a connection that the account does not have.",
		Message: `the account has no connection "engine-stagin"; did you mean "engine-staging"?`,
		Online:  true,
		Bad:     "[targets]\napi = { connection = \"engine-stagin\" }\n",
		Good:    "[targets]\napi = { connection = \"engine-staging\" }\n",
	}
	wrongEnvironment = scenario.Rule{
		Code: "wrong-environment", Severity: scenario.Error,
		What:    "A target names a connection of another environment than the scenario's.",
		Message: `connection "engine" belongs to environment "production", not to "staging"`,
		Online:  true,
		Bad:     "# the account has api-shared in the environment shared\n[targets]\napi = { connection = \"api-shared\" }\n",
		Good:    "[targets]\napi = { connection = \"engine-staging\" }\n",
	}
	severalAgents = scenario.Rule{
		Code: "several-agents", Severity: scenario.Error,
		What:    "The connections of the scenario belong to more than one agent, and one agent does a run.",
		Message: `connection "engine-staging" belongs to agent "inside" and "api-staging" to agent "outside": one agent does a run`,
		Online:  true,
		Bad:     "# the account has remote-staging at another agent\n[targets]\napi = { connection = \"engine-staging\" }\nother = { connection = \"remote-staging\" }\n\n[assertions]\nchecks = [\"surfaces\"]\n",
		Good:    "[targets]\napi = { connection = \"engine-staging\" }\n\n[assertions]\nchecks = [\"surfaces\"]\n",
	}
	needsPerson = scenario.Rule{
		Code: "needs-person", Severity: scenario.Warning,
		What:    "The fault acts in an environment that follows the rules of production, so a person confirms it before each run.",
		Message: `environment "production" follows the rules of production: a person confirms this fault before each run`,
		Online:  true,
		Bad:     "# the account has the rules of production in the environment shared\n[scenario]\nformat = 1\nname = \"example\"\nenvironment = \"shared\"\n\n[targets]\napi = { connection = \"api-shared\", proxy = \"shared\" }\n\n[[timeline]]\nat = \"10s\"\naction = \"fault\"\ntarget = \"api\"\nfault = { type = \"latency\", latency = \"200ms\" }\nfor = \"30s\"\n",
		Good:    "[[timeline]]\nat = \"10s\"\naction = \"fault\"\ntarget = \"api\"\nfault = { type = \"latency\", latency = \"200ms\" }\nfor = \"30s\"\n",
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
