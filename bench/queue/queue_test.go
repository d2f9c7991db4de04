package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func entry(id string, connections ...string) Entry { return Entry{ID: id, Connections: connections} }

func ago(d time.Duration) time.Time { return now.Add(-d) }

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name   string
		state  State
		limits Limits
		start  []string
		wait   time.Duration
	}{
		{"nothing", State{}, Limits{1, 60}, nil, 0},
		{"one at a time", State{Queued: []Entry{entry("a", "x"), entry("b", "y")}}, Limits{1, 60}, []string{"a"}, 0},
		{"one is running", State{Queued: []Entry{entry("a", "x")}, Running: []Entry{entry("r", "y")}}, Limits{1, 60}, nil, 0},
		{"two at a time", State{Queued: []Entry{entry("a", "x"), entry("b", "y"), entry("c", "z")}}, Limits{2, 60}, []string{"a", "b"}, 0},
		{"shared connection", State{Queued: []Entry{entry("a", "x"), entry("b", "x", "y"), entry("c", "z")}}, Limits{3, 60}, []string{"a", "c"}, 0},
		{"shared with a running one", State{Queued: []Entry{entry("a", "x")}, Running: []Entry{entry("r", "x", "y")}}, Limits{9, 60}, nil, 0},
		{"who waits keeps its connections", State{Queued: []Entry{entry("a", "x", "y"), entry("b", "y")}, Running: []Entry{entry("r", "x")}}, Limits{9, 60}, nil, 0},
		{"without connections", State{Queued: []Entry{entry("a"), entry("b")}, Running: []Entry{entry("r", "x")}}, Limits{9, 60}, []string{"a", "b"}, 0},
		{"the hour is full", State{Queued: []Entry{entry("a", "x")}, Began: []time.Time{ago(50 * time.Minute), ago(time.Minute)}}, Limits{1, 2}, nil, 10 * time.Minute},
		{"the hour is over", State{Queued: []Entry{entry("a", "x")}, Began: []time.Time{ago(time.Hour), ago(time.Minute)}}, Limits{1, 2}, []string{"a"}, 0},
		{"the hour fills up", State{Queued: []Entry{entry("a", "x"), entry("b", "y")}, Began: []time.Time{ago(20 * time.Minute)}}, Limits{9, 2}, []string{"a"}, 40 * time.Minute},
		{"the hour fills up with this one", State{Queued: []Entry{entry("a", "x"), entry("b", "y")}}, Limits{9, 1}, []string{"a"}, time.Hour},
		{"the limit was lowered", State{Queued: []Entry{entry("a", "x")}, Began: []time.Time{ago(50 * time.Minute), ago(40 * time.Minute), ago(30 * time.Minute)}}, Limits{1, 1}, nil, 30 * time.Minute},
		{"the clock went back", State{Queued: []Entry{entry("a", "x")}, Began: []time.Time{ago(-time.Minute)}}, Limits{1, 1}, nil, 61 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Decide(c.state, c.limits, now)
			if !slices.Equal(d.Start, c.start) || d.Wait != c.wait {
				t.Errorf("start %v, wait %s; want %v, %s", d.Start, d.Wait, c.start, c.wait)
			}
		})
	}
}

func drawEntries(t *rapid.T, label string) []Entry {
	n := rapid.IntRange(0, 12).Draw(t, label)
	all := make([]Entry, n)
	for i := range all {
		all[i] = Entry{ID: fmt.Sprint(label, i), Connections: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 0, 3, rapid.ID[string]).Draw(t, "connections")}
	}
	return all
}

func share(a, b Entry) bool {
	return slices.ContainsFunc(a.Connections, func(c string) bool { return slices.Contains(b.Connections, c) })
}

func TestDecideKeepsItsRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := State{Queued: drawEntries(t, "queued")}
		for _, e := range drawEntries(t, "running") {
			if !slices.ContainsFunc(s.Running, func(r Entry) bool { return share(r, e) }) {
				s.Running = append(s.Running, e)
			}
		}
		for range rapid.IntRange(0, 5).Draw(t, "began") {
			s.Began = append(s.Began, ago(time.Duration(rapid.IntRange(0, 90).Draw(t, "ago"))*time.Minute))
		}
		slices.SortFunc(s.Began, time.Time.Compare)
		limits := Limits{AtOnce: rapid.IntRange(1, 8).Draw(t, "at once"), AnHour: rapid.IntRange(1, 8).Draw(t, "an hour")}
		d := Decide(s, limits, now)

		going, began := slices.Clone(s.Running), len(within(s.Began, now))+len(d.Start)
		for i, e := range s.Queued {
			starts := slices.Contains(d.Start, e.ID)
			if starts {
				for _, g := range going {
					if share(g, e) {
						t.Fatalf("%v starts beside %v", e, g)
					}
				}
				going = append(going, e)
			}
			for _, before := range s.Queued[:i] {
				if starts && !slices.Contains(d.Start, before.ID) && share(before, e) {
					t.Fatalf("%v overtakes %v on a connection", e, before)
				}
			}
		}
		if len(d.Start) > 0 && (len(going) > limits.AtOnce || began > limits.AnHour) {
			t.Fatalf("%d go at once, %d began; limits %+v", len(going), began, limits)
		}
		if len(s.Running) == 0 && len(s.Queued) > 0 && len(d.Start) == 0 && d.Wait == 0 {
			t.Fatal("nothing runs, nothing starts, and nothing is waited for")
		}
		if d.Wait > 0 {
			later := Decide(State{Queued: s.Queued, Began: s.Began}, Limits{AtOnce: 100, AnHour: limits.AnHour}, now.Add(d.Wait))
			if len(later.Start) == 0 {
				t.Fatalf("after the wait of %s nothing starts", d.Wait)
			}
		}
	})
}

// scripted is a source that fails once, and then has one run.
type scripted struct {
	failed  bool
	claimed []string
}

func (s *scripted) Queue(context.Context, time.Time) (State, error) {
	if !s.failed {
		s.failed = true
		return State{}, errors.New("the disk is full")
	}
	if len(s.claimed) == 2 {
		return State{}, nil
	}
	return State{Queued: []Entry{entry(fmt.Sprint("run", len(s.claimed)))}}, nil
}

func (s *scripted) Claim(_ context.Context, id string) (bool, error) {
	s.claimed = append(s.claimed, id)
	return id != "run0", nil
}

type manualClock struct{ after chan time.Time }

func (manualClock) Now() time.Time                                   { return now }
func (c manualClock) Timer(time.Duration) (<-chan time.Time, func()) { return c.after, func() {} }

func TestLoop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	wake, clock := make(chan struct{}), manualClock{make(chan time.Time)}
	started, failed := make(chan string), make(chan error, 1)
	source := &scripted{}
	done := make(chan struct{})
	loop := &Loop{Source: source, Limits: Limits{1, 60}, Clock: clock, Wake: wake, Start: func(id string) { started <- id }, Failed: func(err error) { failed <- err }}
	go func() {
		defer close(done)
		loop.Run(ctx)
	}()
	if err := <-failed; err == nil {
		t.Error("no error")
	}
	clock.after <- now // it looks again on its own: run0, which another one claims
	wake <- struct{}{}
	if id := <-started; id != "run1" {
		t.Errorf("started %s", id)
	}
	cancel()
	<-done
}
