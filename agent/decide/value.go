package decide

import "math"

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

// pooled is the q-quantile of the union of the looks.
func (e *evidence) pooled(from, to int, q float64) float64 {
	var samples []sorted
	for _, m := range e.looks {
		to := min(to, len(m.Seconds))
		var n int64
		for _, s := range within(m, from, to) {
			n += s.Due
		}
		if n > 0 && m.Quantile != nil {
			samples = append(samples, sorted{n: n, quantile: func(q float64) float64 { return m.Quantile(from, to, q) }})
		}
	}
	switch len(samples) {
	case 0:
		return math.NaN()
	case 1:
		return samples[0].quantile(q)
	case 2:
		n := samples[0].n + samples[1].n
		rank := int64(math.Ceil(q*float64(n) - 1e-6))
		return ranked(samples[0], samples[1], min(max(rank, 1), n))
	}
	worst := math.Inf(-1) // more than two looks are no case of the product
	for _, s := range samples {
		worst = max(worst, s.quantile(q))
	}
	return worst
}

// sorted is a sample of n latencies that is known by its quantiles.
type sorted struct {
	n        int64
	quantile func(q float64) float64
}

// at is the i-th smallest, from 1. Half a rank is taken off, whatever way ranks are
// rounded.
func (s sorted) at(i int64) float64 { return s.quantile((float64(i) - 0.5) / float64(s.n)) }

// ranked is the rank-th smallest of two samples together: i of them are the smallest
// of a and the others the smallest of b, for the least i at which no greater one is
// taken while a smaller one is left.
func ranked(a, b sorted, rank int64) float64 {
	low, high := max(0, rank-b.n), min(a.n, rank)
	for low < high {
		if i := (low + high) / 2; a.at(i+1) >= b.at(rank-i) {
			high = i
		} else {
			low = i + 1
		}
	}
	value := math.Inf(-1)
	if low > 0 {
		value = a.at(low)
	}
	if low < rank {
		value = max(value, b.at(rank-low))
	}
	return value
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
