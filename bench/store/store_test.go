package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// databases are what every test below holds for.
var databases = map[string]func(t *testing.T) *store.Store{
	"sqlite in memory": func(t *testing.T) *store.Store { return must(store.OpenMemory(t.Context()))(t) },
	"sqlite in a file": func(t *testing.T) *store.Store {
		return must(store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "a ?b#c%20.db")))(t)
	},
}

func must(s *store.Store, err error) func(t *testing.T) *store.Store {
	return func(t *testing.T) *store.Store {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
}

func onEach(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// begin is a start of a queued run; ids are in the order of n.
func begin(n int, change ...func(*store.Start)) store.Start {
	s := store.Start{
		Run: store.Run{
			Run: run.Run{
				ID: fmt.Sprintf("run%04d", n), Version: strings.Repeat("a", 64), Name: "n", Environment: "staging", Status: run.StatusQueued, CreatedAt: now,
				Source: run.Source{Repository: "github.com/o/r", PullRequest: 7, Commit: "c1", Base: "b1", Path: "scenarios/a.toml", Ref: "main", Actor: "someone"},
			},
			Account: "acc", Connections: []string{"api"},
		},
		Holder: "h", HoldUntil: now.Add(time.Minute),
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func start(t *testing.T, s *store.Store, b store.Start) store.Run {
	t.Helper()
	r, _, err := s.Start(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func claim(t *testing.T, s *store.Store, id string) {
	t.Helper()
	if ok, err := s.Claim(t.Context(), id, now); err != nil || !ok {
		t.Fatalf("claim %s: %v, %v", id, ok, err)
	}
}

func finish(t *testing.T, s *store.Store, id string, outcome run.Outcome) {
	t.Helper()
	if ok, err := s.Finish(t.Context(), id, store.End{Outcome: outcome, At: now}); err != nil || !ok {
		t.Fatalf("finish %s: %v, %v", id, ok, err)
	}
}

func get(t *testing.T, s *store.Store, id string) store.Run {
	t.Helper()
	r, err := s.Run(t.Context(), "acc", id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// story is the types of a run's events; their numbers have no gaps.
func story(t *testing.T, s *store.Store, id string) string {
	t.Helper()
	events, err := s.Events(t.Context(), id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for i, e := range events {
		var told run.RunEvent
		if err := json.Unmarshal(e.Data, &told); err != nil {
			t.Fatal(err)
		}
		if e.ID != int64(i+1) || told.ID != e.ID || told.Run != id || told.Type != e.Type || told.At.IsZero() {
			t.Fatalf("event %d of %s: %+v, %s", i+1, id, e, e.Data)
		}
		word := string(e.Type)
		if told.Place > 0 {
			word += fmt.Sprint(told.Place)
		}
		types = append(types, word)
	}
	return strings.Join(types, " ")
}

func TestVersions(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		source := []byte("name = \"\u00e4\"\n# \\ ' \" ;\n")
		v := run.Version{Sha256: "ab", Name: "ä", Size: len(source), CreatedAt: now}
		if _, _, err := s.Version(t.Context(), "acc", "ab"); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("unknown version: %v", err)
		}
		for i, created := range []bool{true, false} {
			got, isNew, err := s.PutVersion(t.Context(), "acc", v, source)
			if err != nil || isNew != created || got != v {
				t.Fatalf("put %d: %+v, %v, %v", i, got, isNew, err)
			}
		}
		got, bytes, err := s.Version(t.Context(), "acc", "ab")
		if err != nil || got != v || string(bytes) != string(source) {
			t.Fatalf("%+v, %q, %v", got, bytes, err)
		}
		if _, _, err := s.Version(t.Context(), "other", "ab"); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("version of another account: %v", err)
		}
	})
}

func TestStartFindsTheSameRun(t *testing.T) {
	again := func(s *store.Start) { s.Again = true }
	for _, c := range []struct {
		name   string
		end    run.Outcome // of the first run; empty leaves it queued
		change []func(*store.Start)
		want   int // attempt of the second start; 0 is another run's first
	}{
		{"queued", "", nil, 1},
		{"queued, wanted again", "", []func(*store.Start){again}, 1},
		{"passed", run.OutcomePass, nil, 1},
		{"passed, wanted again", run.OutcomePass, []func(*store.Start){again}, 2},
		{"failed", run.OutcomeFail, nil, 1},
		{"breached", run.OutcomeBreach, nil, 1},
		{"borderline", run.OutcomeBorderline, nil, 1},
		{"refused", run.OutcomeRefused, nil, 1},
		{"cancelled", run.OutcomeCancelled, nil, 2},
		{"inconclusive", run.OutcomeInconclusive, nil, 2},
		{"another actor and ref", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.Actor, s.Run.Source.Ref = "bot", "x" }}, 1},
		{"another version", "", []func(*store.Start){func(s *store.Start) { s.Run.Version = strings.Repeat("b", 64) }}, 0},
		{"another head", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.Commit = "c2" }}, 0},
		{"another base", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.Base = "b2" }}, 0},
		{"another path", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.Path = "b.toml" }}, 0},
		{"another pull request", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.PullRequest = 8 }}, 0},
		{"another merge group", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.MergeGroup = "q" }}, 0},
		{"another repository", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.Repository = "github.com/o/s" }}, 0},
		{"parts that run together", "", []func(*store.Start){func(s *store.Start) { s.Run.Source.Commit, s.Run.Source.Base = "c", "1b1" }}, 0},
		{"another account", "", []func(*store.Start){func(s *store.Start) { s.Run.Account = "other" }}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s *store.Store) {
				first := start(t, s, begin(1))
				if first.Attempt != 1 || first.Place != 1 || first.Source != begin(1).Run.Source || !slices.Equal(first.Connections, []string{"api"}) {
					t.Fatalf("first %+v", first)
				}
				if c.end != "" {
					finish(t, s, first.ID, c.end)
				}
				second, created, err := s.Start(t.Context(), begin(2, c.change...))
				if err != nil {
					t.Fatal(err)
				}
				same := second.ID == first.ID
				if created == same || same != (c.want == 1) || second.Attempt != max(c.want, 1) {
					t.Fatalf("second: created %v, %+v", created, second)
				}
			})
		})
	}
}

