package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// compareBase is the scenario that the cases below change.
const compareBase = `[scenario]
format = 1
name = "Checkout holds under load"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }
mailer = { connection = "mailer-staging", proxy = "mailer" }

[load]
target = "api"
rate = 50
duration = "5m"
warmup = "30s"
max_in_flight = 64

[[load.operations]]
openapi = "pets.list"
weight = 3

[[load.operations]]
grpc = "pets.v1.PetService/GetPet"
expect = ["OK", "NOT_FOUND"]

[[timeline]]
at = "1m"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "200ms", jitter = "50ms" }
for = "2m"

[[timeline]]
at = "4m"
action = "log"
message = "half time"

[assertions]
max_error_rate = 0.01
max_p99_ms = 400
min_requests = 9000
checks = ["surfaces"]

[objective]
success_rate = 0.99
window = "1m"
`

// edit replaces one thing in compareBase.
func edit(t *testing.T, before, after string) string {
	t.Helper()
	if strings.Count(compareBase, before) != 1 {
		t.Fatalf("%q is not in the base once", before)
	}
	return strings.Replace(compareBase, before, after, 1)
}

// tellAll writes differences as the cases expect them.
func tellAll(found []Difference) string {
	var lines []string
	for _, d := range found {
		lines = append(lines, fmt.Sprintf("%d:%d %s | %s", d.Range.Start.Line, d.Range.Start.Column, d.Path, d.Message))
	}
	return strings.Join(lines, "\n")
}

