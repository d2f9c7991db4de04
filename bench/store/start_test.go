package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
)

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
