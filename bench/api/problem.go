package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// Kind is a kind of problem: its stable name, its title and its HTTP status.
type Kind struct {
	Name   string // behind urn:reliability:
	Title  string
	Status int
}

// The kinds of problem that the API answers with.
var (
	BadRequest       = Kind{"bad-request", "The request is not one of the contract", http.StatusBadRequest}
	Unauthorized     = Kind{"unauthorized", "A valid token is needed", http.StatusUnauthorized}
	Forbidden        = Kind{"forbidden", "The token may not do this", http.StatusForbidden}
	NotFound         = Kind{"not-found", "There is no such thing", http.StatusNotFound}
	UnknownVersion   = Kind{"unknown-version", "The version was not uploaded", http.StatusNotFound}
	WrongMethod      = Kind{"wrong-method", "The resource has no such method", http.StatusMethodNotAllowed}
	RequestReused    = Kind{"request-reused", "The name of the request belongs to another start", http.StatusConflict}
	TooLarge         = Kind{"too-large", "The body is too large", http.StatusRequestEntityTooLarge}
	WrongContentType = Kind{"wrong-content-type", "The body is of another media type", http.StatusUnsupportedMediaType}
	HashMismatch     = Kind{"hash-mismatch", "The bytes do not have the hash in the path", http.StatusUnprocessableEntity}
	InvalidScenario  = Kind{"invalid-scenario", "The file is not a valid scenario", http.StatusUnprocessableEntity}
	Internal         = Kind{"internal", "The bench failed", http.StatusInternalServerError}
	Unavailable      = Kind{"unavailable", "The bench cannot answer now", http.StatusServiceUnavailable}
)

// Error is an error that the caller of the API is told.
type Error struct {
	Kind   Kind
	Detail string
	// RetryAfter is when to try again; 0 tells nothing.
	RetryAfter time.Duration
	// Allow are the methods of the resource, with WrongMethod.
	Allow string
}

func (e *Error) Error() string { return e.Detail }

// Refuse makes an Error of a kind.
func Refuse(kind Kind, format string, values ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, values...)}
}

// write answers with a problem.
func (e *Error) write(w http.ResponseWriter) {
	body, err := json.Marshal(run.Problem{Type: "urn:reliability:" + e.Kind.Name, Title: e.Kind.Title, Status: e.Kind.Status, Detail: e.Detail})
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	if e.Allow != "" {
		h.Set("Allow", e.Allow)
	}
	if e.Kind.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="reliability"`)
	}
	w.WriteHeader(e.Kind.Status)
	_, _ = w.Write(body) // the caller is gone where this fails
}

// fail answers with the problem that err is. What is no Error is not the caller's
// business: it is logged and told as a failure of the bench.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var told *Error
	if !errors.As(err, &told) {
		if r.Context().Err() != nil {
			return // nobody is there to be told
		}
		h.cfg.Log.ErrorContext(r.Context(), "the API failed", "method", r.Method, "path", r.URL.Path, "error", err)
		told = Refuse(Internal, "the bench's log says more")
	}
	told.write(w)
}
