package store_test

import (
	"testing"
	"time"

	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
)

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
