package verdict

import "io"

// issue is one entry of GitLab's code quality report.
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
type issue struct {
	Description string        `json:"description"`
	CheckName   string        `json:"check_name"`
	Fingerprint string        `json:"fingerprint"`
	Severity    string        `json:"severity"`
	Location    issueLocation `json:"location"`
}

type issueLocation struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// WriteCodeQuality writes what blocks or warns for GitLab's merge requests; what
// passed is no issue there.
func (v Verdict) WriteCodeQuality(w io.Writer) error {
	issues := []issue{}
	prints := fingerprints{}
	for i := range v.Annotations {
		a := &v.Annotations[i]
		if a.Level == Notice {
			continue
		}
		one := issue{
			Description: a.Title + ": " + oneLine(a.Message), CheckName: a.Code, Fingerprint: prints.of(a), Severity: "minor",
			Location: issueLocation{Path: orElse(cleanPath(a.Path), ".")},
		}
		switch {
		case a.Code == "unproved-lifting":
			one.Severity = "blocker"
		case a.Level == Failure:
			one.Severity = "major"
		}
		one.Location.Lines.Begin = a.StartLine
		issues = append(issues, one)
	}
	return writeIndented(w, issues)
}
