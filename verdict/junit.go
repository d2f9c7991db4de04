package verdict

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The JUnit form, as the CI systems that read it agree on it: a suite for the change,
// a case for each scenario and for each problem of the change.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"` // seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Output  *junitOutput  `xml:"system-out"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

type junitOutput struct {
	Text string `xml:",cdata"`
}

// WriteJUnit writes the verdict for a CI system's list of tests: a scenario that
// failed or breached is a failure, every other one that blocks is an error, and one
// that does not block, or was not run, is skipped with the reason.
func (v Verdict) WriteJUnit(w io.Writer) error {
	suite := junitSuite{Name: "reliability"}
	for i := range v.Problems {
		text := v.Problems[i].text()
		suite.add(junitCase{
			Name: "configuration", Class: "reliability", File: shownIf(v.Problems[i].Path), Time: "0",
			Error: &junitMessage{Message: text, Type: string(Invalid)},
		})
	}
	seconds := 0.0
	for i := range v.Scenarios {
		s := &v.Scenarios[i]
		seconds += s.Run.seconds()
		suite.add(v.junitCase(s))
	}
	suite.Time = fmt.Sprintf("%.3f", seconds)
	all := junitSuites{
		Name: v.Title, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Skipped: suite.Skipped, Suites: []junitSuite{suite},
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	s.Failures += one(c.Failure != nil)
	s.Errors += one(c.Error != nil)
	s.Skipped += one(c.Skipped != nil)
	s.Cases = append(s.Cases, c)
}

func (v *Verdict) junitCase(s *Judged) junitCase {
	c := junitCase{Name: s.Name, Class: "reliability." + orElse(s.Environment, "scenario"), File: shownPath(s.Path), Time: fmt.Sprintf("%.3f", s.Run.seconds())}
	var lines []string
	for _, a := range v.of(s.Path) {
		lines = append(lines, a.place()+": "+a.Message)
	}
	text := strings.Join(lines, "\n")
	message := &junitMessage{Message: s.Summary, Type: string(s.State), Text: text}
	switch {
	case s.State == Pass:
		c.Output = &junitOutput{text}
	case !s.Blocking && s.State != None:
		message.Message = "advisory, does not block: " + s.Summary
		c.Skipped = message
	case !s.Blocking:
		c.Skipped = message
	case s.counted.State == Fail || s.counted.State == Breach:
		c.Failure = message
	default:
		c.Error = message
	}
	return c
}

// seconds is how long the run took; 0 where that is not known.
func (r *Run) seconds() float64 {
	if r == nil || r.StartedAt.IsZero() || r.FinishedAt.Before(r.StartedAt) {
		return 0
	}
	return r.FinishedAt.Sub(r.StartedAt).Seconds()
}

func shownIf(path string) string {
	if path == "" {
		return ""
	}
	return shownPath(path)
}
