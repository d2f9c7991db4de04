package bench_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

func TestOnlineCheck(t *testing.T) {
	base := string(faultText("staging", "engine-staging", "engine", `type = "latency", latency = "50ms"`, "30s"))
	edit := func(pairs ...string) string {
		text := base
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("the scenario has no %q", pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
	errorsFault := func(rate, length string) string {
		return edit(`type = "latency", latency = "50ms"`, `type = "errors", rate = `+rate, `for = "30s"`, `for = "`+length+`"`)
	}
	for _, c := range []struct {
		name, text string
		person     bool
		want       []string
	}{
		{"as it should be", base, false, nil},
		{"at every ceiling", edit("rate = 50", "rate = 100\nmax_in_flight = 64", `duration = "4m"`, `duration = "5m"`, `for = "30s"`, `for = "1m"`), false, nil},
		{"unknown connection", edit(`"engine-staging"`, `"engine-stagin"`), false, []string{`7:20 error unknown-connection: the account has no connection "engine-stagin"; did you mean "engine-staging"?`}},
		{"connection of another environment", edit(`"engine-staging", proxy = "engine"`, `"api-shared", proxy = "shared"`), false, []string{`7:20 error wrong-environment: connection "api-shared" belongs to environment "shared", not to "staging"`}},
		{"unknown environment", edit(`environment = "staging"`, `environment = "canary"`), false, []string{
			`4:15 error unknown-environment: the account has no environment "canary"`,
		}},
		{"several agents", edit(`[load]`, "u = { connection = \"remote-staging\" }\n\n[load]"), false, []string{
			`9:20 error several-agents: connection "remote-staging" belongs to agent "remote" and "engine-staging" to agent "local": one agent does a run`,
			`9:1 warning unused-target: `,
		}},
		{"rate above the policy", edit("rate = 50", "rate = 100.5"), false, []string{`11:8 error over-ceiling: load.rate 100.5 is above 100 requests a second, the ceiling of the policy of agent local`}},
		{"rate above both: the lower is told", edit("rate = 50", "rate = 1000"), false, []string{`11:8 error over-ceiling: load.rate 1000 is above 100 requests a second, the ceiling of the policy of agent local`}},
		{"ramp that starts above", edit("rate = 50", "rate = 50\npattern = \"ramp\"\nfrom = 200"), false, []string{`13:8 error over-ceiling: load.from 200 is above 100 requests a second, the ceiling of the policy of agent local`}},
		{"duration above the plan", edit(`duration = "4m"`, `duration = "6m"`), false, []string{`12:12 error over-ceiling: the run takes 6m, above 5m, the ceiling of the plan of account sample`}},
		{"in flight above the plan", edit("rate = 50", "rate = 50\nmax_in_flight = 65"), false, []string{`12:17 error over-ceiling: load.max_in_flight 65 is above 64, the ceiling of the plan of account sample`}},
		{"in flight of a limit above the plan", edit("max_error_rate = 0.5", "max_p99_ms = 2000"), false, []string{`9:1 error over-ceiling: the load takes up to `}},
		{"budget of latency", edit(`for = "30s"`, `for = "61s"`), false, []string{`22:7 error over-budget: the faults cost 61 s together, above 60 s, the fault budget of the plan of account sample`}},
		{"budget of a share", errorsFault("0.5", "2m"), false, nil},
		{"budget of a share, a little over", errorsFault("0.501", "2m"), false, []string{`22:7 error over-budget: the faults cost 60.12 s together, above 60 s, the fault budget of the plan of account sample`}},
		{"decimals as they are written", errorsFault("0.3", "200s"), false, nil},
		{"several faults", edit(`[assertions]`, "[[timeline]]\nat = \"32s\"\naction = \"fault\"\ntarget = \"t\"\nfault = { type = \"errors\", rate = 0.5 }\nfor = \"61s\"\n\n[assertions]"), false, []string{`29:7 error over-budget: the faults cost 60.5 s together`}},
		{"production rules", edit(`"engine-staging", proxy = "engine"`, `"api-shared", proxy = "shared"`, `environment = "staging"`, `environment = "shared"`), true, []string{
			`21:9 warning needs-person: environment "shared" follows the rules of production: a person confirms this fault before each run`,
		}},
		{"production rules without a fault", string(scenarioEnv("shared", "api-shared")), false, nil},
		{"offline errors come first", edit(`"engine-staging"`, `"engine-stagin"`, "rate = 50", "rate = 0"), false, []string{`11:8 error out-of-range: `}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, newFakeAgent(), withConfig(loadConfig(t, configText+remoteText)))
			got, err := b.client.Check(t.Context(), []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			told := make([]string, len(got.Findings))
			for i, f := range got.Findings {
				told[i] = fmt.Sprintf("%d:%d %s %s: %s", f.Start.Line, f.Start.Column, f.Severity, f.Code, f.Message)
			}
			if len(told) != len(c.want) || got.NeedsPerson != c.person {
				t.Fatalf("person %v, told %q\nwant %q", got.NeedsPerson, told, c.want)
			}
			for _, want := range c.want {
				if !containsPrefix(told, want) {
					t.Errorf("told %q\nwant %q", told, want)
				}
			}
		})
	}
}

const remoteText = `
[agents.remote]
[connections.remote-staging]
environment = "staging"
protocol = "http"
address = "http://secret-host.internal:18083"
contract = "contracts/api.yaml"
agent = "remote"
`

func scenarioEnv(environment, connection string) []byte {
	return []byte(strings.Replace(string(scenarioText("a", connection)), `"staging"`, `"`+environment+`"`, 1))
}

func containsPrefix(all []string, prefix string) bool {
	for _, s := range all {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

func TestAgentsHalfOfTheCheck(t *testing.T) {
	agent := newFakeAgent()
	agent.check = func(f *scenario.File) []scenario.Diagnostic {
		place := func(path string) scenario.Range {
			p, ok := f.Find(path)
			if !ok {
				t.Errorf("no %s", path)
			}
			return p.Value
		}
		return []scenario.Diagnostic{
			{Code: "unknown-operation", Severity: scenario.Error, Range: place("load.operations[0].openapi"), Message: "no such operation", Suggestion: "orders.find"},
			{Code: "over-ceiling", Severity: scenario.Error, Range: place("load.rate"), Message: "above what the policy allows"},
			{Code: "note", Severity: scenario.Warning, Range: place("scenario.name"), Message: "a name"},
		}
	}
	b := open(t, agent)
	got, err := b.client.Check(t.Context(), []byte(strings.Replace(string(scenarioText("a", "api-staging")), "rate = 50", "rate = 150", 1)))
	if err != nil || len(got.Findings) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	// In the order of the file, and of one place the bench's own word.
	want := []run.Finding{
		{Code: "note", Severity: run.SeverityWarning, Message: "a name"},
		{Code: "over-ceiling", Severity: run.SeverityError, Message: "load.rate 150 is above 100 requests a second, the ceiling of the policy of agent local"},
		{Code: "unknown-operation", Severity: run.SeverityError, Message: "no such operation", Suggestion: "orders.find"},
	}
	for i, f := range got.Findings {
		f.Start, f.End = run.Place{}, run.Place{}
		if f != want[i] {
			t.Errorf("finding %d: %+v, want %+v", i, f, want[i])
		}
	}
}

func TestVersionsThatAreRefused(t *testing.T) {
	b := open(t, newFakeAgent())
	for want, source := range map[string]string{
		"asserts nothing": strings.Replace(string(scenarioText("a", "api-staging")), "[assertions]\nmax_p50_ms = 100\nchecks = [\"surfaces\"]\n", "", 1),
		"address":         "# see http://secret-host.internal\n" + string(scenarioText("a", "api-staging")),
		"no scenario":     "",
	} {
		_, err := b.client.Upload(t.Context(), []byte(source))
		if err == nil || !strings.Contains(err.Error(), "HTTP 422") {
			t.Errorf("%s: %v", want, err)
		}
	}
	_, err := b.client.Start(t.Context(), run.StartRequest{Version: strings.Repeat("a", 64)})
	if err == nil || !strings.Contains(err.Error(), "upload the version first") {
		t.Errorf("unknown version: %v", err)
	}
	source := scenarioText("a", "api-staging")
	for range 2 {
		v, err := b.client.Upload(t.Context(), source)
		if err != nil || v.Name != "a" || v.Size != len(source) {
			t.Errorf("%+v, %v", v, err)
		}
	}
}