func TestStartWithoutRepositoryStandsForItself(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		local := func(s *store.Start) { s.Run.Source = run.Source{Path: "a.toml"} }
		named := func(s *store.Start) { local(s); s.Request = "r1" }
		if a, b := start(t, s, begin(1, local)), start(t, s, begin(2, local)); a.ID == b.ID {
			t.Error("two starts without repository gave one run")
		}
		a := start(t, s, begin(3, named))
		finish(t, s, a.ID, run.OutcomeInconclusive)
		if b := start(t, s, begin(4, named)); a.ID != b.ID {
			t.Error("the same request gave two runs")
		}
		_, _, err := s.Start(t.Context(), begin(5, named, func(s *store.Start) { s.Run.Version = strings.Repeat("b", 64) }))
		if !errors.Is(err, store.ErrRequestReused) {
			t.Errorf("a request for something else: %v", err)
		}
	})
}

func TestStartRepeatedRequestMakesNoFurtherAttempt(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		again := func(s *store.Start) { s.Again, s.Request = true, "second" }
		finish(t, s, start(t, s, begin(1)).ID, run.OutcomePass)
		second := start(t, s, begin(2, again))
		finish(t, s, second.ID, run.OutcomePass)
		if third := start(t, s, begin(3, again)); third.ID != second.ID || third.Attempt != 2 {
			t.Errorf("repeated: %+v", third)
		}
	})
}

func TestConcurrentStartsMakeOneRun(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		const n = 40
		var wg sync.WaitGroup
		ids, news := make([]string, n), make([]bool, n)
		for i := range n {
			wg.Go(func() {
				r, created, err := s.Start(t.Context(), begin(i, func(b *store.Start) { b.Holder = fmt.Sprint("h", i) }))
				if err != nil {
					t.Error(err)
				}
				ids[i], news[i] = r.ID, created
			})
		}
		wg.Wait()
		created := 0
		for i := range n {
			if ids[i] != ids[0] {
				t.Errorf("start %d gave %s, another %s", i, ids[i], ids[0])
			}
			if news[i] {
				created++
			}
		}
		if created != 1 {
			t.Errorf("%d starts made a run", created)
		}
	})
}

