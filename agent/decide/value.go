package decide

import (
	"math"
)

// latency is the q-quantile in milliseconds of the requests in the seconds from:to of
// all looks. Where it falls among requests that were not accepted, and are slower than
// any, cut is true and the value is the greatest latency of an accepted one. known is
// false where there is none.
func (e *evidence) latency(from, to int, q float64) (value float64, cut, known bool) {
	n, failed := e.sum(from, to, errorsOf)
	if n == 0 || n == failed {
		return 0, n > 0, false
	}
	if v := e.pooled(from, to, q); finite(v) {
		return v, false, true
	}
	// Half a request below the border, whatever way a rank is rounded.
	greatest := (float64(n-failed) - 0.5) / float64(n)
	if v := e.pooled(from, to, min(q, greatest)); finite(v) {
		return v, true, true
	}
	return 0, true, false
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }

// pooled is the q-quantile of the union of the looks. The quantile of two looks is where
// the a-quantile of the one meets the b-quantile of the other, a and b shares that make
// q of both together.
func (e *evidence) pooled(from, to int, q float64) float64 {
	var looks []Measurements
	var sizes []float64
	var total float64
	for _, m := range e.looks {
		var n int64
		for _, s := range within(m, from, to) {
			n += s.Due
		}
		if n > 0 && m.Quantile != nil {
			looks, sizes, total = append(looks, m), append(sizes, float64(n)), total+float64(n)
		}
	}
	at := func(i int, q float64) float64 {
		return looks[i].Quantile(from, min(to, len(looks[i].Seconds)), min(max(q, 0), 1))
	}
	switch len(looks) {
	case 0:
		return math.NaN()
	case 1:
		return at(0, q)
	case 2:
	default: // not a case of the product: the worst of them
		worst := math.Inf(-1)
		for i := range looks {
			worst = max(worst, at(i, q))
		}
		return worst
	}
	other := func(a float64) float64 { return (q*total - a*sizes[0]) / sizes[1] }
	low, high := max(0, (q*total-sizes[1])/sizes[0]), min(1, q*total/sizes[0])
	for range 24 { // finer than one request of ten million
		a := (low + high) / 2
		if at(0, a) < at(1, other(a)) {
			low = a
		} else {
			high = a
		}
	}
	// At the meeting, the last step from below: the greater of what lies under it.
	return min(at(0, high), at(1, other(low)))
}

// within are the seconds from:to of a look, as far as it has them.
func within(m Measurements, from, to int) []Second {
	to = min(to, len(m.Seconds))
	return m.Seconds[min(from, to):to]
}

// sum counts the requests in the seconds from:to of all looks, and those over.
func (e *evidence) sum(from, to int, over counter) (n, k int64) {
	for _, m := range e.looks {
		for _, s := range within(m, from, to) {
			n += s.Due
			k += over(s)
		}
	}
	return n, k
}

func errorsOf(s Second) int64 { return s.Errors }
