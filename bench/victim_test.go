package bench_test

import (
	"context"
	"fmt"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/runclient"
)

// victimFile is the variable that makes the test binary a bench on that file: one run
// is running, one is queued, and it waits to be killed.
const victimFile = "RELIABILITY_TEST_VICTIM"

func victim(file string) error {
	ctx := context.Background()
	agent := newFakeAgent()
	agent.script = untilCancelled
	config, err := bench.LoadConfig(func(string) ([]byte, error) { return []byte(configText), nil }, "bench.toml")
	if err != nil {
		return err
	}
	b, err := bench.Open(ctx, bench.Options{
		Config: config, Store: file,
		NewAgent: func(context.Context, *bench.Config, string) (bench.Agent, error) { return agent, nil },
	})
	if err != nil {
		return err
	}
	client, err := runclient.New(runclient.Options{URL: b.URL(), Token: b.Token()})
	if err != nil {
		return err
	}
	v, err := client.Upload(ctx, scenarioText("a", "api-staging"))
	if err != nil {
		return err
	}
	var runs []run.Run
	for _, path := range []string{"a", "b"} {
		r, err := client.Start(ctx, run.StartRequest{Version: v.Sha256, Source: change(path), Holder: "h"})
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	for e, err := range client.Follow(ctx, runs[0].ID, "h") {
		if err != nil {
			return err
		}
		if e.Type == run.EventTypeSecond {
			fmt.Printf("runs %s %s\n", runs[0].ID, runs[1].ID)
		}
	}
	return nil
}
