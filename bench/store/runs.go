package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// Run is a run as the store keeps it. Its place in the queue is worked out when it is
// read.
type Run struct {
	run.Run
	Account string
	// Connections that it uses; two runs that share one never overlap.
	Connections []string
	// CancelReason says why a running run is to end; empty while nobody asked.
	CancelReason string
	// ExpiresAt is when a waiting run gives up.
	ExpiresAt time.Time
}

// baseColumns are all but the place.
const baseColumns = `id, account, attempt, version, name, environment, repository, pull_request, merge_group, ref, commit_sha, base_sha, path, actor,
	connections, status, outcome, reason, cancel_reason, detached, created_at, started_at, finished_at, expires_at, result, `

const runColumns = baseColumns + `case when status = 'queued' then (select count(*) from runs ahead where ahead.account = runs.account and ahead.status = 'queued' and ahead.id <= runs.id) else 0 end`

func scanRun(row scanner) (Run, error) {
	var r Run
	var connections, result string
	var detached, created, started, finished, expires int64
	s := &r.Source
	err := row.Scan(&r.ID, &r.Account, &r.Attempt, &r.Version, &r.Name, &r.Environment, &s.Repository, &s.PullRequest, &s.MergeGroup, &s.Ref, &s.Commit, &s.Base, &s.Path, &s.Actor,
		&connections, &r.Status, &r.Outcome, &r.Reason, &r.CancelReason, &detached, &created, &started, &finished, &expires, &result, &r.Place)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, ErrNotFound
	}
	if err != nil {
		return Run{}, err
	}
	r.Detached = detached != 0
	r.CreatedAt, r.StartedAt, r.FinishedAt, r.ExpiresAt = moment(created), moment(started), moment(finished), moment(expires)
	if err := json.Unmarshal([]byte(connections), &r.Connections); err != nil {
		return Run{}, fmt.Errorf("connections of run %s: %w", r.ID, err)
	}
	if result != "" {
		if err := json.Unmarshal([]byte(result), &r.Result); err != nil {
			return Run{}, fmt.Errorf("result of run %s: %w", r.ID, err)
		}
	}
	return r, nil
}

// Run gives a run of the account, or ErrNotFound.
func (s *Store) Run(ctx context.Context, account, id string) (Run, error) {
	r, err := scanRun(s.read().row(ctx, `select `+runColumns+` from runs where account = ? and id = ?`, account, id))
	if err != nil && !errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("read run %s: %w", id, err)
	}
	return r, err
}

// Filter chooses runs; an empty field chooses all.
type Filter struct {
	Repository, Commit, Path, Ref, Version string
	Status                                 run.Status
	// Before is the id of the run behind which the page starts.
	Before string
	Limit  int // at most so many
}

// scanListed leaves out the seconds of a run: a page of long runs would hold millions.
func scanListed(row scanner) (Run, error) {
	r, err := scanRun(row)
	if r.Result != nil && r.Result.Load != nil {
		r.Result.Load.Seconds = []run.Second{}
	}
	return r, err
}