func TestStory(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		r := start(t, s, begin(1))
		claim(t, s, r.ID)
		if ok, err := s.Claim(t.Context(), r.ID, now); ok || err != nil {
			t.Errorf("claimed twice: %v, %v", ok, err)
		}
		batch := []run.RunEvent{{Type: run.EventTypeSecond, At: now, Second: &run.Second{Due: 5}}, {Type: run.EventTypeLog, At: now, Message: "a\nb"}}
		if err := s.Append(t.Context(), r.ID, batch); err != nil {
			t.Fatal(err)
		}
		end := store.End{Outcome: run.OutcomeFail, Reason: "why", Result: &run.Result{Looks: 2, UnprovedLifting: true}, At: now.Add(time.Second)}
		if ok, err := s.Finish(t.Context(), r.ID, end); !ok || err != nil {
			t.Fatalf("finish: %v, %v", ok, err)
		}
		if ok, err := s.Finish(t.Context(), r.ID, store.End{Outcome: run.OutcomePass, At: now}); ok || err != nil {
			t.Errorf("finished twice: %v, %v", ok, err)
		}
		if err := s.Append(t.Context(), r.ID, batch); err == nil {
			t.Error("a finished run took events")
		}
		if got, want := story(t, s, r.ID), "queued1 started second log finished"; got != want {
			t.Errorf("story %s, want %s", got, want)
		}
		got := get(t, s, r.ID)
		if got.Status != run.StatusFinished || got.Outcome != run.OutcomeFail || got.Reason != "why" || got.Result.Looks != 2 || !got.FinishedAt.Equal(end.At) || !got.StartedAt.Equal(now) || got.Place != 0 {
			t.Errorf("%+v", got)
		}
		tail, err := s.Events(t.Context(), r.ID, 2, 2)
		if err != nil || len(tail) != 2 || tail[0].ID != 3 || tail[1].ID != 4 {
			t.Errorf("page of events: %v, %v", tail, err)
		}
	})
}

func TestAnEventThatCannotBeKeptUndoesTheChange(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		r := start(t, s, begin(1))
		claim(t, s, r.ID)
		bad := 0.0
		err := s.Append(t.Context(), r.ID, []run.RunEvent{{Type: run.EventTypeLog, At: now}, {Type: run.EventTypeSecond, At: now, Second: &run.Second{P99Ms: 1 / bad}}})
		if err == nil {
			t.Fatal("infinity was kept")
		}
		if got, want := story(t, s, r.ID), "queued1 started"; got != want {
			t.Errorf("story %s, want %s", got, want)
		}
		finish(t, s, r.ID, run.OutcomePass)
		if got, want := story(t, s, r.ID), "queued1 started finished"; got != want {
			t.Errorf("story %s, want %s", got, want)
		}
	})
}

func TestQueueAndPlaces(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		own := func(n int) store.Start {
			return begin(n, func(b *store.Start) { b.Run.Source.Path = fmt.Sprint(n) })
		}
		for n := 1; n <= 13; n++ {
			if r := start(t, s, own(n)); r.Place != n {
				t.Errorf("run %d has place %d", n, r.Place)
			}
		}
		claim(t, s, "run0001")
		if _, err := s.Cancel(t.Context(), "acc", "run0003", "no", now); err != nil {
			t.Fatal(err)
		}
		queued, running, began, err := s.Queue(t.Context(), "acc", now.Add(-time.Hour))
		if err != nil || len(queued) != 11 || queued[0].ID != "run0002" || queued[1].ID != "run0004" || len(running) != 1 || len(began) != 1 || !began[0].Equal(now) {
			t.Fatalf("queued %d, running %d, began %v, %v", len(queued), len(running), began, err)
		}
		if _, _, began, _ := s.Queue(t.Context(), "acc", now); len(began) != 0 {
			t.Errorf("began since now: %v", began)
		}
		for id, want := range map[string]string{
			"run0002": "queued2 queued1", "run0003": "queued3 queued2 finished", "run0004": "queued4 queued3 queued2",
			// Only the head of the queue is told that it moves.
			"run0012": "queued12 queued10", "run0013": "queued13",
		} {
			if got := story(t, s, id); got != want {
				t.Errorf("story of %s: %s, want %s", id, got, want)
			}
		}
		if r := get(t, s, "run0013"); r.Place != 11 {
			t.Errorf("place %d", r.Place)
		}
	})
}

func TestCancel(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		queued := start(t, s, begin(1))
		running := start(t, s, begin(2, func(b *store.Start) { b.Run.Source.Path = "b" }))
		claim(t, s, running.ID)
		for range 2 {
			r, err := s.Cancel(t.Context(), "acc", queued.ID, "why", now)
			if err != nil || r.Status != run.StatusFinished || r.Outcome != run.OutcomeCancelled || r.Reason != "why" {
				t.Fatalf("queued: %+v, %v", r, err)
			}
			r, err = s.Cancel(t.Context(), "acc", running.ID, "because", now)
			if err != nil || r.Status != run.StatusRunning || r.CancelReason != "because" {
				t.Fatalf("running: %+v, %v", r, err)
			}
		}
		if got := story(t, s, running.ID); !strings.HasSuffix(got, "started cancelling") {
			t.Errorf("story %s", got)
		}
		if _, err := s.Cancel(t.Context(), "other", running.ID, "x", now); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("another account cancelled: %v", err)
		}
	})
}

