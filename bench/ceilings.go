package bench

import (
	"math"
	"time"

	"github.com/inorbit-hr/reliability/agent"
)

// Ceilings of the plan.
func (p *Plan) ceilings() agent.Ceilings {
	return agent.Ceilings{MaxRate: p.MaxRate, MaxDuration: p.MaxDuration, MaxInFlight: p.MaxInFlight, FaultBudget: p.FaultBudget}
}

// unbounded are ceilings that refuse nothing.
var unbounded = agent.Ceilings{MaxRate: math.Inf(1), MaxDuration: math.MaxInt64, MaxInFlight: math.MaxInt, FaultBudget: math.MaxInt64}

// ceilings holds every value to the lower of plan and policy, and says whose it is.
func (o *onlineCheck) ceilings(name string) {
	policy := o.bench.cfg.Agents[name].Policy
	fromPlan, fromPolicy := lower(o.bench.cfg.Plan.ceilings(), policy.Ceilings())
	o.found = append(o.found, agent.CheckCeilings(o.file, fromPlan, "the plan of account "+o.bench.account)...)
	o.found = append(o.found, agent.CheckCeilings(o.file, fromPolicy, "the policy of agent "+name)...)
}

// lower leaves of each ceiling only the lower one; of equal ones that of the plan.
func lower(plan, policy agent.Ceilings) (fromPlan, fromPolicy agent.Ceilings) {
	fromPlan, fromPolicy = plan, policy
	if policy.MaxRate < plan.MaxRate {
		fromPlan.MaxRate = unbounded.MaxRate
	} else {
		fromPolicy.MaxRate = unbounded.MaxRate
	}
	if policy.MaxInFlight < plan.MaxInFlight {
		fromPlan.MaxInFlight = unbounded.MaxInFlight
	} else {
		fromPolicy.MaxInFlight = unbounded.MaxInFlight
	}
	lowerTime(&fromPlan.MaxDuration, &fromPolicy.MaxDuration)
	lowerTime(&fromPlan.FaultBudget, &fromPolicy.FaultBudget)
	return fromPlan, fromPolicy
}

func lowerTime(plan, policy *time.Duration) {
	if *policy < *plan {
		*plan = math.MaxInt64
	} else {
		*policy = math.MaxInt64
	}
}
