package load_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/agent/load"
)

// BenchmarkRequest is what one request costs at rates that one agent sends, the server in
// the same process included: the rates of one table compare, the absolute figures do not
// carry over. late-p99-us is by how much the generator was late, sent/due whether it held
// the rate.
func BenchmarkRequest(b *testing.B) {
	for _, rate := range []float64{1000, 5000, 10000, 20000} {
		b.Run(fmt.Sprintf("rate=%v", rate), func(b *testing.B) {
			s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			defer s.Close()
			u, err := url.Parse(s.URL)
			if err != nil {
				b.Fatal(err)
			}
			request, err := http.NewRequest(http.MethodGet, s.URL, nil)
			if err != nil {
				b.Fatal(err)
			}
			p := load.Plan{
				Scheme: u.Scheme, Address: u.Host, Rate: rate, Warmup: time.Second,
				Duration: time.Second + time.Duration(float64(b.N)/rate*float64(time.Second)) + 1,
				Workers:  64, Timeout: 10 * time.Second, Drain: 10 * time.Second,
				Operations: []load.Operation{{Name: "get", Weight: 1, Requests: []*http.Request{request}}},
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b.ResetTimer()
			m, err := load.Run(context.Background(), p, time.Now().Add(p.Lead()), nil)
			b.StopTimer()
			if err != nil {
				b.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			r := m.Result()
			b.ReportMetric(float64(r.Measured.Accepted)/float64(r.Measured.Due), "accepted/due")
			b.ReportMetric(float64(r.Measured.Late)/float64(r.Measured.Due), "late/due")
			b.ReportMetric(1000*r.Latency.P50Ms, "p50-us")
			b.ReportMetric(1000*r.Latency.P99Ms, "p99-us")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(r.Measured.Sent), "B/request")
		})
	}
}
