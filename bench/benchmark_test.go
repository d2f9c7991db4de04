package bench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/runclient"
)

// openForBenchmark opens a bench on a file whose agent passes at once.
func openForBenchmark(b *testing.B, agent *fakeAgent) *runclient.Client {
	b.Helper()
	config, err := bench.LoadConfig(func(string) ([]byte, error) {
		return []byte(configText[:len("format = 1\n")] + `
account.name = "sample"
plan = { runs_an_hour = 1000000 }
[environments.staging]
[agents.local]
[connections.api-staging]
environment = "staging"
protocol = "http"
address = "http://127.0.0.1:1"
contract = "x"
agent = "local"
`), nil
	}, "bench.toml")
	if err != nil {
		b.Fatal(err)
	}
	opened, err := bench.Open(b.Context(), bench.Options{
		Config: config, Store: b.TempDir() + "/bench.db",
		NewAgent: func(context.Context, *bench.Config, string) (bench.Agent, error) { return agent, nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := opened.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	client, err := runclient.New(runclient.Options{URL: opened.URL(), Token: opened.Token()})
	if err != nil {
		b.Fatal(err)
	}
	return client
}

// BenchmarkStartToRunning is from asking for a run on an idle bench, over the API and a
// file, until its agent works.
func BenchmarkStartToRunning(b *testing.B) {
	agent := newFakeAgent()
	client := openForBenchmark(b, agent)
	v, err := client.Upload(b.Context(), scenarioText("a", "api-staging"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := client.Start(b.Context(), run.StartRequest{Version: v.Sha256})
		if err != nil {
			b.Fatal(err)
		}
		<-agent.started
		b.StopTimer()
		for _, err := range client.Follow(b.Context(), r.ID, "") {
			if err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
	}
}

// BenchmarkUploadOfAKnownVersion is an upload over the API of what is there.
func BenchmarkUploadOfAKnownVersion(b *testing.B) {
	client := openForBenchmark(b, newFakeAgent())
	source := scenarioText("a", "api-staging")
	for b.Loop() {
		if _, err := client.Upload(b.Context(), source); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkQueueOf1000 is from asking for the first of 1,000 runs until the last ended.
func BenchmarkQueueOf1000(b *testing.B) {
	agent := newFakeAgent()
	client := openForBenchmark(b, agent)
	v, err := client.Upload(b.Context(), scenarioText("a", "api-staging"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		last := ""
		for i := range 1000 {
			r, err := client.Start(b.Context(), run.StartRequest{Version: v.Sha256, Source: run.Source{Path: fmt.Sprint(i)}})
			if err != nil {
				b.Fatal(err)
			}
			last = r.ID
		}
		for _, err := range client.Follow(b.Context(), last, "") {
			if err != nil {
				b.Fatal(err)
			}
		}
		for range 1000 {
			<-agent.started
		}
	}
}
