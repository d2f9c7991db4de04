package load

import (
	"crypto/tls"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// Plan is one load to send.
type Plan struct {
	// Scheme, http or https, and Address, host:port, are what connections are opened
	// to. The requests carry their own Host.
	Scheme  string
	Address string
	// TLS is used for https; nil trusts what the machine trusts.
	TLS *tls.Config

	Pattern  scenario.Pattern
	Rate     float64 // requests a second, above 0
	From     float64 // first rate of ramp and step
	Steps    int     // of step
	Duration time.Duration
	Warmup   time.Duration // part of Duration; sent and counted apart
	// Seed draws the times of poisson.
	Seed uint64

	// Workers is how many requests may be under way at once; each has a connection
	// of its own.
	Workers    int
	Operations []Operation
	Limits     Limits

	// Timeout bounds one request from its sending to the end of its answer.
	Timeout time.Duration
	// Drain bounds how long answers are waited for behind the last due time.
	Drain time.Duration
	// RevisionHeader is the header field by which an answer tells the service's
	// revision; empty where none does.
	RevisionHeader string
	// LateAfter is how late the generator may send a request by its own fault without
	// counting it as late; 0 means 10 ms.
	LateAfter time.Duration
	// InjectedHeader is the header field by which an answer tells that a fault gave
	// it; empty where no fault can.
	InjectedHeader string
}

// Operation is one kind of request of the mix.
type Operation struct {
	Name   string
	Weight int // at least 1
	// Requests are sent in turn. They are copied before they are sent; one with a
	// body has a GetBody.
	Requests []*http.Request
	// Statuses count as accepted; nil means 2xx and 3xx.
	Statuses []int
}

func (o *Operation) accepts(status int) bool {
	if o.Statuses == nil {
		return status >= 200 && status < 400
	}
	return slices.Contains(o.Statuses, status)
}

// Limits are the latencies over which a scenario wants requests counted; 0 for one
// that it does not name.
type Limits struct {
	P50, P95, P99, Objective time.Duration
}

// LimitsOf takes the latency limits from a scenario.
func LimitsOf(s *scenario.Scenario) Limits {
	of := func(name scenario.LimitName) time.Duration {
		ms, _ := s.Assertions.Limit(name)
		return milliseconds(ms)
	}
	l := Limits{P50: of(scenario.MaxP50), P95: of(scenario.MaxP95), P99: of(scenario.MaxP99)}
	if s.Objective != nil {
		l.Objective = milliseconds(s.Objective.P99)
	}
	return l
}

// milliseconds is exact for what a scenario writes: limits are compared as decimals,
// not as the floats next to them.
func milliseconds(ms float64) time.Duration {
	ns := math.Round(ms * float64(time.Millisecond))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

func (p *Plan) validate() error {
	switch {
	case p.Scheme != "http" && p.Scheme != "https":
		return fmt.Errorf("load: unknown scheme %q", p.Scheme)
	case !(p.Rate > 0) && !(p.From > 0) || math.IsInf(p.Rate, 0):
		return fmt.Errorf("load: a rate of %v requests a second is none", p.Rate)
	case p.Warmup < 0 || p.Duration <= p.Warmup:
		return fmt.Errorf("load: a duration of %s leaves nothing behind a warm-up of %s", p.Duration, p.Warmup)
	case p.Workers < 1:
		return fmt.Errorf("load: %d workers send nothing", p.Workers)
	case p.Timeout <= 0 || p.Drain <= 0:
		return fmt.Errorf("load: timeout and drain must be above 0")
	case len(p.Operations) == 0:
		return fmt.Errorf("load: no operation")
	}
	for _, o := range p.Operations {
		if o.Weight < 1 || len(o.Requests) == 0 {
			return fmt.Errorf("load: operation %s has weight %d and %d requests", o.Name, o.Weight, len(o.Requests))
		}
	}
	return nil
}

// The pace at which the workers' connections are opened. All at once is what makes a
// cold service fall over; at one every 2 ms the load beside it is hardly disturbed.
const (
	openEvery = 2 * time.Millisecond
	openMost  = 5 * time.Second // for all connections together, where warm-up gives no bound
)

// opening is how long the connections take to be opened, one after the other.
func (p *Plan) opening() time.Duration {
	most := openMost
	if p.Warmup > 0 {
		most = p.Warmup / 2
	}
	return min(time.Duration(p.Workers)*openEvery, most)
}

// Lead is how long before the start of the load Run wants to be called: a load with
// warm-up opens its connections while it warms up, one without before it starts.
func (p *Plan) Lead() time.Duration {
	if p.Warmup > 0 {
		return 0
	}
	return p.opening()
}

// warmupSeconds is how many seconds belong to warm-up; the last may be short, since the
// measured ones count from its end.
func (p *Plan) warmupSeconds() int { return int((p.Warmup + time.Second - 1) / time.Second) }

// second gives the second that a due time belongs to.
func (p *Plan) second(due time.Duration) int {
	if due < p.Warmup {
		return int(due / time.Second)
	}
	return p.warmupSeconds() + int((due-p.Warmup)/time.Second)
}

// secondFrom gives the start of a second.
func (p *Plan) secondFrom(i int) time.Duration {
	if w := p.warmupSeconds(); i >= w {
		return p.Warmup + time.Duration(i-w)*time.Second
	}
	return time.Duration(i) * time.Second
}

// Seconds are the starts of the seconds by which the load is counted, and the end of the
// last, from the load's start.
func (p *Plan) Seconds() []time.Duration {
	var all []time.Duration
	for i := range p.second(p.Duration-1) + 1 {
		all = append(all, p.secondFrom(i))
	}
	return append(all, p.Duration)
}
