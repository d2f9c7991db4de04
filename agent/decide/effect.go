package decide

import (
	"math"

	"github.com/inorbit-hr/reliability/scenario"
)

// Requests correlate: a pause of the service makes many neighbours slow at once, and
// a hundred slow requests of one pause say less than a hundred on their own. The
// design effect is by how much their count scatters more than that of independent
// requests; counts are divided by it before the exact test.
//
// It is taken from the differences between neighbouring batches of the run, so that
// what lasts, such as a slower second half, does not count as scatter. Differences
// across the start or end of a fault are left out for the same reason.
const (
	// A batch has whole seconds and at least this many requests, so that a burst
	// mostly lies in one batch also at one request a second.
	batchRequests = 30
	// With few batches the scatter is hardly known: as if one more difference had
	// shown bursts of 10. A run of one second is judged by that alone.
	priorEffect = 10.0
	priorWeight = 1.0
	// Neighbouring differences share a batch; m of them are worth 2/3 m.
	differenceWeight = 2.0 / 3
	// Beyond this it is no scatter any more: half a minute of refusals is a fault
	// of the service, not one unlucky draw.
	mostEffect = 20.0
)

// counter picks from a second the requests over one limit.
type counter func(Second) int64

// designEffect estimates the design effect of the requests over one limit, from 1 to
// mostEffect.
func designEffect(looks []Measurements, over counter, phases [][2]int) float64 {
	var k, n, seconds int64
	for _, m := range looks {
		for _, s := range m.Seconds {
			k += over(s)
			n += s.Due
		}
		seconds += int64(len(m.Seconds))
	}
	if n == 0 {
		return 1
	}
	length := int(max(1, math.Ceil(batchRequests*float64(seconds)/float64(n))))
	var sum float64
	var pairs int
	for _, m := range looks {
		var look float64 // added as a whole: the order of two looks changes no digit
		for _, p := range phases {
			s, c := differences(m.Seconds, over, min(p[0], len(m.Seconds)), min(p[1], len(m.Seconds)), length)
			look += s
			pairs += c
		}
		sum += look
	}
	weight := differenceWeight * float64(pairs)
	scatter := weight // nothing over the limit, or everything: as independent
	if k > 0 && k < n && pairs > 0 {
		p := float64(k) / float64(n)
		scatter = weight * sum / float64(pairs) / (p * (1 - p))
	}
	effect := (priorWeight*priorEffect + scatter) / (priorWeight + weight)
	return min(max(effect, 1), mostEffect)
}

// differences sums the squared differences of share between neighbouring batches of
// one phase, each scaled to the variance of one request.
func differences(seconds []Second, over counter, from, to, length int) (sum float64, pairs int) {
	var lastK, lastN float64
	for ; from+length <= to; from += length {
		var k, n float64
		for _, s := range seconds[from : from+length] {
			k += float64(over(s))
			n += float64(s.Due)
		}
		if n == 0 {
			continue
		}
		if lastN > 0 {
			d := k/n - lastK/lastN
			sum += d * d / (1/n + 1/lastN)
			pairs++
		}
		lastK, lastN = k, n
	}
	return sum, pairs
}

// phases cuts the measured seconds where a fault starts or ends. A second in which
// one does so inside is a phase of its own.
func phases(s *scenario.Scenario, seconds int) [][2]int {
	cut := make([]bool, seconds+1)
	cut[0], cut[seconds] = true, true
	mark := func(at float64) {
		for _, i := range []int{int(math.Floor(at)), int(math.Ceil(at))} {
			if i > 0 && i < seconds {
				cut[i] = true
			}
		}
	}
	warmup := 0.0
	if s.Load != nil {
		warmup = s.Load.Warmup.Seconds()
	}
	for _, e := range s.Timeline {
		if e.Action == scenario.ActionFault {
			mark(e.At.Seconds() - warmup)
			mark((e.At + e.For).Seconds() - warmup)
		}
	}
	var out [][2]int
	from := 0
	for i := 1; i <= seconds; i++ {
		if cut[i] {
			out = append(out, [2]int{from, i})
			from = i
		}
	}
	return out
}
