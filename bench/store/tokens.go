package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Token is what a token may do. The token itself is kept nowhere.
type Token struct {
	Hash    string // lower-case hex of the token's SHA-256
	Account string
	Name    string
	Scopes  []string
	// Repositories that it is bound to; none means any.
	Repositories []string
	CreatedAt    time.Time
	ExpiresAt    time.Time // zero where it never does
	RevokedAt    time.Time // zero where it is not
}

// ReplaceToken keeps a token and drops those of the account with its name.
func (s *Store) ReplaceToken(ctx context.Context, t Token) error {
	repositories, err := json.Marshal(append([]string{}, t.Repositories...))
	if err != nil {
		return fmt.Errorf("keep token %s: %w", t.Name, err)
	}
	err = s.write(ctx, func(db session) error {
		if _, err := db.exec(ctx, `delete from tokens where account = ? and name = ?`, t.Account, t.Name); err != nil {
			return err
		}
		_, err := db.exec(ctx, `insert into tokens (hash, account, name, scopes, repositories, created_at, expires_at, revoked_at) values (?, ?, ?, ?, ?, ?, ?, ?)`,
			t.Hash, t.Account, t.Name, strings.Join(t.Scopes, " "), string(repositories), millis(t.CreatedAt), millis(t.ExpiresAt), millis(t.RevokedAt))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep token %s: %w", t.Name, err)
	}
	return nil
}

// Token finds a token by its hash, or gives ErrNotFound.
func (s *Store) Token(ctx context.Context, hash string) (Token, error) {
	t := Token{}
	var scopes, repositories string
	var created, expires, revoked int64
	err := s.read().row(ctx, `select hash, account, name, scopes, repositories, created_at, expires_at, revoked_at from tokens where hash = ?`, hash).
		Scan(&t.Hash, &t.Account, &t.Name, &scopes, &repositories, &created, &expires, &revoked)
	if errors.Is(err, sql.ErrNoRows) {
		return Token{}, ErrNotFound
	}
	if err == nil {
		err = json.Unmarshal([]byte(repositories), &t.Repositories)
	}
	if err != nil {
		return Token{}, fmt.Errorf("read a token: %w", err)
	}
	t.Scopes = strings.Fields(scopes)
	t.CreatedAt, t.ExpiresAt, t.RevokedAt = moment(created), moment(expires), moment(revoked)
	return t, nil
}
