package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/inorbit-hr/reliability/agent/load"
)

// ownReport is what the own generator tells of a load.
type ownReport struct {
	P99Ms float64 `json:"p99_ms"`
	Late  int64   `json:"late"`
}

// own sends one load and writes its report as JSON.
func own(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("own", flag.ExitOnError)
	rate := flags.Float64("rate", 1000, "requests a second")
	length := flags.Duration("for", 5*time.Second, "how long")
	target := flags.String("url", "", "where to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	u, err := url.Parse(*target)
	if err != nil {
		return fmt.Errorf("-url: %w", err)
	}
	request, err := http.NewRequest(http.MethodGet, *target, nil)
	if err != nil {
		return fmt.Errorf("-url: %w", err)
	}
	p := load.Plan{
		Scheme: u.Scheme, Address: u.Host, Rate: *rate, Duration: *length, Workers: connections, Timeout: 10 * time.Second, Drain: 10 * time.Second,
		Operations: []load.Operation{{Name: "get", Weight: 1, Requests: []*http.Request{request}}},
	}
	m, err := load.Run(ctx, p, time.Now().Add(p.Lead()), nil)
	if err != nil {
		return err
	}
	r := m.Result()
	return json.NewEncoder(os.Stdout).Encode(ownReport{P99Ms: r.Latency.P99Ms, Late: r.Measured.Late})
}
