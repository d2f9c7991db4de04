package verdict

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/scenario"
)

// many is a change with n scenarios that all breached.
func many(t *testing.T, n int) Verdict {
	in := Input{Change: Change{Repository: "github.com/acme/shop", Base: baseCommit, Head: headCommit}}
	for i := range n {
		f := file(t, source(fmt.Sprintf("scenario-%d", i)))
		in.Scenarios = append(in.Scenarios, Scenario{Path: fmt.Sprintf("scenarios/%d.toml", i), File: f, Run: breaching(f, fmt.Sprintf("r-%d", i))})
	}
	return Judge(in)
}

func TestCheckOutputIsCutAndSaysSo(t *testing.T) {
	v := many(t, 700)
	c := v.CheckOutput()
	if len(c.Summary) > MaxCheckText || len(c.Text) > MaxCheckText {
		t.Errorf("summary of %d, text of %d bytes", len(c.Summary), len(c.Text))
	}
	if len(c.Batches) != MaxCheckAnnotations/CheckBatch {
		t.Errorf("%d batches", len(c.Batches))
	}
	for _, want := range []string{"more lines of this overview are not shown", "200 more annotations are not shown"} {
		if !strings.Contains(c.Summary, want) {
			t.Errorf("the summary does not say: %s", want)
		}
	}
	if !strings.Contains(c.Text, "more scenarios are not shown in full") {
		t.Error("the text does not say what is left out")
	}
	if c.Title != v.Title || !strings.HasPrefix(c.Title, "700 of 700 breached: ") {
		t.Errorf("title %q", c.Title)
	}
}

func TestBatchesHoldEveryAnnotationOnce(t *testing.T) {
	v := many(t, 120)
	n := 0
	for i, batch := range v.CheckOutput().Batches {
		for _, a := range batch {
			if a.Path != v.Annotations[n].Path {
				t.Fatalf("annotation %d of batch %d is of %s", n, i, a.Path)
			}
			n++
		}
	}
	if n != 120 {
		t.Errorf("%d annotations, want 120", n)
	}
}

func TestMarkdownIsCutAndSaysSo(t *testing.T) {
	var b bytes.Buffer
	if err := many(t, 1000).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > MaxSummary || !strings.Contains(b.String(), "more scenarios are not shown in full") {
		t.Errorf("%d bytes", b.Len())
	}
	if n := strings.Count(b.String(), "```mermaid"); n != maxPictures {
		t.Errorf("%d charts", n)
	}
}

func TestStepShowsTheWorstTen(t *testing.T) {
	f := scenario.Check([]byte(strings.ReplaceAll(source("bad"), "rate", "raet")))
	in := Input{Scenarios: []Scenario{{Path: "bad.toml", File: f}}}
	for i := range 14 {
		in.Scenarios[0].Findings = append(in.Scenarios[0].Findings, scenario.Diagnostic{Code: "warned", Severity: scenario.Warning, Message: fmt.Sprint(i)})
	}
	good := file(t, source("left-behind"))
	left := Scenario{Path: "left.toml", File: good, Run: passing(good, "r")}
	left.Run.Result.Faults[0].Proved = false
	for range 12 {
		in.Scenarios[0].Findings = append(in.Scenarios[0].Findings, scenario.Diagnostic{Code: "wrong", Severity: scenario.Error, Message: "wrong"})
	}
	in.Scenarios = append(in.Scenarios, left)
	v := Judge(in)
	shown, hidden := v.StepAnnotations()
	levels := map[Level]int{}
	for _, a := range shown {
		levels[a.Level]++
	}
	if levels[Failure] != MaxStepAnnotations || levels[Warning] != MaxStepAnnotations || len(shown)+hidden != len(v.Annotations) {
		t.Errorf("%v shown, %d hidden of %d", levels, hidden, len(v.Annotations))
	}
	if shown[0].Code != "unproved-lifting" {
		t.Errorf("first is %s, not the fault that may still be active", shown[0].Code)
	}
}

func TestForGitHub(t *testing.T) {
	for _, c := range []struct {
		in, want Annotation
	}{
		{Annotation{Path: "./a.toml", StartLine: 1, EndLine: 1, StartColumn: 3, EndColumn: 7}, Annotation{Path: "a.toml", StartLine: 1, EndLine: 1, StartColumn: 3, EndColumn: 6}},
		{Annotation{Path: "/a/../b.toml", StartLine: 1, EndLine: 1, StartColumn: 3, EndColumn: 3}, Annotation{Path: "b.toml", StartLine: 1, EndLine: 1, StartColumn: 3, EndColumn: 3}},
		{Annotation{Path: "a.toml", StartLine: 1, EndLine: 2, StartColumn: 3, EndColumn: 3}, Annotation{Path: "a.toml", StartLine: 1, EndLine: 2}},
	} {
		if got := forGitHub(c.in); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
	long := forGitHub(Annotation{Message: strings.Repeat("漢", MaxCheckMessage)})
	if len(long.Message) > MaxCheckMessage || !strings.HasSuffix(long.Message, "漢…") {
		t.Errorf("a message of %d bytes", len(long.Message))
	}
}

func TestMarkdownEscapes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a|b", "a&#124;b"}, {"<b>", "&#60;b&#62;"}, {"max_p99_ms", "max_p99_ms"}, {"_x_", "&#95;x&#95;"}, {"1. x", "1&#46; x"}, {"0.5%", "0.5%"},
		{"- x", "&#45; x"}, {"@a", "@" + noLink + "a"}, {"https://x", "https:" + noLink + "//x"}, {"&amp;", "&#38;amp;"}, {"a\nb", "a b"}, {"https: x", "https: x"},
	} {
		if got := markdown(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCaretsStandUnderWhatIsMeant(t *testing.T) {
	for _, c := range []struct {
		a    Annotation
		want string
	}{
		{Annotation{StartLine: 3, EndLine: 3, StartColumn: 3, EndColumn: 5, Source: "abcdef", SourceColumn: 1}, "     3 | abcdef\n       |   ^^\n"},
		{Annotation{StartLine: 3, EndLine: 3, StartColumn: 3, EndColumn: 4, Source: "\t漢x", SourceColumn: 1}, "     3 | \t漢x\n       | \t  ^\n"},
		{Annotation{StartLine: 3, EndLine: 3, StartColumn: 3, EndColumn: 3, Source: "ab", SourceColumn: 1}, "     3 | ab\n       |   ^\n"},
		{Annotation{StartLine: 12345, EndLine: 12346, Source: "ab", SourceColumn: 1}, "  12345 | ab\n"},
		{Annotation{StartLine: 1, EndLine: 1, StartColumn: 1, EndColumn: 3, Source: "\x1b[", SourceColumn: 1}, "     1 | \uFFFD[\n       | ^^\n"},
	} {
		w := textWriter{}
		w.excerpt(&c.a)
		if got := w.b.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	f := file(b, source("one"))
	in := Input{Change: Change{Head: headCommit}}
	for range 20 {
		in.Scenarios = append(in.Scenarios, Scenario{Path: "one.toml", File: f, Run: breaching(f, "r")})
	}
	for b.Loop() {
		v := Judge(in)
		v.CheckOutput()
	}
}
