package fault

import (
	"context"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/inorbit-hr/reliability/scenario"
)

func newGRPC(t *testing.T) (*health.Server, *Proxy, healthpb.HealthClient) {
	t.Helper()
	s := newService(t)
	srv, answers := grpc.NewServer(), health.NewServer()
	healthpb.RegisterHealthServer(srv, answers)
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(s.l) })
	t.Cleanup(func() { srv.Stop(); wg.Wait() })
	p := newProxy(t, s.url("grpc"), nil)
	c, err := grpc.NewClient(p.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return answers, p, healthpb.NewHealthClient(c)
}

func TestGRPCCodesAndStreamsPassOn(t *testing.T) {
	answers, p, c := newGRPC(t)
	p.Prepare(scenario.FaultErrors)
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if _, err := c.Check(ctx, &healthpb.HealthCheckRequest{}); err != nil {
		t.Error(err)
	}
	// An error without a body: the service's own trailers.
	if _, err := c.Check(ctx, &healthpb.HealthCheckRequest{Service: "none"}); status.Code(err) != codes.NotFound {
		t.Errorf("an unknown service: %v", err)
	}
	w, err := c.Watch(ctx, &healthpb.HealthCheckRequest{Service: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []healthpb.HealthCheckResponse_ServingStatus{
		healthpb.HealthCheckResponse_SERVICE_UNKNOWN, healthpb.HealthCheckResponse_SERVING, healthpb.HealthCheckResponse_NOT_SERVING,
	} {
		got, err := w.Recv() // each before the next is set
		if err != nil || got.Status != want {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
		answers.SetServingStatus("x", map[bool]healthpb.HealthCheckResponse_ServingStatus{
			true: healthpb.HealthCheckResponse_SERVING, false: healthpb.HealthCheckResponse_NOT_SERVING,
		}[want == healthpb.HealthCheckResponse_SERVICE_UNKNOWN])
	}
}

func TestGRPCErrorsHaveTheCodeOfTheStatus(t *testing.T) {
	_, p, c := newGRPC(t)
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	for injected, want := range map[int]codes.Code{
		400: codes.Internal, 401: codes.Unauthenticated, 403: codes.PermissionDenied, 404: codes.Unimplemented,
		429: codes.Unavailable, 500: codes.Unknown, 503: codes.Unavailable,
	} {
		a := apply(t, p, scenario.Fault{Type: scenario.FaultErrors, Rate: 1, Status: injected})
		if _, err := c.Check(ctx, &healthpb.HealthCheckRequest{}); status.Code(err) != want {
			t.Errorf("status %d: %v; want %v", injected, err, want)
		}
		wantCounts(t, a, 1, 1)
		a.Lift()
		if _, err := c.Check(ctx, &healthpb.HealthCheckRequest{}); err != nil {
			t.Errorf("after lifting: %v", err)
		}
	}
}

func TestGRPCShareIsExact(t *testing.T) {
	_, p, c := newGRPC(t)
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	for _, f := range []scenario.Fault{
		{Type: scenario.FaultErrors, Rate: 0.25},
		{Type: scenario.FaultDrop, Rate: 0.25},
	} {
		a := apply(t, p, f)
		var mu sync.Mutex
		failed := 0
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 50 {
					if _, err := c.Check(ctx, &healthpb.HealthCheckRequest{}); err != nil {
						mu.Lock()
						failed++
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		wantCounts(t, a, 400, 100)
		if failed != 100 {
			t.Errorf("%s: %d of 400 calls failed; want 100", f.Type, failed)
		}
		a.Lift()
	}
	if proof := prove(t, p); !proof.Proved {
		t.Errorf("after lifting: %+v", proof)
	}
}

func TestGRPCLatency(t *testing.T) {
	_, p, c := newGRPC(t)
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	a := apply(t, p, scenario.Fault{Type: scenario.FaultLatency, Latency: 3 * time.Millisecond, Jitter: time.Millisecond})
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if _, err := c.Check(ctx, &healthpb.HealthCheckRequest{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantCounts(t, a, 30, 30)
}
