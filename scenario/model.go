// Package scenario owns format 1 of the scenario file: reading it, the place of
// every key, value and comment, the rules that the file alone can be held to, and
// what changed between two versions of it.
//
// It is pure: no network, no clock, no file system. One parser and one set of rules
// serve the command line, the Action, the bot and the bench.
package scenario

import "time"

// MaxSize is the largest scenario file that is read, in bytes.
const MaxSize = 64 << 10

// FormatKnown is the only value of scenario.format that this version knows.
const FormatKnown = 1

// Scenario is the meaning of one scenario file. Durations are exact; a share is a
// number from 0 to 1; a rate is in requests a second. A Scenario taken from a File
// with errors holds only what could be read, and must not be run.
type Scenario struct {
	Format      int
	Name        string
	Environment string
	Description string
	// Skip is the reason for not running the scenario; empty means it runs.
	Skip string
	// Targets stand in the order of the file.
	Targets    []Target
	Load       *Load // nil without a [load] table
	Timeline   []Entry
	Assertions Assertions
	Objective  *Objective // nil without an [objective] table
}

// Target gives a connection of the account a name inside the file.
type Target struct {
	Name       string
	Connection string
	// Proxy names the agent's listener in front of the connection, where faults
	// act; empty where no fault needs one.
	Proxy string
}

// Target returns the target of that name.
func (s *Scenario) Target(name string) (Target, bool) {
	for _, t := range s.Targets {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, false
}

// Pattern says how the rate develops over the load.
type Pattern string

// The patterns of [load].
const (
	Constant Pattern = "constant"
	Poisson  Pattern = "poisson"
	Ramp     Pattern = "ramp"
	Step     Pattern = "step"
)

// Load is the open-loop load of a scenario.
type Load struct {
	Target   string
	Rate     float64       // requests a second, above 0
	Duration time.Duration // warm-up included
	Warmup   time.Duration // sent, not counted
	// MaxInFlight bounds the requests under way at once; 0 where the file names
	// none (see InFlight).
	MaxInFlight int
	Pattern     Pattern
	From        float64 // first rate of ramp and step, requests a second
	Steps       int     // number of steps of pattern step
	Operations  []Operation
}

// Measured is the time that counts: the duration without the warm-up.
func (l *Load) Measured() time.Duration { return l.Duration - l.Warmup }

// MeanRate is the mean rate over the load in requests a second.
func (l *Load) MeanRate() float64 {
	if l.Pattern == Ramp || l.Pattern == Step {
		return (l.From + l.Rate) / 2
	}
	return l.Rate
}

// Operation is one kind of request of the mix, named in the connection's contract.
type Operation struct {
	OpenAPI string // an operationId; empty for a gRPC operation
	GRPC    string // package.Service/Method; empty for an OpenAPI operation
	Weight  int    // at least 1
	// Statuses count as success for an OpenAPI operation; nil means 2xx and 3xx.
	Statuses []int
	// Codes count as success for a gRPC operation; nil means OK.
	Codes []string
}

// Name is the operation as the file names it.
func (o Operation) Name() string {
	if o.GRPC != "" {
		return o.GRPC
	}
	return o.OpenAPI
}

// Action is what a timeline entry does.
type Action string

// The actions of [[timeline]].
const (
	ActionFault Action = "fault"
	ActionLog   Action = "log"
)

// Entry is one entry of the timeline, in the order of the file.
type Entry struct {
	At      time.Duration // from the run's start
	Action  Action
	Target  string        // action fault
	Fault   Fault         // action fault
	For     time.Duration // action fault
	Message string        // action log
}

// FaultType names what a fault does to requests through a proxy.
type FaultType string

// The fault types.
const (
	FaultLatency FaultType = "latency"
	FaultErrors  FaultType = "errors"
	FaultDrop    FaultType = "drop"
)

// Fault is one fault. Latency and Jitter belong to latency, Rate and Status to
// errors, Rate to drop.
type Fault struct {
	Type    FaultType
	Latency time.Duration // mean added delay
	Jitter  time.Duration // the delay is uniform in Latency +/- Jitter
	Rate    float64       // share of the requests affected, above 0
	Status  int           // HTTP status of an injected error, default 503
}

// LimitName is the key of a limit in [assertions].
type LimitName string

// The limits of [assertions].
const (
	MaxErrorRate  LimitName = "max_error_rate"
	MaxP50        LimitName = "max_p50_ms"
	MaxP95        LimitName = "max_p95_ms"
	MaxP99        LimitName = "max_p99_ms"
	MinRequests   LimitName = "min_requests"
	MaxRequests   LimitName = "max_requests"
	MinThroughput LimitName = "min_throughput"
	MaxUncounted  LimitName = "max_uncounted"
)

// Limit is one limit of [assertions], in the unit that its name tells.
type Limit struct {
	Name  LimitName
	Value float64
}

// CheckSurfaces is the only check of assertions.checks.
const CheckSurfaces = "surfaces"

// Assertions are the limits on the whole run, in the order of the file.
type Assertions struct {
	Limits []Limit
	Checks []string
}

// Limit returns the value of a limit.
func (a *Assertions) Limit(name LimitName) (float64, bool) {
	for _, l := range a.Limits {
		if l.Name == name {
			return l.Value, true
		}
	}
	return 0, false
}

// Objective is a service-level objective over a sliding window.
type Objective struct {
	SuccessRate float64 // share, above 0 and below 1; 0 where the file names none
	P99         float64 // milliseconds; 0 where the file names none
	Window      time.Duration
}
