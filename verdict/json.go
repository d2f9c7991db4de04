package verdict

import (
	"encoding/json"
	"io"
)

// Schema is the version of the verdict's JSON form. It changes only when something
// that is there goes away or changes its meaning.
const Schema = 1

// document is the JSON form of a verdict: docs/verdict.schema.json describes it.
type document struct {
	Schema      int          `json:"schema"`
	State       State        `json:"state"`
	Conclusion  string       `json:"conclusion"`
	ExitCode    int          `json:"exit_code"`
	Title       string       `json:"title"`
	Unproved    bool         `json:"unproved_lifting"`
	TimedOut    bool         `json:"timed_out"`
	CheckOnly   bool         `json:"check_only"`
	Change      Change       `json:"change"`
	Scenarios   []Judged     `json:"scenarios"`
	Annotations []Annotation `json:"annotations"`
	Problems    []Problem    `json:"problems"`
	Notes       []string     `json:"notes"`
}

// WriteJSON writes the verdict for tools. Lists are never null.
func (v Verdict) WriteJSON(w io.Writer) error {
	d := document{
		Schema: Schema, State: v.State, Conclusion: v.Conclusion(), ExitCode: v.ExitCode(), Title: v.Title,
		Unproved: v.Unproved, TimedOut: v.TimedOut, CheckOnly: v.CheckOnly, Change: v.Change,
		Scenarios: list(v.Scenarios), Annotations: list(v.Annotations), Problems: list(v.Problems), Notes: list(v.Notes),
	}
	for i := range d.Scenarios {
		s := &d.Scenarios[i]
		s.Findings, s.Measured, s.Faults, s.Differences = list(s.Findings), list(s.Measured), list(s.Faults), list(s.Differences)
		if s.Picture != nil {
			p := *s.Picture
			p.Points, p.Faults = list(p.Points), list(p.Faults)
			s.Picture = &p
		}
	}
	return writeIndented(w, d)
}

// list is a copy that is never nil.
func list[T any](all []T) []T { return append([]T{}, all...) }

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
