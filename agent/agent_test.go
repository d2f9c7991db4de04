package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// secrets fails on a text that holds an address or a credential.
func secrets(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{secretHost, secretToken, "internal.example"} {
		if strings.Contains(text, secret) {
			t.Errorf("a text for users holds %q: %s", secret, text)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"rate":                {func(c *Config) { c.Policy.MaxRate = 0 }, "policy.max_rate: must be above 0 requests a second"},
		"rate is no number":   {func(c *Config) { c.Policy.MaxRate = math.NaN() }, "policy.max_rate: must be above 0 requests a second"},
		"duration":            {func(c *Config) { c.Policy.MaxDuration = 25 * time.Hour }, "policy.max_duration: must be above 0 and at most 24h"},
		"in flight":           {func(c *Config) { c.Policy.MaxInFlight = 0 }, "policy.max_in_flight: must be at least 1"},
		"budget":              {func(c *Config) { c.Policy.FaultBudget = -1 }, "policy.fault_budget: must not be negative"},
		"request timeout":     {func(c *Config) { c.Policy.RequestTimeout = 0 }, "policy.request_timeout: must be above 0 and at most 5m"},
		"drain":               {func(c *Config) { c.Policy.Drain = 6 * time.Minute }, "policy.drain: must be above 0 and at most 5m"},
		"fault":               {func(c *Config) { c.Policy.Faults = []string{"latency", "latancy"} }, `policy.faults[1]: unknown fault "latancy"; did you mean "latency"?; one of: latency, errors, drop`},
		"write":               {func(c *Config) { c.Policy.Writes = []string{" "} }, "policy.writes[0]: is empty; write an operationId"},
		"allowed connection":  {func(c *Config) { c.Policy.Connections = []string{"nowhere"} }, `policy.connections[0]: there is no connection "nowhere"`},
		"name":                {func(c *Config) { c.Connections[0].Name = "Public" }, `connections.Public: "Public" is not a name: use lower-case letters, digits and single hyphens, a letter first`},
		"name twice":          {func(c *Config) { c.Connections[6].Name = "public-api-staging" }, "connections.public-api-staging: stands there twice"},
		"environment":         {func(c *Config) { c.Connections[0].Environment = "" }, "connections.public-api-staging.environment: missing or empty"},
		"no protocol":         {func(c *Config) { c.Connections[0].Protocol = "" }, "connections.public-api-staging.protocol: missing or empty"},
		"protocol":            {func(c *Config) { c.Connections[0].Protocol = "ftp" }, `connections.public-api-staging.protocol: unknown protocol "ftp"; one of: http, grpc, tcp`},
		"no address":          {func(c *Config) { c.Connections[0].Address = "" }, `connections.public-api-staging.address: missing or empty: write such as "http://127.0.0.1:8080"`},
		"no URL":              {func(c *Config) { c.Connections[0].Address = "http://" + secretHost + ":80:80/%zz" }, `connections.public-api-staging.address: must be a URL such as "http://127.0.0.1:8080"`},
		"no scheme":           {func(c *Config) { c.Connections[0].Address = secretHost + ":8080" }, `connections.public-api-staging.address: must be a URL such as "http://127.0.0.1:8080"`},
		"http as tcp":         {func(c *Config) { c.Connections[4].Address = "http://" + secretHost }, `connections.store-staging.address: must be a URL such as "tcp://127.0.0.1:5432"`},
		"http as gRPC":        {func(c *Config) { c.Connections[5].Address = "http://" + secretHost + ":9090" }, `connections.ledger-staging.address: must be a URL such as "grpc://127.0.0.1:9090"`},
		"gRPC without a port": {func(c *Config) { c.Connections[5].Address = "grpcs://" + secretHost }, "connections.ledger-staging.address: names no port"},
		"tcp without a port":  {func(c *Config) { c.Connections[4].Address = "tcp://" + secretHost }, "connections.store-staging.address: names no port"},
		"port":                {func(c *Config) { c.Connections[0].Address = "http://" + secretHost + ":70000" }, "connections.public-api-staging.address: has no port from 1 to 65535"},
		"an empty port":       {func(c *Config) { c.Connections[0].Address = "http://" + secretHost + ":" }, "connections.public-api-staging.address: names no port"},
		"user":                {func(c *Config) { c.Connections[0].Address = "http://u:" + secretToken + "@" + secretHost }, "connections.public-api-staging.address: holds a credential; put it into an environment variable and name that in credential_env"},
		"query":               {func(c *Config) { c.Connections[0].Address = "http://" + secretHost + "/?key=" + secretToken }, "connections.public-api-staging.address: must end behind the path: no query and no fragment"},
		"path of tcp":         {func(c *Config) { c.Connections[4].Address = "tcp://" + secretHost + ":1/a" }, "connections.store-staging.address: must end behind the port: tcp has no path"},
		"no contract":         {func(c *Config) { c.Connections[0].Contract = "" }, "connections.public-api-staging.contract: missing or empty: name the OpenAPI document of the service"},
		"contract of tcp":     {func(c *Config) { c.Connections[4].Contract = "contracts/api.yaml" }, "connections.store-staging.contract: belongs to protocol http, not to tcp; leave it out"},
		"variable":            {func(c *Config) { c.Connections[0].CredentialEnv = secretToken }, "connections.public-api-staging.credential_env: must be the name of an environment variable, such as API_TOKEN"},
		"agent":               {func(c *Config) { c.Connections[0].Agent = "remote" }, `connections.public-api-staging.agent: is "remote"; this is agent "local"`},
		"proxy's name":        {func(c *Config) { c.Connections[1].Proxy.Name = "" }, "connections.engine-staging.proxy.name: missing or empty"},
		"listen":              {func(c *Config) { c.Connections[1].Proxy.Listen = ":9081" }, `connections.engine-staging.proxy.listen: must be an address and a port, such as "127.0.0.1:9081"`},
		"proxy's name twice":  {func(c *Config) { c.Connections[4].Proxy.Name = "engine" }, "connections.store-staging.proxy.name: connection engine-staging has a proxy of that name already"},
		"listen twice": {func(c *Config) {
			c.Connections[1].Proxy.Listen, c.Connections[4].Proxy.Listen = "127.0.0.1:1", "127.0.0.1:1"
		}, "connections.store-staging.proxy.listen: the proxy of connection engine-staging listens there already"},
		"an address that is a proxy": {func(c *Config) {
			c.Connections[1].Proxy.Listen, c.Connections[1].Address = "127.0.0.1:1", "http://127.0.0.1:1"
		}, "connections.engine-staging.address: is where the proxy of connection engine-staging listens; write that of the service itself"},
		"contract is not there": {func(c *Config) { c.Connections[0].Contract = "contracts/none.yaml" }, "connection public-api-staging: read contract contracts/none.yaml: contracts/none.yaml: file does not exist"},
		"contract is none": {func(c *Config) {
			c.Read = func(string) ([]byte, error) { return []byte("hello"), nil }
		}, "connection engine-production: contract contracts/engine.yaml: it cannot be read as OpenAPI"},
		"variable is not set": {func(c *Config) { c.Connections[0].CredentialEnv = "NOT_SET" }, "connection public-api-staging: credential_env: the environment variable NOT_SET is not set"},
		"credential":          {func(c *Config) { c.Getenv = func(string) string { return secretToken + "\n" } }, "connection public-api-staging: credential_env: the environment variable API_TOKEN holds spaces at an end, or characters that a header cannot have"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := sampleConfig()
			c.change(&cfg)
			a, err := New(t.Context(), cfg)
			if err == nil {
				_ = a.Close(context.Background())
				t.Fatal("was accepted")
			}
			secrets(t, err.Error())
			if !strings.Contains(err.Error()+"\n", c.want) {
				t.Errorf("refused with\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestAllProblemsAreTold(t *testing.T) {
	cfg := sampleConfig()
	cfg.Policy.MaxRate, cfg.Connections[0].Protocol, cfg.Connections[1].Environment = -1, "", ""
	var keys []string
	for _, p := range cfg.Problems() {
		keys = append(keys, p.Key)
	}
	want := []string{"policy.max_rate", "connections.public-api-staging.protocol", "connections.engine-staging.environment"}
	if !reflect.DeepEqual(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
}

// A port that is taken fails the opening; the proxies before it are closed again, which
// TestMain sees, and can be opened anew.
func TestNewClosesWhatItOpened(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	cfg := sampleConfig()
	cfg.Connections[4].Proxy.Listen = taken.Addr().String()
	a, err := New(t.Context(), cfg)
	if err == nil {
		_ = a.Close(context.Background())
		t.Fatal("was accepted")
	}
	secrets(t, err.Error())
	if !strings.Contains(err.Error(), "connection store-staging: open its proxy") {
		t.Errorf("refused with %v", err)
	}
}

func TestProxiesAreOpenUntilClose(t *testing.T) {
	a, err := New(t.Context(), sampleConfig())
	if err != nil {
		t.Fatal(err)
	}
	c, ok := a.connection("engine-staging")
	if !ok || c.proxy == nil {
		t.Fatal("engine-staging has no proxy")
	}
	address := c.proxy.Addr().String()
	dial := func() error {
		conn, err := net.DialTimeout("tcp", address, 10*time.Second)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Errorf("the proxy does not listen: %v", err)
	}
	for range 2 {
		if err := a.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if dial() == nil {
		t.Error("the proxy listens after Close")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := a.Close(ended); err != nil {
		t.Errorf("close again: %v", err)
	}
}

func TestConnections(t *testing.T) {
	a := newAgent(t, sampleConfig())
	all := a.Connections()
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	want := []string{"engine-production", "engine-staging", "ledger-staging", "public-api-staging", "shop-staging", "store-staging"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("connections %v, want %v", names, want)
	}
	engine := run.Connection{
		Name: "engine-staging", Agent: "local", Environment: "staging", Protocol: "http",
		Operations: []string{"prices.get"}, Proxy: "engine",
	}
	if !reflect.DeepEqual(all[1], engine) {
		t.Errorf("engine-staging is %+v, want %+v", all[1], engine)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	secrets(t, string(text))
}

func TestConnectionIsReady(t *testing.T) {
	cfg := sampleConfig()
	cfg.Connections[0].Address = "https://" + secretHost + ":8443/v2/"
	a := newAgent(t, cfg)
	c, _ := a.connection("public-api-staging")
	if got, want := c.base.String(), "https://"+secretHost+":8443"; got != want {
		t.Errorf("base %s, want %s", got, want)
	}
	if c.credential != secretToken {
		t.Error("the credential is not the variable's")
	}
	operation, _ := c.contract.Operation("me")
	requests, err := operation.Requests()
	if err != nil || requests[0].Path != "/v2/me" {
		t.Errorf("requests %v, %v", requests, err)
	}
	var ids []string
	for _, o := range c.surfaces() {
		ids = append(ids, o.ID)
	}
	if got := fmt.Sprint(ids); got != "[me orders.get orders.search]" {
		t.Errorf("surfaces %s", got)
	}
	if _, ok := a.connection("nowhere"); ok {
		t.Error("nowhere is a connection")
	}
}
