package agent

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/inorbit-hr/reliability/run"
)

func TestCounterAddsUpWhatItIsAskedFor(t *testing.T) {
	const text = `# TYPE http_requests_total counter
http_requests_total{method="GET",code="200"} 10
http_requests_total{method="GET",code="500"} 2
http_requests_total{method="POST",code="200"} 5
# TYPE latency_seconds histogram
latency_seconds_bucket{le="1"} 3
latency_seconds_bucket{le="+Inf"} 4
latency_seconds_sum 2
latency_seconds_count 4
# TYPE goroutines gauge
goroutines 7
plain 3
`
	for name, c := range map[string]struct {
		counter Counter
		want    float64
		err     string
	}{
		"all":       {Counter{Metric: "http_requests_total"}, 17, ""},
		"labels":    {Counter{Metric: "http_requests_total", Labels: map[string]string{"method": "GET", "code": "500"}}, 2, ""},
		"no series": {Counter{Metric: "http_requests_total", Labels: map[string]string{"method": "PUT"}}, 0, ""},
		"histogram": {Counter{Metric: "latency_seconds"}, 4, ""},
		"untyped":   {Counter{Metric: "plain"}, 3, ""},
		"gauge":     {Counter{Metric: "goroutines"}, 0, "the metric goroutines is no counter"},
		"missing":   {Counter{Metric: "nothing_total"}, 0, "the service has no metric nothing_total"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.counter.sum(strings.NewReader(text))
			if got != c.want || (err != nil) != (c.err != "") || err != nil && err.Error() != c.err {
				t.Errorf("%v, %v, want %v, %q", got, err, c.want, c.err)
			}
		})
	}
	if _, err := (&Counter{Metric: "a"}).sum(strings.NewReader("<html>")); err == nil {
		t.Error("a page was read as metrics")
	}
}

// A service that loses requests on their way in answers them all, and is found out by
// what it counted.
func TestWhatWasSentBesideWhatTheServiceCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		every   int64 // which requests are not counted; 0 for none
		outcome run.Outcome
	}{"all counted": {0, run.OutcomePass}, "a tenth lost": {10, run.OutcomeFail}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n, counted atomic.Int64
			s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/metrics" {
					fmt.Fprintf(w, "# TYPE requests_total counter\nrequests_total %d\n", counted.Load())
					return
				}
				if r.Method != http.MethodGet {
					return
				}
				if c.every == 0 || n.Add(1)%c.every != 0 {
					counted.Add(1)
				}
			}, nil)
			s.agent.connections["api"].Counter = &Counter{Path: "/metrics", Metric: "requests_total"}
			var r record
			outcome, reason, result := s.agent.Run(t.Context(), Work{ID: "1", File: file(t, head+loadText+`
[assertions]
max_uncounted = 0.01
`)}, r.report)
			if outcome != c.outcome || result.Load.Counted == nil {
				t.Fatalf("%s: %s, %+v", outcome, reason, result.Load)
			}
			if want := int64(400) - map[bool]int64{true: 60, false: 0}[c.every > 0]; *result.Load.Counted != want {
				t.Errorf("%d counted, want %d", *result.Load.Counted, want)
			}
		})
	}
}
