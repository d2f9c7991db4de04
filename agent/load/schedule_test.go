package load

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inorbit-hr/reliability/scenario"
)

func all(l *scenario.Load, seed uint64) []time.Duration {
	s := newSchedule(l, seed)
	var times []time.Duration
	for {
		at, ok := s.Next()
		if !ok {
			return times
		}
		times = append(times, at)
	}
}

func TestSchedule(t *testing.T) {
	minute := time.Minute
	for _, test := range []struct {
		name  string
		load  scenario.Load
		count int
		// half is how many requests are due in the first half.
		half int
	}{
		{"constant", scenario.Load{Rate: 100, Duration: minute, Pattern: scenario.Constant}, 6000, 3000},
		{"less than one a second", scenario.Load{Rate: 0.5, Duration: minute}, 30, 15},
		{"ramp from zero", scenario.Load{Rate: 100, Duration: minute, Pattern: scenario.Ramp}, 3000, 750},
		{"ramp down", scenario.Load{From: 100, Rate: 50, Duration: minute, Pattern: scenario.Ramp}, 4500, 2625},
		{"ramp that is flat", scenario.Load{From: 100, Rate: 100, Duration: minute, Pattern: scenario.Ramp}, 6000, 3000},
		{"step", scenario.Load{From: 50, Rate: 100, Steps: 2, Duration: minute, Pattern: scenario.Step}, 4500, 1500},
		{"step from zero", scenario.Load{From: 0, Rate: 100, Steps: 5, Duration: minute, Pattern: scenario.Step}, 3000, 600},
	} {
		t.Run(test.name, func(t *testing.T) {
			times := all(&test.load, 1)
			half := 0
			for _, at := range times {
				if at < test.load.Duration/2 {
					half++
				}
			}
			if math.Abs(float64(len(times)-test.count)) > 1 || math.Abs(float64(half-test.half)) > 1 {
				t.Errorf("%d requests, %d in the first half; want %d and %d", len(times), half, test.count, test.half)
			}
		})
	}
}

// Times never go back, lie inside the load, and make about the mean rate; the same
// seed makes the same times.
func TestScheduleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &scenario.Load{
			Pattern:  rapid.SampledFrom([]scenario.Pattern{scenario.Constant, scenario.Poisson, scenario.Ramp, scenario.Step}).Draw(t, "pattern"),
			Rate:     rapid.Float64Range(0.1, 500).Draw(t, "rate"),
			From:     rapid.Float64Range(0, 500).Draw(t, "from"),
			Steps:    rapid.IntRange(2, 9).Draw(t, "steps"),
			Duration: time.Duration(rapid.IntRange(1, 20).Draw(t, "seconds")) * time.Second,
		}
		times := all(l, 7)
		for i, at := range times {
			if at < 0 || at >= l.Duration || i > 0 && at < times[i-1] {
				t.Fatalf("request %d is due at %s", i, at)
			}
		}
		want := l.MeanRate() * l.Duration.Seconds()
		slack := 2.0
		if l.Pattern == scenario.Poisson {
			slack = 6*math.Sqrt(want) + 6 // six standard deviations
		}
		if math.Abs(float64(len(times))-want) > slack {
			t.Fatalf("%d requests, want about %.1f", len(times), want)
		}
		again := all(l, 7)
		if len(again) != len(times) || len(times) > 0 && again[len(again)-1] != times[len(times)-1] {
			t.Fatal("the same seed made other times")
		}
	})
}

// After any number of requests each operation had its share to within one.
func TestMixIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 6).Draw(t, "weights")
		m := newMix(weights)
		got := make([]int, len(weights))
		for n := 1; n <= 3*m.total; n++ {
			got[m.Next()]++
			for i, w := range weights {
				if share := float64(n) * float64(w) / float64(m.total); math.Abs(float64(got[i])-share) >= 1 {
					t.Fatalf("after %d requests operation %d had %d, its share is %.2f", n, i, got[i], share)
				}
			}
		}
	})
}