// Runs gives runs of the account, newest first, without their seconds.
func (s *Store) Runs(ctx context.Context, account string, f Filter) ([]Run, error) {
	where, args := []string{"account = ?"}, []any{account}
	for _, c := range []struct{ column, value string }{
		{"repository", f.Repository}, {"commit_sha", f.Commit}, {"path", f.Path}, {"ref", f.Ref},
		{"version", f.Version}, {"status", string(f.Status)},
	} {
		if c.value != "" {
			where, args = append(where, c.column+" = ?"), append(args, c.value)
		}
	}
	if f.Before != "" {
		where, args = append(where, "id < ?"), append(args, f.Before)
	}
	found, err := all(ctx, s.read(), scanListed, `select `+runColumns+` from runs where `+strings.Join(where, " and ")+` order by id desc limit ?`, append(args, f.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return found, nil
}

// Claim starts a queued run. It tells whether this caller did: a run that was
// cancelled or claimed before is not.
func (s *Store) Claim(ctx context.Context, id string, at time.Time) (bool, error) {
	claimed := false
	err := s.write(ctx, func(db session) error {
		rows, err := db.exec(ctx, `update runs set status = 'running', started_at = ? where id = ? and status = 'queued'`, millis(at), id)
		if err != nil || rows == 0 {
			return err
		}
		claimed = true
		if err := db.append(ctx, id, run.RunEvent{Type: run.EventTypeStarted, At: at}); err != nil {
			return err
		}
		return db.moveUp(ctx, id, at)
	})
	if err != nil {
		return false, fmt.Errorf("start run %s: %w", id, err)
	}
	return claimed, nil
}

// End is how a run ends.
type End struct {
	Outcome run.Outcome
	Reason  string
	Result  *run.Result // nil where nothing was measured
	At      time.Time
}

// Finish ends a run that has not ended, and its holds with it. It tells whether it did.
func (s *Store) Finish(ctx context.Context, id string, end End) (bool, error) {
	finished := false
	err := s.write(ctx, func(db session) (err error) {
		finished, err = db.finish(ctx, id, end)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("end run %s: %w", id, err)
	}
	return finished, nil
}

func (s session) finish(ctx context.Context, id string, end End) (bool, error) {
	result := ""
	if end.Result != nil {
		text, err := json.Marshal(end.Result)
		if err != nil {
			return false, err
		}
		result = string(text)
	}
	var before run.Status
	if err := s.row(ctx, `select status from runs where id = ?`, id).Scan(&before); err != nil {
		return false, err
	}
	rows, err := s.exec(ctx, `update runs set status = 'finished', outcome = ?, reason = ?, result = ?, finished_at = ? where id = ? and status <> 'finished'`,
		string(end.Outcome), end.Reason, result, millis(end.At), id)
	if err != nil || rows == 0 {
		return false, err
	}
	if _, err := s.exec(ctx, `delete from holders where run = ?`, id); err != nil {
		return false, err
	}
	if err := s.append(ctx, id, run.RunEvent{Type: run.EventTypeFinished, At: end.At, Outcome: end.Outcome, Message: end.Reason}); err != nil {
		return false, err
	}
	if before == run.StatusQueued {
		return true, s.moveUp(ctx, id, end.At)
	}
	return true, nil
}

// placesTold is how many runs at the head of the queue are told when they move up. It
// bounds what the start of a run costs, however long the queue is.
const placesTold = 10

// moveUp tells those behind a run that left the queue their new place.
func (s session) moveUp(ctx context.Context, left string, at time.Time) error {
	ids, err := all(ctx, s, func(row scanner) (string, error) {
		var id string
		err := row.Scan(&id)
		return id, err
	}, `select id from runs where status = 'queued' and account = (select account from runs where id = ?) order by id limit ?`, left, placesTold)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if id < left {
			continue // it stands before
		}
		if err := s.append(ctx, id, run.RunEvent{Type: run.EventTypeQueued, At: at, Place: i + 1}); err != nil {
			return err
		}
	}
	return nil
}

// Cancel asks a run to end: one that has not begun ends at once, a running one is
// marked. Repeating it changes nothing. It gives the run as it is then.
func (s *Store) Cancel(ctx context.Context, account, id, reason string, at time.Time) (Run, error) {
	err := s.write(ctx, func(db session) error {
		r, err := scanRun(db.row(ctx, `select `+runColumns+` from runs where account = ? and id = ?`, account, id))
		if err != nil {
			return err
		}
		return db.cancel(ctx, r, reason, at)
	})
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			return Run{}, err
		}
		return Run{}, fmt.Errorf("cancel run %s: %w", id, err)
	}
	return s.Run(ctx, account, id)
}

func (s session) cancel(ctx context.Context, r Run, reason string, at time.Time) error {
	switch r.Status {
	case run.StatusQueued, run.StatusWaiting:
		_, err := s.finish(ctx, r.ID, End{Outcome: run.OutcomeCancelled, Reason: reason, At: at})
		return err
	case run.StatusRunning:
		rows, err := s.exec(ctx, `update runs set cancel_reason = ? where id = ? and status = 'running' and cancel_reason = ''`, reason, r.ID)
		if err != nil || rows == 0 {
			return err
		}
		return s.append(ctx, r.ID, run.RunEvent{Type: run.EventTypeCancelling, At: at, Message: reason})
	}
	return nil
}

// Recover ends what was running when the process before this one died, and gives the
// holders of what is still queued until then to come back. It gives the ids it ended.
func (s *Store) Recover(ctx context.Context, reason string, at, holdUntil time.Time) ([]string, error) {
	var ended []string
	err := s.write(ctx, func(db session) error {
		orphans, err := all(ctx, db, scanRun, `select `+baseColumns+`0 from runs where status = 'running' order by id`)
		if err != nil {
			return err
		}
		for _, r := range orphans {
			end := End{Outcome: run.OutcomeInconclusive, Reason: reason, At: at}
			if r.CancelReason != "" {
				end.Outcome, end.Reason = run.OutcomeCancelled, r.CancelReason
			}
			if _, err := db.finish(ctx, r.ID, end); err != nil {
				return err
			}
			ended = append(ended, r.ID)
		}
		_, err = db.exec(ctx, `update holders set expires = ? where expires < ?`, millis(holdUntil), millis(holdUntil))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("recover the runs of the process before: %w", err)
	}
	return ended, nil
}
