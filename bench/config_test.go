package bench_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/bench"
)

func TestLoadConfig(t *testing.T) {
	c := loadConfig(t, configText)
	if c.Account.Name != "sample" || c.Plan.MaxRate != 200 || c.Plan.RunsAtOnce != 2 || c.Plan.FaultBudget != time.Minute {
		t.Errorf("plan %+v", c.Plan)
	}
	p := c.Agents["local"].Policy
	if p.MaxInFlight != 256 || p.RequestTimeout != 10*time.Second || p.FaultBudget != 5*time.Minute || len(p.Writes) != 0 {
		t.Errorf("policy %+v", p)
	}
	if c.Connections["engine-staging"].Proxy.Name != "engine" || !c.Environments["shared"].ProductionRules {
		t.Errorf("%+v", c)
	}
}

func TestConfigDefaults(t *testing.T) {
	c := loadConfig(t, "format = 1\naccount.name = \"a\"\n[agents.one]\n")
	plan := bench.Plan{MaxRate: 500, MaxDuration: 10 * time.Minute, MaxInFlight: 256, FaultBudget: 5 * time.Minute, RunsAtOnce: 1, RunsAnHour: 60}
	if c.Plan != plan {
		t.Errorf("plan %+v", c.Plan)
	}
	p := c.Agents["one"].Policy
	if p.MaxRate != 500 || p.MaxDuration != 10*time.Minute || p.Drain != 10*time.Second || len(p.Connections)+len(p.Faults)+len(p.Writes) != 0 {
		t.Errorf("policy %+v", p)
	}
}