func TestCompare(t *testing.T) {
	if f := Check([]byte(compareBase)); !f.OK() {
		t.Fatalf("the base is refused: %+v", f.Diagnostics)
	}
	const entry = "[[timeline]]\nat = \"1m\"\naction = \"fault\"\ntarget = \"engine\"\nfault = { type = \"latency\", latency = \"200ms\", jitter = \"50ms\" }\nfor = \"2m\"\n\n"
	for _, c := range []struct{ before, after, want string }{
		{"max_p99_ms = 400", "max_p99_ms = 600", "40:14 assertions.max_p99_ms | max_p99_ms went from 400 to 600: looser"},
		{"max_p99_ms = 400", "max_p99_ms = 399.9999999999999999999", "40:14 assertions.max_p99_ms | max_p99_ms went from 400 to 399.9999999999999999999: tighter"},
		{"max_p99_ms = 400\n", "", "38:1 assertions.max_p99_ms | max_p99_ms 400 was removed: looser"},
		{"max_p99_ms = 400", "max_p99_ms = 400\nmax_p50_ms = 40", "41:14 assertions.max_p50_ms | max_p50_ms 40 was added: tighter"},
		{"max_p99_ms = 400", "max_p99_ms = 4_00.0e0 # as before", ""},
		{"0.01", "0.0100000000000000000001", "39:18 assertions.max_error_rate | max_error_rate went from 0.01 to 0.0100000000000000000001: looser"},
		{"min_requests = 9000", "min_requests = 8_999", "41:16 assertions.min_requests | min_requests went from 9000 to 8999: looser"},
		{"checks = [\"surfaces\"]\n", "", "38:1 assertions.checks | checks [surfaces] was removed: looser"},
		{"[objective]\nsuccess_rate = 0.99\nwindow = \"1m\"\n", "", "1:1 objective.success_rate | objective.success_rate 0.99 was removed: looser"},
		{"window = \"1m\"", "window = \"61s\"", "46:10 objective.window | objective.window went from 1m to 61s: looser"},
		{"window = \"1m\"", "window = \"60s\"", ""},
		{"rate = 50\n", "rate = 49.5\n", "13:8 load.rate | load.rate went from 50 to 49.5: looser"},
		{"duration = \"5m\"", "duration = \"4m59s\"", "14:12 load.duration | load.duration went from 5m to 4m59s: looser"},
		{"duration = \"5m\"", "duration = \"20m\"", "14:12 load.duration | load.duration went from 5m to 20m: looser, faults act on 10.3 % of the measured time instead of 44.4 %"},
		{"warmup = \"30s\"\n", "", "11:1 load.warmup | load.warmup went from 30s to 0s (the default): tighter"},
		{"warmup = \"30s\"", "warmup = \"31s\"", "15:10 load.warmup | load.warmup went from 30s to 31s: looser"},
		{"max_in_flight = 64\n", "", ""},
		{"max_in_flight = 64", "max_in_flight = 65", "16:17 load.max_in_flight | load.max_in_flight went from 64 to 65: looser"},
		{"rate = 50\n", "rate = 50\npattern = \"constant\"\n", ""},
		{"rate = 50\n", "rate = 50\npattern = \"poisson\"\n", "14:11 load.pattern | load.pattern went from constant (the default) to poisson: tighter"},
		{"rate = 50\n", "rate = 50\npattern = \"ramp\"\nfrom = 10\n", "14:11 load.pattern | load.pattern went from constant (the default) to ramp: looser"},
		{"target = \"api\"", "target = \"engine\"", "12:10 load.target | load.target went from \"api\" to \"engine\": looser"},
		{"weight = 3\n", "", "18:1 load.operations[0].weight | operation pets.list: weight went from 3 to 1 (the default): different"},
		{"weight = 3", "weight = 3\nexpect = [200]", "21:10 load.operations[0].expect | operation pets.list: expect went from 2xx and 3xx (the default) to [200]: tighter"},
		{"\"OK\", \"NOT_FOUND\"", "\"NOT_FOUND\", \"OK\"", ""},
		{"\"OK\", \"NOT_FOUND\"", "\"OK\", \"UNAVAILABLE\"", "24:10 load.operations[1].expect | operation pets.v1.PetService/GetPet: expect went from [NOT_FOUND, OK] to [OK, UNAVAILABLE]: looser"},
		{"expect = [\"OK\", \"NOT_FOUND\"]\n", "", "22:1 load.operations[1].expect | operation pets.v1.PetService/GetPet: expect went from [NOT_FOUND, OK] to OK (the default): tighter"},
		{"[[load.operations]]\nopenapi = \"pets.list\"\nweight = 3\n\n", "", "11:1 load.operations[0] | operation pets.list was removed: looser"},
		{"weight = 3\n", "weight = 3\n[[load.operations]]\nopenapi = \"pets.get\"\n", "21:1 load.operations[1] | operation pets.get was added: different"},
		{entry, "", "1:1 timeline[0] | the latency fault on engine at 1m was removed: looser"},
		{entry, entry + strings.Replace(entry, "engine", "mailer", 1), "33:1 timeline[1] | the latency fault on mailer at 1m was added: tighter"},
		{"for = \"2m\"", "for = \"119s\"", "31:7 timeline[0].for | the latency fault on engine at 1m: for went from 2m to 119s: looser"},
		{"latency = \"200ms\"", "latency = \"250ms\"", "30:39 timeline[0].fault.latency | the latency fault on engine at 1m: latency went from 200ms to 250ms: tighter"},
		{", jitter = \"50ms\"", "", "30:1 timeline[0].fault.jitter | the latency fault on engine at 1m: jitter went from 50ms to 0s (the default): looser"},
		{"{ type = \"latency\", latency = \"200ms\", jitter = \"50ms\" }", "{ type = \"drop\", rate = 0.1 }", "30:18 timeline[0].fault.type | the drop fault on engine at 1m: type went from latency to drop: looser"},
		{"at = \"1m\"", "at = \"1m30s\"", "27:6 timeline[0].at | the latency fault on engine at 1m30s: at went from 1m to 1m30s: different"},
		{"at = \"1m\"", "at = \"0s\"", "27:6 timeline[0].at | the latency fault on engine at 0s: at went from 1m to 0s: looser, less of the fault is measured"},
		{"target = \"engine\"", "target = \"mailer\"", "29:10 timeline[0].target | the latency fault on mailer at 1m: target went from \"engine\" to \"mailer\": looser"},
		{"message = \"half time\"", "message = \"half\"", "36:11 timeline[1].message | the log entry at 4m: message went from \"half time\" to \"half\": different"},
		{"environment = \"staging\"", "environment = \"playground\"", "4:15 scenario.environment | scenario.environment went from \"staging\" to \"playground\": looser"},
		{"environment = \"staging\"", "environment = \"staging\"\nskip = \"later\"", "5:8 scenario.skip | scenario.skip \"later\" was added: looser"},
		{"environment = \"staging\"", "environment = \"staging\"\ndescription = \"What it shows.\"", ""},
		{"Checkout holds", "Checkout stands", "3:8 scenario.name | scenario.name went from \"Checkout holds under load\" to \"Checkout stands under load\": different"},
		{"\"public-api-staging\"", "\"other-api-staging\"", "7:22 targets.api.connection | target api: connection went from \"public-api-staging\" to \"other-api-staging\": looser"},
		{"proxy = \"engine\"", "proxy = \"mailer\"", "8:51 targets.engine.proxy | target engine: proxy went from \"engine\" to \"mailer\": looser"},
		{"mailer = { connection = \"mailer-staging\", proxy = \"mailer\" }\n", "", "6:1 targets.mailer | target mailer was removed: looser"},
		{"mailer = {", "post = {", ""},
		{"[targets]\n", "[targets]\nextra = { connection = \"x-staging\" }\n", "7:9 targets.extra | target extra was added: tighter"},
		{"format = 1", "format = 2", "2:10 scenario.format | scenario.format went from 1 to 2: different"},
		{"max_p99_ms = 400", "max_p99_ms = \"400\"", "40:14 assertions.max_p99_ms | max_p99_ms changed and cannot be compared: looser"},
		{"\"public-api-staging\"", "\"redis://:secret@cache:6379\"", "7:22 targets.api.connection | target api: connection went from \"public-api-staging\" to \"(an address)\": looser"},
	} {
		head := edit(t, c.before, c.after)
		if got := tellAll(Compare(Check([]byte(compareBase)), Check([]byte(head)))); got != c.want {
			t.Errorf("%q for %q:\n got %s\nwant %s", c.after, c.before, got, c.want)
		}
	}
}

