// Package calibrate finds out how often package decide is wrong: it simulates runs of
// services whose true share of slow requests is known, has each of them decided as a
// run would be, with a second look where the first is borderline, and counts. It is
// pure: the same seed gives the same counts.
package calibrate

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/inorbit-hr/reliability/agent/decide"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// limitMs is the latency limit of all settings. Where requests fall is drawn; how far
// above or under the limit they are decides nothing.
const limitMs = 400

// Setting is a service and a scenario to calibrate on.
type Setting struct {
	Name string
	// Slow is the true share of requests above a p99 limit, which allows 0.01.
	Slow float64
	// Burst is how many neighbouring requests are slow together, 1 for independent
	// requests. Bursts begin anywhere.
	Burst   int
	Rate    int // requests a second
	Seconds int // measured
	// Window in seconds makes it an objective over sliding windows; 0 is an
	// assertion on the whole run.
	Window int
	// MostRed and LeastRed bound the share of red runs; a LeastRed of 0 bounds
	// nothing.
	MostRed, LeastRed float64
}

// Requests are the measured requests of one look.
func (s Setting) Requests() int { return s.Rate * s.Seconds }

// Row is what the runs of a setting came to.
type Row struct {
	Setting    Setting
	Runs       int
	Red        int // failed or breached
	Borderline int // still not certain after the second look
	Green      int // passed
	Undecided  int // anything else
}

// Count adds the outcome of one run.
func (r *Row) Count(o run.Outcome) {
	r.Runs++
	switch o {
	case run.OutcomeFail, run.OutcomeBreach:
		r.Red++
	case run.OutcomeBorderline:
		r.Borderline++
	case run.OutcomePass:
		r.Green++
	default:
		r.Undecided++
	}
}

// Kept tells whether the runs are in keeping with the setting's bounds: it is false
// where a rate at the bound would give as many red runs, or as few, less than once in
// a thousand times.
func (r Row) Kept() bool {
	const surprise = 0.001
	if r.share(r.Red) > r.Setting.MostRed && upperTail(r.Red, r.Runs, r.Setting.MostRed) < surprise {
		return false
	}
	return r.share(r.Red) >= r.Setting.LeastRed ||
		upperTail(r.Runs-r.Red, r.Runs, 1-r.Setting.LeastRed) >= surprise
}

func (r Row) share(n int) float64 { return float64(n) / float64(max(r.Runs, 1)) }

// Simulate decides so many runs of a setting.
func Simulate(s Setting, runs int, seed uint64) Row {
	row := Row{Setting: s}
	plan := s.scenario()
	for i := range runs {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		looks := []decide.Measurements{s.look(random)}
		outcome := decide.Judge(plan, looks).Outcome
		if outcome == run.OutcomeBorderline {
			looks = append(looks, s.look(random))
			outcome = decide.Judge(plan, looks).Outcome
		}
		row.Count(outcome)
	}
	return row
}

func (s Setting) scenario() *scenario.Scenario {
	plan := &scenario.Scenario{Load: &scenario.Load{
		Rate: float64(s.Rate), Duration: time.Duration(s.Seconds) * time.Second, Pattern: scenario.Constant}}
	if s.Window > 0 {
		plan.Objective = &scenario.Objective{P99: limitMs, Window: time.Duration(s.Window) * time.Second}
	} else {
		plan.Assertions.Limits = []scenario.Limit{{Name: scenario.MaxP99, Value: limitMs}}
	}
	return plan
}

// look draws the measurements of one execution. Requests stand in blocks of Burst,
// the first block begun before the look; each block is slow with the chance Slow.
func (s Setting) look(random *rand.Rand) decide.Measurements {
	m := decide.Measurements{
		Seconds:   make([]decide.Second, s.Seconds),
		WholeTime: float64(s.Seconds),
		Sent:      int64(s.Requests()),
		Quantile:  func(int, int, float64) float64 { return limitMs },
	}
	for i := range m.Seconds {
		m.Seconds[i].Due = int64(s.Rate)
	}
	phase := random.IntN(s.Burst)
	for block := gap(random, s.Slow); block*s.Burst-phase < s.Requests(); block += 1 + gap(random, s.Slow) {
		for i := max(0, block*s.Burst-phase); i < min(s.Requests(), (block+1)*s.Burst-phase); i++ {
			m.Seconds[i/s.Rate].Over.P99++
			m.Seconds[i/s.Rate].Over.Objective++
		}
	}
	return m
}

// gap draws how many blocks go well before the next slow one.
func gap(random *rand.Rand, chance float64) int {
	const none = math.MaxInt32
	if chance >= 1 {
		return 0
	}
	g := math.Log(1-random.Float64()) / math.Log1p(-chance)
	return int(min(g, none))
}
