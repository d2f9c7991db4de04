package agent

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/scenarios"
)

// base is a file that passes both halves; a case changes one place of it.
const base = `[scenario]
format = 1
name = "sample"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }

[load]
target = "api"
rate = 100
duration = "5m"
warmup = "30s"
max_in_flight = 64
operations = [{ openapi = "orders.search" }, { openapi = "orders.create" }]

[[timeline]]
at = "1m"
action = "fault"
target = "engine"
fault = { type = "errors", rate = 0.5 }
for = "2m"

[assertions]
max_error_rate = 0.6
checks = ["surfaces"]
`

type edit struct{ old, new string }

func edited(t *testing.T, edits ...edit) string {
	t.Helper()
	text := base
	for _, e := range edits {
		if strings.Count(text, e.old) != 1 {
			t.Fatalf("%q stands %d times in the file", e.old, strings.Count(text, e.old))
		}
		text = strings.Replace(text, e.old, e.new, 1)
	}
	return text
}

func TestCheck(t *testing.T) {
	const (
		faultOf   = `fault = { type = "errors", rate = 0.5 }`
		engine    = `engine = { connection = "engine-staging", proxy = "engine" }`
		api       = `api = { connection = "public-api-staging" }`
		operation = `{ openapi = "orders.search" }, { openapi = "orders.create" }`
	)
	for name, c := range map[string]struct {
		edits []edit
		want  []string // line:column code message
		meant string
	}{
		"passes": {},
		"unknown connection": {
			edits: []edit{{api, `api = { connection = "public-api-stagin" }`}},
			want:  []string{`7:22 unknown-connection the agent has no connection "public-api-stagin"; did you mean "public-api-staging"?`},
			meant: "public-api-staging",
		},
		"unknown connection, nothing near": {
			edits: []edit{{api, `api = { connection = "elsewhere" }`}},
			want:  []string{`7:22 unknown-connection the agent has no connection "elsewhere"`},
		},
		"a connection that is not allowed": {
			edits: []edit{{api, `api = { connection = "hidden-staging" }`}},
			want: []string{`7:22 not-allowed the agent's policy does not allow connection "hidden-staging"; allowed: ` +
				`public-api-staging, engine-staging, engine-production, shop-staging, store-staging, ledger-staging`},
		},
		"wrong environment": {
			edits: []edit{{engine, `engine = { connection = "engine-production" }`}, {faultOf, ""}, {`at = "1m"
action = "fault"
target = "engine"
`, `at = "1m"
action = "log"
message = "hello"
`}, {`for = "2m"`, ""}},
			want: []string{`8:25 wrong-environment connection "engine-production" belongs to environment "production", not to "staging"`},
		},
		"another proxy": {
			edits: []edit{{engine, `engine = { connection = "engine-staging", proxy = "engines" }`}},
			want:  []string{`8:51 wrong-proxy the proxy of connection "engine-staging" is "engine", not "engines"`},
			meant: "engine",
		},
		"no proxy": {
			edits: []edit{{api, `api = { connection = "public-api-staging", proxy = "api" }`}},
			want:  []string{`7:52 wrong-proxy connection "public-api-staging" has no proxy`},
		},
		"unknown operation": {
			edits: []edit{{"orders.search", "orders.serach"}},
			want:  []string{`16:27 unknown-operation the contract of connection "public-api-staging" has no operation "orders.serach"; did you mean "orders.search"?`},
			meant: "orders.search",
		},
		"a write that is not allowed": {
			edits: []edit{{api, `api = { connection = "shop-staging" }`}, {operation, `{ openapi = "orders.delete" }`}, {`checks = ["surfaces"]`, ""}},
			want:  []string{`16:27 not-allowed the agent's policy does not allow operation "orders.delete" (DELETE) as load; allowed writes: orders.create`},
		},
		"no request can be made": {
			edits: []edit{{api, `api = { connection = "shop-staging" }`}, {operation, `{ openapi = "stock.get" }`}},
			want: []string{
				`16:27 no-request operation stock.get: path parameter id has no example, default or schema to make one from`,
				`27:11 no-request the contract of connection "shop-staging" has no GET or HEAD operation that a request can be made for, so its surfaces cannot be checked`,
			},
		},
		"a fault that is not allowed": {
			edits: []edit{{faultOf, `fault = { type = "drop", rate = 0.5 }`}},
			want:  []string{`22:18 not-allowed the agent's policy does not allow fault "drop"; allowed: latency, errors`},
		},
		"rate": {
			edits: []edit{{"rate = 100\n", "rate = 500.5\n"}},
			want:  []string{`12:8 over-ceiling load.rate 500.5 is above 500 requests a second, the ceiling of the agent's policy`},
		},
		"rate at the ceiling": {
			edits: []edit{{"rate = 100\n", "rate = 500\n"}},
		},
		"rate that a ramp starts from": {
			edits: []edit{{"rate = 100\n", "rate = 100\npattern = \"ramp\"\nfrom = 1e3\n"}},
			want:  []string{`14:8 over-ceiling load.from 1000 is above 500 requests a second, the ceiling of the agent's policy`},
		},
		"duration": {
			edits: []edit{{`duration = "5m"`, `duration = "10m1s"`}},
			want:  []string{`13:12 over-ceiling the run takes 10m1s, above 10m, the ceiling of the agent's policy`},
		},
		"in flight": {
			edits: []edit{{"max_in_flight = 64", "max_in_flight = 257"}},
			want:  []string{`15:17 over-ceiling load.max_in_flight 257 is above 256, the ceiling of the agent's policy`},
		},
		"in flight without a key": {
			edits: []edit{{"max_in_flight = 64\n", ""}, {"max_error_rate = 0.6", "max_p99_ms = 2000"}},
			want:  []string{`10:1 over-ceiling the load takes up to 400 requests in flight, above 256, the ceiling of the agent's policy; set max_in_flight`},
		},
		"budget at its end": {
			edits: []edit{{`for = "2m"`, `for = "4m"`}},
		},
		"budget": {
			edits: []edit{{`for = "2m"`, "for = \"2m\"\n[[timeline]]\nat = \"3m\"\naction = \"fault\"\ntarget = \"engine\"\nfault = { type = \"latency\", latency = \"20ms\" }\nfor = \"61s\""}},
			want:  []string{`29:7 over-budget the faults cost 121 s together, above 120 s, the fault budget of the agent's policy`},
		},
		"gRPC on http": {
			edits: []edit{{operation, `{ grpc = "shop.Orders/Get" }`}},
			want:  []string{`16:24 wrong-protocol operation "shop.Orders/Get" is gRPC, and connection "public-api-staging" speaks http`},
		},
		"OpenAPI on gRPC": {
			edits: []edit{{api, `api = { connection = "ledger-staging" }`}, {operation, `{ openapi = "orders.search" }`}, {`checks = ["surfaces"]`, ""}},
			want:  []string{`16:27 wrong-protocol operation "orders.search" is OpenAPI, and connection "ledger-staging" speaks grpc`},
		},
		"gRPC on gRPC": {
			edits: []edit{{api, `api = { connection = "ledger-staging" }`}, {operation, `{ grpc = "shop.Orders/Get" }`}},
			want: []string{
				`16:24 wrong-protocol operation "shop.Orders/Get" is gRPC, and this agent does not support gRPC load`,
				`27:11 unchecked-protocol connection "ledger-staging" speaks grpc, for which there is no surfaces check`,
			},
		},
		"load on tcp": {
			edits: []edit{{api, `api = { connection = "store-staging" }`}, {`checks = ["surfaces"]`, ""}},
			want:  []string{`11:10 wrong-protocol connection "store-staging" speaks tcp, which takes no load`},
		},
		"errors on tcp": {
			edits: []edit{{engine, `engine = { connection = "store-staging", proxy = "store" }`}, {`checks = ["surfaces"]`, ""}},
			want:  []string{`22:18 wrong-protocol a fault of type errors answers requests, and connection "store-staging" speaks tcp`},
		},
		"latency on tcp": {
			edits: []edit{{engine, `engine = { connection = "store-staging", proxy = "store" }`}, {faultOf, `fault = { type = "latency", latency = "1ms" }`}, {`checks = ["surfaces"]`, ""}},
		},
		"errors on gRPC": {
			edits: []edit{{engine, `engine = { connection = "ledger-staging", proxy = "ledger" }`}, {`checks = ["surfaces"]`, ""}},
		},
		"surfaces of tcp": {
			edits: []edit{{engine, `engine = { connection = "store-staging", proxy = "store" }`}, {faultOf, `fault = { type = "latency", latency = "1ms" }`}},
			want:  []string{`27:11 unchecked-protocol connection "store-staging" speaks tcp, for which there is no surfaces check`},
		},
		"uncounted": {
			edits: []edit{{"max_error_rate = 0.6", "max_uncounted = 0.01"}},
			want:  []string{`26:17 no-counter no connection of the agent has a counter, so max_uncounted cannot be measured`},
		},
		"several problems are all told": {
			edits: []edit{{"rate = 100\n", "rate = 501\n"}, {"orders.search", "nowhere"}, {api, `api = { connection = "public-api-staging", proxy = "engine" }`}},
			want: []string{
				`7:52 wrong-proxy connection "public-api-staging" has no proxy`,
				`12:8 over-ceiling load.rate 501 is above 500 requests a second, the ceiling of the agent's policy`,
				`16:27 unknown-operation the contract of connection "public-api-staging" has no operation "nowhere"`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := newAgent(t, sampleConfig()).Check(file(t, edited(t, c.edits...)))
			got := told(found)
			secrets(t, strings.Join(got, "\n"))
			if !slices.Equal(got, c.want) {
				t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if c.meant != "" && found[0].Suggestion != c.meant {
				t.Errorf("suggestion %q, want %q", found[0].Suggestion, c.meant)
			}
		})
	}
}

func TestShippedScenariosPass(t *testing.T) {
	a := newAgent(t, sampleConfig())
	names, err := fs.Glob(scenarios.Files, "*.toml")
	if err != nil || len(names) != 3 {
		t.Fatalf("shipped scenarios: %v, %v", names, err)
	}
	for _, name := range names {
		source, err := scenarios.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := told(a.Check(file(t, string(source)))); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestCheckWithNothingAllowed(t *testing.T) {
	cfg := sampleConfig()
	cfg.Policy.SetDefaults()
	var codes []string
	for _, d := range newAgent(t, cfg).Check(file(t, base)) {
		codes = append(codes, d.Code)
		if !strings.Contains(d.Message, "none") {
			t.Errorf("%q does not say that nothing is allowed", d.Message)
		}
	}
	if want := []string{"not-allowed", "not-allowed", "not-allowed", "not-allowed"}; !slices.Equal(codes, want) {
		t.Errorf("codes %v, want %v", codes, want)
	}
}

func TestCheckLeavesAFileWithErrors(t *testing.T) {
	f := scenario.Check([]byte(strings.Replace(base, "rate = 100\n", "rate = \"900\"\n", 1)))
	if f.OK() {
		t.Fatal("the file of the test passes")
	}
	if got := newAgent(t, sampleConfig()).Check(f); got != nil {
		t.Errorf("told %v", got)
	}
}

func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range scenario.Rules() {
		seen[r.Code] = true
	}
	for _, r := range Rules() {
		if seen[r.Code] {
			t.Errorf("%s stands there twice", r.Code)
		}
		seen[r.Code] = true
		if r.What == "" || r.Message == "" || strings.ContainsRune(r.Message, '\n') {
			t.Errorf("%s has no manual", r.Code)
		}
	}
}

// told writes diagnostics as line:column code message.
func told(all []scenario.Diagnostic) []string {
	var lines []string
	for _, d := range all {
		lines = append(lines, fmt.Sprintf("%d:%d %s %s", d.Range.Start.Line, d.Range.Start.Column, d.Code, d.Message))
	}
	return lines
}
