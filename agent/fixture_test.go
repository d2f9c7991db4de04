package agent

import (
	"context"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/examples/staging"
	"github.com/inorbit-hr/reliability/scenario"
)

// shop is a contract with what the sample's lack.
const shop = `openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    delete:
      operationId: orders.delete
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "204": { description: Gone } }
  /stock/{id}:
    get:
      operationId: stock.get
      parameters: [{ name: id, in: path, required: true, schema: {} }]
      responses: { "200": { description: The stock } }
`

// secretHost stands in every address of a test, secretToken in every credential: no
// message may have them.
const (
	secretHost  = "service.internal.example"
	secretToken = "t0ken-of-a-test"
)

func readContract(path string) ([]byte, error) {
	switch path {
	case "contracts/shop.yaml":
		return []byte(shop), nil
	case "contracts/api.yaml", "contracts/engine.yaml":
		return staging.Contracts.ReadFile(path)
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

// sampleConfig is that of the sample, with connections of every protocol beside it.
func sampleConfig() Config {
	cfg := Config{
		Name: "local",
		Read: readContract,
		Getenv: func(name string) string {
			if name == "API_TOKEN" {
				return secretToken
			}
			return ""
		},
		Connections: []Connection{
			{Name: "public-api-staging", Environment: "staging", Protocol: "http", Address: "http://" + secretHost, Contract: "contracts/api.yaml", Agent: "local", CredentialEnv: "API_TOKEN"},
			{
				Name: "engine-staging", Environment: "staging", Protocol: "http", Address: "http://" + secretHost + ":8081", Contract: "contracts/engine.yaml",
				Proxy: &Proxy{Name: "engine", Listen: "127.0.0.1:0"},
			},
			{Name: "engine-production", Environment: "production", Protocol: "http", Address: "http://" + secretHost + ":8081", Contract: "contracts/engine.yaml"},
			{Name: "shop-staging", Environment: "staging", Protocol: "http", Address: "http://" + secretHost, Contract: "contracts/shop.yaml"},
			{
				Name: "store-staging", Environment: "staging", Protocol: "tcp", Address: "tcp://" + secretHost + ":5432",
				Proxy: &Proxy{Name: "store", Listen: "127.0.0.1:0"},
			},
			{Name: "ledger-staging", Environment: "staging", Protocol: "grpc", Address: "grpc://" + secretHost + ":9090", Proxy: &Proxy{Name: "ledger", Listen: "127.0.0.1:0"}},
			{Name: "hidden-staging", Environment: "staging", Protocol: "http", Address: "http://" + secretHost, Contract: "contracts/api.yaml"},
		},
	}
	cfg.Policy.SetDefaults()
	cfg.Policy.Connections = []string{"public-api-staging", "engine-staging", "engine-production", "shop-staging", "store-staging", "ledger-staging"}
	cfg.Policy.Faults = []string{"latency", "errors"}
	cfg.Policy.Writes = []string{"orders.create"}
	cfg.Policy.FaultBudget = 2 * time.Minute
	return cfg
}

func newAgent(t *testing.T, cfg Config) *Agent {
	t.Helper()
	a, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}

func file(t *testing.T, source string) *scenario.File {
	t.Helper()
	f := scenario.Check([]byte(source))
	if !f.OK() {
		t.Fatalf("the file of the test is refused offline: %+v", f.Diagnostics)
	}
	return f
}
