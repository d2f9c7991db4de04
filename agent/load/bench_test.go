package load_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/agent/load"
)

// benchPlan is a load on a server that answers at once unless handler says otherwise.
func benchPlan(b *testing.B, rate float64, handler http.HandlerFunc) load.Plan {
	s := httptest.NewServer(handler)
	b.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		b.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodGet, s.URL, nil)
	if err != nil {
		b.Fatal(err)
	}
	return load.Plan{
		Scheme: u.Scheme, Address: u.Host, Rate: rate, Workers: 64, Timeout: 10 * time.Second, Drain: 10 * time.Second,
		Operations: []load.Operation{{Name: "get", Weight: 1, Requests: []*http.Request{request}}},
	}
}

// BenchmarkRequest is what one request costs at rates that one agent sends, the server in
// the same process included: the rates of one table compare, the absolute figures do not
// carry over. late/due is the share that the generator itself sent over 10 ms late.
func BenchmarkRequest(b *testing.B) {
	for _, rate := range []float64{1000, 5000, 10000, 20000} {
		b.Run(fmt.Sprintf("rate=%v", rate), func(b *testing.B) {
			p := benchPlan(b, rate, func(http.ResponseWriter, *http.Request) {})
			p.Warmup = time.Second
			p.Duration = p.Warmup + time.Duration(float64(b.N)/rate*float64(time.Second)) + 1
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

// BenchmarkStall is a service that gives no answer for a second in the middle of the load.
// told/true-p99 is what the generator makes of it: what falls due in the stall waits for
// its end, so the true p99 follows from the two lengths alone.
func BenchmarkStall(b *testing.B) {
	for _, rate := range []float64{1000, 5000} {
		b.Run(fmt.Sprintf("rate=%v", rate), func(b *testing.B) {
			for b.Loop() {
				stall(b, rate)
			}
		})
	}
}

func stall(b *testing.B, rate float64) {
	const at, length, whole = 4 * time.Second, time.Second, 8 * time.Second
	var gate sync.RWMutex
	p := benchPlan(b, rate, func(http.ResponseWriter, *http.Request) {
		gate.RLock()
		defer gate.RUnlock()
	})
	p.Duration = whole
	start := time.Now().Add(p.Lead())
	opened := make(chan struct{})
	time.AfterFunc(time.Until(start.Add(at)), func() {
		gate.Lock()
		time.AfterFunc(time.Until(start.Add(at+length)), func() {
			gate.Unlock()
			close(opened)
		})
	})
	m, err := load.Run(context.Background(), p, start, nil)
	if err != nil {
		b.Fatal(err)
	}
	<-opened
	truth := length - whole/100 // 1 % of all requests fell due before that much of it was left
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(m.Result().Latency.P99Ms/(1000*truth.Seconds()), "told/true-p99")
	b.ReportMetric(float64(memory.Sys)/(1<<20), "MB")
}
