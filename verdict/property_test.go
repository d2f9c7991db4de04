package verdict

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// files are sources of every shape that the checker meets.
var files = []string{
	source("one"), source("two"), strings.ReplaceAll(source("crlf"), "\n", "\r\n"), "\ufeff" + source("bom"),
	strings.TrimSuffix(source("no-end"), "\n"), strings.ReplaceAll(source("wrong"), "rate", "raet"),
	strings.Replace(source("skip"), "environment", "skip = \"later\"\nenvironment", 1), source("漢字 żółć"),
	"", "\n\n\n", "[scenario", "name = \"\\u0000\"", strings.Repeat("# x\n", 20000), "\xff\xfe",
}

func anyFloat(t *rapid.T, label string) float64 {
	return rapid.OneOf(rapid.Float64Range(0, 2000), rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64})).Draw(t, label)
}

// anyRun is a run that may say anything at all; often it is a good one with one fault.
func anyRun(t *rapid.T, f *scenario.File) *run.Run {
	if f == nil {
		f = scenario.Check([]byte(files[0]))
	}
	r := passing(f, rapid.String().Draw(t, "id"))
	switch rapid.IntRange(0, 20).Draw(t, "what is odd") {
	case 8:
		r.Status = rapid.SampledFrom([]run.Status{run.StatusQueued, run.StatusRunning, run.StatusWaiting, "", "odd"}).Draw(t, "status")
	case 9:
		r.Outcome = rapid.SampledFrom([]run.Outcome{run.OutcomeFail, run.OutcomeBreach, run.OutcomeBorderline, run.OutcomeInconclusive, run.OutcomeRefused, run.OutcomeCancelled, "", "odd"}).Draw(t, "outcome")
	case 0:
		r.Version = rapid.String().Draw(t, "version")
	case 1:
		r.Result = nil
	case 2:
		r.Result.Assertions = nil
	case 3:
		r.Result.Objective = nil
	case 4:
		a := &r.Result.Assertions[rapid.IntRange(0, 2).Draw(t, "which")]
		a.Decision = rapid.SampledFrom([]run.Decision{run.DecisionFail, run.DecisionBorderline, run.DecisionUndecided, "odd"}).Draw(t, "decision")
		a.Value, a.Limit, a.Reason, a.Name = ptr(anyFloat(t, "value")), anyFloat(t, "limit"), rapid.String().Draw(t, "reason"), rapid.OneOf(rapid.Just(a.Name), rapid.String()).Draw(t, "name")
	case 5:
		r.Result.Objective.Breach = &run.Breach{Part: rapid.SampledFrom([]string{"p99_ms", "success_rate", "odd"}).Draw(t, "part"), Value: anyFloat(t, "value"), Limit: anyFloat(t, "limit"), AtMs: rapid.Int64().Draw(t, "at"), Fault: ptr(rapid.IntRange(-2, 3).Draw(t, "fault"))}
	case 6:
		f := &r.Result.Faults[0]
		f.Proved, f.Lifted, f.Entry = rapid.Bool().Draw(t, "proved"), rapid.Bool().Draw(t, "lifted"), rapid.IntRange(-2, 3).Draw(t, "entry")
		r.Result.UnprovedLifting = rapid.Bool().Draw(t, "unproved")
	case 7:
		for i := range r.Result.Load.Seconds {
			r.Result.Load.Seconds[i].FromMs = rapid.Int64().Draw(t, "from")
			if i == 3 {
				r.Result.Load.Seconds = r.Result.Load.Seconds[:i]
				break
			}
		}
		r.Result.Load.Seconds[0].P99Ms = anyFloat(t, "p99")
	}
	return r
}

func anyPosition(t *rapid.T, label string) scenario.Position {
	return scenario.Position{Line: rapid.IntRange(-1, 60).Draw(t, label+" line"), Column: rapid.IntRange(-1, 90).Draw(t, label+" column")}
}

func anyDiagnostic(t *rapid.T) scenario.Diagnostic {
	return scenario.Diagnostic{
		Code: rapid.String().Draw(t, "code"), Message: rapid.String().Draw(t, "message"),
		Severity: rapid.SampledFrom([]scenario.Severity{scenario.Error, scenario.Warning, "odd"}).Draw(t, "severity"),
		Range:    scenario.Range{Start: anyPosition(t, "start"), End: anyPosition(t, "end")},
	}
}

