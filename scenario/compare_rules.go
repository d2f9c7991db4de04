package scenario

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// comparison says what a change of one key does to the bar. Every key of the format
// has one; a key without would be looser, whatever happens to it.
type comparison struct {
	// path is the key's place, with * for a name and [] for an item of a list.
	path string
	// changed judges two values that differ; its note says why where that is not
	// plain.
	changed func(pair) (d Direction, note string)
	// added and removed judge a key that only one version has; nil is no difference
	// of its own.
	added, removed func(pair) Direction
	// fallback is what holds in a version that does not write the key, where it is
	// not one value for all files.
	fallback func(*File, *tree.Node) quantity
	// why is the reason, for the reference.
	why string
}

// pair is a key, or an item of a list, in both versions. Nodes are nil on the side
// that lacks them.
type pair struct {
	d                    *differ
	table                *table
	key                  *key
	baseTable, headTable *tree.Node
	base, head           *tree.Node
	was, is              quantity
}

func always(d Direction) func(pair) Direction { return func(pair) Direction { return d } }

func change(d Direction) func(pair) (Direction, string) {
	return func(pair) (Direction, string) { return d, "" }
}

// nothing is the rule of what says nothing about the bar.
func nothing(pair) (Direction, string) { return "", "" }

// lowerIsTighter and higherIsTighter judge numbers.
func lowerIsTighter(p pair) (Direction, string) {
	if p.is.number.Cmp(p.was.number) > 0 {
		return Looser, ""
	}
	return Tighter, ""
}

func higherIsTighter(p pair) (Direction, string) {
	if p.is.number.Cmp(p.was.number) < 0 {
		return Looser, ""
	}
	return Tighter, ""
}

// ceiling and floor are the rules of a limit.
func ceiling(path, why string) comparison {
	return comparison{path: path, changed: lowerIsTighter, added: always(Tighter), removed: always(Looser), why: why}
}

func floor(path, why string) comparison {
	return comparison{path: path, changed: higherIsTighter, added: always(Tighter), removed: always(Looser), why: why}
}

// sets judges what counts as success: one more is looser, whatever else went.
func sets(p pair) (Direction, string) {
	for _, one := range p.is.set {
		if !slices.Contains(p.was.set, one) {
			return Looser, ""
		}
	}
	return Tighter, ""
}