func TestConfigProblems(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key", "max_rate = 200", "max_rat = 200", "bench.toml:7: plan.max_rat: unknown key; [plan] takes max_rate,"},
		{"unknown key of a policy", "max_rate = 100", "max_rates = 100", "bench.toml:21: agents.local.policy.max_rates: unknown key"},
		{"unknown key of a proxy", `name = "engine", listen`, `nam = "engine", listen`, "bench.toml:38: connections.engine-staging.proxy.nam: unknown key"},
		{"another case", "[plan]", "[Plan]", "bench.toml:6: Plan: unknown key"},
		{"no format", "format = 1\n", "", "bench.toml:1: format: missing: write format = 1"},
		{"other format", "format = 1", "format = 2", "bench.toml:1: format: 2 is not known"},
		{"no account", "name = \"sample\"", "", "bench.toml:3: account.name: missing or empty"},
		{"bad account", "name = \"sample\"", "name = \"A b\"", `bench.toml:4: account.name: "A b" is not a name`},
		{"negative rate", "max_rate = 200", "max_rate = -1", "bench.toml:7: plan.max_rate: must be above 0"},
		{"zero duration", `max_duration = "5m"`, `max_duration = "0s"`, "bench.toml:8: plan.max_duration: must be above 0 and at most 24h"},
		{"long duration", `max_duration = "5m"`, `max_duration = "25h"`, "bench.toml:8: plan.max_duration: must be above 0 and at most 24h"},
		{"number for a duration", `max_duration = "5m"`, `max_duration = 300`, "bench.toml:8: plan.max_duration: must be a duration in quotes"},
		{"nothing in flight", "max_in_flight = 64", "max_in_flight = 0", "bench.toml:9: plan.max_in_flight: must be at least 1"},
		{"negative budget", `fault_budget = "1m"`, `fault_budget = "-1m"`, "bench.toml:10: plan.fault_budget: must not be negative"},
		{"no run at once", "runs_at_once = 2", "runs_at_once = 0", "bench.toml:11: plan.runs_at_once: must be at least 1"},
		{"no run an hour", "runs_an_hour = 100", "runs_an_hour = -5", "bench.toml:12: plan.runs_an_hour: must be at least 1"},
		{"tame production", "[environments.staging]", "[environments.staging]\n[environments.production]\nproduction_rules = false", "bench.toml:16: environments.production.production_rules: the environment production always follows them"},
		{"unknown connection in a policy", `"api-staging", "engine-staging"`, `"api-stagin", "engine-staging"`, "bench.toml:19: agents.local.policy.connections[0]: there is no connection \"api-stagin\""},
		{"connection of another agent", "agent = \"local\"\ncredential_env", "agent = \"other\"\ncredential_env", "bench.toml:19: agents.local.policy.connections[0]: connection api-staging belongs to agent \"other\"\nbench.toml:29: connections.api-staging.agent: there is no [agents.other]"},
		{"empty variable", `credential_env = "API_TOKEN"`, `credential_env = ""`, "bench.toml:30: connections.api-staging.credential_env: is empty"},
		{"no agent", "agent = \"local\"\ncredential_env", "credential_env", "bench.toml:24: connections.api-staging.agent: missing or empty"},
		{"unknown fault", `"latency", "errors"`, `"latency", "explosion"`, `bench.toml:20: agents.local.policy.faults[1]: unknown fault "explosion"; one of: latency, errors, drop`},
		{"zero timeout", "max_rate = 100", "request_timeout = \"0s\"", "bench.toml:21: agents.local.policy.request_timeout: must be above 0 and at most 5m"},
		{"unknown environment", "[connections.api-staging]\nenvironment = \"staging\"", "[connections.api-staging]\nenvironment = \"stagin\"", "bench.toml:25: connections.api-staging.environment: there is no [environments.stagin]"},
		{"unknown protocol", "protocol = \"http\"\naddress = \"http://secret-host.internal:18080\"", "protocol = \"gopher\"\naddress = \"http://secret-host.internal:18080\"", `bench.toml:26: connections.api-staging.protocol: unknown protocol "gopher"`},
		{"no address", `address = "http://secret-host.internal:18080"`, "", "bench.toml:24: connections.api-staging.address: missing or empty"},
		{"host for an address", `"http://secret-host.internal:18080"`, `"secret-host.internal:18080"`, "bench.toml:27: connections.api-staging.address: must be a URL"},
		{"credential in an address", "http://secret-host.internal:18080", "http://user:secret@secret-host.internal:18080", "bench.toml:27: connections.api-staging.address: holds a credential"},
		{"query in an address", "http://secret-host.internal:18080", "http://secret-host.internal:18080/?secret=1", "bench.toml:27: connections.api-staging.address: must end behind the path"},
		{"port out of range", "secret-host.internal:18080", "secret-host.internal:98080", "bench.toml:27: connections.api-staging.address:"},
		{"no contract", "contract = \"contracts/engine.yaml\"", "", "bench.toml:32: connections.engine-staging.contract: missing or empty"},
		{"unknown agent", "agent = \"local\"\ncredential_env", "agent = \"remote\"\ncredential_env", "bench.toml:29: connections.api-staging.agent: there is no [agents.remote]"},
		{"token for a variable", `credential_env = "API_TOKEN"`, `credential_env = "Bearer secret"`, "bench.toml:30: connections.api-staging.credential_env: must be the name of an environment variable"},
		{"listen without a port", `name = "engine", listen = "127.0.0.1:0"`, `name = "engine", listen = "127.0.0.1"`, "bench.toml:38: connections.engine-staging.proxy.listen: must be an address and a port"},
		{"two proxies of a name", `name = "shared"`, `name = "engine"`, "connections.engine-staging.proxy.name: connection api-shared has a proxy of that name already"},
		{"syntax", "[plan]", "[plan", "bench.toml:6: not TOML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(configText, c.old) {
				t.Fatalf("the configuration has no %q", c.old)
			}
			text := strings.Replace(configText, c.old, c.new, 1)
			_, err := bench.LoadConfig(func(string) ([]byte, error) { return []byte(text), nil }, "bench.toml")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v\nwant %s", err, c.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the message repeats an address or a credential: %v", err)
			}
		})
	}
}

func TestConfigFromAFolderAndFromElsewhere(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "bench.toml")
	if err := os.WriteFile(file, []byte(configText), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := bench.LoadConfig(os.ReadFile, file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Connections["api-staging"].Contract, filepath.ToSlash(filepath.Join(dir, "contracts/api.yaml")); got != want {
		t.Errorf("contract %s, want %s", got, want)
	}
	// As from a commit: paths are those of the repository.
	c, err = bench.LoadConfig(func(path string) ([]byte, error) {
		if path != ".github/bench.toml" {
			return nil, fs.ErrNotExist
		}
		return []byte(strings.ReplaceAll(configText, "contracts/", "../api/contracts/")), nil
	}, ".github/bench.toml")
	if err != nil || c.Connections["api-staging"].Contract != "api/contracts/api.yaml" {
		t.Errorf("contract %q, %v", c.Connections["api-staging"].Contract, err)
	}
	if _, err = bench.LoadConfig(os.ReadFile, filepath.Join(dir, "absent.toml")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "absent.toml") {
		t.Errorf("absent file: %v", err)
	}
}
