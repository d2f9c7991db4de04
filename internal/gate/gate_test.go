package gate_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/internal/gate"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/verdict"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeBench keeps runs as a bench does, and ends each as outcome says.
type fakeBench struct {
	mu       sync.Mutex
	findings []run.Finding
	checkErr error
	startErr error
	// outcome ends a run; nil outcome leaves it queued for ever.
	outcome  func(r *run.Run) bool
	runs     map[string]*run.Run
	requests []run.StartRequest
	released []string
	hash     func([]byte) string
}

func newFakeBench(outcome func(r *run.Run) bool) *fakeBench {
	return &fakeBench{outcome: outcome, runs: make(map[string]*run.Run), hash: hashOf}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func (b *fakeBench) Check(_ context.Context, source []byte) (run.CheckResult, error) {
	return run.CheckResult{Version: b.hash(source), Findings: b.findings}, b.checkErr
}

func (b *fakeBench) Upload(_ context.Context, source []byte) (run.Version, error) {
	return run.Version{Sha256: hashOf(source), Size: len(source)}, nil
}

func (b *fakeBench) Start(ctx context.Context, request run.StartRequest) (run.Run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.startErr != nil {
		return run.Run{}, b.startErr
	}
	if ctx.Err() != nil {
		return run.Run{}, ctx.Err()
	}
	b.requests = append(b.requests, request)
	r := &run.Run{ID: fmt.Sprintf("r%d", len(b.runs)+1), Version: request.Version, Source: request.Source, Attempt: 1, Status: run.StatusQueued}
	for _, other := range b.runs {
		if other.Source.Path == r.Source.Path {
			r.Attempt++
		}
	}
	b.runs[r.ID] = r
	return *r, nil
}

func (b *fakeBench) Follow(ctx context.Context, id, _ string) iter.Seq2[run.RunEvent, error] {
	return func(yield func(run.RunEvent, error) bool) {
		b.mu.Lock()
		r := b.runs[id]
		done := b.outcome(r)
		if done {
			r.Status = run.StatusFinished
		}
		b.mu.Unlock()
		if !done {
			<-ctx.Done()
			yield(run.RunEvent{}, ctx.Err())
			return
		}
		for i, kind := range []run.EventType{run.EventTypeQueued, run.EventTypeStarted, run.EventTypeFinished} {
			if !yield(run.RunEvent{ID: int64(i + 1), Run: id, Type: kind}, nil) {
				return
			}
		}
	}
}

func (b *fakeBench) Get(_ context.Context, id string) (run.Run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return *b.runs[id], nil
}

func (b *fakeBench) List(context.Context, run.ListRunsParams) (run.RunList, error) {
	return run.RunList{}, nil
}

func (b *fakeBench) Cancel(_ context.Context, id string, _ run.CancelRequest) (run.Run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = append(b.released, id)
	b.runs[id].Status, b.runs[id].Outcome = run.StatusFinished, run.OutcomeCancelled
	return *b.runs[id], nil
}

// ends gives every run one outcome and a result that fits a passing scenario.
func ends(outcome run.Outcome) func(*run.Run) bool {
	return func(r *run.Run) bool {
		r.Outcome = outcome
		value := 0.001
		r.Result = &run.Result{Looks: 1, Assertions: []run.AssertionResult{{
			Name: "max_error_rate", Limit: 0.01, Value: &value, Samples: 6000, Decision: decisionFor(outcome),
		}}}
		return true
	}
}

func decisionFor(outcome run.Outcome) run.Decision {
	if outcome == run.OutcomePass {
		return run.DecisionPass
	}
	return run.DecisionFail
}

func hangs(*run.Run) bool { return false }

func text(name string) []byte {
	return []byte("[scenario]\nformat = 1\nname = \"" + name + "\"\nenvironment = \"staging\"\n\n" +
		"[targets]\napi = { connection = \"api\" }\n\n[load]\ntarget = \"api\"\nrate = 100\nduration = \"1m\"\n\n" +
		"[[load.operations]]\nopenapi = \"me\"\n\n[assertions]\nmax_error_rate = 0.01\n")
}

func oneChange(names ...string) change.Change {
	c := change.Change{Base: strings.Repeat("b", 40), Head: strings.Repeat("a", 40), Settings: change.DefaultSettings()}
	for _, name := range names {
		c.Files = append(c.Files, change.File{Path: "scenarios/" + name + ".toml", Touched: true, Head: text(name)})
	}
	return c
}

func TestVerdicts(t *testing.T) {
	forbidden := &forbiddenError{}
	broken := func(c change.Change) change.Change {
		c.Files[0].Head = []byte("[scenario]\nnope = 1\n")
		return c
	}
	for _, test := range []struct {
		name    string
		change  change.Change
		bench   *fakeBench
		options gate.Options
		state   verdict.State
		started int
	}{
		{"nothing selected", oneChange(), newFakeBench(hangs), gate.Options{}, verdict.None, 0},
		{"pass", oneChange("a", "b"), newFakeBench(ends(run.OutcomePass)), gate.Options{}, verdict.Pass, 2},
		{"fail", oneChange("a"), newFakeBench(ends(run.OutcomeFail)), gate.Options{}, verdict.Fail, 1},
		{"an outcome that is not known", oneChange("a"), newFakeBench(ends("splendid")), gate.Options{}, verdict.Inconclusive, 1},
		{"one file refused offline: none is started", broken(oneChange("a", "b")), newFakeBench(hangs), gate.Options{}, verdict.Invalid, 0},
		{"refused online", oneChange("a"), &fakeBench{hash: hashOf, findings: []run.Finding{{Code: "unknown-connection", Severity: run.SeverityError,
			Start: run.Place{Line: 7, Column: 22}, End: run.Place{Line: 7, Column: 27}, Message: "no connection api"}}}, gate.Options{}, verdict.Invalid, 0},
		{"a finding of a severity that is not known", oneChange("a"), &fakeBench{hash: hashOf, findings: []run.Finding{{Code: "x", Severity: "odd",
			Start: run.Place{Line: 7, Column: 22}, End: run.Place{Line: 7, Column: 27}, Message: "odd"}}}, gate.Options{}, verdict.Invalid, 0},
		{"the bench does not answer the check", oneChange("a"), &fakeBench{hash: hashOf, checkErr: errors.New("no answer")}, gate.Options{}, verdict.Inconclusive, 0},
		{"the bench checked other bytes", oneChange("a"), &fakeBench{hash: func([]byte) string { return "other" }}, gate.Options{}, verdict.Inconclusive, 0},
		{"the bench forbids it", oneChange("a"), &fakeBench{hash: hashOf, startErr: forbidden}, gate.Options{}, verdict.Refused, 0},
		{"check only", oneChange("a"), newFakeBench(hangs), gate.Options{CheckOnly: true}, verdict.None, 0},
		{"no bench", oneChange("a"), nil, gate.Options{NoBench: verdict.NotRun{State: verdict.Waiting, Reason: "no secrets"}}, verdict.Waiting, 0},
		{"not started in time", oneChange("a"), newFakeBench(hangs), gate.Options{QueueLimit: time.Nanosecond}, verdict.Inconclusive, 1},
		{"two of one name", oneChange("a", "a"), newFakeBench(hangs), gate.Options{}, verdict.Invalid, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.bench != nil {
				test.options.Bench = test.bench
			}
			v := gate.Judge(t.Context(), test.change, test.options)
			if v.State != test.state {
				t.Errorf("got %s (%s), want %s", v.State, v.Title, test.state)
			}
			if test.bench != nil && len(test.bench.requests) != test.started {
				t.Errorf("started %d runs, want %d", len(test.bench.requests), test.started)
			}
		})
	}
}

