package decide

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// bursty draws looks of blocks of requests that are slow together.
func bursty(seed uint64, seconds, rate, burst int, slow float64) []Measurements {
	random := rand.New(rand.NewPCG(seed, 0))
	m := Measurements{Seconds: make([]Second, seconds)}
	bad := false
	for i := range seconds * rate {
		if i%burst == 0 {
			bad = random.Float64() < slow
		}
		m.Seconds[i/rate].Due++
		if bad {
			m.Seconds[i/rate].Errors++
		}
	}
	return []Measurements{m}
}

func TestDesignEffect(t *testing.T) {
	whole := func(n int) [][2]int { return [][2]int{{0, n}} }
	change := func(from, to int) []Measurements {
		m := bursty(1, 300, 100, 1, 0)
		for i := from; i < to; i++ {
			m[0].Seconds[i].Errors = 100
		}
		return m
	}
	for _, c := range []struct {
		name      string
		looks     []Measurements
		phases    [][2]int
		low, high float64
	}{
		{"independent", bursty(1, 2000, 100, 1, 0.05), whole(2000), 1, 1.1},
		{"bursts of 10", bursty(2, 2000, 100, 10, 0.05), whole(2000), 9, 11},
		{"bursts of 10 at 10 a second", bursty(3, 5000, 10, 10, 0.05), whole(5000), 9, 11},
		{"bursts of 10 at 1 a second", bursty(4, 30000, 1, 10, 0.05), whole(30000), 8, 11},
		{"bursts of 100 are bounded", bursty(5, 2000, 100, 100, 0.05), whole(2000), mostEffect, mostEffect},
		{"nothing measured", nil, nil, 1, 1},
		{"one second says nothing", bursty(6, 1, 3000, 1, 0.05), whole(1), priorEffect, priorEffect},
		{"none over", change(0, 0), whole(300), 1, 1.1},
		{"all over", change(0, 300), whole(300), 1, 1.1},
		{"a lasting change is not scatter", change(150, 300), whole(300), 1, 1.1},
		{"a pause is", change(150, 151), whole(300), mostEffect, mostEffect},
		{"nor a fault that starts and ends", change(150, 151), [][2]int{{0, 150}, {150, 151}, {151, 300}}, 1, 1.1},
	} {
		if got := designEffect(c.looks, errorsOf, c.phases); got < c.low || got > c.high {
			t.Errorf("%s: %v, want %v to %v", c.name, got, c.low, c.high)
		}
	}
}

func TestPhases(t *testing.T) {
	s := &scenario.Scenario{
		Load: &scenario.Load{Warmup: 10 * time.Second},
		Timeline: []scenario.Entry{
			{At: 5 * time.Second, Action: scenario.ActionFault, For: 15 * time.Second}, // to 10 measured
			{At: 25500 * time.Millisecond, Action: scenario.ActionFault, For: time.Hour},
			{At: 13 * time.Second, Action: scenario.ActionLog},
		},
	}
	want := [][2]int{{0, 10}, {10, 15}, {15, 16}, {16, 30}}
	if got := phases(s, 30); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := phases(&scenario.Scenario{}, 0); len(got) != 0 {
		t.Errorf("no seconds have phases %v", got)
	}
}

func TestWords(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", 0.0123456: "0.01235", 412.34: "412.3", 12345.6: "12346", 1e-7: "0.0000001", 99.99: "99.99"} {
		if got := number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0s", 0.25: "0.25s", 60: "1m", 102: "1m42s", 3600: "1h", 3661.5: "1h1m1.5s"} {
		if got := seconds(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
