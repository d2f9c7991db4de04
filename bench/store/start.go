package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// Start asks for a run.
type Start struct {
	// Run as it is to be: id, account, version, name, environment, source,
	// connections, status and what belongs to the status. The store numbers the
	// attempt.
	Run Run
	// Request names this very request; empty where it has no name.
	Request string
	// Again makes a further attempt although the newest has a result.
	Again bool
	// Holder waits for the run; empty makes it detached.
	Holder string
	// HoldUntil is when the holder's lease ends unless it is renewed.
	HoldUntil time.Time
}

// Key is what makes two starts the same but for the attempt: the repository, the pull
// request or merge group, head and base commit, the path and the version. A source
// without repository stands for itself.
func (s *Start) Key() string {
	source := s.Run.Source
	if source.Repository == "" {
		return "run " + s.Run.ID
	}
	h := sha256.New()
	for _, part := range []string{source.Repository, strconv.Itoa(source.PullRequest), source.MergeGroup, source.Commit, source.Base, source.Path, s.Run.Version} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// startTries bounds how often a start that lost to another one looks again.
const startTries = 10

// Start keeps a new run with its first event, or finds the one that was started for
// the same key or request. It tells whether the run is new. However many start at
// once, one run is made.
func (s *Store) Start(ctx context.Context, start Start) (Run, bool, error) {
	id, created := "", false
	for try := 0; id == "" && try < startTries; try++ {
		err := s.write(ctx, func(db session) (err error) {
			id, created, err = db.start(ctx, start)
			return err
		})
		if err != nil {
			if errors.Is(err, ErrRequestReused) {
				return Run{}, false, err
			}
			return Run{}, false, fmt.Errorf("start a run: %w", err)
		}
	}
	if id == "" {
		return Run{}, false, errors.New("start a run: too many start the same one")
	}
	r, err := s.Run(ctx, start.Run.Account, id)
	return r, created, err
}

// start gives no id where another start was quicker.
func (s session) start(ctx context.Context, start Start) (string, bool, error) {
	attempt := 1
	existing, found, err := s.earlier(ctx, start)
	if err != nil {
		return "", false, err
	}
	if found {
		if existing.again == "" {
			return existing.ID, false, s.join(ctx, existing.Run, start)
		}
		attempt = existing.Attempt + 1
	}
	start.Run.Attempt = attempt
	inserted, err := s.insert(ctx, start)
	if err != nil || !inserted {
		return "", false, err
	}
	return start.Run.ID, true, nil
}

// earlierRun is a run that a start found. again says why a further attempt is made
// nevertheless; empty means the run is the answer.
type earlierRun struct {
	Run
	again string
}

func (s session) earlier(ctx context.Context, start Start) (earlierRun, bool, error) {
	if start.Request != "" {
		r, err := scanRun(s.row(ctx, `select `+runColumns+` from runs where account = ? and request = ?`, start.Run.Account, start.Request))
		if err == nil {
			if r.Version != start.Run.Version || r.Source != start.Run.Source {
				return earlierRun{}, false, ErrRequestReused
			}
			return earlierRun{Run: r}, true, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return earlierRun{}, false, err
		}
	}
	r, err := scanRun(s.row(ctx, `select `+runColumns+` from runs where account = ? and start_key = ? order by attempt desc limit 1`, start.Run.Account, start.Key()))
	if errors.Is(err, ErrNotFound) {
		return earlierRun{}, false, nil
	}
	if err != nil {
		return earlierRun{}, false, err
	}
	e := earlierRun{Run: r}
	if r.Status == run.StatusFinished {
		switch {
		case start.Again:
			e.again = "asked for"
		case r.Outcome == run.OutcomeCancelled, r.Outcome == run.OutcomeInconclusive:
			e.again = "has no result"
		}
	}
	return e, true, nil
}

// join makes the starter one of those who wait for a run; one who does not wait makes
// it detached.
func (s session) join(ctx context.Context, r Run, start Start) error {
	if r.Detached || r.Status == run.StatusWaiting || r.Status == run.StatusFinished {
		return nil
	}
	if start.Holder == "" {
		_, err := s.exec(ctx, `update runs set detached = 1 where id = ?`, r.ID)
		return err
	}
	return s.hold(ctx, r.ID, start.Holder, start.HoldUntil)
}

func (s session) insert(ctx context.Context, start Start) (bool, error) {
	r := start.Run
	// A waiting run holds no lease, and runs detached once a person confirmed it.
	r.Detached = start.Holder == "" || r.Status == run.StatusWaiting
	connections, err := json.Marshal(append([]string{}, r.Connections...))
	if err != nil {
		return false, err
	}
	var request any
	if start.Request != "" {
		request = start.Request
	}
	src := r.Source
	rows, err := s.exec(ctx, `insert into runs (id, account, start_key, attempt, request, version, name, environment,
		repository, pull_request, merge_group, ref, commit_sha, base_sha, path, actor, connections, status, outcome, reason,
		cancel_reason, detached, created_at, started_at, finished_at, expires_at, last_event, result)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, 0, ?, ?, 0, '') on conflict do nothing`,
		r.ID, r.Account, start.Key(), r.Attempt, request, r.Version, r.Name, r.Environment,
		src.Repository, src.PullRequest, src.MergeGroup, src.Ref, src.Commit, src.Base, src.Path, src.Actor, string(connections), string(r.Status), string(r.Outcome), r.Reason,
		number(r.Detached), millis(r.CreatedAt), millis(r.FinishedAt), millis(r.ExpiresAt))
	if err != nil || rows == 0 {
		return false, err
	}
	if r.Status == run.StatusQueued && !r.Detached {
		if err := s.hold(ctx, r.ID, start.Holder, start.HoldUntil); err != nil {
			return false, err
		}
	}
	return true, s.appendFirst(ctx, r)
}

// appendFirst tells of a new run: what it is, and that is all for one that was refused.
func (s session) appendFirst(ctx context.Context, r Run) error {
	e := run.RunEvent{At: r.CreatedAt, Message: r.Reason}
	switch r.Status {
	case run.StatusQueued:
		e.Type = run.EventTypeQueued
		if err := s.row(ctx, `select count(*) from runs where account = ? and status = 'queued' and id <= ?`, r.Account, r.ID).Scan(&e.Place); err != nil {
			return err
		}
	case run.StatusWaiting:
		e.Type = run.EventTypeWaiting
	default:
		e.Type, e.Outcome = run.EventTypeFinished, r.Outcome
	}
	return s.append(ctx, r.ID, e)
}