func anyScenario(t *rapid.T) Scenario {
	s := Scenario{
		Path:     rapid.OneOf(rapid.Just("a/b.toml"), rapid.String()).Draw(t, "path"),
		Approved: rapid.Bool().Draw(t, "approved"), Advisory: rapid.IntRange(0, 3).Draw(t, "advisory") == 0,
	}
	switch rapid.IntRange(0, 9).Draw(t, "file") {
	case 0:
		s.Deleted = true
	case 1:
		s.Unreadable = rapid.String().Draw(t, "unreadable")
	case 2:
		s.File = scenario.Check([]byte(rapid.SampledFrom(files).Draw(t, "source")))
	default:
		s.File = scenario.Check([]byte(files[0]))
	}
	if rapid.IntRange(0, 9).Draw(t, "has a run") > 0 {
		s.Run = anyRun(t, s.File)
	}
	if rapid.IntRange(0, 9).Draw(t, "has a base") > 4 {
		s.Base = anyRun(t, s.File)
	}
	if rapid.IntRange(0, 9).Draw(t, "is not run") == 0 {
		s.NotRun = &NotRun{State: rapid.SampledFrom([]State{Waiting, Inconclusive, Cancelled, Refused, Pass, None, ""}).Draw(t, "state"), TimedOut: rapid.Bool().Draw(t, "late"), Reason: rapid.String().Draw(t, "reason")}
	}
	if rapid.IntRange(0, 6).Draw(t, "has findings") == 0 {
		s.Findings = []scenario.Diagnostic{anyDiagnostic(t)}
	}
	if rapid.IntRange(0, 6).Draw(t, "has differences") == 0 {
		s.Differences = []scenario.Difference{{
			Direction: rapid.SampledFrom([]scenario.Direction{scenario.Looser, scenario.Tighter, scenario.Different, "odd"}).Draw(t, "direction"),
			Range:     scenario.Range{Start: anyPosition(t, "start"), End: anyPosition(t, "end")}, InBase: rapid.Bool().Draw(t, "in base"), Message: rapid.String().Draw(t, "message"),
		}}
	}
	return s
}

func anyInput(t *rapid.T) Input {
	in := Input{
		Change: Change{Repository: rapid.String().Draw(t, "repository"), Head: rapid.SampledFrom([]string{"", headCommit}).Draw(t, "head"), Base: baseCommit},
		Settings: Settings{
			Borderline: rapid.SampledFrom([]string{"", "note", "block", "odd"}).Draw(t, "borderline"), Loosened: rapid.SampledFrom([]string{"", "note", "person", "odd"}).Draw(t, "loosened"),
			Revision: rapid.SampledFrom([]string{"", "note", "require", "odd"}).Draw(t, "revision"), CheckOnly: rapid.IntRange(0, 5).Draw(t, "check only") == 0,
		},
		Scenarios: rapid.SliceOfN(rapid.Custom(anyScenario), 0, 4).Draw(t, "scenarios"),
	}
	if rapid.IntRange(0, 9).Draw(t, "has problems") == 0 {
		in.Problems = []Problem{{Path: rapid.String().Draw(t, "path"), Line: rapid.IntRange(-1, 5).Draw(t, "line"), Message: rapid.String().Draw(t, "message")}}
	}
	return in
}

// One more scenario never makes a verdict better.
func TestPropertyPrecedence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		before := Judge(in)
		in.Scenarios = append(in.Scenarios, anyScenario(t))
		after := Judge(in)
		if severityOf(after.State, after.Unproved) < severityOf(before.State, before.Unproved) {
			t.Fatalf("%s became %s", before.State, after.State)
		}
		if before.Conclusion() != ConclusionSuccess && after.Conclusion() == ConclusionSuccess {
			t.Fatalf("%s became %s", before.Conclusion(), after.Conclusion())
		}
	})
}

// A pass needs, of every scenario that counts, a finished run of the very file that
// passed, with each limit of the file decided, and a file without an error.
func TestPropertyPassNeedsEvidence(t *testing.T) {
	passes := 0
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		if rapid.IntRange(0, 3).Draw(t, "is good") == 0 { // or a pass would be too rare to be tried
			f := scenario.Check([]byte(files[0]))
			in = Input{Scenarios: []Scenario{{Path: "one.toml", File: f, Run: passing(f, "r")}}}
		}
		v := Judge(in)
		if v.ExitCode() != ExitOK {
			return
		}
		if len(in.Problems) > 0 {
			t.Fatal("the change has problems")
		}
		for i := range in.Scenarios {
			s := &in.Scenarios[i]
			if s.Unreadable != "" {
				t.Fatal("a file could not be read")
			}
			for _, d := range s.Findings {
				if d.Severity != scenario.Warning && !s.Deleted {
					t.Fatal("the online half refused a file")
				}
			}
			if s.File != nil && !s.File.OK() {
				t.Fatal("the offline half refused a file")
			}
			if r := s.Run; r != nil && r.Result != nil && r.Result.UnprovedLifting {
				t.Fatal("a fault may still be active")
			}
			idle := s.Deleted || s.File != nil && s.File.Scenario.Skip != "" || in.Settings.CheckOnly || s.Advisory
			if v.State == Pass && !idle {
				evidence(t, s)
				passes++
			}
		}
	})
	if passes == 0 {
		t.Error("no verdict passed: the property was not tried")
	}
}

