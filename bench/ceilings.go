package bench

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// ceilings holds every value to the lower of plan and policy, and says whose it is.
func (o *onlineCheck) ceilings(agent string) {
	plan, policy := o.bench.cfg.Plan, o.bench.cfg.Agents[agent].Policy
	whose := func(policyIsLower bool) string {
		if policyIsLower {
			return "the policy of agent " + agent
		}
		return "the plan of account " + o.bench.account
	}
	if load := o.scenario.Load; load != nil {
		rate, path := load.Rate, "load.rate"
		if (load.Pattern == scenario.Ramp || load.Pattern == scenario.Step) && load.From > rate {
			rate, path = load.From, "load.from"
		}
		if most := min(plan.MaxRate, policy.MaxRate); rate > most {
			o.tell("over-ceiling", scenario.Error, path, "%s %v is above %v requests a second, the ceiling of %s", path, rate, most, whose(policy.MaxRate < plan.MaxRate))
		}
		o.inFlight(load, min(plan.MaxInFlight, policy.MaxInFlight), whose(policy.MaxInFlight < plan.MaxInFlight))
	}
	length, path := runLength(o.scenario)
	if most := min(plan.MaxDuration, policy.MaxDuration); length > most {
		o.tell("over-ceiling", scenario.Error, path, "the run takes %s, more than %s, the ceiling of %s", short(length), short(most), whose(policy.MaxDuration < plan.MaxDuration))
	}
	o.budget(min(plan.FaultBudget, policy.FaultBudget), whose(policy.FaultBudget < plan.FaultBudget))
}

func (o *onlineCheck) inFlight(load *scenario.Load, most int, whose string) {
	n := load.InFlight(o.scenario.Assertions)
	switch {
	case n <= most:
	case load.MaxInFlight > 0:
		o.tell("over-ceiling", scenario.Error, "load.max_in_flight", "load.max_in_flight %d is above %d, the ceiling of %s", n, most, whose)
	default:
		o.tell("over-ceiling", scenario.Error, "load", "the load takes up to %d requests in flight, more than %d, the ceiling of %s; set max_in_flight", n, most, whose)
	}
}

// runLength is how long a scenario takes, and the key that says so.
func runLength(s *scenario.Scenario) (time.Duration, string) {
	if load := s.Load; load != nil {
		return load.Duration, "load.duration"
	}
	longest, path := time.Duration(0), "timeline"
	for i, e := range s.Timeline {
		if end := e.At + e.For; end > longest {
			longest, path = end, fmt.Sprintf("timeline[%d].at", i)
			if e.For > 0 {
				path = fmt.Sprintf("timeline[%d].for", i)
			}
		}
	}
	return longest, path
}

// budget holds the cost of all faults to the budget. The fault that goes over it is the
// one that is told.
func (o *onlineCheck) budget(most time.Duration, whose string) {
	sum, over := new(big.Rat), -1
	limit := big.NewRat(int64(most), int64(time.Second))
	for i, e := range o.scenario.Timeline {
		if e.Action != scenario.ActionFault {
			continue
		}
		if sum.Add(sum, cost(e)); over < 0 && sum.Cmp(limit) > 0 {
			over = i
		}
	}
	if over >= 0 {
		o.tell("over-budget", scenario.Error, fmt.Sprintf("timeline[%d].for", over),
			"the faults cost %s s together, more than %s s, the fault budget of %s", plainNumber(sum), plainNumber(limit), whose)
	}
}

// cost is that of one fault: the seconds it lasts times the share of requests it
// affects, which for latency is all. It is exact, of the decimals as they are written.
func cost(e scenario.Entry) *big.Rat {
	seconds := big.NewRat(int64(e.For), int64(time.Second))
	if e.Fault.Type == scenario.FaultLatency {
		return seconds
	}
	return seconds.Mul(seconds, decimal(e.Fault.Rate))
}

// decimal is a number as it is written, not as the float next to it.
func decimal(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		return new(big.Rat).SetFloat64(f)
	}
	return r
}

// plainNumber writes a number without an exponent.
func plainNumber(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// short writes a duration without parts that are zero, as a scenario would.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if len(text) > len(zero) && text[len(text)-len(zero):] == zero {
			text = text[:len(text)-2]
		}
	}
	return text
}
