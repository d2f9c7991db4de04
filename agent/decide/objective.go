package decide

import (
	"fmt"
	"math"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// part is one of the two halves of an objective.
type part struct {
	name    string // the key of [objective]
	limit   float64
	need    string // what needs samples
	over    counter
	allowed share
	needed  int64 // requests of a window to judge it
	effect  float64
	level   float64
}

func (e *evidence) parts(o *scenario.Objective, length int) []*part {
	var out []*part
	// A request that is not accepted is over the latency limit too: where both
	// break in the same second, the success rate says more.
	if o.SuccessRate > 0 {
		out = append(out, &part{name: "success_rate", limit: o.SuccessRate, over: errorsOf,
			need:    fmt.Sprintf("a success rate of %s", percent(o.SuccessRate)),
			allowed: decimal(o.SuccessRate).complement()})
	}
	if o.P99 > 0 {
		out = append(out, &part{name: "p99_ms", limit: o.P99, over: func(s Second) int64 { return s.Over.Objective },
			need: "a p99", allowed: decimal(0.01)})
	}
	for _, p := range out {
		p.needed = p.allowed.needed()
		p.effect = designEffect(e.looks, p.over, e.phases)
		p.level = e.windowLevel(length)
	}
	return out
}

// windowLevel is the level at which one window is certain, such that all windows of a
// look together are wrong no more often than one assertion. A run that was cut short
// is held to the windows that it was to have, since nobody chose to stop there.
func (e *evidence) windowLevel(length int) float64 {
	windows := max(e.seconds, int(e.planned)) - length + 1
	return level / float64(max(windows, 1))
}

// window is one part over the seconds from:to of the measured time.
type window struct {
	from, to int
	n, k     int64
}

func (w window) share() float64 { return float64(w.k) / float64(w.n) }

// found is what the windows of one part say.
type found struct {
	judged  int
	most    int64    // requests in the fullest window
	suspect []window // over the limit, not certain
	broken  *window  // the first that is certain
	worst   *window  // the greatest share over the limit
	level   []window // all with the share of worst
}

// objective judges an objective over every window that ends on a whole second behind
// warm-up plus one window. The counts are by the second, so a window that is not whole
// seconds long is judged over the next longer one.
func (e *evidence) objective(o *scenario.Objective) *run.ObjectiveResult {
	r := &run.ObjectiveResult{Decision: run.DecisionUndecided, WindowMs: o.Window.Milliseconds()}
	length := int(math.Ceil(o.Window.Seconds()))
	if length < 1 {
		r.Reason = "the window has no length"
		return r
	}
	parts := e.parts(o, length)
	finds := make([]found, len(parts))
	for i, p := range parts {
		finds[i] = e.slide(p, length)
		if i == 0 || finds[i].judged < r.Windows {
			r.Windows = finds[i].judged
		}
	}
	r.Suspect = suspects(finds)
	e.worst(r, parts, finds)
	e.decideObjective(r, o, length, parts, finds)
	return r
}

func (e *evidence) decideObjective(r *run.ObjectiveResult, o *scenario.Objective, length int, parts []*part, finds []found) {
	if e.unfit != "" {
		r.Reason = e.unfit
		return
	}
	var first *part
	var broken *window
	for i, p := range parts {
		if b := finds[i].broken; b != nil && (broken == nil || b.to < broken.to) {
			first, broken = p, b
		}
	}
	if broken != nil {
		r.Decision = run.DecisionFail
		r.Breach, r.Reason = e.breach(first, *broken)
		return
	}
	if e.short != "" {
		r.Reason = e.short
		return
	}
	for i, p := range parts {
		if r.Reason = e.tooThin(p, finds[i], o, length); r.Reason != "" {
			return
		}
	}
	if len(parts) == 0 {
		r.Reason = "it names no limit"
		return
	}
	r.Decision = run.DecisionPass
	for i, p := range parts {
		if len(finds[i].suspect) > 0 {
			r.Decision = run.DecisionBorderline
			r.Reason = join(r.Reason, e.unsure(p, finds[i]))
		}
	}
}

// slide takes one part over all windows.
func (e *evidence) slide(p *part, length int) found {
	var f found
	whole := e.wholeSeconds()
	w := window{}
	for _, m := range e.looks {
		for _, s := range within(m, 0, min(length-1, whole)) {
			w.n, w.k = w.n+s.Due, w.k+p.over(s)
		}
	}
	for to := length; to <= whole; to++ {
		w.from, w.to = to-length, to
		n, k := e.sum(to-1, to, p.over)
		w.n, w.k = w.n+n, w.k+k
		e.look(p, &f, w)
		n, k = e.sum(w.from, w.from+1, p.over)
		w.n, w.k = w.n-n, w.k-k
	}
	return f
}

// look judges one window.
func (e *evidence) look(p *part, f *found, w window) {
	f.most = max(f.most, w.n)
	length := float64(w.to - w.from)
	expected := length * float64(len(e.looks))
	if e.scenario.Load != nil {
		expected *= e.scenario.Load.MeanRate()
	}
	if w.n == 0 || !e.enough(w.n, p.needed, expected) {
		return
	}
	f.judged++
	switch {
	case f.worst == nil || w.share() > f.worst.share():
		f.worst, f.level = &w, []window{w}
	case w.share() == f.worst.share():
		f.level = append(f.level, w)
	}
	if !p.allowed.below(w.k, w.n) {
		return
	}
	if !certain(w.k, w.n, p.effect, p.allowed.value, p.level) {
		f.suspect = append(f.suspect, w)
		return
	}
	if f.broken == nil {
		f.broken = &w
	}
}

// wholeSeconds is how many whole seconds the longest look measured.
func (e *evidence) wholeSeconds() int {
	whole := 0
	for _, m := range e.looks {
		n := len(m.Seconds)
		if f := int(math.Floor(m.WholeTime + 1e-6)); f < n {
			n = f
		}
		whole = max(whole, n)
	}
	return whole
}

// tooThin says why the windows of a part cannot pass; empty where they can. Half of
// the windows need requests enough: under a growing load the first ones may not.
func (e *evidence) tooThin(p *part, f found, o *scenario.Objective, length int) string {
	windows := e.wholeSeconds() - length + 1
	window := seconds(o.Window.Seconds())
	switch {
	case windows < 1:
		return fmt.Sprintf("no whole window of %s was measured: the measured time is %s", window, seconds(float64(e.wholeSeconds())))
	case f.judged == 0:
		return fmt.Sprintf("%s needs at least %d measured requests in a window of %s; in the fullest %s", p.need, p.needed, window, measured(f.most))
	case 2*f.judged < windows:
		return fmt.Sprintf("%s needs at least %d measured requests in a window of %s; only %d of %d windows had them", p.need, p.needed, window, f.judged, windows)
	}
	return ""
}

// unsure says what is suspect of a part, and what would decide.
func (e *evidence) unsure(p *part, f found) string {
	w := f.suspect[0]
	for _, s := range f.suspect {
		if s.share() > w.share() {
			w = s
		}
	}
	low, high := interval(float64(w.k)/p.effect, float64(w.n)/p.effect)
	return fmt.Sprintf("%d of %d windows %s over %s, but not for certain; the worst ends %s after the start with %s: %s of %d requests were %s where %s may be (95 %% interval %s to %s, worth %d independent requests, %s); %s",
		len(f.suspect), f.judged, verb(len(f.suspect)), p.name, seconds(e.warmup()+float64(w.to)), e.windowValue(p, w),
		percent(w.share()), w.n, p.counts(), percent(p.allowed.value), percent(low), percent(high),
		int64(float64(w.n)/p.effect), runs(len(e.looks)), decider(more(w.k, w.n, p.effect, p.allowed.value, p.level), "rate or window"))
}

// counts says what the requests over the limit of a part are.
func (p *part) counts() string {
	if p.name == "p99_ms" {
		return fmt.Sprintf("above %s ms", number(p.limit))
	}
	return "not accepted"
}

func (e *evidence) windowValue(p *part, w window) string {
	if p.name != "p99_ms" {
		return "success rate " + percent(1-w.share())
	}
	v, cut, known := e.latency(w.from, w.to, 0.99)
	if cut || !known {
		return "p99 of requests without an accepted answer"
	}
	return "p99 " + number(v) + " ms"
}

func (e *evidence) warmup() float64 {
	if e.scenario.Load == nil {
		return 0
	}
	return e.scenario.Load.Warmup.Seconds()
}