// comparisons are the rules, in the order of the format.
var comparisons = []comparison{
	{path: "scenario", why: "Compared key by key."},
	{path: "scenario.format", changed: change(Different), added: always(Different), removed: always(Looser), why: "Another format may mean something else by every key."},
	{path: "scenario.name", changed: change(Different), added: always(Different), removed: always(Different), why: "A name says nothing about the bar."},
	{path: "scenario.environment", changed: change(Looser), added: always(Different), removed: always(Looser), why: "Something else is tested."},
	{path: "scenario.description", changed: nothing, why: "Prose is no difference."},
	{path: "scenario.skip", changed: change(Different), added: always(Looser), removed: always(Tighter), why: "A skipped scenario holds nothing to anything."},

	{path: "targets", why: "Compared name by name; another name for the same connection and proxy is no difference."},
	{path: "targets.*", added: addedTarget, removed: always(Looser), why: "With checks = [\"surfaces\"] each target is checked."},
	{path: "targets.*.connection", changed: change(Looser), added: always(Different), removed: always(Looser), why: "Something else is tested."},
	{path: "targets.*.proxy", changed: change(Looser), added: always(Different), removed: always(Looser), why: "Faults act somewhere else."},

	{path: "load", added: always(Tighter), removed: always(Looser), why: "Without load nothing is measured."},
	{path: "load.target", changed: changedTarget(Looser), added: always(Different), removed: always(Looser), why: "Something else is tested."},
	{path: "load.rate", changed: higherIsTighter, added: always(Different), removed: always(Looser), why: "Fewer requests a second ask less of the service."},
	{path: "load.duration", changed: changedDuration, added: always(Different), removed: always(Looser), why: "Less measured time shows less. More of it is looser too where it makes the faults a smaller part of what limits on the whole run see."},
	{path: "load.warmup", changed: lowerIsTighter, why: "What is sent in the warm-up is not counted."},
	{path: "load.max_in_flight", changed: lowerIsTighter, fallback: inFlight, why: "A request that finds all busy counts as failed: more room fails fewer."},
	{path: "load.pattern", changed: changedPattern, why: "Poisson is harder than constant; ramp and step hold the full rate only at their end. A lower mean rate is looser."},
	{path: "load.from", changed: higherIsTighter, added: always(Different), removed: always(Looser), why: "As the rate. It comes and goes with the pattern."},
	{path: "load.steps", changed: change(Different), added: always(Different), removed: always(Looser), why: "The mean rate stays. It comes and goes with the pattern."},
	{path: "load.operations", why: "Compared operation by operation; their order is no difference."},
	{path: "load.operations[]", added: always(Different), removed: always(Looser), why: "An operation that is not asked for cannot fail; a further one changes the mix."},
	{path: "load.operations[].openapi", changed: change(Looser), added: always(Different), removed: always(Looser), why: "Another operation is one removed and one added."},
	{path: "load.operations[].grpc", changed: change(Looser), added: always(Different), removed: always(Looser), why: "Another operation is one removed and one added."},
	{path: "load.operations[].weight", changed: changedWeight, why: "The mix changed. Weights in the same proportions are no difference."},
	{path: "load.operations[].expect", changed: sets, fallback: expectDefault, why: "Accepting an answer that failed before is looser; accepting fewer is tighter."},

	{path: "timeline", why: "Entries are matched by meaning: the same fault on the same target, nearest in time."},
	{path: "timeline[]", added: ofFault(Tighter), removed: ofFault(Looser), why: "A fault fewer asks less of the service. Log entries are different."},
	{path: "timeline[].at", changed: changedStart, added: always(Different), removed: always(Looser), why: "A fault moved out of the measured time, or partly, is looser."},
	{path: "timeline[].action", changed: change(Looser), added: always(Different), removed: always(Looser), why: "Another action is one entry removed and one added."},
	{path: "timeline[].target", changed: changedTarget(Looser), added: always(Different), removed: always(Looser), why: "Something else is tested."},
	{path: "timeline[].fault", added: always(Different), removed: always(Looser), why: "Compared key by key."},
	{path: "timeline[].fault.type", changed: change(Looser), added: always(Different), removed: always(Looser), why: "Faults of different types cannot be compared, so the old one is gone."},
	{path: "timeline[].fault.latency", changed: higherIsTighter, added: always(Tighter), removed: always(Looser), why: "A shorter delay asks less."},
	{path: "timeline[].fault.jitter", changed: higherIsTighter, why: "Less jitter shortens the longest delays."},
	{path: "timeline[].fault.rate", changed: higherIsTighter, added: always(Tighter), removed: always(Looser), why: "A smaller share of requests is affected."},
	{path: "timeline[].fault.status", changed: changedStatus, why: "Looser where the load counts the new status as success and did not count the old one."},
	{path: "timeline[].for", changed: higherIsTighter, added: always(Tighter), removed: always(Looser), why: "A shorter fault asks less."},
	{path: "timeline[].message", changed: change(Different), added: always(Different), removed: always(Different), why: "A line of the log says nothing about the bar."},

	{path: "assertions", why: "Compared limit by limit."},
	ceiling("assertions.max_error_rate", "A higher ceiling, or none, is looser."),
	ceiling("assertions.max_p50_ms", "A higher ceiling, or none, is looser."),
	ceiling("assertions.max_p95_ms", "A higher ceiling, or none, is looser."),
	ceiling("assertions.max_p99_ms", "A higher ceiling, or none, is looser."),
	floor("assertions.min_requests", "A lower floor, or none, is looser."),
	ceiling("assertions.max_requests", "A higher ceiling, or none, is looser."),
	floor("assertions.min_throughput", "A lower floor, or none, is looser."),
	ceiling("assertions.max_uncounted", "A higher ceiling, or none, is looser."),
	{path: "assertions.checks", changed: moreIsTighter, added: always(Tighter), removed: always(Looser), why: "A check fewer is looser."},

	{path: "objective", why: "Compared limit by limit."},
	floor("objective.success_rate", "A lower floor, or none, is looser."),
	ceiling("objective.p99_ms", "A higher ceiling, or none, is looser."),
	{path: "objective.window", changed: lowerIsTighter, why: "A longer window averages a bad moment away. It comes and goes with the objective's limits."},
}

// comparisonOf is the rule of a place.
func comparisonOf(path string) comparison {
	for _, c := range comparisons {
		if c.path == path {
			return c
		}
	}
	return comparison{path: path, changed: change(Looser), added: always(Looser), removed: always(Looser)}
}

// addedTarget judges a further target: one more surface is checked, if any are.
func addedTarget(p pair) Direction {
	if len(p.d.head.Scenario.Assertions.Checks) > 0 {
		return Tighter
	}
	return Different
}

// moreIsTighter judges the checks.
func moreIsTighter(p pair) (Direction, string) {
	for _, one := range p.was.set {
		if !slices.Contains(p.is.set, one) {
			return Looser, ""
		}
	}
	return Tighter, ""
}

// changedTarget judges the name of a target, which may be another name for the same.
func changedTarget(d Direction) func(pair) (Direction, string) {
	return func(p pair) (Direction, string) {
		if p.d.sameTarget(p.was.raw, p.is.raw) {
			return "", ""
		}
		return d, ""
	}
}

