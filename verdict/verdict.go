// Package verdict turns what is known of a change's scenarios into the one answer for
// the change, and writes that answer for people and for tools.
//
// It is pure: no network, no clock, no file system and no GitHub. Judge computes the
// Verdict; every renderer writes that same value, so that no two of them disagree.
// Text that came from a file or a service is made harmless once, in Judge (see plain),
// and escaped once more by each renderer for the format it writes.
package verdict

import "time"

// State is how a scenario, or the whole change, stands.
type State string

// The states. Unknown is never Pass or None.
const (
	Pass         State = "pass"         // everything that counts was measured and holds
	None         State = "none"         // nothing had to be run, or nothing but a check was asked for
	Fail         State = "fail"         // an assertion failed
	Breach       State = "breach"       // the objective broke
	Invalid      State = "invalid"      // a file, or the repository's configuration, was refused
	Refused      State = "refused"      // policy, plan or scope does not allow the run
	Waiting      State = "waiting"      // a person must act
	Inconclusive State = "inconclusive" // it could not be measured
	Cancelled    State = "cancelled"    // superseded or cancelled
)

// The conclusions of a check run that a verdict can have, in GitHub's words. "neutral"
// and "skipped" satisfy a required check and are therefore never used.
// https://docs.github.com/en/rest/checks/runs
const (
	ConclusionSuccess        = "success"
	ConclusionFailure        = "failure"
	ConclusionTimedOut       = "timed_out"
	ConclusionActionRequired = "action_required"
	ConclusionCancelled      = "cancelled"
)

// The exit codes of every command that ends with a verdict.
const (
	ExitOK           = 0
	ExitFailure      = 1
	ExitUsage        = 2 // the command was called wrongly; there is no verdict
	ExitInconclusive = 3
	ExitWaiting      = 4
	ExitCancelled    = 130
)

// Conclusion is the conclusion of the state; a state that is not known blocks.
func (s State) Conclusion() string {
	switch s {
	case Pass, None:
		return ConclusionSuccess
	case Waiting:
		return ConclusionActionRequired
	case Cancelled:
		return ConclusionCancelled
	default:
		return ConclusionFailure
	}
}

// ExitCode is the exit code of the state; a state that is not known is inconclusive.
func (s State) ExitCode() int {
	switch s {
	case Pass, None:
		return ExitOK
	case Fail, Breach, Invalid, Refused:
		return ExitFailure
	case Waiting:
		return ExitWaiting
	case Cancelled:
		return ExitCancelled
	default:
		return ExitInconclusive
	}
}

// severity orders the states: the greatest decides. An unproved lifting is above all
// of them.
func (s State) severity() int {
	switch s {
	case None:
		return 0
	case Pass:
		return 1
	case Cancelled:
		return 2
	case Waiting:
		return 3
	case Fail:
		return 5
	case Breach:
		return 6
	case Refused:
		return 7
	case Invalid:
		return 8
	default: // inconclusive, and what is not known
		return 4
	}
}

// severityUnproved is the severity of a fault that was not shown to be lifted.
const severityUnproved = 9

// Verdict is the one answer for a change. Its JSON form is described by
// docs/verdict.schema.json.
type Verdict struct {
	State State
	// Unproved tells that a fault was not shown to be lifted: State is then
	// inconclusive, and that comes before everything else.
	Unproved bool
	// TimedOut tells that what made it inconclusive is a time limit.
	TimedOut bool
	// Title says the whole in one line of at most MaxTitle code points.
	Title     string
	CheckOnly bool
	Change    Change
	// Scenarios stand worst first, else in the order they were given.
	Scenarios []Judged
	// Annotations of everything, worst first.
	Annotations []Annotation
	Problems    []Problem
	Notes       []string
}

// MaxTitle bounds a verdict's title, in code points: GitHub shows about this much of a
// check's title on one line.
const MaxTitle = 200

// Conclusion is the conclusion of the verdict's check.
func (v Verdict) Conclusion() string {
	if v.State == Inconclusive && v.TimedOut {
		return ConclusionTimedOut
	}
	return v.State.Conclusion()
}

// ExitCode is the exit code of a command that ends with this verdict.
func (v Verdict) ExitCode() int { return v.State.ExitCode() }

// Worse tells whether this verdict comes before another where only one can be shown,
// such as one check for a head that several pull requests have.
func (v Verdict) Worse(than Verdict) bool {
	return severityOf(v.State, v.Unproved) > severityOf(than.State, than.Unproved)
}

// Judged is what the verdict says of one scenario.
type Judged struct {
	Path        string `json:"path"`
	Name        string `json:"name"` // the file's name for it, or the path where none could be read
	Environment string `json:"environment"`
	State       State  `json:"state"`
	// Blocking tells that this scenario keeps the change from being merged.
	Blocking bool   `json:"blocking"`
	Advisory bool   `json:"advisory"`
	Deleted  bool   `json:"deleted"`
	Approved bool   `json:"approved"` // a person approved what this change loosens
	Skipped  string `json:"skipped"`  // the file's reason for not running it
	// Borderline tells that a limit was exceeded, but not with certainty.
	Borderline bool `json:"borderline"`
	Unproved   bool `json:"unproved_lifting"`
	TimedOut   bool `json:"timed_out"`
	// Summary is one line; Findings say everything that was found, worst first.
	Summary  string    `json:"summary"`
	Findings []Finding `json:"findings"`
	// Measured stands in the order of the file: assertions, then the objective.
	Measured    []Measure    `json:"measured"`
	Faults      []Fault      `json:"faults"`
	Run         *Run         `json:"run"`
	Base        *Run         `json:"base"` // the newest finished run on the base branch
	Differences []Difference `json:"differences"`
	Picture     *Picture     `json:"picture"` // nil where nothing was measured

	// Tested compares the revision that was tested with the change's head.
	Tested Tested `json:"tested"`

	counted Finding // the worst that blocks; its state is None or Pass if nothing does
}

