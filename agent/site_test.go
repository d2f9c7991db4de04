package agent

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

const contractText = `
openapi: 3.0.3
info: { title: sample, version: "1" }
paths:
  /things:
    get:
      operationId: things.list
      responses:
        "200":
          description: all things
          content: { application/json: { schema: { type: array, items: { type: string } } } }
`

// site is an api in front of an engine, which it reaches through the agent's proxy.
type site struct {
	agent       *Agent
	api, engine *httptest.Server
}

// newSite starts both and an agent; a nil handler takes the plain one.
func newSite(t *testing.T, api, engine http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	if engine == nil {
		engine = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `["anchor"]`)
		}
	}
	s.engine = httptest.NewServer(engine)
	t.Cleanup(s.engine.Close)
	var proxy string
	if api == nil {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		t.Cleanup(client.CloseIdleConnections)
		api = func(w http.ResponseWriter, r *http.Request) {
			answer, err := client.Get("http://" + proxy + "/things")
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `["anchor"]`)
		}
	}
	s.api = httptest.NewServer(api)
	t.Cleanup(s.api.Close)
	s.agent = newAgent(t, siteConfig(s.api.URL, s.engine.URL))
	s.agent.lateAfter = time.Hour // how busy the machine is, is not what is tested
	proxy = s.agent.connections["engine"].proxy.Addr().String()
	return s
}

func siteConfig(api, engine string) Config {
	cfg := Config{
		Name: "local",
		Connections: []Connection{
			{Name: "api", Environment: "staging", Protocol: "http", Address: api, Contract: "api.yaml"},
			{Name: "engine", Environment: "staging", Protocol: "http", Address: engine, Contract: "engine.yaml",
				Proxy: &Proxy{Name: "engine", Listen: "127.0.0.1:0"}},
		},
		Read:   func(string) ([]byte, error) { return []byte(contractText), nil },
		Getenv: func(string) string { return "" },
	}
	cfg.Policy.SetDefaults()
	cfg.Policy.Connections, cfg.Policy.Faults = []string{"api", "engine"}, FaultTypes
	return cfg
}

const head = `
[scenario]
format = 1
name = "sample"
environment = "staging"

[targets]
api = { connection = "api" }
engine = { connection = "engine", proxy = "engine" }
`

// record keeps the events of a run.
type record struct {
	mu     sync.Mutex
	events []run.RunEvent
	on     func(run.RunEvent)
}

func (r *record) report(e run.RunEvent) {
	r.mu.Lock()
	r.events = append(r.events, e)
	on := r.on
	r.mu.Unlock()
	if on != nil {
		on(e)
	}
}

func (r *record) count(kind run.EventType) (n int) {
	for _, e := range r.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

const loadText = `
[load]
target = "api"
rate = 200
duration = "3s"
warmup = "1s"
max_in_flight = 64
operations = [{ openapi = "things.list" }]
`