func TestHolds(t *testing.T) {
	later := func(d time.Duration) time.Time { return now.Add(d) }
	onEach(t, func(t *testing.T, s *store.Store) {
		id := start(t, s, begin(1)).ID
		step := func(what string, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		expire := func(at time.Time, want int) {
			t.Helper()
			if got, err := s.Expire(t.Context(), at, "unheld", "unconfirmed"); err != nil || len(got) != want {
				t.Fatalf("expire at %s: %v, %v", at, got, err)
			}
		}
		release := func(holder string, want run.Status) {
			t.Helper()
			r, err := s.Release(t.Context(), "acc", id, holder, "released", now)
			if err != nil || r.Status != want {
				t.Fatalf("release %s: %+v, %v", holder, r, err)
			}
		}
		expire(later(59*time.Second), 0)
		step("a second holder", s.Hold(t.Context(), id, "h2", later(2*time.Minute)))
		expire(later(90*time.Second), 0)
		step("renew", s.Renew(t.Context(), id, "h", later(3*time.Minute)))
		expire(later(150*time.Second), 0)
		release("stranger", run.StatusQueued)
		release("h2", run.StatusQueued)
		step("renew a hold that was released", s.Renew(t.Context(), id, "h2", later(time.Hour)))
		expire(later(3*time.Minute), 1)
		if r := get(t, s, id); r.Outcome != run.OutcomeCancelled || r.Reason != "unheld" {
			t.Errorf("%+v", r)
		}

		id = start(t, s, begin(2)).ID
		release("h", run.StatusFinished)
		if r := get(t, s, id); r.Reason != "released" {
			t.Errorf("%+v", r)
		}
	})
}

func TestRunningRunLosesItsLease(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		r := start(t, s, begin(1))
		claim(t, s, r.ID)
		if got, err := s.Expire(t.Context(), now.Add(time.Hour), "unheld", ""); err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		if again, err := s.Expire(t.Context(), now.Add(time.Hour), "unheld", ""); err != nil || len(again) != 0 {
			t.Errorf("expired twice: %v, %v", again, err)
		}
		if r := get(t, s, r.ID); r.Status != run.StatusRunning || r.CancelReason != "unheld" {
			t.Errorf("%+v", r)
		}
	})
}

func TestDetached(t *testing.T) {
	detach := func(s *store.Start) { s.Holder = "" }
	onEach(t, func(t *testing.T, s *store.Store) {
		a := start(t, s, begin(1, detach))
		if !a.Detached {
			t.Error("not detached")
		}
		// A waiter joins, and leaves: the run goes on.
		start(t, s, begin(2))
		if err := s.Hold(t.Context(), a.ID, "h", now); err != nil {
			t.Fatal(err)
		}
		if r, err := s.Release(t.Context(), "acc", a.ID, "h", "x", now); err != nil || r.Status != run.StatusQueued {
			t.Fatalf("%+v, %v", r, err)
		}
		// One who does not wait joins a held run: it goes on without its holder.
		other := func(s *store.Start) { s.Run.Source.Path = "other" }
		b := start(t, s, begin(3, other))
		if b.Detached {
			t.Error("detached")
		}
		if joined := start(t, s, begin(4, other, detach)); joined.ID != b.ID || !joined.Detached {
			t.Errorf("%+v", joined)
		}
		if got, err := s.Expire(t.Context(), now.Add(time.Hour), "x", "x"); err != nil || len(got) != 0 {
			t.Errorf("expired %v, %v", got, err)
		}
	})
}

func TestWaiting(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		r := start(t, s, begin(1, func(b *store.Start) {
			b.Run.Status, b.Run.Reason, b.Run.ExpiresAt = run.StatusWaiting, "a person", now.Add(24*time.Hour)
		}))
		if r.Status != run.StatusWaiting || !r.Detached {
			t.Errorf("%+v", r)
		}
		if got, err := s.Expire(t.Context(), now.Add(24*time.Hour-1), "unheld", "unconfirmed"); err != nil || len(got) != 0 {
			t.Fatalf("expired early: %v, %v", got, err)
		}
		if got, err := s.Expire(t.Context(), now.Add(24*time.Hour), "unheld", "unconfirmed"); err != nil || len(got) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		if got := get(t, s, r.ID); got.Outcome != run.OutcomeCancelled || got.Reason != "unconfirmed" {
			t.Errorf("%+v", got)
		}
		if got, want := story(t, s, r.ID), "waiting finished"; got != want {
			t.Errorf("story %s, want %s", got, want)
		}
	})
}

func TestRefusedAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		r := start(t, s, begin(1, func(b *store.Start) {
			b.Run.Status, b.Run.Outcome, b.Run.Reason, b.Run.FinishedAt = run.StatusFinished, run.OutcomeRefused, "no", now
		}))
		if got, want := story(t, s, r.ID), "finished"; got != want || r.Outcome != run.OutcomeRefused || !r.FinishedAt.Equal(now) {
			t.Errorf("story %s, %+v", got, r)
		}
	})
}

func TestListing(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		for n := range 5 {
			start(t, s, begin(n, func(b *store.Start) {
				b.Run.Source.Commit = fmt.Sprint("c", n)
				if n%2 == 1 {
					b.Run.Source.Ref = "release"
				}
			}))
		}
		finish(t, s, "run0003", run.OutcomePass)
		ids := func(f store.Filter) string {
			t.Helper()
			f.Limit = max(f.Limit, 1)
			found, err := s.Runs(t.Context(), "acc", f)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, r := range found {
				all = append(all, strings.TrimPrefix(r.ID, "run000"))
			}
			return strings.Join(all, " ")
		}
		for want, f := range map[string]store.Filter{
			"4 3":       {Limit: 2},
			"1 0":       {Limit: 9, Before: "run0002"},
			"3 1":       {Limit: 9, Ref: "release"},
			"3":         {Limit: 9, Ref: "release", Status: run.StatusFinished},
			"2":         {Limit: 9, Commit: "c2", Repository: "github.com/o/r", Path: "scenarios/a.toml", Version: strings.Repeat("a", 64)},
			"":          {Limit: 9, Path: "' or 1=1 --"},
			"4 3 2 1 0": {Limit: 9, Repository: "github.com/o/r"},
		} {
			if got := ids(f); got != want {
				t.Errorf("%+v: %s, want %s", f, got, want)
			}
		}
	})
}

func TestRecover(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		for n, path := range []string{"running", "cancelling", "queued"} {
			start(t, s, begin(n, func(b *store.Start) { b.Run.Source.Path = path }))
		}
		claim(t, s, "run0000")
		claim(t, s, "run0001")
		if _, err := s.Cancel(t.Context(), "acc", "run0001", "superseded", now); err != nil {
			t.Fatal(err)
		}
		back := now.Add(time.Hour)
		ended, err := s.Recover(t.Context(), "died", back, back.Add(time.Minute))
		if err != nil || !slices.Equal(ended, []string{"run0000", "run0001"}) {
			t.Fatalf("%v, %v", ended, err)
		}
		if r := get(t, s, "run0000"); r.Outcome != run.OutcomeInconclusive || r.Reason != "died" {
			t.Errorf("%+v", r)
		}
		if r := get(t, s, "run0001"); r.Outcome != run.OutcomeCancelled || r.Reason != "superseded" {
			t.Errorf("%+v", r)
		}
		// Its waiter could not be there while the bench was not.
		if got, err := s.Expire(t.Context(), back, "x", "x"); err != nil || len(got) != 0 {
			t.Errorf("expired %v, %v", got, err)
		}
		if got, err := s.Expire(t.Context(), back.Add(time.Minute), "x", "x"); err != nil || len(got) != 1 {
			t.Errorf("expired %v, %v", got, err)
		}
	})
}

func TestTokens(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		if _, err := s.Token(t.Context(), "h1"); !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		first := store.Token{Hash: "h1", Account: "acc", Name: "ci", Scopes: []string{"a", "b"}, Repositories: []string{"github.com/o/r"}, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
		second := store.Token{Hash: "h2", Account: "acc", Name: "ci", CreatedAt: now, RevokedAt: now}
		for _, token := range []store.Token{first, second} {
			if err := s.ReplaceToken(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			got, err := s.Token(t.Context(), token.Hash)
			if err != nil || got.Account != "acc" || len(got.Scopes) != len(token.Scopes) || len(got.Repositories) != len(token.Repositories) ||
				!got.ExpiresAt.Equal(token.ExpiresAt) || !got.RevokedAt.Equal(token.RevokedAt) {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if _, err := s.Token(t.Context(), "h1"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the replaced token is still there: %v", err)
		}
	})
}

// A caller that goes away leaves the database whole.
func TestCancelledContext(t *testing.T) {
	onEach(t, func(t *testing.T, s *store.Store) {
		start(t, s, begin(1))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = s.Run(gone, "acc", "run0001")
		_, _ = s.Events(gone, "run0001", 0, 10)
		_, _, _ = s.Start(gone, begin(2, func(b *store.Start) { b.Run.Source.Path = "b" }))
		if got, want := story(t, s, "run0001"), "queued1"; got != want {
			t.Errorf("story %s, want %s", got, want)
		}
	})
}
