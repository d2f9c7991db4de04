package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
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
