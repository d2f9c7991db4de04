package report

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/inorbit-hr/reliability/scenario"
)

// SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	docs         = "https://github.com/inorbit-hr/reliability/blob/main/docs/scenario.md"
)

type sarifLog struct {
	Version string     `json:"version"`
	Schema  string     `json:"$schema"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string       `json:"id"`
	ShortDescription sarifMessage `json:"shortDescription"`
	HelpURI          string       `json:"helpUri"`
	Default          sarifLevel   `json:"defaultConfiguration"`
}

type sarifLevel struct {
	Level scenario.Severity `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string            `json:"ruleId"`
	RuleIndex int               `json:"ruleIndex"`
	Level     scenario.Severity `json:"level"`
	Message   sarifMessage      `json:"message"`
	Locations []sarifLocation   `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

// SARIF writes a log for code scanning. Rule ids are the codes, columns count code
// points.
func SARIF(w io.Writer, results []Result) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "iohr reliability check", InformationURI: docs, Rules: []sarifRule{}}
	manual := map[string]scenario.Rule{}
	for _, rule := range slices.Concat(scenario.Rules(), Rules()) {
		manual[rule.Code] = rule
	}
	index := map[string]int{} // of the rules that the results name
	for i := range results {
		r := &results[i]
		for _, d := range r.Diagnostics {
			if _, known := index[d.Code]; !known {
				index[d.Code] = len(run.Tool.Driver.Rules)
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(d, manual))
			}
			run.Results = append(run.Results, sarifResult{
				RuleID: d.Code, RuleIndex: index[d.Code], Level: d.Severity, Message: sarifMessage{visible(d.Message)},
				Locations: []sarifLocation{{sarifPhysical{sarifArtifact{sarifURI(r.Path)}, region(d.Range)}}},
			})
		}
	}
	return writeJSON(w, sarifLog{Version: sarifVersion, Schema: sarifSchema, Runs: []sarifRun{run}})
}

// sarifRuleOf is the rule of a diagnostic. A rule of the online half has no manual
// here.
func sarifRuleOf(d scenario.Diagnostic, manual map[string]scenario.Rule) sarifRule {
	rule, known := manual[d.Code]
	if !known {
		return sarifRule{ID: d.Code, ShortDescription: sarifMessage{d.Code}, HelpURI: docs, Default: sarifLevel{d.Severity}}
	}
	return sarifRule{ID: d.Code, ShortDescription: sarifMessage{rule.What}, HelpURI: docs + "#" + rule.Code, Default: sarifLevel{rule.Severity}}
}

func region(r scenario.Range) sarifRegion {
	return sarifRegion{StartLine: r.Start.Line, StartColumn: r.Start.Column, EndLine: r.End.Line, EndColumn: r.End.Column}
}

// sarifURI is a path as a relative reference.
func sarifURI(path string) string {
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}
