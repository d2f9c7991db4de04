package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/inorbit-hr/reliability/run"
)

// Event is an event as it is kept: Data is the run.RunEvent as JSON.
type Event struct {
	ID   int64
	Type run.EventType
	Data []byte
}

// Events gives at most limit events of a run behind the event after, oldest first.
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) ([]Event, error) {
	found, err := all(ctx, s.read(), func(row scanner) (Event, error) {
		var e Event
		err := row.Scan(&e.ID, &e.Type, &e.Data)
		return e, err
	}, `select number, type, data from run_events where run = ? and number > ? order by number limit ?`, id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the events of run %s: %w", id, err)
	}
	return found, nil
}

// Finished tells whether a run has ended: what Events gives after that is all there is.
func (s *Store) Finished(ctx context.Context, id string) (bool, error) {
	var status run.Status
	if err := s.read().row(ctx, `select status from runs where id = ?`, id).Scan(&status); err != nil {
		return false, fmt.Errorf("read the status of run %s: %w", id, err)
	}
	return status == run.StatusFinished, nil
}

// Append adds events to a running run, in order. They get their numbers here. A run
// that has ended takes none.
func (s *Store) Append(ctx context.Context, id string, events []run.RunEvent) error {
	err := s.write(ctx, func(db session) error {
		var status run.Status
		if err := db.row(ctx, `select status from runs where id = ?`, id).Scan(&status); err != nil {
			return err
		}
		if status != run.StatusRunning {
			return fmt.Errorf("it is %s", status)
		}
		return db.append(ctx, id, events...)
	})
	if err != nil {
		return fmt.Errorf("add events to run %s: %w", id, err)
	}
	return nil
}

// append numbers events and keeps them. The run's row is locked by the count, so
// numbers have no gaps.
func (s session) append(ctx context.Context, id string, events ...run.RunEvent) error {
	var last int64
	if err := s.row(ctx, `update runs set last_event = last_event + ? where id = ? returning last_event`, len(events), id).Scan(&last); err != nil {
		return err
	}
	for i, e := range events {
		e.ID, e.Run = last-int64(len(events)-1-i), id
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := s.exec(ctx, `insert into run_events (run, number, type, data) values (?, ?, ?, ?)`, id, e.ID, string(e.Type), string(data)); err != nil {
			return err
		}
	}
	return nil
}