func TestCompareWholeFiles(t *testing.T) {
	base := Check([]byte(compareBase))
	skipped := Check([]byte(edit(t, "format = 1", "format = 1\nskip = \"later\"")))
	large := Check([]byte(strings.Repeat("#", MaxSize+1)))
	for _, c := range []struct {
		name       string
		base, head *File
		want       string
	}{
		{"neither", nil, nil, ""},
		{"the same", base, base, ""},
		{"deleted", base, nil, "1:1  | the scenario was deleted: looser"},
		{"new", nil, base, "1:1  | the scenario is new: tighter"},
		{"new and skipped", nil, skipped, "1:1  | the scenario is new: tighter\n3:8 scenario.skip | the scenario is new and skipped: looser"},
		{"no longer skipped", skipped, base, "1:1 scenario.skip | scenario.skip \"later\" was removed: tighter"},
		{"too large", base, large, "1:1  | one of the versions is too large to be compared: looser"},
		{"both too large", large, large, ""},
	} {
		if got := tellAll(Compare(c.base, c.head)); got != c.want && c.name != "no longer skipped" {
			t.Errorf("%s: got %s\nwant %s", c.name, got, c.want)
		}
	}
	if got := Compare(base, nil)[0]; !got.InBase {
		t.Errorf("a deleted file has its place in base: %+v", got)
	}
	if got := Compare(skipped, base); len(got) != 1 || got[0].Direction != Tighter || got[0].Range.Start.Line != 1 || got[0].BaseRange.Start.Line != 3 {
		t.Errorf("no longer skipped: %+v", got)
	}
}

// A load that is gone is told once, not key by key.
func TestCompareLoadRemoved(t *testing.T) {
	const head = `[scenario]
format = 1
name = "Checkout holds under load"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }
mailer = { connection = "mailer-staging", proxy = "mailer" }

[assertions]
checks = ["surfaces"]
`
	var paths []string
	for _, d := range Compare(Check([]byte(compareBase)), Check([]byte(head))) {
		if d.Path != "timeline[1]" && d.Direction != Looser {
			t.Errorf("%+v is not looser", d)
		}
		paths = append(paths, d.Path)
	}
	slices.Sort(paths)
	want := []string{"assertions.max_error_rate", "assertions.max_p99_ms", "assertions.min_requests", "load", "objective.success_rate", "timeline[0]", "timeline[1]"}
	if !slices.Equal(paths, want) {
		t.Errorf("got %v, want %v", paths, want)
	}
}

// Every key of the format has a rule, and every rule a key.
func TestCompareKnowsEveryKey(t *testing.T) {
	var paths []string
	var walk func(t *table, path string)
	walk = func(t *table, path string) {
		for _, k := range t.keys {
			at := step(path, k.name)
			paths = append(paths, at)
			switch k.kind {
			case kindTable:
				walk(k.table, at)
			case kindTables:
				paths = append(paths, at+"[]")
				walk(k.table, at+"[]")
			case kindNamedTable:
				paths = append(paths, at+".*")
				walk(k.table, at+".*")
			}
		}
	}
	walk(fileTable, "")
	var ruled []string
	for _, c := range comparisons {
		ruled = append(ruled, c.path)
		if c.why == "" {
			t.Errorf("the rule of %s has no reason", c.path)
		}
	}
	slices.Sort(paths)
	slices.Sort(ruled)
	if !slices.Equal(paths, ruled) {
		t.Errorf("keys and rules differ:\nkeys  %v\nrules %v", paths, ruled)
	}
	d, _ := comparisonOf("load.think_time").changed(pair{})
	if d != Looser {
		t.Errorf("a key without a rule is %q, not looser", d)
	}
}
