package gate

import (
	"context"
	"fmt"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/verdict"
)

// checkOnline does the online half of every file that the offline half accepts.
// Where a file is refused, none is run: a change is mended whole before it costs
// time on staging.
func (j *judgement) checkOnline(ctx context.Context) {
	anyRefused := false
	for i := range j.scenarios {
		s := &j.scenarios[i]
		if runnable(*s) && !refused(*s) && j.options.Bench != nil {
			j.checkOne(ctx, s)
		}
		anyRefused = anyRefused || refused(*s)
	}
	if !anyRefused || j.options.CheckOnly {
		return
	}
	for i := range j.scenarios {
		if s := &j.scenarios[i]; runnable(*s) && !refused(*s) {
			s.NotRun = &verdict.NotRun{
				State:  verdict.Inconclusive,
				Reason: "not run, because another file of this change is refused; nothing is started until all are accepted",
			}
		}
	}
}

func (j *judgement) checkOne(ctx context.Context, s *verdict.Scenario) {
	found, err := CheckOnline(ctx, j.options.Bench, s.File)
	if err != nil {
		s.NotRun = notRun(ctx, err, "checking it against the account")
		return
	}
	s.Findings = append(s.Findings, found...)
}

// CheckOnline has a file checked against the account of a bench, and returns what the
// offline half did not find. An error means that it could not be found out.
func CheckOnline(ctx context.Context, bench Bench, file *scenario.File) ([]scenario.Diagnostic, error) {
	result, err := bench.Check(ctx, file.Source())
	if err != nil {
		return nil, err
	}
	if result.Version != file.Hash() {
		return nil, fmt.Errorf("the bench checked other bytes (%.12s) than the file's (%.12s)", result.Version, file.Hash())
	}
	known := make(map[string]bool)
	for _, d := range file.Diagnostics {
		known[key(d)] = true
	}
	var found []scenario.Diagnostic
	for _, finding := range result.Findings {
		if d := diagnostic(finding); !known[key(d)] {
			found = append(found, d)
		}
	}
	return found, nil
}

// key tells diagnostics apart: both halves may report the same one.
func key(d scenario.Diagnostic) string {
	return fmt.Sprintf("%d:%d %s", d.Range.Start.Line, d.Range.Start.Column, d.Code)
}

// diagnostic is a finding of the bench. One of unknown severity is an error.
func diagnostic(f run.Finding) scenario.Diagnostic {
	severity := scenario.Error
	if f.Severity == run.SeverityWarning {
		severity = scenario.Warning
	}
	return scenario.Diagnostic{
		Code: f.Code, Severity: severity, Message: f.Message, Suggestion: f.Suggestion,
		Range: scenario.Range{
			Start: scenario.Position{Line: f.Start.Line, Column: f.Start.Column},
			End:   scenario.Position{Line: f.End.Line, Column: f.End.Column},
		},
	}
}
