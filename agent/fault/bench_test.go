package fault

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// paths are the ways to the same service that are compared.
var paths = []struct {
	name    string
	address func(b *testing.B, service string) string
}{
	{"direct", func(_ *testing.B, service string) string { return service }},
	{"passed", func(b *testing.B, service string) string { return benchProxy(b, service).Addr().String() }},
	{"parsed", func(b *testing.B, service string) string {
		p := benchProxy(b, service)
		p.Prepare(scenario.FaultErrors)
		return p.Addr().String()
	}},
	{"fault", func(b *testing.B, service string) string {
		p := benchProxy(b, service)
		if _, err := p.Apply(Spec{Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 0.01}, Lease: time.Hour}); err != nil {
			b.Fatal(err)
		}
		return p.Addr().String()
	}},
}

func benchProxy(b *testing.B, service string) *Proxy {
	p, err := Listen(context.Background(), Config{
		Name: "b", Connection: "b", Listen: "127.0.0.1:0", Upstream: schemedHost("http", service),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	return p
}

func benchService(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":1,"name":"a small answer"}`)
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	b.Cleanup(func() { _ = srv.Close(); <-done })
	return l.Addr().String()
}

func benchGet(b *testing.B, c net.Conn, r *bufio.Reader) {
	if _, err := io.WriteString(c, "GET /v1/things/1 HTTP/1.1\r\nHost: bench\r\nAccept: */*\r\nUser-Agent: bench\r\n\r\n"); err != nil {
		b.Error(err)
		return
	}
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		b.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, res.Body)
}

// BenchmarkOne is one request at a time; the added latency is the difference to direct.
func BenchmarkOne(b *testing.B) {
	for _, path := range paths {
		b.Run(path.name, func(b *testing.B) {
			c, err := net.Dial("tcp", path.address(b, benchService(b)))
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			r := bufio.NewReader(c)
			took := make([]time.Duration, 0, b.N)
			b.ReportAllocs()
			for b.Loop() {
				t := time.Now()
				benchGet(b, c, r)
				took = append(took, time.Since(t))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
		})
	}
}

// BenchmarkMany is 32 connections, each with one request after the other.
func BenchmarkMany(b *testing.B) {
	for _, path := range paths {
		b.Run(path.name, func(b *testing.B) {
			address := path.address(b, benchService(b))
			b.SetParallelism(16) // of 2 processors
			b.RunParallel(func(pb *testing.PB) {
				c, err := net.Dial("tcp", address)
				if err != nil {
					b.Error(err)
					return
				}
				defer func() { _ = c.Close() }()
				r := bufio.NewReader(c)
				for pb.Next() {
					benchGet(b, c, r)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// BenchmarkDelay reports how far the mean delay is from the one asked for.
func BenchmarkDelay(b *testing.B) {
	p := benchProxy(b, benchService(b))
	a, err := p.Apply(Spec{Fault: scenario.Fault{Type: scenario.FaultLatency, Latency: 20 * time.Millisecond}, Lease: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	gone := make(chan struct{})
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			a.start(20*time.Millisecond, gone)()
		}
	})
	b.StopTimer()
	over := time.Duration(0)
	const n = 200
	for range n {
		t := time.Now()
		a.start(20*time.Millisecond, gone)()
		over += time.Since(t) - 20*time.Millisecond
	}
	b.ReportMetric(float64(over.Microseconds())/n, "us-late")
}

// BenchmarkH2 is 32 requests at a time on one connection, with the same paths.
func BenchmarkH2(b *testing.B) {
	for _, path := range paths {
		b.Run(path.name, func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			srv := &http.Server{Protocols: h2Protocols(), Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"id":1,"name":"a small answer"}`)
			})}
			done := make(chan struct{})
			go func() { defer close(done); _ = srv.Serve(l) }()
			defer func() { _ = srv.Close(); <-done }()
			tr := &http.Transport{Protocols: h2Protocols()}
			defer tr.CloseIdleConnections()
			target := "http://" + path.address(b, l.Addr().String()) + "/v1/things/1"
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					req, _ := http.NewRequest(http.MethodGet, target, nil)
					res, err := tr.RoundTrip(req)
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}
