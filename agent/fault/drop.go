package fault

import (
	"math/rand/v2"

	"github.com/inorbit-hr/reliability/scenario"
)

// drop closes the client's connection on a share of the requests, without an answer
// and without passing them on.
type drop struct {
	share *share
}

func newDrop(f scenario.Fault, rng *rand.Rand) (*drop, error) {
	s, err := newShare(f.Rate, rng)
	if err != nil {
		return nil, err
	}
	return &drop{share: s}, nil
}

func (d *drop) draw() (effect, bool) {
	if !d.share.draw() {
		return effect{}, false
	}
	return d.probe(), true
}

func (d *drop) probe() effect { return effect{drop: true} }
