package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestModel(t *testing.T) {
	f := Check([]byte(fullExample))
	want := Scenario{
		Format: 1, Name: "engine-under-latency", Environment: "staging",
		Description: "The protocol keeps p99 under 400 ms while the engine is slow",
		Targets:     []Target{{Name: "api", Connection: "public-api-staging"}, {Name: "engine", Connection: "engine-staging", Proxy: "engine"}},
		Load: &Load{
			Target: "api", Rate: 100, Duration: 5 * time.Minute, Warmup: 30 * time.Second, MaxInFlight: 128, Pattern: Constant,
			Operations: []Operation{{OpenAPI: "me", Weight: 1}},
		},
		Timeline: []Entry{{
			At: time.Minute, Action: ActionFault, Target: "engine", For: 2 * time.Minute,
			Fault: Fault{Type: FaultLatency, Latency: 200 * time.Millisecond, Jitter: 50 * time.Millisecond},
		}},
		Assertions: Assertions{Limits: []Limit{{MaxErrorRate, 0.01}, {MaxP99, 400}}, Checks: []string{CheckSurfaces}},
		Objective:  &Objective{SuccessRate: 0.99, P99: 400, Window: time.Minute},
	}
	if !f.OK() || !reflect.DeepEqual(f.Scenario, want) {
		t.Errorf("%+v %v", f.Scenario, f.Diagnostics)
	}
	sum := sha256.Sum256([]byte(fullExample))
	if f.Hash() != hex.EncodeToString(sum[:]) || string(f.Source()) != fullExample {
		t.Error("hash or source")
	}
}

func TestModelOfTheRest(t *testing.T) {
	f := Check(complete(`[load]
target = "api"
rate = 50
duration = "5m"
pattern = "step"
from = 10
steps = 4

[[load.operations]]
openapi = "a"
expect = [201, 404]

[[load.operations]]
grpc = "a.B/C"
weight = 7
expect = ["OK", "NOT_FOUND"]

[[timeline]]
at = "1m"
action = "fault"
target = "api"
fault = { type = "errors", rate = 0.25 }
for = "1m"

[[timeline]]
at = "2m"
action = "fault"
target = "api"
fault = { type = "errors", rate = 1, status = 429 }
for = "1m"

[[timeline]]
at = "4m"
action = "log"
message = "done"
`))
	if len(f.Diagnostics) > 0 {
		t.Fatal(f.Diagnostics)
	}
	load := f.Scenario.Load
	operations := []Operation{{OpenAPI: "a", Weight: 1, Statuses: []int{201, 404}}, {GRPC: "a.B/C", Weight: 7, Codes: []string{"OK", "NOT_FOUND"}}}
	if load.Pattern != Step || load.From != 10 || load.Steps != 4 || !reflect.DeepEqual(load.Operations, operations) {
		t.Errorf("%+v", load)
	}
	entries := f.Scenario.Timeline
	if entries[0].Fault != (Fault{Type: FaultErrors, Rate: 0.25, Status: 503}) || entries[1].Fault.Status != 429 || entries[2].Message != "done" {
		t.Errorf("%+v", entries)
	}
}

