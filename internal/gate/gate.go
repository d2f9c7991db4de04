// Package gate judges one change: it checks the scenarios that the change selects,
// starts their runs on the bench, waits for them, and gives one verdict. The Action,
// the bot and the command line share it.
package gate

import (
	"context"
	"iter"
	"time"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/verdict"
)

// Bench is what the gate asks of a bench; runclient.Client is one.
type Bench interface {
	Check(ctx context.Context, source []byte) (run.CheckResult, error)
	Upload(ctx context.Context, source []byte) (run.Version, error)
	Start(ctx context.Context, request run.StartRequest) (run.Run, error)
	// Follow gives every event of a run from the first to the last, or ends with an
	// error. It holds the run for the holder.
	Follow(ctx context.Context, id, holder string) iter.Seq2[run.RunEvent, error]
	Get(ctx context.Context, id string) (run.Run, error)
	List(ctx context.Context, filter run.ListRunsParams) (run.RunList, error)
	Cancel(ctx context.Context, id string, request run.CancelRequest) (run.Run, error)
}

// Options say how a change is judged.
type Options struct {
	// Bench runs the scenarios; nil where there is none.
	Bench Bench
	// NoBench says what becomes of the scenarios, and why, where Bench is nil.
	NoBench verdict.NotRun
	// CheckOnly starts nothing; the online half still runs where there is a bench.
	CheckOnly bool
	// Holder names this process to the bench: a run whose holders are all gone is
	// cancelled.
	Holder string
	// Again names an explicit re-run: results that are there already do not count.
	Again string
	// QueueLimit bounds the wait for a run to start; 0 means DefaultQueueLimit.
	QueueLimit time.Duration
	// RunGrace is what a run may take beyond twice its load (a borderline run
	// looks twice); 0 means DefaultRunGrace.
	RunGrace time.Duration
	// Progress is told what happens, one call at a time; nil tells nobody.
	Progress func(Progress)
}

// Bounds of waiting, where Options name none.
const (
	DefaultQueueLimit = 30 * time.Minute
	DefaultRunGrace   = 2 * time.Minute
)

// cancelLimit bounds the release of runs once the caller is gone. An interrupted job
// is killed 10 s behind its first signal, so the whole must fit in 5 s.
const cancelLimit = 4 * time.Second

// Progress is one step of judging a change.
type Progress struct {
	Path string // the scenario file
	Name string // the scenario's name
	// Run is set when the run was started or found.
	Run *run.Run
	// Event is set for an event of the run.
	Event *run.RunEvent
	// Message is set for what is neither.
	Message string
}

// Judge gives the verdict on a change. It always gives one: what could not be found
// out is inconclusive. When ctx ends, its runs are released and the verdict says so.
func Judge(ctx context.Context, c change.Change, o Options) verdict.Verdict {
	j := &judgement{change: c, options: o.withDefaults()}
	j.read()
	if len(c.Problems) == 0 {
		j.checkOnline(ctx)
		j.run(ctx)
	}
	return verdict.Judge(j.input())
}

func (o Options) withDefaults() Options {
	if o.QueueLimit == 0 {
		o.QueueLimit = DefaultQueueLimit
	}
	if o.RunGrace == 0 {
		o.RunGrace = DefaultRunGrace
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// judgement is one change on its way to a verdict: scenarios[i] belongs to
// change.Files[i].
type judgement struct {
	change    change.Change
	options   Options
	scenarios []verdict.Scenario
}

// read does the offline half, and compares with the base.
func (j *judgement) read() {
	names := make(map[string]string)
	for _, file := range j.change.Files {
		s := verdict.Scenario{
			Path: file.Path, Deleted: file.Deleted, Unreadable: file.Unreadable, Advisory: file.Advisory,
		}
		var base *scenario.File
		if file.Base != nil {
			base = scenario.Check(file.Base)
		}
		if file.Head != nil {
			s.File = scenario.Check(file.Head)
			s.Findings = append(s.Findings, nameTaken(names, file.Path, s.File)...)
		}
		if file.Touched && file.Unreadable == "" {
			s.Differences = scenario.Compare(base, s.File)
		}
		j.scenarios = append(j.scenarios, s)
	}
}

// nameTaken refuses a second scenario of one name: names are unique in a change.
func nameTaken(names map[string]string, path string, file *scenario.File) []scenario.Diagnostic {
	name := file.Scenario.Name
	first, taken := names[name]
	if name == "" || !taken {
		names[name] = path
		return nil
	}
	place, _ := file.Find("scenario.name")
	return []scenario.Diagnostic{{
		Code: "duplicate-name", Severity: scenario.Error, Range: place.Value,
		Message: "the name \"" + name + "\" is taken by " + first + "; names are unique in a change",
	}}
}

// refused tells whether a check half refuses the scenario.
func refused(s verdict.Scenario) bool {
	if s.Deleted {
		return false
	}
	if s.File == nil || !s.File.OK() {
		return true
	}
	for _, finding := range s.Findings {
		if finding.Severity == scenario.Error {
			return true
		}
	}
	return false
}

// runnable tells whether the scenario is one to run.
func runnable(s verdict.Scenario) bool {
	return !s.Deleted && s.File != nil && s.File.Scenario.Skip == "" && s.NotRun == nil
}

func (j *judgement) input() verdict.Input {
	c := j.change
	input := verdict.Input{
		Change: verdict.Change{
			Repository: c.Repository, PullRequest: c.PullRequest, MergeGroup: c.MergeGroup, Ref: c.Ref, BaseRef: c.BaseRef, Base: c.Base, Head: c.Head,
		},
		Scenarios: j.scenarios,
		Settings: verdict.Settings{
			Borderline: c.Settings.Gate.Borderline, Loosened: c.Settings.Gate.Loosened,
			Revision: c.Settings.Gate.Revision, CheckOnly: j.options.CheckOnly,
		},
		Notes: c.Notes,
	}
	for _, p := range c.Problems {
		input.Problems = append(input.Problems, verdict.Problem{Path: p.Path, Line: p.Line, Message: p.Message})
	}
	return input
}
