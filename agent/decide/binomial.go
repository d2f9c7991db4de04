package decide

import (
	"math"
	"math/big"
	"math/bits"
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
	// The same as a fraction of whole numbers; den is 0 where they are too great.
	num, den uint64
}

func newShare(exact *big.Rat) share {
	s := share{exact: exact}
	s.value, _ = exact.Float64()
	if exact.Num().IsUint64() && exact.Denom().IsUint64() {
		s.num, s.den = exact.Num().Uint64(), exact.Denom().Uint64()
	}
	return s
}

// decimal is the share that the shortest decimal of v names.
func decimal(v float64) share {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok { // not a number: nothing is allowed
		r = new(big.Rat)
	}
	return newShare(r)
}

// complement is 1 - s.
func (s share) complement() share {
	return newShare(new(big.Rat).Sub(big.NewRat(1, 1), s.exact))
}

// below tells whether k of n is more than the share.
func (s share) below(k, n int64) bool {
	if k <= 0 || n < 0 {
		return false
	}
	if s.den == 0 {
		left := new(big.Int).Mul(big.NewInt(k), s.exact.Denom())
		return left.Cmp(new(big.Int).Mul(s.exact.Num(), big.NewInt(n))) > 0
	}
	leftHigh, left := bits.Mul64(uint64(k), s.den)
	rightHigh, right := bits.Mul64(s.num, uint64(n))
	return leftHigh > rightHigh || leftHigh == rightHigh && left > right
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

// certain is the one-sided exact binomial test: whether k or more of n over the limit
// are less likely than level where the limit is just met, the counts divided by the
// design effect. Never easier than without the effect, so that the error of independent
// requests holds whatever the effect was estimated to be.
func certain(k, n int64, effect, allowed, level float64) bool {
	ks, ns := float64(k), float64(n)
	return tail(ks, ns, allowed) <= level &&
		(effect <= 1 || tail(ks/effect, ns/effect, allowed) <= level)
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
	enough := func(f float64) bool { return tail(f*ks, f*ns, allowed) <= level }
	if !enough(mostMore) {
		return 0
	}
	low, high := 1.0, float64(mostMore)
	for range 30 {
		mid := math.Sqrt(low * high)
		if enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
