// Package store keeps versions, runs, their events, the holds on them and tokens, in
// SQL. Every change of a run and the event that tells of it are one transaction. The
// statements are portable; what belongs to one database is in its dialect file.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// ErrNotFound tells that the account has no such thing.
var ErrNotFound = errors.New("not found")

// ErrRequestReused tells that a start request has the name of another one.
var ErrRequestReused = errors.New("the name of the request was used for another start")

// Store is one database. All methods may be called from many goroutines.
type Store struct {
	dialect dialect
	// writer begins transactions that may write. On SQLite it has one connection,
	// so that writers wait for each other instead of failing.
	writer *sql.DB
	reader *sql.DB
	close  func() error
}

// dialect is what differs between databases.
type dialect struct {
	// rebind rewrites the placeholders ? of a statement.
	rebind func(statement string) string
}

// Close closes the database.
func (s *Store) Close() error { return s.close() }

// querier is a transaction, or a database outside one.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// session runs portable statements.
type session struct {
	querier
	dialect dialect
}

// exec runs a statement and gives the number of rows it changed.
func (s session) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := s.ExecContext(ctx, s.dialect.rebind(statement), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s session) row(ctx context.Context, statement string, args ...any) *sql.Row {
	return s.QueryRowContext(ctx, s.dialect.rebind(statement), args...)
}

// all reads every row before it returns: with one connection, a statement inside an
// open result would wait for itself.
func all[T any](ctx context.Context, s session, scan func(scanner) (T, error), statement string, args ...any) ([]T, error) {
	rows, err := s.QueryContext(ctx, s.dialect.rebind(statement), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}

// scanner is a row.
type scanner interface{ Scan(into ...any) error }

func (s *Store) read() session { return session{querier: s.reader, dialect: s.dialect} }

// write runs fn in one transaction; an error of fn undoes all of it. A caller that goes
// away does not stop it halfway: a transaction is short, and whether it was committed
// stays known.
func (s *Store) write(ctx context.Context, fn func(session) error) error {
	ctx = context.WithoutCancel(ctx)
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it is done, or undone anyway
	if err := fn(session{querier: tx, dialect: s.dialect}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// millis is how times are kept; 0 is no time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
