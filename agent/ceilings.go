package agent

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// Ceilings cap what a run may ask. An account's plan and an agent's policy both have
// them; a run keeps to both.
type Ceilings struct {
	MaxRate     float64       // requests a second
	MaxDuration time.Duration // of a run, warm-up included
	MaxInFlight int           // requests under way at once
	// FaultBudget is what all faults may cost together: the seconds of each times the
	// share of requests that it affects, a latency fault all.
	FaultBudget time.Duration
}

// Problems are what is wrong with the ceilings themselves, with keys such as max_rate.
func (c Ceilings) Problems() (all []Problem) {
	if !(c.MaxRate > 0) {
		all = tell(all, "max_rate", "must be above 0 requests a second")
	}
	all = within(all, "max_duration", c.MaxDuration, LongestRun)
	if c.MaxInFlight < 1 {
		all = tell(all, "max_in_flight", "must be at least 1")
	}
	if c.FaultBudget < 0 {
		all = tell(all, "fault_budget", "must not be negative")
	}
	return all
}

// CheckCeilings holds a file that passed the offline half to ceilings. whose says in
// messages whose they are, such as "the agent's policy". Numbers are compared as
// decimals as they are written.
func CheckCeilings(f *scenario.File, c Ceilings, whose string) []scenario.Diagnostic {
	if !f.OK() {
		return nil
	}
	k := &ceilingCheck{file: f, ceilings: c, whose: whose}
	k.rate()
	k.inFlight()
	k.duration()
	k.budget()
	scenario.Sort(k.found)
	return k.found
}

type ceilingCheck struct {
	file     *scenario.File
	ceilings Ceilings
	whose    string
	found    []scenario.Diagnostic
}

func (k *ceilingCheck) tell(r scenario.Rule, path, format string, args ...any) {
	k.found = append(k.found, k.file.Problem(r.Code, r.Severity, path, format, args...))
}

func (k *ceilingCheck) rate() {
	load := k.file.Scenario.Load
	if load == nil {
		return
	}
	rate, path := load.Rate, "load.rate"
	if (load.Pattern == scenario.Ramp || load.Pattern == scenario.Step) && load.From > rate {
		rate, path = load.From, "load.from"
	}
	if most := k.ceilings.MaxRate; rate > most {
		k.tell(overCeiling, path, "%s %s is above %s requests a second, the ceiling of %s",
			path, plainFloat(rate), plainFloat(most), k.whose)
	}
}

func (k *ceilingCheck) inFlight() {
	load := k.file.Scenario.Load
	if load == nil {
		return
	}
	n, most := load.InFlight(k.file.Scenario.Assertions), k.ceilings.MaxInFlight
	switch {
	case n <= most:
	case load.MaxInFlight > 0:
		k.tell(overCeiling, "load.max_in_flight", "load.max_in_flight %d is above %d, the ceiling of %s", n, most, k.whose)
	default:
		k.tell(overCeiling, "load", "the load takes up to %d requests in flight, above %d, the ceiling of %s; set max_in_flight", n, most, k.whose)
	}
}

// duration holds the length of the run to its ceiling: that of the load, or of the
// timeline where there is no load.
func (k *ceilingCheck) duration() {
	length, path := time.Duration(0), "timeline"
	if load := k.file.Scenario.Load; load != nil {
		length, path = load.Duration, "load.duration"
	}
	for i, e := range k.file.Scenario.Timeline {
		if end := e.At + e.For; end > length {
			length, path = end, fmt.Sprintf("timeline[%d].at", i)
			if e.For > 0 {
				path = fmt.Sprintf("timeline[%d].for", i)
			}
		}
	}
	if most := k.ceilings.MaxDuration; length > most {
		k.tell(overCeiling, path, "the run takes %s, above %s, the ceiling of %s", short(length), short(most), k.whose)
	}
}

// budget holds the cost of all faults to the budget. The fault with which it is over is
// the one that is told.
func (k *ceilingCheck) budget() {
	sum, most := new(big.Rat), seconds(k.ceilings.FaultBudget)
	over := -1
	for i, e := range k.file.Scenario.Timeline {
		if e.Action != scenario.ActionFault {
			continue
		}
		if sum.Add(sum, faultCost(e)); over < 0 && sum.Cmp(most) > 0 {
			over = i
		}
	}
	if over >= 0 {
		k.tell(overBudget, fmt.Sprintf("timeline[%d].for", over), "the faults cost %s s together, above %s s, the fault budget of %s",
			plain(sum), plain(most), k.whose)
	}
}

// faultCost is the seconds that a fault lasts times the share of requests that it
// affects.
func faultCost(e scenario.Entry) *big.Rat {
	cost := seconds(e.For)
	if e.Fault.Type == scenario.FaultLatency {
		return cost
	}
	return cost.Mul(cost, decimal(e.Fault.Rate))
}

func seconds(d time.Duration) *big.Rat { return big.NewRat(int64(d), int64(time.Second)) }

// decimal is a number as it is written, not the binary one next to it.
func decimal(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		return new(big.Rat)
	}
	return r
}

// plain writes a number without an exponent.
func plain(r *big.Rat) string {
	f, _ := r.Float64()
	return plainFloat(f)
}

func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
