package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/verdict"
)

// run starts every scenario that is to run and follows them to their ends. All are
// started before any is waited for: the bench orders them.
func (j *judgement) run(ctx context.Context) {
	var report sync.Mutex
	progress := func(p Progress) {
		report.Lock()
		defer report.Unlock()
		j.options.Progress(p)
	}
	var following sync.WaitGroup
	for i := range j.scenarios {
		s := &j.scenarios[i]
		if !runnable(*s) || refused(*s) || j.options.CheckOnly {
			continue
		}
		if j.options.Bench == nil {
			reason := j.options.NoBench
			s.NotRun = &reason
			continue
		}
		f := &follower{
			options: j.options, change: j.change, file: j.change.Files[i], scenario: s, progress: progress,
		}
		if err := f.start(ctx, j.options.Again); err != nil {
			s.NotRun = notRun(ctx, err, "starting its run")
			continue
		}
		following.Go(func() { f.follow(ctx) })
	}
	following.Wait()
}

// follower takes one scenario from its start to its end.
type follower struct {
	options  Options
	change   change.Change
	file     change.File
	scenario *verdict.Scenario
	progress func(Progress)
	retries  int
}

func (f *follower) tell(p Progress) {
	p.Path, p.Name = f.scenario.Path, f.scenario.File.Scenario.Name
	f.progress(p)
}

// start uploads the version and starts its run, or finds the one that was started
// for the same change.
//
// again names an explicit re-run; empty, a result that is there counts.
func (f *follower) start(ctx context.Context, again string) error {
	bench := f.options.Bench
	version, err := bench.Upload(ctx, f.scenario.File.Source())
	if err != nil {
		return fmt.Errorf("uploading the file: %w", err)
	}
	started, err := bench.Start(ctx, run.StartRequest{
		Version: version.Sha256,
		Holder:  f.options.Holder,
		Again:   again != "",
		Request: requestName(again, f.scenario),
		Source: run.Source{
			Repository: f.change.Repository, PullRequest: f.change.PullRequest, MergeGroup: f.change.MergeGroup,
			Ref: f.change.Ref, Commit: f.change.Head, Base: f.change.Base, Path: f.scenario.Path, Actor: f.change.Actor,
		},
	})
	if err != nil {
		return err
	}
	f.scenario.Run = &started
	f.tell(Progress{Run: &started})
	return nil
}

// requestName names one scenario's part of a re-run, so that a retry of the request
// finds the run that it started.
func requestName(again string, s *verdict.Scenario) string {
	if again == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(again + "\x00" + s.Path + "\x00" + s.File.Hash()))
	return hex.EncodeToString(sum[:20])
}

// follow waits for the run's end within the bounds and reads its result.
func (f *follower) follow(ctx context.Context) {
	f.scenario.Base = f.baseResult(ctx)
	started := f.scenario.Run
	watch, stop := f.watch(ctx, started)
	defer stop()
	for event, err := range f.options.Bench.Follow(watch.ctx, started.ID, f.options.Holder) {
		if err != nil {
			f.giveUp(ctx, watch, err)
			return
		}
		watch.event(event)
		f.tell(Progress{Event: &event})
	}
	ended, err := f.options.Bench.Get(ctx, started.ID)
	if err != nil {
		f.scenario.NotRun = notRun(ctx, err, "reading the result of run "+started.ID)
		return
	}
	f.scenario.Run = &ended
	if fellBehind(ended) && f.retries < mostRetries {
		f.retry(ctx)
	}
}

// mostRetries bounds how often a scenario is run again because the generator fell
// behind: a machine that is busy three times in a row is too small for the load.
const mostRetries = 2

// fellBehind tells a run that says nothing of the service because the generator did
// not keep its schedule.
func fellBehind(r run.Run) bool {
	return r.Outcome == run.OutcomeInconclusive && r.Result != nil && !r.Result.UnprovedLifting &&
		r.Result.Load != nil && r.Result.Load.Measured.Late > 0
}

// retry runs the scenario again: the bench counts it as a further attempt, and
// the verdict shows its number.
func (f *follower) retry(ctx context.Context) {
	f.retries++
	f.tell(Progress{Message: "the load generator fell behind its schedule; running it again"})
	if err := f.start(ctx, f.scenario.Run.ID); err != nil {
		f.scenario.NotRun = notRun(ctx, err, "starting it again")
		return
	}
	f.follow(ctx)
}

