package calibrate

import "math/rand/v2"

// SlowShare is the share of slow requests over so many drawn looks.
func SlowShare(s Setting, looks int, seed uint64) float64 {
	var slow, all int64
	for i := range looks {
		for _, second := range s.look(rand.New(rand.NewPCG(seed, uint64(i)))).Seconds {
			slow += second.Over.P99
			all += second.Due
		}
	}
	return float64(slow) / float64(all)
}
