package decide

import (
	"fmt"
	"time"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// breach tells the moment that a window broke the objective, and the fault that may
// have caused it.
func (e *evidence) breach(p *part, w window) (*run.Breach, string) {
	var warmup time.Duration
	if e.scenario.Load != nil {
		warmup = e.scenario.Load.Warmup
	}
	from := warmup + time.Duration(w.from)*time.Second
	at := warmup + time.Duration(w.to)*time.Second
	b := &run.Breach{
		AtMs:             at.Milliseconds(),
		AfterMeasuringMs: (at - warmup).Milliseconds(),
		WindowFromMs:     from.Milliseconds(),
		Part:             p.name,
		Limit:            p.limit,
		Samples:          w.n,
		Value:            1 - w.share(),
	}
	note := ""
	if p.name == "p99_ms" {
		v, cut, known := e.latency(w.from, w.to, 0.99)
		b.Value = v
		if cut {
			note = unanswered("p99", v, known)
		}
		if !known {
			b.Value = p.limit // nothing finite was seen; the note says so
		}
	}
	when := seconds(at.Seconds()) + " after the start"
	if i := latestFault(e.scenario.Timeline, from, at); i >= 0 {
		after := (at - e.scenario.Timeline[i].At).Milliseconds()
		b.Fault, b.AfterFaultMs = &i, &after
		when += fmt.Sprintf(" and %s after the start of the fault on %s", seconds(float64(after)/1000), e.scenario.Timeline[i].Target)
	}
	return b, join(fmt.Sprintf("%s broke %s: %s; %s of %d requests of the window were %s where %s may be (%s)",
		p.name, when, e.windowValue(p, w), percent(w.share()), w.n, p.counts(), percent(p.allowed.value), runs(len(e.looks))), note)
}

// latestFault is the index of the fault that starts last of those that overlap
// from:to, both from the run's start; -1 where none does.
func latestFault(timeline []scenario.Entry, from, to time.Duration) int {
	latest := -1
	for i, t := range timeline {
		if t.Action != scenario.ActionFault || t.At >= to || t.At+t.For <= from {
			continue
		}
		if latest < 0 || t.At >= timeline[latest].At {
			latest = i
		}
	}
	return latest
}

// mostQuantiles bounds how many windows are asked for their p99 to tell the worst:
// each asks for the merged latencies of a whole window, and two looks many times.
const mostQuantiles = 32

// worst tells the worst windows. The worst p99 is that of the windows with the most
// requests over the limit; where very many share that, of an even choice of them.
func (e *evidence) worst(r *run.ObjectiveResult, parts []*part, finds []found) {
	for i, p := range parts {
		f := finds[i]
		if f.worst == nil {
			continue
		}
		if p.name == "success_rate" {
			v := 1 - f.worst.share()
			r.WorstSuccessRate = &v
			continue
		}
		most := max(1, mostQuantiles/len(e.looks))
		step := (len(f.level) + most - 1) / most
		for j := 0; j < len(f.level); j += step {
			v, _, known := e.latency(f.level[j].from, f.level[j].to, 0.99)
			if known && (r.WorstP99Ms == nil || v > *r.WorstP99Ms) {
				r.WorstP99Ms = &v
			}
		}
	}
}

// suspects counts the windows that are over any limit and certain of none.
func suspects(finds []found) int {
	ends := map[int]bool{}
	for _, f := range finds {
		for _, w := range f.suspect {
			ends[w.to] = true
		}
	}
	return len(ends)
}