func evidence(t *rapid.T, s *Scenario) {
	r := s.Run
	switch {
	case r == nil || r.Result == nil || s.File == nil || s.NotRun != nil:
		t.Fatal("there is no run")
	case r.Version != s.File.Hash():
		t.Fatal("the run is of another version")
	case r.Status != run.StatusFinished || r.Outcome != run.OutcomePass && r.Outcome != run.OutcomeBorderline:
		t.Fatalf("the run is %s, %s", r.Status, r.Outcome)
	}
	decided := map[string]run.Decision{}
	for _, a := range r.Result.Assertions {
		decided[a.Name] = a.Decision
	}
	for _, key := range asked(&s.File.Scenario) {
		if strings.HasPrefix(key, "objective.") {
			if o := r.Result.Objective; o == nil || o.Breach != nil {
				t.Fatal("the objective was not held")
			}
		} else if d := decided[key]; d != run.DecisionPass && d != run.DecisionBorderline {
			t.Fatalf("%s was not held: %s", key, d)
		}
	}
}

// A title is one line of bounded length, and no annotation stands outside its file.
func TestPropertyTitleAndPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		v := Judge(in)
		if n := utf8.RuneCountInString(v.Title); n == 0 || n > MaxTitle || strings.ContainsAny(v.Title, "\r\n\x1b\x00") {
			t.Fatalf("title %q", v.Title)
		}
		known := map[string]*scenario.File{}
		seen := map[string]bool{}
		for i := range in.Scenarios {
			if _, twice := known[in.Scenarios[i].Path]; twice {
				return // which file an annotation means is not known
			}
			known[in.Scenarios[i].Path] = in.Scenarios[i].File
		}
		for _, a := range v.Annotations {
			seen[a.Path] = true
			inside(t, a, known[a.Path])
		}
		for path := range known {
			if !seen[path] {
				t.Fatalf("%q has no annotation", path)
			}
		}
	})
}

func inside(t *rapid.T, a Annotation, f *scenario.File) {
	switch {
	case a.StartLine < 1 || a.EndLine < a.StartLine || a.EndColumn < a.StartColumn || a.StartColumn < 0 || a.SourceColumn < 1:
		t.Fatalf("annotation at %d-%d:%d-%d", a.StartLine, a.EndLine, a.StartColumn, a.EndColumn)
	case a.StartColumn > 0 && a.StartLine != a.EndLine:
		t.Fatal("columns over several lines")
	case f == nil:
		return
	case a.EndLine > lineCount(f.Source()):
		t.Fatalf("line %d of %d", a.EndLine, lineCount(f.Source()))
	case a.EndColumn > utf8.RuneCountInString(f.Line(a.StartLine))+1:
		t.Fatalf("column %d of %q", a.EndColumn, f.Line(a.StartLine))
	}
}

// Every renderer writes every verdict, inside its limits.
func TestPropertyRenderers(t *testing.T) {
	schema := publishedSchema(t)
	rapid.Check(t, func(rt *rapid.T) {
		v := Judge(anyInput(rt))
		for name, write := range map[string]func(io.Writer) error{
			"text": v.WriteText, "json": v.WriteJSON, "markdown": v.WriteMarkdown, "junit": v.WriteJUnit, "sarif": v.WriteSARIF, "code quality": v.WriteCodeQuality,
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				rt.Fatalf("%s: %v", name, err)
			}
			if !utf8.Valid(b.Bytes()) || b.Len() > MaxSummary {
				rt.Fatalf("%s: %d bytes", name, b.Len())
			}
			if name == "json" {
				valid(t, schema, b.Bytes())
			}
		}
		withinLimits(rt, v.CheckOutput())
	})
}

func withinLimits(t *rapid.T, c CheckOutput) {
	if len(c.Summary) > MaxCheckText || len(c.Text) > MaxCheckText {
		t.Fatalf("summary of %d, text of %d bytes", len(c.Summary), len(c.Text))
	}
	for _, batch := range c.Batches {
		if len(batch) == 0 || len(batch) > CheckBatch {
			t.Fatalf("a batch of %d", len(batch))
		}
		for _, a := range batch {
			if a.Path == "" || strings.HasPrefix(a.Path, "/") || strings.HasPrefix(a.Path, "./") || utf8.RuneCountInString(a.Title) > 255 || len(a.Message) > MaxCheckMessage {
				t.Fatalf("annotation %q %q", a.Path, a.Title)
			}
		}
	}
}
