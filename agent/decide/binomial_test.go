package decide

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// exactTail sums the chance of k or more of n at p = num/den without rounding.
func exactTail(k, n, num, den int64) float64 {
	hit, miss := big.NewInt(num), big.NewInt(den-num)
	sum := new(big.Int)
	for i := k; i <= n; i++ {
		term := new(big.Int).Binomial(n, i)
		term.Mul(term, new(big.Int).Exp(hit, big.NewInt(i), nil))
		sum.Add(sum, term.Mul(term, new(big.Int).Exp(miss, big.NewInt(n-i), nil)))
	}
	v, _ := new(big.Rat).SetFrac(sum, new(big.Int).Exp(big.NewInt(den), big.NewInt(n), nil)).Float64()
	return v
}

func TestTailIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 400).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		num := rapid.Int64Range(0, 1000).Draw(t, "p")
		want := exactTail(k, n, num, 1000)
		got := tail(float64(k), float64(n), float64(num)/1000)
		if math.Abs(got-want) > 1e-9*want+1e-300 {
			t.Fatalf("%d of %d at %d/1000: %v, exact %v", k, n, num, got, want)
		}
	})
}

// TestTailOfManyRequests compares with a sum in logarithms, where whole numbers grow
// too great.
func TestTailOfManyRequests(t *testing.T) {
	for _, c := range []struct{ k, n, p float64 }{
		{330, 27000, 0.01}, {400, 27000, 0.01}, {1, 1e6, 1e-6}, {10200, 1e6, 0.01}, {500400, 1e6, 0.5}, {40, 3e7, 1e-6},
	} {
		want, first := 0.0, logTerm(c.k, c.n, c.p)
		for i := c.k; i <= c.n; i++ {
			term := math.Exp(logTerm(i, c.n, c.p) - first)
			if want += term; term < 1e-18*want {
				break
			}
		}
		want *= math.Exp(first)
		if got := tail(c.k, c.n, c.p); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v: %v, summed %v", c, got, want)
		}
	}
}

func logTerm(i, n, p float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(i + 1)
	c, _ := math.Lgamma(n - i + 1)
	return a - b - c + i*math.Log(p) + (n-i)*math.Log1p(-p)
}

func TestTailGrowsWithTheEffect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1e6).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		effect := rapid.Float64Range(1, mostEffect).Draw(t, "effect")
		if certain(k, n, effect, p, level) && !certain(k, n, 1, p, level) {
			t.Fatal("certain only with a design effect")
		}
		if v := tail(float64(k)/effect, float64(n)/effect, p); math.IsNaN(v) || v < 0 || v > 1 {
			t.Fatalf("tail %v", v)
		}
	})
}

func TestIntervalIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 20000).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		low, high := interval(float64(k), float64(n))
		if share := float64(k) / float64(n); low < 0 || low > share || high < share || high > 1 {
			t.Fatalf("%v to %v does not hold %d of %d", low, high, k, n)
		}
		// At each end, what was seen is a case of one in forty.
		if k > 0 && math.Abs(tail(float64(k), float64(n), low)-0.025) > 1e-6 {
			t.Fatalf("low end %v of %d of %d", low, k, n)
		}
		if k < n && math.Abs(1-tail(float64(k+1), float64(n), high)-0.025) > 1e-6 {
			t.Fatalf("high end %v of %d of %d", high, k, n)
		}
	})
}

func TestShareIsAsWritten(t *testing.T) {
	for _, c := range []struct {
		limit  float64
		k, n   int64
		over   bool
		needed int64
	}{
		{0.01, 3, 300, false, 300},
		{0.01, 4, 300, true, 300},
		{0.29, 29, 100, false, 11}, // 0.29*100 is 28.999999999999996
		{0.29, 30, 100, true, 11},
		{0.001, 27, 27000, false, 3000},
		{0.07, 7, 100, false, 43},
		{0, 0, 5, false, 1},
		{0, 1, 5, true, 1},
		{1, 5, 5, false, 3},
		{1e-300, 1, math.MaxInt64, true, math.MaxInt64},
		{0.5, math.MaxInt64, math.MaxInt64, true, 6},
		{0.01, -5, 300, false, 300},
		{math.NaN(), 1, 5, true, 1},
	} {
		s := decimal(c.limit)
		if s.below(c.k, c.n) != c.over || s.needed() != c.needed {
			t.Errorf("%v, %d of %d: over %v, needs %d", c.limit, c.k, c.n, s.below(c.k, c.n), s.needed())
		}
	}
	if s := decimal(0.99).complement(); s.below(1, 100) || !s.below(2, 100) || s.needed() != 300 {
		t.Errorf("complement of 0.99: %+v", s)
	}
}

// red bounds the chance that a service with the true share slow is red in two looks of
// n independent requests against a limit of allowed: it is exact for the least design
// effect that n requests can come to, and a greater one makes it less.
func red(n int64, slow, allowed float64) float64 {
	first, both := critical(n, 1, allowed), critical(n, 2, allowed)
	sum := tail(float64(first), float64(n), slow)
	limit := decimal(allowed)
	for k := first - 1; limit.below(k, n); k-- { // borderline: a second look
		sum += math.Exp(logTerm(float64(k), float64(n), slow)) * tail(float64(both-k), float64(n), slow)
	}
	return sum
}

// critical is the fewest slow requests that are certain in so many looks of n.
func critical(n, looks int64, allowed float64) int64 {
	pairs := float64(looks * (n/batchRequests - 1))
	effect := max(1, priorWeight*priorEffect/(priorWeight+differenceWeight*pairs))
	low, high := int64(0), looks*n+1
	for low < high {
		if mid := (low + high) / 2; certain(mid, looks*n, effect, allowed, level) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// TestEveryAdmittedSize computes the error of two looks without simulation, at every
// number of requests that a p99 may be judged by up to 3000, and at many above.
func TestEveryAdmittedSize(t *testing.T) {
	var worst, worstUnder float64
	for n := int64(300); n < 200_000; {
		worst = max(worst, red(n, 0.01, 0.01))
		worstUnder = max(worstUnder, red(n, 0.008, 0.01))
		switch {
		case testing.Short():
			n += 1 + n/10
		case n < 3000:
			n++
		default:
			n += n / 50
		}
	}
	t.Logf("at most %.4f red at the limit, %.4f at 0.8 of it", worst, worstUnder)
	if worst > 0.05 || worstUnder > 0.01 {
		t.Errorf("at most %v red at the limit, %v at 0.8 of it", worst, worstUnder)
	}
	if found := red(3000, 0.02, 0.01); found < 0.99 {
		t.Errorf("twice the limit is found with %v", found)
	}
}

func TestMoreDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(300, 1e5).Draw(t, "n")
		k := rapid.Int64Range(n/100+1, n/50).Draw(t, "k")
		effect := rapid.Float64Range(1, mostEffect).Draw(t, "effect")
		times := more(k, n, effect, 0.01, level)
		if times == 0 {
			if tail(mostMore*float64(k)/effect, mostMore*float64(n)/effect, 0.01) <= level {
				t.Fatal("enough is possible, and 0 was told")
			}
			return
		}
		f := roundUp(times) / effect
		if tail(f*float64(k), f*float64(n), 0.01) > level {
			t.Fatalf("%v times as many would not decide", times)
		}
	})
}