// Finding is one thing that was found about a scenario.
type Finding struct {
	State   State  `json:"state"`
	Message string `json:"message"` // one line

	headline string
	unproved bool
	timedOut bool
	code     string
	where    where
	details  []string // further lines for the annotation
}

// Unit is the unit of a measured value.
type Unit string

// The units of measured values.
const (
	Milliseconds Unit = "ms"
	Share        Unit = "share" // from 0 to 1
	Requests     Unit = "requests"
	PerSecond    Unit = "requests_per_second"
	NoUnit       Unit = "" // a check, which only holds or does not
)

// Measure is one limit of a scenario with what was measured for it.
type Measure struct {
	Key      string   `json:"key"`   // max_p99_ms, checks.surfaces, objective.p99_ms
	Label    string   `json:"label"` // "p99 latency"
	Unit     Unit     `json:"unit"`
	Value    *float64 `json:"value"` // nil where nothing was measured
	Limit    float64  `json:"limit"`
	Minimum  bool     `json:"minimum"`  // the value must not be under Limit; otherwise not above it
	Decision string   `json:"decision"` // pass, fail, borderline or undecided
	// Interval is the 95 % interval: of Over where the value is a quantile, else of
	// the value.
	Interval *Interval `json:"interval"`
	Samples  int64     `json:"samples"`
	Over     float64   `json:"over"`    // of a quantile: the share of requests above Limit
	Allowed  float64   `json:"allowed"` // of a quantile: the share that may be
	Reason   string    `json:"reason"`
	Line     int       `json:"line"` // of the file, 0 where it is not known
	Base     *float64  `json:"base_value"`
}

// Interval is a confidence interval of a share.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Fault is what one fault of the timeline did.
type Fault struct {
	Entry    int    `json:"entry"` // index in the timeline, from 0
	Type     string `json:"type"`
	Target   string `json:"target"`
	Applied  *int64 `json:"applied_ms"` // milliseconds from the run's start
	Lifted   *int64 `json:"lifted_ms"`
	Proved   bool   `json:"proved"`
	Met      int64  `json:"met"` // requests that passed while it was active
	Affected int64  `json:"affected"`
	Note     string `json:"note"`
}

// Run names a run of the bench.
type Run struct {
	ID         string    `json:"id"`
	Attempt    int       `json:"attempt"`
	Version    string    `json:"version"` // SHA-256 of the file that was run
	Commit     string    `json:"commit"`
	Outcome    string    `json:"outcome"`
	Revision   string    `json:"tested_revision"` // what the service said of its revision; empty where it says none
	Looks      int       `json:"looks"`           // how many times the scenario was run and pooled
	Breach     *Break    `json:"breach"`
	StartedAt  time.Time `json:"started_at,omitzero"`
	FinishedAt time.Time `json:"finished_at,omitzero"`
}

// Break is the moment an objective broke, in milliseconds.
type Break struct {
	Part           string  `json:"part"` // success_rate or p99_ms
	Value          float64 `json:"value"`
	Limit          float64 `json:"limit"`
	Samples        int64   `json:"samples"`
	At             int64   `json:"at_ms"`              // from the run's start
	AfterMeasuring int64   `json:"after_measuring_ms"` // from the end of warm-up
	AfterFault     *int64  `json:"after_fault_ms"`
	Fault          *int    `json:"fault"` // entry of the timeline
}

// Difference is one change in what a scenario asks.
type Difference struct {
	Path      string `json:"path"`
	Direction string `json:"direction"` // tighter, looser or different
	Message   string `json:"message"`
	Line      int    `json:"line"`      // of the head's file, or of base's where InBase
	BaseLine  int    `json:"base_line"` // 0 for what was added
	InBase    bool   `json:"in_base"`   // only the base version has it
}

// Level is how GitHub shows an annotation.
type Level string

// The levels of annotations.
const (
	Notice  Level = "notice"
	Warning Level = "warning"
	Failure Level = "failure"
)

// Annotation is a message on lines of a file. Lines and columns are 1-based, columns
// count code points, EndColumn is the first column behind; columns are 0 where the
// annotation covers several lines or the whole line.
type Annotation struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn int    `json:"start_column"`
	EndColumn   int    `json:"end_column"`
	Level       Level  `json:"level"`
	Code        string `json:"code"`    // stable: a state, or a diagnostic's code
	Title       string `json:"title"`   // one line
	Message     string `json:"message"` // one or more lines
	// Source is the first line's text, cut to what is around StartColumn;
	// SourceColumn is the column of its first character.
	Source       string `json:"source"`
	SourceColumn int    `json:"source_column"`

	severity int // of the state that it tells, for sorting
}
