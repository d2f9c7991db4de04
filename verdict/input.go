package verdict

import (
	"fmt"

	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
)

// Change is what is judged. Fields that do not apply are empty.
type Change struct {
	Repository  string `json:"repository"` // host and path, such as github.com/owner/name
	Base        string `json:"base"`       // commit
	Head        string `json:"head"`       // commit
	PullRequest int    `json:"pull_request"`
	MergeGroup  string `json:"merge_group"` // ref
	Ref         string `json:"ref"`         // branch of a push or of a run by hand
	BaseRef     string `json:"base_ref"`    // branch that base is the tip of
}

// The values of Settings. An empty setting is its first value; any other value is
// taken for the strict one.
const (
	BorderlineNote  = "note"  // passes with a warning
	BorderlineBlock = "block" // is inconclusive

	LoosenedPerson = "person" // a person must approve
	LoosenedNote   = "note"   // is told

	RevisionNote    = "note"    // another tested revision than the change's is told
	RevisionRequire = "require" // is inconclusive
)

// Settings are the repository's own, read from its base branch.
type Settings struct {
	Borderline string
	Loosened   string
	Revision   string
	// CheckOnly tells that nothing was meant to run: a file without errors is None.
	CheckOnly bool
}

// Input is everything that is known of a change.
type Input struct {
	Change    Change
	Scenarios []Scenario
	Settings  Settings
	// Notes are told beside the verdict and change nothing.
	Notes []string
	// Problems are about the change as a whole; one is enough to make it invalid.
	Problems []Problem
}

// Problem is a problem of a file that is no scenario, such as the repository's
// configuration. Path is empty where no file is meant; Line is 1-based, and 0 where
// the file as a whole is.
type Problem struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// text is the problem with its place, on one line.
func (p *Problem) text() string {
	switch {
	case p.Path == "":
		return p.Message
	case p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", shownPath(p.Path), p.Line, p.Message)
	default:
		return shownPath(p.Path) + ": " + p.Message
	}
}

// Scenario is everything that is known of one scenario of the change.
type Scenario struct {
	// Path is relative to the repository's root, with slashes.
	Path string
	// File is the head's version; nil if it is deleted or could not be read.
	File    *scenario.File
	Deleted bool
	// Findings are those of the online half; those of the offline half are in File.
	Findings []scenario.Diagnostic
	// Unreadable says why the file could not be read.
	Unreadable  string
	Differences []scenario.Difference
	// Approved tells that a person approved what the change loosens.
	Approved bool
	// Advisory tells that failing, breaching and being inconclusive do not block.
	Advisory bool
	Run      *run.Run
	// Base is the newest finished run of the path on the base branch.
	Base   *run.Run
	NotRun *NotRun
}

// NotRun says why a scenario was not run, or why its run was not waited for.
type NotRun struct {
	State    State // waiting, inconclusive, cancelled or refused
	TimedOut bool
	Reason   string
}
