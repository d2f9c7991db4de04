package scenario

import "github.com/inorbit-hr/reliability/scenario/internal/tree"

// Position is a place in a file. Line and Column are 1-based; Column counts Unicode
// code points, as GitHub and editors do. Offset counts bytes from 0.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"-"`
}

// Range is a half-open stretch of a file: End is the first position behind it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Place is where a key and its value stand. For a table made by a header, Key is the
// header with its brackets and Value is the same range.
type Place struct {
	Key   Range
	Value Range
}

// Severity tells whether a diagnostic refuses the file.
type Severity string

// The severities: an error refuses the file, a warning refuses nothing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Diagnostic is one problem of a scenario file, in the user's words.
type Diagnostic struct {
	// Code is stable: a tool may rely on it.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Range    Range    `json:"range"`
	// Message is one line without a final stop.
	Message string `json:"message"`
	// Suggestion is what to write instead, where there is one such thing.
	Suggestion string `json:"suggestion,omitempty"`
}

// File is a scenario file that went through the offline half: its meaning, its
// problems, and the place of everything in it.
type File struct {
	Scenario Scenario
	// Diagnostics are all problems of the file, sorted by position.
	Diagnostics []Diagnostic

	source []byte
	doc    *tree.Document // nil for a file over MaxSize
}
