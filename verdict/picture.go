package verdict

import (
	"time"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// MaxPoints bounds the points of a Picture: more are not told apart on a page.
const MaxPoints = 60

// longest is the latest second that a picture shows: twice the longest load that a
// scenario may have.
const longest = 48 * time.Hour

// Picture is latency and errors over the run, thinned to at most MaxPoints points.
// Times are milliseconds from the run's start.
type Picture struct {
	Step   int64    `json:"step_ms"` // what one point covers
	Points []Point  `json:"points"`  // in order, without gaps
	Faults []Shade  `json:"faults"`
	Breach *int64   `json:"breach_ms"`
	Limit  *float64 `json:"limit_ms"` // of p99
}

// Point is one stretch of the run.
type Point struct {
	P99      float64 `json:"p99_ms"` // of the worst second
	Requests int64   `json:"requests"`
	Errors   int64   `json:"errors"`
	Warmup   bool    `json:"warmup"` // sent and not counted
}

// Shade is when a fault was active.
type Shade struct {
	Type string `json:"type"`
	From int64  `json:"from_ms"`
	To   int64  `json:"to_ms"`
}

// picture draws a run; nil where it has no seconds.
func picture(s *scenario.Scenario, r *run.Result) *Picture {
	if r.Load == nil {
		return nil
	}
	end := int64(0)
	for _, sec := range r.Load.Seconds {
		if drawable(sec) {
			end = max(end, sec.FromMs+1000)
		}
	}
	if end == 0 {
		return nil
	}
	p := &Picture{Step: 1000 * max(1, (end+1000*MaxPoints-1)/(1000*MaxPoints)), Limit: limitP99(s)}
	p.Points = make([]Point, (end+p.Step-1)/p.Step)
	for _, sec := range r.Load.Seconds {
		if !drawable(sec) {
			continue
		}
		at := &p.Points[sec.FromMs/p.Step]
		at.P99 = max(at.P99, orZero(sec.P99Ms))
		at.Requests += sec.Due
		at.Errors += sec.Errors
		at.Warmup = at.Warmup || sec.Warmup
	}
	for _, f := range r.Faults {
		if f.AppliedMs == nil {
			continue
		}
		shade := Shade{Type: plain(f.Type, maxName), From: max(0, *f.AppliedMs), To: end}
		if f.LiftedMs != nil {
			shade.To = min(end, *f.LiftedMs)
		}
		if shade.From < shade.To {
			p.Faults = append(p.Faults, shade)
		}
	}
	if o := r.Objective; o != nil && o.Breach != nil {
		at := o.Breach.AtMs
		p.Breach = &at
	}
	return p
}

func drawable(s run.Second) bool {
	return s.FromMs >= 0 && s.FromMs <= longest.Milliseconds()
}

// limitP99 is the lower of the limits that the file sets on p99.
func limitP99(s *scenario.Scenario) *float64 {
	var limit *float64
	if v, ok := s.Assertions.Limit(scenario.MaxP99); ok {
		limit = finite(&v)
	}
	if o := s.Objective; o != nil && o.P99 > 0 && (limit == nil || o.P99 < *limit) {
		limit = finite(&o.P99)
	}
	return limit
}
