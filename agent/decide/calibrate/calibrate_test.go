package calibrate_test

import (
	"math"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/agent/decide/calibrate"
)

// TestErrorRates holds every published setting to its bounds. The seeds are fixed: the
// counts are the same on every machine.
func TestErrorRates(t *testing.T) {
	for _, s := range calibrate.Settings() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			runs := 2000
			if s.Window > 0 || s.Requests() > 20000 {
				runs = 400
			}
			if testing.Short() {
				runs /= 4
			}
			r := calibrate.Simulate(s, runs, 1)
			if r.Undecided > 0 || r.Red+r.Borderline+r.Green != runs {
				t.Errorf("%d of %d undecided: %+v", r.Undecided, runs, r)
			}
			// Without the allowance for chance that a table of any seed needs.
			if red := float64(r.Red) / float64(runs); red > s.MostRed || red < s.LeastRed || !r.Kept() {
				t.Errorf("%d of %d runs red, bounds %v to %v", r.Red, runs, s.LeastRed, s.MostRed)
			}
		})
	}
}

// TestSimulationIsTrue finds the share of slow requests that it was told to draw, and
// the same counts for the same seed.
func TestSimulationIsTrue(t *testing.T) {
	for _, burst := range []int{1, 10} {
		s := calibrate.Setting{Slow: 0.02, Burst: burst, Rate: 100, Seconds: 30, MostRed: 1}
		if a, b := calibrate.Simulate(s, 50, 3), calibrate.Simulate(s, 50, 3); a != b {
			t.Errorf("%+v, then %+v", a, b)
		}
		if got := calibrate.SlowShare(s, 500, 3); math.Abs(got-0.02) > 0.002 {
			t.Errorf("bursts of %d: %v slow", burst, got)
		}
	}
}

func TestTimeToBreach(t *testing.T) {
	want := map[string]int{ // worked out by hand: 60 of 6000 are allowed
		"all slow from a fault on":     121,
		"all refused from a fault on":  121,
		"all slow, without a fault":    121,
		"all slow in the first window": 90,
		"exactly at the limit":         0,
	}
	for _, c := range calibrate.BreachCases() {
		computed, told := c.Computed(), c.Told()
		if computed != told {
			t.Errorf("%s: told %d, computed %d", c.Name, told, computed)
		}
		if w, ok := want[c.Name]; ok && told != w {
			t.Errorf("%s: told %d, want %d", c.Name, told, w)
		}
	}
}

func TestTables(t *testing.T) {
	s := calibrate.Setting{Name: "p99", Slow: 0.02, Rate: 10, Seconds: 30, MostRed: 1, LeastRed: 0.5}
	kept := calibrate.Row{Setting: s, Runs: 40, Red: 20, Borderline: 10, Green: 10}
	broken := calibrate.Row{Setting: s, Runs: 40, Red: 8, Borderline: 32}
	var out strings.Builder
	if err := calibrate.Write(&out, []calibrate.Row{kept, broken}); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"setting  requests  truly slow  runs  red      borderline  passed   missed   undecided  bound           result",
		"p99      300       2.00 %      40    50.00 %  25.00 %     25.00 %  25.00 %  0.00 %     red >= 50.00 %  kept",
		"p99      300       2.00 %      40    20.00 %  80.00 %     0.00 %   0.00 %   0.00 %     red >= 50.00 %  BROKEN",
		"",
	}, "\n")
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if err := calibrate.WriteBreaches(&out, calibrate.BreachCases()[:1]); err != nil {
		t.Fatal(err)
	}
	want = "time to breach            begins  computed  told  result\n" +
		"all slow from a fault on  120s    121s      121s  kept\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestKeptAllowsForChance(t *testing.T) {
	most := calibrate.Setting{MostRed: 0.05}
	least := calibrate.Setting{MostRed: 1, LeastRed: 0.99}
	for _, c := range []struct {
		s         calibrate.Setting
		runs, red int
		want      bool
	}{
		{most, 1000, 50, true},
		{most, 1000, 60, true},  // 1.4 deviations above
		{most, 1000, 80, false}, // 4.4
		{most, 20, 2, true},     // few runs say little
		{least, 1000, 990, true},
		{least, 1000, 985, true},
		{least, 1000, 970, false},
		{least, 1000, 1000, true},
	} {
		if got := (calibrate.Row{Setting: c.s, Runs: c.runs, Red: c.red}).Kept(); got != c.want {
			t.Errorf("%d of %d red, %v to %v: kept %v", c.red, c.runs, c.s.LeastRed, c.s.MostRed, got)
		}
	}
}
