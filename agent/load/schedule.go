package load

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// schedule gives the due times of a load, from its start and in order. Each is computed
// from the request's number, not from the time before it, so that no error adds up; only
// the times of poisson are sums, of gaps drawn from the seed.
type schedule struct {
	next     func() float64 // nanoseconds from the start; +Inf behind the last
	duration time.Duration
}

func newSchedule(p *Plan) *schedule {
	s := &schedule{duration: p.Duration}
	switch p.Pattern {
	case scenario.Poisson:
		s.next = poisson(p.Rate, p.Seed)
	case scenario.Ramp:
		s.next = numbered(func(i float64) float64 { return ramp(i, p.From, p.Rate, p.Duration.Seconds()) })
	case scenario.Step:
		s.next = steps(p.From, p.Rate, p.Steps, p.Duration.Seconds())
	default:
		s.next = numbered(func(i float64) float64 { return i / p.Rate })
	}
	return s
}

// due gives the next time; false behind the last.
func (s *schedule) due() (time.Duration, bool) {
	ns := math.Round(s.next())
	if !(ns < float64(s.duration)) {
		return 0, false
	}
	return time.Duration(ns), true
}

// numbered makes times from numbers, 0 first; at gives seconds.
func numbered(at func(i float64) float64) func() float64 {
	i := -1.0
	return func() float64 {
		i++
		return at(i) * float64(time.Second)
	}
}

// ramp is when request i is due where the rate goes from one value to another in
// length seconds: by then the integral of the rate is i.
func ramp(i, from, to, length float64) float64 {
	if i == 0 && from == 0 {
		return 0
	}
	slope := (to - from) / length
	under := from*from + 2*slope*i
	if under < 0 {
		return math.Inf(1) // a falling ramp has no request i
	}
	return 2 * i / (from + math.Sqrt(under))
}

// steps gives times for n steps of equal length, the first at one rate and the last at
// another. A request belongs to the step in which the sum of the rates reaches its number.
func steps(from, to float64, n int, length float64) func() float64 {
	n = max(n, 1)
	each := length / float64(n)
	rate := func(k int) float64 {
		if n == 1 {
			return to
		}
		return from + (to-from)*float64(k)/float64(n-1)
	}
	k, before := 0, 0.0 // the step, and the requests of all steps before it
	return numbered(func(i float64) float64 {
		// The rounding of a sum must not move a request into the step before.
		const tolerance = 1e-9
		for k < n && i >= before+rate(k)*each-tolerance {
			before += rate(k) * each
			k++
		}
		if k == n {
			return math.Inf(1)
		}
		return float64(k)*each + max(0, i-before)/rate(k)
	})
}

func poisson(rate float64, seed uint64) func() float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6c6f6164))
	at := 0.0
	return func() float64 {
		at += rng.ExpFloat64() / rate
		return at * float64(time.Second)
	}
}
