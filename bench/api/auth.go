package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/inorbit-hr/reliability/bench/store"
)

// The scopes of tokens.
const (
	ScopeRead    = "reliability:read"
	ScopeRun     = "reliability:run"
	ScopeConfirm = "reliability:confirm"
	ScopeAdmin   = "reliability:admin"
)

// scopes says for every route which of a token's scopes opens it: one of them is
// enough. A route that is not here opens for none.
var scopes = map[string][]string{
	"POST /v1/check":            {ScopeRun, ScopeAdmin},
	"GET /v1/connections":       {ScopeRead, ScopeRun, ScopeAdmin},
	"PUT /v1/versions/{sha256}": {ScopeRun, ScopeAdmin},
	"POST /v1/runs":             {ScopeRun, ScopeAdmin},
	"GET /v1/runs":              {ScopeRead, ScopeRun, ScopeConfirm, ScopeAdmin},
	"GET /v1/runs/{id}":         {ScopeRead, ScopeRun, ScopeConfirm, ScopeAdmin},
	"GET /v1/runs/{id}/events":  {ScopeRead, ScopeRun, ScopeConfirm, ScopeAdmin},
	"POST /v1/runs/{id}/cancel": {ScopeRun, ScopeAdmin},
}

// HashToken is what is kept of a token.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Tokens finds what a token may do by its hash; store.ErrNotFound where it is none.
type Tokens interface {
	Token(ctx context.Context, hash string) (store.Token, error)
}

type identityKey struct{}

// authenticate lets only requests with a valid token pass. It comes before routing: a
// caller without one learns nothing, not even what there is.
func (h *handler) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
		if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
			h.fail(w, r, Refuse(Unauthorized, "send the header Authorization: Bearer with a token of this bench"))
			return
		}
		identity, err := h.identify(r.Context(), strings.TrimSpace(token))
		if err != nil {
			h.fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, identity)))
	})
}

func (h *handler) identify(ctx context.Context, token string) (store.Token, error) {
	hash := HashToken(token)
	identity, err := h.cfg.Tokens.Token(ctx, hash)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Token{}, err
	}
	// The look-up is by the hash of what was sent, so its time tells nothing of a
	// token; the comparison is in constant time whatever the store compares by.
	known := subtle.ConstantTimeCompare([]byte(hash), []byte(identity.Hash)) == 1
	if err != nil || !known || ended(identity.RevokedAt, h.cfg.Now()) || ended(identity.ExpiresAt, h.cfg.Now()) {
		return store.Token{}, Refuse(Unauthorized, "the token is not one of this bench, or no longer valid")
	}
	return identity, nil
}

func ended(at, now time.Time) bool { return !at.IsZero() && !at.After(now) }

// authorize lets a token through that has a scope for the route.
func (h *handler) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowed := scopes[r.Pattern]
		if !slices.ContainsFunc(who(r.Context()).Scopes, func(s string) bool { return slices.Contains(allowed, s) }) {
			h.fail(w, r, Refuse(Forbidden, "the token has none of the scopes %s", strings.Join(allowed, ", ")))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// who is the token of a request that was authenticated.
func who(ctx context.Context) store.Token {
	identity, _ := ctx.Value(identityKey{}).(store.Token)
	return identity
}