func changedWeight(p pair) (Direction, string) {
	if p.d.sameMix {
		return "", ""
	}
	return Different, ""
}

// changedPattern judges two patterns by how hard they are at the same rate, and by
// the mean rate that they give.
func changedPattern(p pair) (Direction, string) {
	base, head := p.d.base.Scenario.Load, p.d.head.Scenario.Load
	if base == nil || head == nil {
		return Looser, ""
	}
	rank := map[Pattern]int{Ramp: 0, Step: 0, Constant: 1, Poisson: 2}
	harder, mean := rank[head.Pattern]-rank[base.Pattern], head.MeanRate()-base.MeanRate()
	switch {
	case harder < 0 || mean < 0:
		return Looser, ""
	case harder > 0:
		return Tighter, ""
	}
	return Different, ""
}

// changedDuration judges the length of the load.
func changedDuration(p pair) (Direction, string) {
	if p.is.number.Cmp(p.was.number) < 0 {
		return Looser, ""
	}
	was, is := underFault(&p.d.base.Scenario), underFault(&p.d.head.Scenario)
	limits := slices.ContainsFunc(p.d.head.Scenario.Assertions.Limits, func(l Limit) bool { return dilutes[l.Name] })
	if limits && is.Cmp(was) < 0 {
		return Looser, fmt.Sprintf("faults act on %s %% of the measured time instead of %s %%", percent(is), percent(was))
	}
	return Tighter, ""
}

// dilutes are the limits that more time without a fault makes easier to keep.
var dilutes = map[LimitName]bool{MaxErrorRate: true, MaxP50: true, MaxP95: true, MaxP99: true, MinThroughput: true}

// percent writes a share as a percentage with one decimal at most.
func percent(share *big.Rat) string {
	f, _ := new(big.Rat).Mul(share, big.NewRat(100, 1)).Float64()
	return formatNumber(float64(int(f*10+0.5)) / 10)
}

// underFault is the sum of the shares of the measured time on which the faults act.
func underFault(s *Scenario) *big.Rat {
	if s.Load == nil || s.Load.Measured() <= 0 {
		return new(big.Rat)
	}
	sum := new(big.Rat)
	for _, e := range s.Timeline {
		if e.Action == ActionFault {
			sum.Add(sum, big.NewRat(int64(measuredPart(s.Load, e.At, e.For)), int64(s.Load.Measured())))
		}
	}
	return sum
}

// measuredPart is how long something from at on acts on requests that count.
func measuredPart(l *Load, at, length time.Duration) time.Duration {
	return max(0, min(l.Duration, at+length)-max(l.Warmup, at))
}

// changedStart judges a fault that was moved, at the length that it had.
func changedStart(p pair) (Direction, string) {
	load := p.d.head.Scenario.Load
	length, ok := durationOf(p.baseTable, "for")
	if load == nil || !ok {
		return Different, ""
	}
	was := measuredPart(load, p.was.duration(), length)
	is := measuredPart(load, p.is.duration(), length)
	switch {
	case is < was:
		return Looser, "less of the fault is measured"
	case is > was:
		return Tighter, "more of the fault is measured"
	}
	return Different, ""
}

// ofFault judges an entry of the timeline by whether it is a fault.
func ofFault(d Direction) func(pair) Direction {
	return func(p pair) Direction {
		n := p.head
		if n == nil {
			n = p.base
		}
		if textOf(n, "action") == string(ActionLog) {
			return Different
		}
		return d
	}
}

// changedStatus judges the status of injected errors.
func changedStatus(p pair) (Direction, string) {
	accepts := func(f *File, status string) bool {
		l := f.Scenario.Load
		return l != nil && slices.ContainsFunc(l.Operations, func(o Operation) bool {
			return slices.ContainsFunc(o.Statuses, func(s int) bool { return fmt.Sprint(s) == status })
		})
	}
	if accepts(p.d.head, p.is.text) && !accepts(p.d.base, p.was.text) {
		return Looser, "the load counts it as success"
	}
	return Different, ""
}

// inFlight is the bound that holds where the file names none.
func inFlight(f *File, _ *tree.Node) quantity {
	if f.Scenario.Load == nil {
		return quantity{}
	}
	return wholeQuantity(f.Scenario.Load.InFlight(f.Scenario.Assertions))
}

// expectDefault is what counts as success where an operation names nothing.
func expectDefault(_ *File, operation *tree.Node) quantity {
	if operation.Get("grpc") != nil {
		return quantity{ok: true, text: "OK (the default)", set: []string{"OK"}}
	}
	q := quantity{ok: true, text: "2xx and 3xx (the default)"}
	for status := 200; status < 400; status++ {
		q.set = append(q.set, fmt.Sprint(status))
	}
	return q
}
