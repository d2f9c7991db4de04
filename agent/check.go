package agent

import (
	"fmt"
	"slices"

	"github.com/inorbit-hr/reliability/scenario"
)

// Check is the agent's half of the online check: its connections, their contracts and
// its policy. The file passed the offline half.
func (a *Agent) Check(f *scenario.File) []scenario.Diagnostic {
	k := &check{agent: a, file: f, scenario: &f.Scenario}
	for _, t := range f.Scenario.Targets {
		k.target(t)
	}
	if f.Scenario.Load != nil {
		k.load(f.Scenario.Load)
	}
	for i, e := range f.Scenario.Timeline {
		if e.Action == scenario.ActionFault && !slices.Contains(a.policy.Faults, string(e.Fault.Type)) {
			k.tell("not-allowed", fmt.Sprintf("timeline[%d].fault.type", i),
				"agent %s injects no fault of type %s: its policy does not allow it", a.name, e.Fault.Type)
		}
	}
	if _, ok := f.Scenario.Assertions.Limit(scenario.MaxUncounted); ok {
		k.tell("no-counter", "assertions.max_uncounted", "no connection of the scenario names a counter, so what the service counted cannot be known")
	}
	return k.found
}

type check struct {
	agent    *Agent
	file     *scenario.File
	scenario *scenario.Scenario
	found    []scenario.Diagnostic
}

// tell notes an error at the value of a path.
func (k *check) tell(code, path, format string, values ...any) {
	start := scenario.Position{Line: 1, Column: 1}
	at := scenario.Range{Start: start, End: start}
	if place, ok := k.file.Find(path); ok {
		at = place.Value
	}
	k.found = append(k.found, scenario.Diagnostic{
		Code: code, Severity: scenario.Error, Range: at, Message: fmt.Sprintf(format, values...),
	})
}

func (k *check) target(t scenario.Target) {
	path := "targets." + t.Name
	c, ok := k.agent.connection(t.Connection)
	switch {
	case !ok:
		k.tell("unknown-connection", path+".connection", "agent %s has no connection %q", k.agent.name, t.Connection)
		return
	case !slices.Contains(k.agent.policy.Connections, t.Connection):
		k.tell("not-allowed", path+".connection", "agent %s does not work on connection %q: its policy does not allow it", k.agent.name, t.Connection)
	}
	switch {
	case t.Proxy == "":
	case c.Proxy == nil:
		k.tell("wrong-proxy", path+".proxy", "connection %q has no proxy", t.Connection)
	case c.Proxy.Name != t.Proxy:
		k.tell("wrong-proxy", path+".proxy", "the proxy of connection %q is %q, not %q", t.Connection, c.Proxy.Name, t.Proxy)
	}
}

func (k *check) load(l *scenario.Load) {
	target, _ := k.scenario.Target(l.Target)
	c, ok := k.agent.connection(target.Connection)
	if !ok {
		return // told at the target
	}
	for i, o := range l.Operations {
		path := fmt.Sprintf("load.operations[%d]", i)
		if o.GRPC != "" {
			k.tell("wrong-protocol", path+".grpc", "connection %q speaks %s, and this agent drives no gRPC load", target.Connection, c.Protocol)
			continue
		}
		k.operation(c, o.OpenAPI, path+".openapi")
	}
}

func (k *check) operation(c *connection, id, path string) {
	operation, ok := c.contract.Operation(id)
	if !ok {
		suggestion := ""
		if near := nearest(id, c.contract.Operations()); near != "" {
			suggestion = fmt.Sprintf("; did you mean %q?", near)
		}
		k.tell("unknown-operation", path, "the contract of connection %q has no operation %q%s", c.Name, id, suggestion)
		return
	}
	if !operation.Safe() && !slices.Contains(k.agent.policy.Writes, id) {
		k.tell("not-allowed", path, "operation %q changes data (%s), and the policy of agent %s does not list it in writes", id, operation.Method, k.agent.name)
		return
	}
	if _, err := c.requests(id); err != nil {
		k.tell("no-request", path, "%v", err)
	}
}

// nearest is the one word that differs from the given one in up to a third of its
// letters; empty where there is none.
func nearest(word string, words []string) string {
	best, distance := "", len([]rune(word))/3+1
	for _, w := range words {
		if d := edits(word, w); d < distance {
			best, distance = w, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
