package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	home         = "https://github.com/inorbit-hr/reliability"
)

type sarifLog struct {
	Version string     `json:"version"`
	Schema  string     `json:"$schema"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region sarifRegion `json:"region"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	EndLine     int `json:"endLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

// WriteSARIF writes what blocks or warns for code scanning; what passed is no result
// there.
func (v Verdict) WriteSARIF(w io.Writer) error {
	out := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	out.Tool.Driver = sarifDriver{Name: "reliability", InformationURI: home, Rules: []sarifRule{}}
	index := map[string]int{}
	prints := fingerprints{}
	for i := range v.Annotations {
		a := &v.Annotations[i]
		if a.Level == Notice {
			continue
		}
		if _, known := index[a.Code]; !known {
			index[a.Code] = len(out.Tool.Driver.Rules)
			out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, sarifRule{ID: a.Code, ShortDescription: sarifText{ruleText(a.Code)}})
		}
		result := sarifResult{
			RuleID: a.Code, RuleIndex: index[a.Code], Level: "warning", Message: sarifText{noSARIFLink(a.Title + ": " + a.Message)},
			Fingerprints: map[string]string{"reliabilityVerdict/v1": prints.of(a)},
		}
		if a.Level == Failure {
			result.Level = "error"
		}
		if a.Path != "" {
			result.Locations = []sarifLocation{{a.physical()}}
		}
		out.Results = append(out.Results, result)
	}
	return writeIndented(w, sarifLog{Version: sarifVersion, Schema: sarifSchema, Runs: []sarifRun{out}})
}

func (a *Annotation) physical() sarifPhysical {
	p := sarifPhysical{Region: sarifRegion{StartLine: a.StartLine, EndLine: a.EndLine, StartColumn: a.StartColumn, EndColumn: a.EndColumn}}
	p.Artifact.URI = (&url.URL{Path: cleanPath(a.Path)}).String()
	return p
}

// noSARIFLink keeps text from being read as a link inside a message.
func noSARIFLink(text string) string { return strings.ReplaceAll(text, "](", "] (") }

// ruleText says what a code of an annotation stands for; a diagnostic's code stands
// for itself.
func ruleText(code string) string {
	if text, ok := ruleTexts[code]; ok {
		return text
	}
	return "a scenario file breaks the rule " + code
}

var ruleTexts = map[string]string{
	"assertion":        "a limit of the scenario was exceeded",
	"breach":           "the objective broke while the scenario ran",
	"borderline":       "a limit was exceeded, but not with certainty",
	"cancelled":        "the run was cancelled",
	"configuration":    "the change as a whole cannot be judged",
	"deleted":          "the change deletes a scenario",
	"inconclusive":     "the run could not be measured",
	"loosened":         "the change lowers the bar of a scenario",
	"no-file":          "the scenario file was not read",
	"no-run":           "the scenario was not run",
	"not-measured":     "the run does not tell a limit of the scenario",
	"not-run":          "the scenario was not run",
	"other-version":    "the run is of another version of the file",
	"refused":          "policy, plan or scope does not allow the run",
	"revision":         "the run tested another revision than the change's",
	"timed-out":        "the run did not end in time",
	"undecided":        "a limit could not be judged",
	"unfinished":       "the run has not ended",
	"unknown-outcome":  "the run ended in a way that is not known",
	"unknown-status":   "the run is in a state that is not known",
	"unproved-lifting": "a fault was not shown to be lifted",
	"unreadable":       "the scenario file cannot be read",
	"waiting":          "a person must act",
}

// fingerprints names annotations so that the same one has the same name in a later
// verdict: by path, code and title, and the how-manieth of those it is.
type fingerprints map[string]int

func (f fingerprints) of(a *Annotation) string {
	name := strings.Join([]string{cleanPath(a.Path), a.Code, a.Title}, "\x00")
	f[name]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", name, f[name]))
	return hex.EncodeToString(sum[:])
}
