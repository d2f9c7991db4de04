package decide

import (
	"math"
	"math/big"
	"strconv"

	"gonum.org/v1/gonum/mathext"
)

// level is the chance that one look calls a service red that is exactly at its
// limit. Two looks make 5 % together.
const level = 0.025

// share is a limit on a share of requests, exact as it was written: 0.01 is one
// hundredth and not the nearest binary fraction, so that 3 of 300 are not over it.
type share struct {
	exact *big.Rat
	value float64
}

// decimal is the share that the shortest decimal of v names.
func decimal(v float64) share {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok { // not a number: nothing is allowed
		r = new(big.Rat)
	}
	return share{exact: r, value: v}
}

// complement is 1 - s.
func (s share) complement() share {
	r := new(big.Rat).Sub(big.NewRat(1, 1), s.exact)
	v, _ := r.Float64()
	return share{exact: r, value: v}
}

// below tells whether k of n is more than the share.
func (s share) below(k, n int64) bool {
	left := new(big.Int).Mul(big.NewInt(k), s.exact.Denom())
	right := new(big.Int).Mul(s.exact.Num(), big.NewInt(n))
	return left.Cmp(right) > 0
}

// needed is how many requests a limit of this share takes to be judged: by the rule
// of three, none above among 3/s bounds the share by s at 95 %. A share of 0 needs
// one request.
func (s share) needed() int64 {
	if s.exact.Sign() <= 0 {
		return 1
	}
	q := new(big.Rat).Quo(big.NewRat(3, 1), s.exact)
	up := new(big.Int).Add(q.Num(), new(big.Int).Sub(q.Denom(), big.NewInt(1)))
	up.Quo(up, q.Denom())
	if !up.IsInt64() {
		return math.MaxInt64
	}
	return up.Int64()
}

// tail is the chance of k or more of n where each has the chance p. k and n need not
// be whole: counts divided by a design effect are not.
func tail(k, n, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	case p <= 0:
		return 0
	case p >= 1:
		return 1
	}
	return mathext.RegIncBeta(k, n-k+1, p)
}

// chance is the one-sided exact binomial test: how likely k or more of n over the
// limit are where the limit is just met, the counts divided by the design effect.
// Never less than without the effect, so that the error of independent requests
// holds whatever the effect was estimated to be.
func chance(k, n int64, effect, allowed float64) float64 {
	plain := tail(float64(k), float64(n), allowed)
	if effect <= 1 {
		return plain
	}
	return max(plain, tail(float64(k)/effect, float64(n)/effect, allowed))
}

// interval is the exact (Clopper-Pearson) interval at 95 % of the share k of n.
func interval(k, n float64) (low, high float64) {
	const side = 0.025
	low, high = 0, 1
	if k > 0 {
		low = mathext.InvRegIncBeta(k, n-k+1, side)
	}
	if k < n {
		high = mathext.InvRegIncBeta(k+1, n-k, 1-side)
	}
	return low, high
}

// mostMore bounds the answer of more.
const mostMore = 1000

// more is how many times as many requests would make the same share over the limit
// certain at that level; 0 where not even mostMore times would.
func more(k, n int64, effect, allowed, level float64) float64 {
	ks, ns := float64(k)/effect, float64(n)/effect
	certain := func(f float64) bool { return tail(f*ks, f*ns, allowed) <= level }
	if !certain(mostMore) {
		return 0
	}
	low, high := 1.0, float64(mostMore)
	for range 30 {
		mid := math.Sqrt(low * high)
		if certain(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
