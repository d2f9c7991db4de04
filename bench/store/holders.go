package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

func (s session) hold(ctx context.Context, id, holder string, until time.Time) error {
	_, err := s.exec(ctx, `insert into holders (run, holder, expires) values (?, ?, ?) on conflict (run, holder) do update set expires = excluded.expires`,
		id, holder, millis(until))
	return err
}

// Hold makes someone who follows a run a holder of it. A run that is detached, waits
// for a person or has ended takes none.
func (s *Store) Hold(ctx context.Context, id, holder string, until time.Time) error {
	err := s.write(ctx, func(db session) error {
		var n int
		if err := db.row(ctx, `select count(*) from runs where id = ? and detached = 0 and status in ('queued', 'running')`, id).Scan(&n); err != nil || n == 0 {
			return err
		}
		return db.hold(ctx, id, holder, until)
	})
	if err != nil {
		return fmt.Errorf("hold run %s: %w", id, err)
	}
	return nil
}

// Renew moves the end of a hold. A hold that was released stays so.
func (s *Store) Renew(ctx context.Context, id, holder string, until time.Time) error {
	err := s.write(ctx, func(db session) error {
		_, err := db.exec(ctx, `update holders set expires = ? where run = ? and holder = ?`, millis(until), id, holder)
		return err
	})
	if err != nil {
		return fmt.Errorf("renew the hold on run %s: %w", id, err)
	}
	return nil
}

// Release ends one hold; with the last one the run is cancelled. A holder that has no
// hold changes nothing. It gives the run as it is then.
func (s *Store) Release(ctx context.Context, account, id, holder, reason string, at time.Time) (Run, error) {
	err := s.write(ctx, func(db session) error {
		r, err := scanRun(db.row(ctx, `select `+runColumns+` from runs where account = ? and id = ?`, account, id))
		if err != nil {
			return err
		}
		rows, err := db.exec(ctx, `delete from holders where run = ? and holder = ?`, id, holder)
		if err != nil || rows == 0 || r.Detached {
			return err
		}
		var left int
		if err := db.row(ctx, `select count(*) from holders where run = ? and expires > ?`, id, millis(at)).Scan(&left); err != nil || left > 0 {
			return err
		}
		return db.cancel(ctx, r, reason, at)
	})
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			return Run{}, err
		}
		return Run{}, fmt.Errorf("release run %s: %w", id, err)
	}
	return s.Run(ctx, account, id)
}

// Expire cancels the runs that nobody holds any more, and ends the waiting ones whose
// time is over. It gives what it changed.
func (s *Store) Expire(ctx context.Context, at time.Time, unheld, unconfirmed string) ([]Run, error) {
	var changed []Run
	err := s.write(ctx, func(db session) error {
		expired, err := all(ctx, db, scanRun, `select `+baseColumns+`0 from runs where
			(status in ('queued', 'running') and detached = 0 and cancel_reason = '' and not exists (select 1 from holders where holders.run = runs.id and holders.expires > ?))
			or (status = 'waiting' and expires_at <= ?) order by id`, millis(at), millis(at))
		if err != nil {
			return err
		}
		for _, r := range expired {
			reason := unheld
			if r.Status == run.StatusWaiting {
				reason = unconfirmed
			}
			if err := db.cancel(ctx, r, reason, at); err != nil {
				return err
			}
		}
		changed = expired
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("end the runs that nobody holds: %w", err)
	}
	return changed, nil
}
