package load

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inorbit-hr/reliability/scenario"
)

func all(p *Plan) []time.Duration {
	s := newSchedule(p)
	var out []time.Duration
	for {
		due, ok := s.due()
		if !ok {
			return out
		}
		out = append(out, due)
	}
}

func TestConstantIsAnEvenComb(t *testing.T) {
	for _, c := range []struct {
		rate float64
		d    time.Duration
		n    int
		at   map[int]time.Duration
	}{
		{100, 12 * time.Second, 1200, map[int]time.Duration{0: 0, 1: 10 * time.Millisecond, 1199: 11990 * time.Millisecond}},
		{3, 2 * time.Second, 6, map[int]time.Duration{1: 333333333, 3: time.Second, 5: 1666666667}},
		{0.5, 5 * time.Second, 3, map[int]time.Duration{2: 4 * time.Second}},
		{40000, time.Minute, 2_400_000, map[int]time.Duration{2_399_999: time.Minute - 25*time.Microsecond}},
	} {
		due := all(&Plan{Rate: c.rate, Duration: c.d})
		if len(due) != c.n {
			t.Errorf("rate %v over %s: %d requests, want %d", c.rate, c.d, len(due), c.n)
			continue
		}
		for i, want := range c.at {
			if due[i] != want {
				t.Errorf("rate %v: request %d at %s, want %s", c.rate, i, due[i], want)
			}
		}
	}
}

func TestStepsHoldEachRateForItsShareOfTheTime(t *testing.T) {
	due := all(&Plan{Pattern: scenario.Step, From: 10, Rate: 40, Steps: 4, Duration: 8 * time.Second})
	want := []int{20, 40, 60, 80} // two seconds each at 10, 20, 30 and 40
	got := make([]int, 4)
	for _, d := range due {
		got[d/(2*time.Second)]++
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("step %d has %d requests, want %d", i, got[i], want[i])
		}
	}
	if due[20] != 2*time.Second || due[60] != 4*time.Second {
		t.Errorf("steps begin at %s and %s, want 2s and 4s", due[20], due[60])
	}
}

func TestRampIntegratesTheRate(t *testing.T) {
	due := all(&Plan{Pattern: scenario.Ramp, From: 0, Rate: 100, Duration: 10 * time.Second})
	if len(due) != 500 {
		t.Fatalf("%d requests, want 500", len(due))
	}
	// 10 a second more each second: 5 t² requests by t.
	if due[125] != 5*time.Second {
		t.Errorf("request 125 at %s, want 5s", due[125])
	}
	falling := all(&Plan{Pattern: scenario.Ramp, From: 100, Rate: 0, Duration: 10 * time.Second})
	if n := len(falling); n != 500 {
		t.Errorf("falling: %d requests, want 500", n)
	}
}

func TestPoissonIsSeeded(t *testing.T) {
	plan := Plan{Pattern: scenario.Poisson, Rate: 200, Duration: time.Minute, Seed: 7}
	one, two := all(&plan), all(&plan)
	if len(one) != len(two) {
		t.Fatalf("one seed gave %d and %d requests", len(one), len(two))
	}
	for i := range one {
		if one[i] != two[i] {
			t.Fatalf("request %d at %s and %s with one seed", i, one[i], two[i])
		}
	}
	plan.Seed = 8
	if other := all(&plan); len(other) > 0 && other[0] == one[0] {
		t.Error("another seed gave the same first time")
	}
	// 12,000 expected with a deviation of 110; the seed is fixed.
	if n := float64(len(one)); math.Abs(n-12000) > 550 {
		t.Errorf("%v requests, want about 12000", n)
	}
}

func TestScheduleIsInOrderAndWithinTheLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Plan{
			Pattern:  rapid.SampledFrom([]scenario.Pattern{scenario.Constant, scenario.Poisson, scenario.Ramp, scenario.Step}).Draw(t, "pattern"),
			Rate:     rapid.Float64Range(0.1, 500).Draw(t, "rate"),
			From:     rapid.Float64Range(0, 500).Draw(t, "from"),
			Steps:    rapid.IntRange(2, 12).Draw(t, "steps"),
			Duration: time.Duration(rapid.Int64Range(1, int64(20*time.Second)).Draw(t, "duration")),
			Seed:     rapid.Uint64().Draw(t, "seed"),
		}
		due := all(p)
		last := time.Duration(0)
		for i, d := range due {
			if d < last || d >= p.Duration {
				t.Fatalf("request %d at %s, behind %s, of %s", i, d, last, p.Duration)
			}
			last = d
		}
		if p.Pattern == scenario.Poisson {
			return
		}
		mean := p.Rate
		if p.Pattern != scenario.Constant {
			mean = (p.From + p.Rate) / 2
		}
		if n := mean * p.Duration.Seconds(); math.Abs(float64(len(due))-n) > 1.001 {
			t.Fatalf("%d requests, want %v", len(due), n)
		}
	})
}

func TestMixIsExactOverEveryStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 8).Draw(t, "weights")
		var ops []Operation
		sum := 0
		for _, w := range weights {
			ops = append(ops, Operation{Weight: w})
			sum += w
		}
		m := newMix(ops)
		for range 3 {
			got := make([]int, len(weights))
			for range sum {
				got[m.next()]++
			}
			for i, w := range weights {
				if got[i] != w {
					t.Fatalf("operation %d came %d times in a stretch of %d, want %d", i, got[i], sum, w)
				}
			}
		}
	})
}
