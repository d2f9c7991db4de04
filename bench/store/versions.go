package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/inorbit-hr/reliability/run"
)

// PutVersion keeps a version and its bytes, or finds it. It tells whether it is new.
func (s *Store) PutVersion(ctx context.Context, account string, v run.Version, source []byte) (run.Version, bool, error) {
	// A known version is one read.
	if known, _, err := s.Version(ctx, account, v.Sha256); !errors.Is(err, ErrNotFound) {
		return known, false, err
	}
	created := false
	err := s.write(ctx, func(db session) error {
		rows, err := db.exec(ctx, `insert into versions (account, sha256, name, source, size, created_at) values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
			account, v.Sha256, v.Name, string(source), len(source), millis(v.CreatedAt))
		created = rows == 1
		return err
	})
	if err != nil {
		return run.Version{}, false, fmt.Errorf("keep version %s: %w", v.Sha256, err)
	}
	known, _, err := s.Version(ctx, account, v.Sha256)
	return known, created, err
}

// Version gives a version of the account and its exact bytes, or ErrNotFound.
func (s *Store) Version(ctx context.Context, account, sha256 string) (run.Version, []byte, error) {
	var v run.Version
	var source string
	var created int64
	err := s.read().row(ctx, `select sha256, name, source, size, created_at from versions where account = ? and sha256 = ?`, account, sha256).
		Scan(&v.Sha256, &v.Name, &source, &v.Size, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return run.Version{}, nil, ErrNotFound
	}
	if err != nil {
		return run.Version{}, nil, fmt.Errorf("read version %s: %w", sha256, err)
	}
	v.CreatedAt = moment(created)
	return v, []byte(source), nil
}
