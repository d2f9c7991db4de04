package load

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// schedule gives the time of each request, from the start of the load, in order. All
// times are settled before the load starts: nothing that happens changes them.
type schedule struct {
	load *scenario.Load
	rng  *rand.Rand    // pattern poisson
	next int64         // the number of the next request
	last time.Duration // the time before, of pattern poisson
}

func newSchedule(l *scenario.Load, seed uint64) *schedule {
	return &schedule{load: l, rng: rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))}
}

// Next returns the time of the next request; ok is false behind the last one.
func (s *schedule) Next() (at time.Duration, ok bool) {
	n := float64(s.next)
	switch s.load.Pattern {
	case scenario.Poisson:
		at = s.last + time.Duration(s.rng.ExpFloat64()/s.load.Rate*float64(time.Second))
	case scenario.Ramp:
		at = s.ramp(n)
	case scenario.Step:
		at = s.step(n)
	default:
		at = time.Duration(n / s.load.Rate * float64(time.Second))
	}
	if at >= s.load.Duration {
		return 0, false
	}
	s.next++
	s.last = at
	return at, true
}

// ramp is when n requests are due where the rate goes in a line from From to Rate:
// the t at which From*t + (Rate-From)*t*t/(2*Duration) is n.
func (s *schedule) ramp(n float64) time.Duration {
	d := s.load.Duration.Seconds()
	from, slope := s.load.From, (s.load.Rate-s.load.From)/d
	root := from*from + 2*slope*n
	switch {
	case slope == 0:
		return seconds(n / from)
	case root < 0: // a falling ramp that ends before the n-th
		return s.load.Duration
	}
	return seconds((math.Sqrt(root) - from) / slope)
}

// step is when n requests are due where the rate goes from From to Rate in Steps
// equal steps, each as long as the others.
func (s *schedule) step(n float64) time.Duration {
	steps := float64(s.load.Steps)
	each := s.load.Duration.Seconds() / steps
	for i := range s.load.Steps {
		rate := s.load.From + (s.load.Rate-s.load.From)*float64(i)/(steps-1)
		if made := rate * each; n >= made {
			n -= made
			continue
		}
		return seconds(float64(i)*each + n/rate)
	}
	return s.load.Duration
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// mix orders operations so that their shares are exact over the run: after any number
// of requests, each operation had its share of them to within one request. It is the
// smooth weighted round robin.
type mix struct {
	weights []int
	credit  []int
	total   int
}

func newMix(weights []int) *mix {
	m := &mix{weights: weights, credit: make([]int, len(weights))}
	for _, w := range weights {
		m.total += w
	}
	return m
}

// Next is the index of the next operation.
func (m *mix) Next() int {
	best := 0
	for i, w := range m.weights {
		m.credit[i] += w
		if m.credit[i] > m.credit[best] {
			best = i
		}
	}
	m.credit[best] -= m.total
	return best
}