// giveUp releases the run, and says why nobody waits for it any more.
func (f *follower) giveUp(ctx context.Context, watch *watch, cause error) {
	id := f.scenario.Run.ID
	f.scenario.NotRun = notRun(ctx, cause, "following run "+id)
	if expired := watch.expired(); expired != "" {
		f.scenario.NotRun = &verdict.NotRun{State: verdict.Inconclusive, TimedOut: true, Reason: expired}
	}
	release, done := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
	defer done()
	_, err := f.options.Bench.Cancel(release, id, run.CancelRequest{Holder: f.options.Holder, Reason: f.scenario.NotRun.Reason})
	if err != nil {
		f.scenario.NotRun.Reason += fmt.Sprintf("; the bench could not be told to stop run %s (%v), and stops it when its lease ends", id, err)
		return
	}
	f.tell(Progress{Message: "told the bench to stop run " + id})
	if ended, err := f.options.Bench.Get(release, id); err == nil {
		f.scenario.Run = &ended // what was seen before the end stays evidence
	}
}

// baseResult is the newest finished run of the same file on the branch that the
// change is meant for. That there is none, or that it cannot be told, is no error:
// it decides nothing.
func (f *follower) baseResult(ctx context.Context) *run.Run {
	if f.change.Repository == "" || f.change.BaseRef == "" {
		return nil
	}
	path := f.scenario.Path
	if f.file.OldPath != "" {
		path = f.file.OldPath
	}
	found, err := f.options.Bench.List(ctx, run.ListRunsParams{
		Repository: f.change.Repository, Ref: f.change.BaseRef, Path: path, Status: run.StatusFinished, Limit: 1,
	})
	if err != nil || len(found.Runs) == 0 {
		return nil
	}
	return &found.Runs[0]
}

// watch bounds how long a run may queue and run.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration // of running, from the start of it
	timer  *time.Timer
}

// limitError is the cause of a context that a bound ended; its text is for a user.
type limitError string

func (e limitError) Error() string { return string(e) }

func (f *follower) watch(ctx context.Context, r *run.Run) (*watch, func()) {
	w := &watch{limit: runLimit(f.scenario.File, f.options.RunGrace)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	queue := f.options.QueueLimit
	w.timer = time.AfterFunc(queue, func() {
		w.cancel(limitError(fmt.Sprintf("run %s did not start within %s; staging is busy, or no agent takes its work", r.ID, queue)))
	})
	return w, func() { w.timer.Stop(); w.cancel(nil) }
}

// runLimit is the most a run may take: twice its load, for two looks, and the grace.
func runLimit(file *scenario.File, grace time.Duration) time.Duration {
	if load := file.Scenario.Load; load != nil {
		return 2*load.Duration + grace
	}
	return grace
}

// event moves from the bound of queueing to that of running.
func (w *watch) event(e run.RunEvent) {
	if e.Type != run.EventTypeStarted {
		return
	}
	w.timer.Stop()
	w.timer = time.AfterFunc(w.limit, func() {
		w.cancel(limitError(fmt.Sprintf("run %s did not end within %s of its start", e.Run, w.limit)))
	})
}

// expired says which bound ended the wait; empty when none did.
func (w *watch) expired() string {
	var limit limitError
	if errors.As(context.Cause(w.ctx), &limit) {
		return limit.Error()
	}
	return ""
}

// notRun says what an error of the bench makes of a scenario: nothing is known, so it
// is inconclusive, unless the caller left (cancelled) or the bench forbids it.
func notRun(ctx context.Context, err error, doing string) *verdict.NotRun {
	var forbidden interface{ Forbidden() bool }
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return &verdict.NotRun{State: verdict.Inconclusive, TimedOut: true, Reason: "the time for the whole change was up while " + doing}
	case ctx.Err() != nil:
		return &verdict.NotRun{State: verdict.Cancelled, Reason: "cancelled while " + doing}
	case errors.As(err, &forbidden) && forbidden.Forbidden():
		return &verdict.NotRun{State: verdict.Refused, Reason: doing + ": " + err.Error()}
	default:
		return &verdict.NotRun{State: verdict.Inconclusive, Reason: doing + " failed: " + err.Error()}
	}
}
