package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// Queued is a run that is queued or running.
type Queued struct {
	ID          string
	Connections []string
}

// queueHead is how much of a queue is looked at: far more than start at once. What
// stands behind it waits a little longer.
const queueHead = 200

// Queue gives what is running in an account and the head of what is queued, oldest
// first, and when the runs that began since a moment did, oldest first.
func (s *Store) Queue(ctx context.Context, account string, since time.Time) (queued, running []Queued, began []time.Time, err error) {
	queued, err = all(ctx, s.read(), scanQueued, `select id, connections from runs where account = ? and status = ? order by id limit ?`, account, string(run.StatusQueued), queueHead)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("read the queue: %w", err)
	}
	running, err = all(ctx, s.read(), scanQueued, `select id, connections from runs where account = ? and status = ? order by id`, account, string(run.StatusRunning))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("read the queue: %w", err)
	}
	began, err = all(ctx, s.read(), scanMoment, `select started_at from runs where account = ? and started_at > ? order by started_at`, account, since.UnixMilli())
	if err != nil {
		return nil, nil, nil, fmt.Errorf("read the queue: %w", err)
	}
	return queued, running, began, nil
}

func scanQueued(row scanner) (Queued, error) {
	var q Queued
	var connections string
	if err := row.Scan(&q.ID, &connections); err != nil {
		return Queued{}, err
	}
	if err := json.Unmarshal([]byte(connections), &q.Connections); err != nil {
		return Queued{}, fmt.Errorf("connections of run %s: %w", q.ID, err)
	}
	return q, nil
}

func scanMoment(row scanner) (time.Time, error) {
	var ms int64
	err := row.Scan(&ms)
	return moment(ms), err
}
