package fault_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/inorbit-hr/reliability/agent/fault"
	"github.com/inorbit-hr/reliability/scenario"
)

func Example() {
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer service.Close()
	upstream, _ := url.Parse(service.URL)

	ctx := context.Background()
	p, err := fault.Listen(ctx, fault.Config{
		Name: "engine", Connection: "engine-staging", Listen: "127.0.0.1:0", Upstream: upstream,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = p.Close() }()

	p.Prepare(scenario.FaultErrors) // from the run's start
	defer p.Relax()
	a, err := p.Apply(fault.Spec{
		Fault: scenario.Fault{Type: scenario.FaultErrors, Rate: 0.25},
		Lease: 10 * time.Second, // renewed by a.Renew
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 8 {
		res, err := http.Get("http://" + p.Addr().String())
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = res.Body.Close()
	}
	a.Lift()
	met, affected := a.Counts()
	fmt.Println(met, affected)
	fmt.Println(p.Prove(ctx).Proved)
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// 8 2
	// true
}
