package bench

import (
	"fmt"
	"slices"

	"github.com/inorbit-hr/reliability/scenario"
)

// checked is what both halves of the check say of a file.
type checked struct {
	// diagnostics of both halves, sorted.
	diagnostics []scenario.Diagnostic
	// needsPerson: it has a fault in an environment with the rules of production.
	needsPerson bool
	// agent that would run it; nil where there is not one that could.
	agent Agent
}

// refusal says in one line why the file cannot run; empty where it can.
func (c *checked) refusal() string {
	if slices.ContainsFunc(c.diagnostics, func(d scenario.Diagnostic) bool { return d.Severity == scenario.Error }) {
		return summary(c.diagnostics)
	}
	if c.agent == nil {
		return "no agent works on the connections of the scenario"
	}
	return ""
}

// summary tells the first error and how many there are.
func summary(all []scenario.Diagnostic) string {
	first, n := "", 0
	for _, d := range all {
		if d.Severity != scenario.Error {
			continue
		}
		if n++; n == 1 {
			first = fmt.Sprintf("line %d: %s [%s]", d.Range.Start.Line, d.Message, d.Code)
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s, and %d more", first, n-1)
	}
	return first
}

// check is both halves. The online half needs a file that means something: where the
// offline half found an error, that is all.
func (b *Bench) check(f *scenario.File) checked {
	if !f.OK() {
		return checked{diagnostics: f.Diagnostics}
	}
	o := &onlineCheck{bench: b, file: f, scenario: &f.Scenario}
	agent := o.connections()
	c := checked{needsPerson: o.person()}
	if agent != "" {
		c.agent = b.agents[agent]
		o.ceilings(agent)
		o.adopt(c.agent.Check(f))
	}
	c.diagnostics = append(slices.Clone(f.Diagnostics), o.found...)
	scenario.Sort(c.diagnostics)
	return c
}

// onlineCheck holds a file to the account.
type onlineCheck struct {
	bench    *Bench
	file     *scenario.File
	scenario *scenario.Scenario
	found    []scenario.Diagnostic
}

// tell notes a problem at a path of the file.
func (o *onlineCheck) tell(r scenario.Rule, path, format string, values ...any) *scenario.Diagnostic {
	o.found = append(o.found, o.file.Problem(r.Code, r.Severity, path, format, values...))
	return &o.found[len(o.found)-1]
}

// tellUnknown notes a name that the account does not have, and the one that may be meant.
func (o *onlineCheck) tellUnknown(r scenario.Rule, path, kind, name string, known []string) {
	meant := scenario.Closest(name, known)
	hint := ""
	if meant != "" {
		hint = fmt.Sprintf("; did you mean %q?", meant)
	}
	o.tell(r, path, "the account has no %s %q%s", kind, name, hint).Suggestion = meant
}

// adopt takes over what the agent found, but for what stands where the bench told of a
// problem already: one cause, one diagnostic.
func (o *onlineCheck) adopt(found []scenario.Diagnostic) {
	told := len(o.found)
	for _, d := range found {
		if !slices.ContainsFunc(o.found[:told], func(t scenario.Diagnostic) bool {
			return t.Severity == scenario.Error && t.Range.Start == d.Range.Start
		}) {
			o.found = append(o.found, d)
		}
	}
}

// connections checks that the account has every connection, in the environment of the
// file, and gives the agent that works on them; empty where that is not one.
func (o *onlineCheck) connections() string {
	cfg := o.bench.cfg
	environment := o.scenario.Environment
	_, there := cfg.Environments[environment]
	if !there {
		o.tellUnknown(unknownEnvironment, "scenario.environment", "environment", environment, sortedKeys(cfg.Environments))
	}
	agent, first, known := "", "", true
	for _, t := range o.scenario.Targets {
		path := "targets." + t.Name + ".connection"
		connection, ok := cfg.Connections[t.Connection]
		switch {
		case !ok:
			o.tellUnknown(unknownConnection, path, "connection", t.Connection, sortedKeys(cfg.Connections))
			known = false
			continue
		case there && connection.Environment != environment:
			o.tell(wrongEnvironment, path, "connection %q belongs to environment %q, not to %q", t.Connection, connection.Environment, environment)
		}
		switch {
		case agent == "":
			agent, first = connection.Agent, t.Connection
		case connection.Agent != agent:
			o.tell(severalAgents, path, "connection %q belongs to agent %q and %q to agent %q: one agent does a run", t.Connection, connection.Agent, first, agent)
			known = false
		}
	}
	if !known {
		return ""
	}
	return agent
}

// person tells whether a run needs one, and marks the faults that do.
func (o *onlineCheck) person() bool {
	if !o.bench.cfg.production(o.scenario.Environment) {
		return false
	}
	needs := false
	for i, e := range o.scenario.Timeline {
		if e.Action == scenario.ActionFault {
			needs = true
			o.tell(needsPerson, fmt.Sprintf("timeline[%d].fault", i),
				"environment %q follows the rules of production: a person confirms this fault before each run", o.scenario.Environment)
		}
	}
	return needs
}
