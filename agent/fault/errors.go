package fault

import (
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/inorbit-hr/reliability/scenario"
)

// injectedErrors answers a share of the requests with a status, in the connection's
// place: it never sees them.
type injectedErrors struct {
	share  *share
	status int
}

func newErrors(f scenario.Fault, rng *rand.Rand) (*injectedErrors, error) {
	status := f.Status
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	if status < 400 || status > 599 {
		return nil, fmt.Errorf("status %d of an errors fault must lie between 400 and 599", status)
	}
	s, err := newShare(f.Rate, rng)
	if err != nil {
		return nil, err
	}
	return &injectedErrors{share: s, status: status}, nil
}

func (e *injectedErrors) draw() (effect, bool) {
	if !e.share.draw() {
		return effect{}, false
	}
	return e.probe(), true
}

func (e *injectedErrors) probe() effect { return effect{status: e.status} }
