package fault

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// latency delays every request by a time uniform in mean +/- jitter. The delay comes
// before the request goes on to the connection.
type latency struct {
	mean, jitter time.Duration
	rng          *rand.Rand
}

func newLatency(f scenario.Fault, rng *rand.Rand) (*latency, error) {
	if f.Latency <= 0 {
		return nil, fmt.Errorf("a latency fault needs a latency above 0, not %s", f.Latency)
	}
	if f.Jitter < 0 || f.Jitter > f.Latency {
		return nil, fmt.Errorf("jitter %s must lie between 0 and the latency %s", f.Jitter, f.Latency)
	}
	return &latency{mean: f.Latency, jitter: f.Jitter, rng: rng}, nil
}

func (l *latency) draw() (effect, bool) {
	d := l.mean - l.jitter + time.Duration(l.rng.Int64N(2*int64(l.jitter)+1))
	return effect{delay: d}, true
}

func (l *latency) probe() effect { return effect{delay: l.mean} }