type forbiddenError struct{}

func (*forbiddenError) Error() string   { return "the token may not start runs" }
func (*forbiddenError) Forbidden() bool { return true }

// Where nothing was meant to run, an accepted file beside a refused one is no more than
// checked.
func TestCheckOnlyBesideARefusedFile(t *testing.T) {
	c := oneChange("a", "b")
	c.Files[0].Head = []byte("[scenario]\nnope = 1\n")
	v := gate.Judge(t.Context(), c, gate.Options{CheckOnly: true})
	for _, s := range v.Scenarios {
		if s.Path == "scenarios/b.toml" && s.State != verdict.None {
			t.Errorf("%s is %s: %s", s.Path, s.State, s.Summary)
		}
	}
	if v.State != verdict.Invalid {
		t.Errorf("the change is %s", v.State)
	}
}

// A caller that leaves releases every run it started, and the verdict says so.
func TestCancel(t *testing.T) {
	bench := newFakeBench(hangs)
	ctx, cancel := context.WithCancel(t.Context())
	started := 0
	v := gate.Judge(ctx, oneChange("a", "b", "c"), gate.Options{Bench: bench, Holder: "h", Progress: func(p gate.Progress) {
		if p.Run != nil {
			if started++; started == 3 {
				cancel()
			}
		}
	}})
	if v.State != verdict.Cancelled || v.ExitCode() != verdict.ExitCancelled {
		t.Errorf("got %s, exit %d", v.State, v.ExitCode())
	}
	if len(bench.released) != 3 {
		t.Errorf("released %v", bench.released)
	}
}

// A generator that fell behind says nothing of the service: the scenario is run again,
// twice at most.
func TestFellBehind(t *testing.T) {
	behind := func(r *run.Run) {
		r.Outcome = run.OutcomeInconclusive
		r.Result = &run.Result{Load: &run.LoadResult{Measured: run.Counts{Due: 1000, Late: 50}}}
	}
	once := newFakeBench(func(r *run.Run) bool {
		if r.Attempt == 1 {
			behind(r)
			return true
		}
		return ends(run.OutcomePass)(r)
	})
	if v := gate.Judge(t.Context(), oneChange("a"), gate.Options{Bench: once}); v.State != verdict.Pass || len(once.requests) != 2 {
		t.Errorf("got %s after %d runs", v.State, len(once.requests))
	}
	if !once.requests[1].Again || once.requests[1].Request == "" {
		t.Errorf("the second attempt was asked for as %+v", once.requests[1])
	}
	always := newFakeBench(func(r *run.Run) bool { behind(r); return true })
	if v := gate.Judge(t.Context(), oneChange("a"), gate.Options{Bench: always}); v.State != verdict.Inconclusive || len(always.requests) != 3 {
		t.Errorf("got %s after %d runs", v.State, len(always.requests))
	}
}

// Each scenario's part of a re-run has a name of its own, the same in every retry.
func TestReRunNames(t *testing.T) {
	bench := newFakeBench(ends(run.OutcomePass))
	for range 2 {
		gate.Judge(t.Context(), oneChange("a", "b"), gate.Options{Bench: bench, Again: "workflow-9-2"})
	}
	names := make(map[string]int)
	for _, r := range bench.requests {
		names[r.Request]++
	}
	if len(names) != 2 {
		t.Errorf("got the names %v", names)
	}
}
