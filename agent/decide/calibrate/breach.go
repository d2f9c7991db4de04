package calibrate

import (
	"math"
	"time"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/scenario"
)

// BreachCase is a service whose breach can be computed: up to a moment no request is
// over the limit, from then on a fixed number of each second's.
type BreachCase struct {
	Name    string
	Rate    int // requests a second
	Warmup  int // seconds
	Seconds int // measured
	Window  int // seconds
	From    int // second of the run, warm-up included, in which it begins
	Slow    int // requests of each second from then on
	// Fault tells whether the scenario has a fault from then on; without one the
	// service changes by itself.
	Fault bool
	// Errors makes them requests that are not accepted, against a success rate of
	// 0.99, instead of slow ones against a p99.
	Errors bool
}

// BreachCases are the cases that the time to breach is published for.
func BreachCases() []BreachCase {
	base := BreachCase{Rate: 100, Warmup: 30, Seconds: 270, Window: 60, From: 120, Slow: 100, Fault: true}
	with := func(name string, change func(*BreachCase)) BreachCase {
		c := base
		c.Name = name
		change(&c)
		return c
	}
	return []BreachCase{
		with("all slow from a fault on", func(*BreachCase) {}),
		with("all refused from a fault on", func(c *BreachCase) { c.Errors = true }),
		with("all slow, without a fault", func(c *BreachCase) { c.Fault = false }),
		with("one in ten slow from a fault on", func(c *BreachCase) { c.Slow = 10 }),
		with("one in ten slow, without a fault", func(c *BreachCase) { c.Slow, c.Fault = 10, false }),
		with("one in 25 refused from a fault on", func(c *BreachCase) { c.Slow, c.Errors = 4, true }),
		with("one in 50 slow from a fault on", func(c *BreachCase) { c.Slow = 2 }),
		with("all slow in the first window", func(c *BreachCase) { c.From = 40 }),
		with("500 a second over 30s", func(c *BreachCase) { c.Rate, c.Slow, c.Window = 500, 50, 30 }),
		with("exactly at the limit", func(c *BreachCase) { c.Slow = 1 }),
	}
}

// Computed is the second of the run at which the objective breaks: the first end of a
// window whose requests over the limit are more than 1 in 100, and so many that the
// chance of as many at the limit, summed term by term, is at most 2.5 % over the
// number of windows. 0 where none does.
func (c BreachCase) Computed() int {
	windows := c.Seconds - c.Window + 1
	n := c.Rate * c.Window
	for end := c.Warmup + c.Window; end <= c.Warmup+c.Seconds; end++ {
		k := c.Slow * min(c.Window, max(0, end-c.From))
		if 100*k > n && upperTail(k, n, 0.01) <= 0.025/float64(windows) {
			return end
		}
	}
	return 0
}

// upperTail is the chance of k or more of n, term by term.
func upperTail(k, n int, p float64) float64 {
	logFactorial := func(i int) float64 { v, _ := math.Lgamma(float64(i) + 1); return v }
	var sum float64
	for i := k; i <= n; i++ {
		sum += math.Exp(logFactorial(n) - logFactorial(i) - logFactorial(n-i) +
			float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// Told is the second of the run at which the decision has the breach; 0 for none.
func (c BreachCase) Told() int {
	plan := &scenario.Scenario{
		Load: &scenario.Load{Rate: float64(c.Rate), Pattern: scenario.Constant,
			Warmup: time.Duration(c.Warmup) * time.Second, Duration: time.Duration(c.Warmup+c.Seconds) * time.Second},
		Objective: &scenario.Objective{Window: time.Duration(c.Window) * time.Second},
	}
	if c.Errors {
		plan.Objective.SuccessRate = 0.99
	} else {
		plan.Objective.P99 = limitMs
	}
	if c.Fault {
		plan.Timeline = []scenario.Entry{{Action: scenario.ActionFault,
			At: time.Duration(c.From) * time.Second, For: time.Duration(c.Warmup+c.Seconds-c.From) * time.Second}}
	}
	o := decide.Judge(plan, []decide.Measurements{c.look()}).Objective
	if o.Breach == nil {
		return 0
	}
	return int(o.Breach.AtMs / 1000)
}

func (c BreachCase) look() decide.Measurements {
	m := decide.Measurements{
		WholeTime: float64(c.Seconds),
		Sent:      int64(c.Rate * c.Seconds),
		Quantile:  func(int, int, float64) float64 { return limitMs },
	}
	for i := range c.Seconds {
		s := decide.Second{Due: int64(c.Rate)}
		if c.Warmup+i >= c.From {
			s.Over.Objective = int64(c.Slow)
			if c.Errors {
				s.Errors = int64(c.Slow)
			}
		}
		m.Seconds = append(m.Seconds, s)
	}
	return m
}
