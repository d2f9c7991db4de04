package fault

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestShareIsExactAfterEveryDraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.Uint64Range(1, 1_000_000).Draw(t, "millionths")
		rate, err := strconv.ParseFloat(new(big.Rat).SetFrac64(int64(digits), 1_000_000).FloatString(6), 64)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newShare(rate, testRand(rapid.Uint64().Draw(t, "seed")))
		if err != nil {
			t.Fatal(err)
		}
		var picked uint64
		for n := uint64(1); n <= 2000; n++ {
			if s.draw() {
				picked++
			}
			low := n * digits / 1_000_000
			high := (n*digits + 999_999) / 1_000_000
			if picked < low || picked > high {
				t.Fatalf("rate %v: %d of %d picked; want %d or %d", rate, picked, n, low, high)
			}
		}
	})
}

func TestShareIsTheDecimalAsWritten(t *testing.T) {
	for _, rate := range []float64{0.1, 0.3, 0.7, 0.29, 0.01, 1, 1e-3} {
		s, err := newShare(rate, testRand(7))
		if err != nil {
			t.Fatal(err)
		}
		picked := 0
		const n = 1_000_000
		for range n {
			if s.draw() {
				picked++
			}
		}
		if want := int(math.Round(rate * n)); picked != want {
			t.Errorf("rate %v: %d of %d picked; want %d", rate, picked, n, want)
		}
	}
}

// A mix that alternates between two operations must not lose only one of them.
func TestShareDoesNotFollowARhythm(t *testing.T) {
	s, err := newShare(0.5, testRand(3))
	if err != nil {
		t.Fatal(err)
	}
	even := 0
	const n = 10_000
	for i := range n {
		if s.draw() && i%2 == 0 {
			even++
		}
	}
	// Binomial: 2,500 expected, standard deviation 35; this allows ten of them.
	if even < n/4-350 || even > n/4+350 {
		t.Errorf("%d of %d even requests picked; want about %d", even, n/2, n/4)
	}
}

func TestShareRefusesWhatIsNoShare(t *testing.T) {
	for _, rate := range []float64{0, -0.1, 1.1, math.NaN(), math.Inf(1)} {
		if _, err := newShare(rate, testRand(1)); err == nil {
			t.Errorf("rate %v was taken", rate)
		}
	}
}

func TestShareOfAVerySmallRate(t *testing.T) {
	s, err := newShare(1e-300, testRand(1))
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if s.draw() {
			t.Fatal("a rate of 1e-300 picked one of the first thousand")
		}
	}
}
