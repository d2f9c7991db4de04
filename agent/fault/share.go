package fault

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
)

// share picks a share of a sequence exactly: after any n draws, the number picked is
// n times the rate, rounded down or up. Which ones are picked is random within that
// bound, so a mix of operations that repeats does not always lose the same operation.
//
// The rate is the decimal as written, not the binary number nearest to it: 0.1 of
// ten million is one million.
type share struct {
	num, den uint64 // the rate; den at most 1e18
	frac     uint64 // n*num modulo den
	ahead    bool   // the count is n*rate rounded up, not down
	rng      *rand.Rand
}

func newShare(rate float64, rng *rand.Rand) (*share, error) {
	if !(rate > 0 && rate <= 1) {
		return nil, fmt.Errorf("rate %v of a fault must lie above 0 and be at most 1", rate)
	}
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(rate, 'g', -1, 64))
	if !ok {
		return nil, fmt.Errorf("rate %v of a fault is not a decimal number", rate)
	}
	const most = 1_000_000_000_000_000_000
	if r.Denom().Cmp(big.NewInt(most)) > 0 {
		// Below 1e-18, or with more digits: no run has enough requests to tell.
		return &share{num: uint64(rate * most), den: most, rng: rng}, nil
	}
	return &share{num: r.Num().Uint64(), den: r.Denom().Uint64(), rng: rng}, nil
}

// draw decides for the next of the sequence. The probability that the count is ahead
// equals the fraction of n*rate, so every one of the sequence is picked with
// probability rate.
func (s *share) draw() bool {
	next := s.frac + s.num
	picked := false
	switch whole := next >= s.den; {
	case !whole && !s.ahead:
		picked = s.rng.Uint64N(s.den-s.frac) < s.num
		s.ahead = picked
	case !whole:
		// Already rounded up: one more would be too many.
	case !s.ahead:
		picked = true
		next -= s.den
	default:
		next -= s.den
		picked = s.rng.Uint64N(s.frac) < next
		s.ahead = picked
	}
	s.frac = next
	return picked
}
