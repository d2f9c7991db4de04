package api

import (
	"context"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
)

// Service is the bench as the API sees it. Who asks is the token's account and what it
// is bound to; an *Error is told to the caller, any other error is the bench's own.
type Service interface {
	Check(ctx context.Context, who store.Token, source []byte) (run.CheckResult, error)
	Connections(ctx context.Context, who store.Token) ([]run.Connection, error)
	// PutVersion tells whether the version is new.
	PutVersion(ctx context.Context, who store.Token, sha256 string, source []byte) (run.Version, bool, error)
	// Start tells whether the run is new.
	Start(ctx context.Context, who store.Token, request run.StartRequest) (run.Run, bool, error)
	Run(ctx context.Context, who store.Token, id string) (run.Run, error)
	Runs(ctx context.Context, who store.Token, params run.ListRunsParams) (run.RunList, error)
	Cancel(ctx context.Context, who store.Token, id string, request run.CancelRequest) (run.Run, error)
	// Follow reads a run's events behind the event after, as long as ctx lives.
	// A holder holds the run while its follower is there.
	Follow(ctx context.Context, who store.Token, id, holder string, after int64) (Follower, error)
}

// Follower is one reader of a run's events.
type Follower interface {
	// Next waits for further events. It gives none when only a sign of life is due,
	// and io.EOF behind the last event.
	Next(ctx context.Context) ([]store.Event, error)
	// Close ends the reading.
	Close()
}

// Config is what the API needs.
type Config struct {
	Service Service
	Tokens  Tokens
	Log     *slog.Logger
	Now     func() time.Time
}

// handler is the API.
type handler struct {
	cfg      Config
	contract *contract
	mux      *http.ServeMux
}

// New makes the handler of the whole API. Every answer of it that is an error is a
// problem, those of routing too.
func New(cfg Config) (http.Handler, error) {
	c, err := loadContract()
	if err != nil {
		return nil, err
	}
	h := &handler{cfg: cfg, contract: c, mux: http.NewServeMux()}
	strict := NewStrictHandlerWithOptions(&server{h.cfg.Service}, nil, StrictHTTPServerOptions{
		RequestErrorHandlerFunc:  h.unreadable,
		ResponseErrorHandlerFunc: h.fail,
	})
	HandlerWithOptions(strict, StdHTTPServerOptions{
		BaseRouter: h.mux,
		// The last one is the outermost.
		Middlewares:      []MiddlewareFunc{h.validate, h.authorize},
		ErrorHandlerFunc: h.unreadable,
	})
	return h.secure(h.authenticate(http.HandlerFunc(h.route))), nil
}

// requestTimeout bounds reading a request's body and writing its answer; a stream
// of events sets its own bounds.
const requestTimeout = time.Minute

// secure sets the headers and the bounds of every answer.
func (h *handler) secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		// Where a connection has no deadlines, as in a test, there is nothing to bound.
		bounds := http.NewResponseController(w)
		_ = bounds.SetReadDeadline(time.Now().Add(requestTimeout))
		_ = bounds.SetWriteDeadline(time.Now().Add(requestTimeout))
		next.ServeHTTP(w, r)
	})
}

// route finds the route of a request. The mux answers a path or method it does not
// know in plain text, and one it would write otherwise with a redirect: both are
// problems here.
func (h *handler) route(w http.ResponseWriter, r *http.Request) {
	if clean := path.Clean("/" + r.URL.Path); clean != r.URL.Path {
		h.fail(w, r, Refuse(NotFound, "there is nothing at this path"))
		return
	}
	found, pattern := h.mux.Handler(r)
	if pattern != "" && r.Method != http.MethodHead {
		h.mux.ServeHTTP(w, r)
		return
	}
	probe := &headers{header: http.Header{}}
	if pattern != "" {
		probe.status = http.StatusMethodNotAllowed
		probe.header.Set("Allow", http.MethodGet)
	} else {
		found.ServeHTTP(probe, r)
	}
	if probe.status == http.StatusMethodNotAllowed {
		// The mux takes HEAD for GET; the contract has none.
		allow := strings.ReplaceAll(probe.header.Get("Allow"), "HEAD, ", "")
		allow = strings.TrimSuffix(allow, ", HEAD")
		e := Refuse(WrongMethod, "%s is not a method of this path; it takes %s", clip(r.Method), allow)
		e.Allow = allow
		h.fail(w, r, e)
		return
	}
	h.fail(w, r, Refuse(NotFound, "there is nothing at this path"))
}

// headers takes an answer's status and headers and drops its body.
type headers struct {
	header http.Header
	status int
}

func (h *headers) Header() http.Header         { return h.header }
func (h *headers) WriteHeader(status int)      { h.status = status }
func (h *headers) Write(b []byte) (int, error) { return len(b), nil }

// unreadable answers a request whose parameters or body the router cannot read.
func (h *handler) unreadable(w http.ResponseWriter, r *http.Request, err error) {
	if told := explainRead(err); told != nil {
		h.fail(w, r, told)
		return
	}
	h.fail(w, r, Refuse(BadRequest, "the request cannot be read"))
}
