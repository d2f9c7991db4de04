package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// Policy is the agent's own file: what it lets itself be asked, whatever the bench says.
// What is absent from its lists is not allowed. SetDefaults gives the values that keys
// have which a file does not name.
type Policy struct {
	// Connections that the agent works on, by name; absent means none.
	Connections []string `toml:"connections"`
	// Faults that the agent injects: latency, errors, drop; absent means none.
	Faults []string `toml:"faults"`
	// Writes are the operations other than GET and HEAD that load may use, by
	// operationId; absent means none.
	Writes []string `toml:"writes"`
	// MaxRate in requests a second; above 0, default 500.
	MaxRate float64 `toml:"max_rate"`
	// MaxDuration of a run, warm-up included; above 0 and at most 24h, default "10m".
	MaxDuration time.Duration `toml:"max_duration"`
	// MaxInFlight bounds the requests under way at once; at least 1, default 256.
	MaxInFlight int `toml:"max_in_flight"`
	// FaultBudget is what the faults of a run may cost together: the seconds of each
	// times the share of requests that it affects, a latency fault all; default "5m",
	// "0s" allows no fault.
	FaultBudget time.Duration `toml:"fault_budget"`
	// RequestTimeout is how long an answer is waited for; above 0 and at most 5m,
	// default "10s".
	RequestTimeout time.Duration `toml:"request_timeout"`
	// Drain is how long answers are waited for after the last request was due; above 0
	// and at most 5m, default "10s".
	Drain time.Duration `toml:"drain"`
}

// The values of keys that a policy does not name. Rate and requests in flight are what
// one small agent sends without measuring itself; the times bound a run that nobody
// watches.
const (
	DefaultMaxRate     = 500 // requests a second
	DefaultMaxDuration = 10 * time.Minute
	DefaultMaxInFlight = 256
	DefaultFaultBudget = 5 * time.Minute
	DefaultTimeout     = 10 * time.Second // of a request, and of draining
)

// The longest times that may be configured: of a run, as the scenario format bounds
// durations, and of one request.
const (
	LongestRun     = 24 * time.Hour
	LongestRequest = 5 * time.Minute
)

// SetDefaults gives the policy of a file that names no key: bounded, and nothing is
// allowed.
func (p *Policy) SetDefaults() {
	*p = Policy{
		MaxRate: DefaultMaxRate, MaxDuration: DefaultMaxDuration, MaxInFlight: DefaultMaxInFlight,
		FaultBudget: DefaultFaultBudget, RequestTimeout: DefaultTimeout, Drain: DefaultTimeout,
	}
}

// Ceilings of the policy.
func (p *Policy) Ceilings() Ceilings {
	return Ceilings{
		MaxRate: p.MaxRate, MaxDuration: p.MaxDuration,
		MaxInFlight: p.MaxInFlight, FaultBudget: p.FaultBudget,
	}
}

// FaultTypes are those that a policy may allow.
var FaultTypes = []string{string(scenario.FaultLatency), string(scenario.FaultErrors), string(scenario.FaultDrop)}

// Problems are what is wrong with the policy by itself, with keys such as max_rate.
func (p *Policy) Problems() []Problem {
	all := p.Ceilings().Problems()
	all = within(all, "request_timeout", p.RequestTimeout, LongestRequest)
	all = within(all, "drain", p.Drain, LongestRequest)
	for i, fault := range p.Faults {
		if !slices.Contains(FaultTypes, fault) {
			all = tell(all, fmt.Sprintf("faults[%d]", i), "unknown fault %q%s; one of: %s", fault, didYouMean(scenario.Closest(fault, FaultTypes)), strings.Join(FaultTypes, ", "))
		}
	}
	for i, operation := range p.Writes {
		if strings.TrimSpace(operation) == "" {
			all = tell(all, fmt.Sprintf("writes[%d]", i), "is empty; write an operationId")
		}
	}
	return all
}

func (p *Policy) allowsConnection(name string) bool { return slices.Contains(p.Connections, name) }

func (p *Policy) allowsFault(t scenario.FaultType) bool { return slices.Contains(p.Faults, string(t)) }

func (p *Policy) allowsWrite(operation string) bool { return slices.Contains(p.Writes, operation) }