func TestInFlight(t *testing.T) {
	limits := func(all ...Limit) Assertions { return Assertions{Limits: all} }
	for _, tt := range []struct {
		name string
		load Load
		a    Assertions
		want int
	}{
		{"as written", Load{Rate: 1000, MaxInFlight: 3}, limits(Limit{MaxP99, 400}), 3},
		{"no limit", Load{Rate: 1000}, limits(Limit{MaxErrorRate, 0.1}), 64},
		{"little", Load{Rate: 10}, limits(Limit{MaxP99, 400}), 64},
		{"twice the rate times the limit", Load{Rate: 1000}, limits(Limit{MaxP99, 400}), 800},
		{"the strictest", Load{Rate: 1000}, limits(Limit{MaxP99, 400}, Limit{MaxP50, 100}, Limit{MaxP95, 300}), 200},
		{"rounded up", Load{Rate: 1000.5}, limits(Limit{MaxP99, 33}), 67},
		{"the higher rate of a ramp down", Load{Rate: 1, From: 1000, Pattern: Ramp}, limits(Limit{MaxP99, 400}), 800},
		{"without end", Load{Rate: 1e300}, limits(Limit{MaxP99, 1e300}), 1<<31 - 1},
	} {
		if got := tt.load.InFlight(tt.a); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// findable is written in every form that a thing can stand in.
const findable = "load.rate = 3 # dotted\n" + // 1
	"[scenario]\r\n" + // 2
	"\"name\" = \"Gr\u00f6\u00dfe\"\r\n" + // 3
	"[targets.\"a.b\"]\n" + // 4
	"connection = \"x\"\n" + // 5
	"[targets]\n" + // 6
	"api = { connection = \"日本\", proxy = \"p\" }\n" + // 7
	"[[timeline]]\n" + // 8
	"at = \"1m\"\n" + // 9
	"[[timeline]]\n" + // 10
	"\tfault.latency = \"2s\"\n" + // 11
	"[assertions]\n" + // 12
	"checks = [\n  \"surfaces\", # one\n  'x' ]\n" // 13 to 15

func TestFind(t *testing.T) {
	f := Check([]byte(findable))
	for path, want := range map[string]string{
		"scenario":                   "2:1-2:11 2:1-2:11",
		"scenario.name":              "3:1-3:7 3:10-3:17",
		"load":                       "1:1-1:5 1:1-1:5",
		"load.rate":                  "1:6-1:10 1:13-1:14",
		"targets":                    "6:1-6:10 6:1-6:10",
		"targets.a.b":                "4:1-4:16 4:1-4:16",
		"targets.a.b.connection":     "5:1-5:11 5:14-5:17",
		"targets.api":                "7:1-7:4 7:7-7:41",
		"targets.api.connection":     "7:9-7:19 7:22-7:26",
		"targets.api.proxy":          "7:28-7:33 7:36-7:39",
		"timeline":                   "8:1-8:13 8:1-8:13",
		"timeline[0]":                "8:1-8:13 8:1-8:13",
		"timeline[0].at":             "9:1-9:3 9:6-9:10",
		"timeline[1]":                "10:1-10:13 10:1-10:13",
		"timeline[1].fault":          "11:2-11:7 11:2-11:7",
		"timeline[1].fault.latency":  "11:8-11:15 11:18-11:22",
		"assertions":                 "12:1-12:13 12:1-12:13",
		"assertions.checks":          "13:1-13:7 13:10-15:8",
		"assertions.checks[0]":       "14:3-14:13 14:3-14:13",
		"assertions.checks[1]":       "15:3-15:6 15:3-15:6",
		"":                           "",
		"objective":                  "",
		"timeline[2]":                "",
		"timeline[-1]":               "",
		"timeline[x]":                "",
		"timeline[0":                 "",
		"timeline.at":                "",
		"scenario.name.x":            "",
		"scenario[0]":                "",
		"scenari":                    "",
		"targets.a":                  "",
		".scenario":                  "",
		"scenario.":                  "",
		"assertions.checks[0].x":     "",
		"scenario.name[0]":           "",
		"timeline[1].fault.latency.": "",
	} {
		p, ok := f.Find(path)
		got := ""
		if ok {
			got = at(p.Key) + " " + at(p.Value)
		}
		if got != want {
			t.Errorf("%q is at %q, want %q", path, got, want)
		}
	}
}

func at(r Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Column, r.End.Line, r.End.Column)
}

func TestLine(t *testing.T) {
	f := Check([]byte("\ufeffone\r\ntwo\n\nfour"))
	for n, want := range map[int]string{-1: "", 0: "", 1: "one", 2: "two", 3: "", 4: "four", 5: ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
}

func TestSort(t *testing.T) {
	d := func(line, column int, severity Severity, code string) Diagnostic {
		return Diagnostic{Code: code, Severity: severity, Message: "m", Range: Range{Start: Position{Line: line, Column: column}}}
	}
	all := []Diagnostic{d(2, 1, Error, "b"), d(1, 9, Warning, "a"), d(1, 9, Error, "z"), d(2, 1, Error, "a"), d(1, 2, Error, "x")}
	Sort(all)
	var order []string
	for _, d := range all {
		order = append(order, d.Code)
	}
	if got := strings.Join(order, ""); got != "xzaab" {
		t.Errorf("%s", got)
	}
}

// A message stays on one line and within its bound, whatever a file repeats in it.
func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("ä", 20000)
	f := Check([]byte("[scenario]\n\"" + long + "\" = 1\nformat = 1\nname = \"x\"\nenvironment = \"" + long + "\"\n"))
	for _, d := range f.Diagnostics {
		if len(d.Message) > maxMessage+4 || strings.ContainsAny(d.Message, "\n\r\x00") {
			t.Errorf("%d bytes: %q", len(d.Message), d.Message)
		}
	}
	if got := oneLine("a\nb\u202ec\xff"); got != "a\uFFFDb\uFFFDc\uFFFD" {
		t.Errorf("%q", got)
	}
}

// A password in an address reaches no message, whatever is wrong besides.
func TestNoPasswordInMessages(t *testing.T) {
	const address = "https://user:hunter2@db.example.org/x"
	for _, line := range []string{
		"name = \"" + address + "\"", "name = " + address, "\"" + address + "\" = 1", "[\"" + address + "\"]",
		"# " + address, "environment = \"" + address + "\"", "naem = [ \"" + address + "\" ]", "name = [" + address + "]",
		"environment = 5 " + address, "skip = \"a\\n" + address + "\"", "format = \"" + address + "\"",
	} {
		f := Check([]byte("[scenario]\n" + line + "\n"))
		if f.OK() {
			t.Errorf("accepted: %s", line)
		}
		for _, d := range f.Diagnostics {
			if strings.Contains(d.Message+d.Suggestion, "hunter2") {
				t.Errorf("%s: %s", line, d.Message)
			}
		}
	}
}
