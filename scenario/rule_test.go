package scenario

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// complete makes a file of an example: the tables that it does not have are those of
// the plain scenario.
func complete(example string) []byte {
	if strings.HasPrefix(example, ownFile) {
		return []byte(example)
	}
	has := tree.Parse([]byte(example), func(name string) bool { return fileTable.key(name) != nil }).Root
	text := example
	for _, part := range plainScenario {
		if part.table == "assertions" && has.Get("objective") != nil && has.Get("assertion") != nil {
			continue
		}
		if has.Get(part.table) == nil {
			text += "\n" + part.text
		}
	}
	return []byte(text)
}

// Every rule has a manual, and its examples do what they say: the bad one gives exactly
// its code, the good one nothing.
func TestRuleExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		t.Run(r.Code, func(t *testing.T) {
			if seen[r.Code] || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(r.Code) {
				t.Errorf("code %q", r.Code)
			}
			seen[r.Code] = true
			if r.What == "" || r.Message == "" || r.Severity != Error && r.Severity != Warning {
				t.Error("the manual is not complete")
			}
			if r.Bad == "" {
				return // made by a test of its own
			}
			bad := Check(complete(r.Bad))
			if len(bad.Diagnostics) != 1 || bad.Diagnostics[0].Code != r.Code || bad.Diagnostics[0].Severity != r.Severity {
				t.Errorf("bad example:\n%s\n%v", bad.Source(), bad.Diagnostics)
			}
			if good := Check(complete(r.Good)); len(good.Diagnostics) != 0 {
				t.Errorf("good example:\n%s\n%v", good.Source(), good.Diagnostics)
			}
		})
	}
}

func TestFileTooLarge(t *testing.T) {
	at := bytes.Repeat([]byte("#"), MaxSize)
	if f := Check(at); f.Diagnostics[0].Code == fileTooLarge.Code {
		t.Errorf("refused at the limit: %v", f.Diagnostics)
	}
	f := Check(append(at, '#'))
	if len(f.Diagnostics) != 1 || f.Diagnostics[0].Code != fileTooLarge.Code || !strings.Contains(f.Diagnostics[0].Message, "65537 bytes") {
		t.Errorf("%v", f.Diagnostics)
	}
	if _, ok := f.Find("scenario"); ok || f.Line(1) != "" {
		t.Error("something was read of it")
	}
	if d := TooLarge(0); !strings.Contains(d.Message, "at most 65536") {
		t.Errorf("%v", d)
	}
}

func TestMoreProblems(t *testing.T) {
	text := string(complete("[assertions]\nchecks = [\"surfaces\"]\n")) + "[[timeline]]\n"
	for i := range maxDiagnostics + 10 {
		text += fmt.Sprintf("wrong_%d = 1\n", i)
	}
	f := Check([]byte(text))
	if n := len(f.Diagnostics); n != maxDiagnostics+1 {
		t.Fatalf("%d diagnostics", n)
	}
	// The entry lacks at and action besides.
	if last := f.Diagnostics[maxDiagnostics]; last.Code != moreProblems.Code || last.Message != "12 more problems are not shown; mend those above first" {
		t.Errorf("%v", last)
	}
}

// A file is not refused for its warnings, however many there are.
func TestMoreWarnings(t *testing.T) {
	text := "[targets]\napi = { connection = \"a\" }\n"
	for i := range maxDiagnostics + 5 {
		text += fmt.Sprintf("target-%d = { connection = \"a\" }\n", i)
	}
	f := Check(complete(text + "[assertions]\nmax_error_rate = 0.01\n"))
	last := f.Diagnostics[len(f.Diagnostics)-1]
	if !f.OK() || len(f.Diagnostics) != maxDiagnostics+1 || last.Code != moreProblems.Code || last.Severity != Warning {
		t.Errorf("%v", f.Diagnostics)
	}
}

// Every example on the page of the reference is executed as it stands there.
func TestReferenceExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/scenario.md")
	if err != nil {
		t.Fatal(err)
	}
	code, verdict, run := "", "", 0
	for _, block := range regexp.MustCompile("(?ms)^### ([a-z0-9-]+)$|^(Refused|Warned of|Refused by the account|Warned of by the account|Accepted):$|^```toml\n(.*?)^```$").FindAllSubmatch(page, -1) {
		switch {
		case len(block[1]) > 0:
			code = string(block[1])
		case len(block[2]) > 0:
			verdict = string(block[2])
		default:
			run++
			f := Check(complete(string(block[3])))
			var codes []string
			for _, d := range f.Diagnostics {
				codes = append(codes, d.Code)
			}
			want := ""
			if verdict == "Refused" || verdict == "Warned of" {
				want = code
			}
			if strings.Join(codes, " ") != want || f.OK() == (verdict == "Refused") {
				t.Errorf("%s, %s: %v\n%s", code, verdict, f.Diagnostics, block[3])
			}
		}
	}
	if run < 2*len(Rules())-8 {
		t.Errorf("only %d examples were run", run)
	}
}
