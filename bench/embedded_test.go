package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/run"
)

const contractText = `openapi: 3.0.3
info: { title: Orders, version: "1" }
paths:
  /orders/{id}:
    get:
      operationId: orders.get
      parameters: [{ name: id, in: path, required: true, schema: { type: string }, example: path-marker }]
      responses:
        "200":
          description: An order
          content: { application/json: { schema: { type: object, required: [note], properties: { note: { type: string } } } } }
`

// A full run by the agent that a bench embeds leaves nothing of the service's address,
// its credential or its answers anywhere.
func TestNothingOfAServiceIsKept(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer credential-marker" {
			http.Error(w, "body-marker: who are you", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Header-Marker", "header-marker")
		fmt.Fprintln(w, `{"note":"body-marker"}`)
	}))
	defer service.Close()
	files := map[string]string{"contract.yaml": contractText, "bench.toml": `format = 1
account.name = "sample"
[environments.staging]
[agents.local.policy]
connections = ["orders"]
faults = ["errors"]
[connections.orders]
environment = "staging"
protocol = "http"
address = "` + service.URL + `"
contract = "contract.yaml"
agent = "local"
credential_env = "ORDERS_TOKEN"
proxy = { name = "orders", listen = "127.0.0.1:0" }
`}
	config, err := bench.LoadConfig(func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}, "bench.toml")
	if err != nil {
		t.Fatal(err)
	}
	file, log := storeFile(t), &bytes.Buffer{}
	b := open(t, nil, withConfig(config), withFile(file), withLog(log), func(o *bench.Options) {
		o.NewAgent = bench.Embedded(func(name string) string { return map[string]string{"ORDERS_TOKEN": "credential-marker"}[name] })
	})
	source := []byte(`[scenario]
format = 1
name = "whole"
environment = "staging"

[targets]
orders = { connection = "orders", proxy = "orders" }

[load]
target = "orders"
rate = 50
duration = "3s"

[[load.operations]]
openapi = "orders.get"

[[timeline]]
at = "1s"
action = "fault"
target = "orders"
fault = { type = "errors", rate = 0.5 }
for = "1s"

[assertions]
max_error_rate = 0.9
checks = ["surfaces"]
`)
	r := b.start(t, source, run.StartRequest{Holder: "h"})
	events := b.follow(t, r.ID, "h")
	got, err := b.client.Get(t.Context(), r.ID)
	if err != nil || got.Result == nil || got.Result.Load == nil || got.Result.Load.Measured.Sent == 0 {
		t.Fatalf("the run measured nothing: %+v, %v", got, err)
	}
	connections, err := b.client.Connections(t.Context())
	if err != nil || len(connections) != 1 || connections[0].Operations[0] != "orders.get" {
		t.Fatalf("%+v, %v", connections, err)
	}
	list, err := b.client.List(t.Context(), run.ListRunsParams{})
	if err != nil {
		t.Fatal(err)
	}
	places := map[string][]byte{}
	for name, answer := range map[string]any{"events": events, "run": got, "connections": connections, "list": list} {
		if places[name], err = json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
	}
	// The service is gone: what the run after it fails with is told without its address.
	service.Close()
	second := b.start(t, source, run.StartRequest{})
	if places["events of a run without service"], err = json.Marshal(b.follow(t, second.ID, "")); err != nil {
		t.Fatal(err)
	}
	if err := b.Bench.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	places["log"] = log.Bytes()
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		if places[name], err = os.ReadFile(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(places[file], []byte("orders.get")) {
		t.Error("the database does not hold the run: the test looks at the wrong place")
	}
	address := strings.TrimPrefix(service.URL, "http://")
	for place, content := range places {
		for _, marker := range []string{address, "credential-marker", "ORDERS_TOKEN", "body-marker", "header-marker", "who are you", b.Token()} {
			if bytes.Contains(content, []byte(marker)) {
				i := bytes.Index(content, []byte(marker))
				t.Errorf("%s has %q: ...%s...", place, marker, content[max(0, i-100):min(len(content), i+100)])
			}
		}
	}
}
