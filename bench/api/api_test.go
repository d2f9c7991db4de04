package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/bench/api"
	"github.com/inorbit-hr/reliability/bench/store"
	"github.com/inorbit-hr/reliability/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// service answers everything with what it was asked.
type service struct {
	who     store.Token
	source  []byte
	request run.StartRequest
	cancel  run.CancelRequest
	params  run.ListRunsParams
	holder  string
	after   int64
	created bool
	err     error
	events  []store.Event
}

func (s *service) Check(_ context.Context, who store.Token, source []byte) (run.CheckResult, error) {
	s.who, s.source = who, source
	return run.CheckResult{Version: "v", Findings: []run.Finding{}}, s.err
}

func (s *service) Connections(_ context.Context, who store.Token) ([]run.Connection, error) {
	s.who = who
	return nil, s.err
}

func (s *service) PutVersion(_ context.Context, who store.Token, hash string, source []byte) (run.Version, bool, error) {
	s.who, s.source = who, source
	return run.Version{Sha256: hash}, s.created, s.err
}

func (s *service) Start(_ context.Context, who store.Token, request run.StartRequest) (run.Run, bool, error) {
	s.who, s.request = who, request
	return run.Run{ID: "r1"}, s.created, s.err
}

func (s *service) Run(_ context.Context, who store.Token, id string) (run.Run, error) {
	s.who = who
	return run.Run{ID: id}, s.err
}

func (s *service) Runs(_ context.Context, who store.Token, params run.ListRunsParams) (run.RunList, error) {
	s.who, s.params = who, params
	return run.RunList{}, s.err
}

func (s *service) Cancel(_ context.Context, who store.Token, id string, request run.CancelRequest) (run.Run, error) {
	s.who, s.cancel = who, request
	return run.Run{ID: id}, s.err
}

func (s *service) Follow(_ context.Context, who store.Token, _, holder string, after int64) (api.Follower, error) {
	s.who, s.holder, s.after = who, holder, after
	if s.err != nil {
		return nil, s.err
	}
	return &follower{events: s.events}, nil
}

type follower struct{ events []store.Event }

func (f *follower) Next(context.Context) ([]store.Event, error) {
	events := f.events
	f.events = nil
	if events == nil {
		return nil, io.EOF
	}
	return events, nil
}

func (f *follower) Close() {}

// tokens maps hashes to what their tokens may do.
type tokens map[string]store.Token

func (t tokens) Token(_ context.Context, hash string) (store.Token, error) {
	if token, ok := t[hash]; ok {
		return token, nil
	}
	return store.Token{}, store.ErrNotFound
}

// The tokens of the tests, by their text.
var texts = map[string]store.Token{
	"run":     {Account: "acc", Scopes: []string{api.ScopeRun}},
	"read":    {Account: "acc", Scopes: []string{api.ScopeRead}},
	"confirm": {Account: "acc", Scopes: []string{api.ScopeConfirm}},
	"admin":   {Account: "acc", Scopes: []string{api.ScopeAdmin}},
	"none":    {Account: "acc"},
	"expired": {Account: "acc", Scopes: []string{api.ScopeAdmin}, ExpiresAt: now},
	"revoked": {Account: "acc", Scopes: []string{api.ScopeAdmin}, RevokedAt: now.Add(-time.Hour)},
	"lasting": {Account: "acc", Scopes: []string{api.ScopeRun}, ExpiresAt: now.Add(time.Second)},
}

func handler(t *testing.T, s api.Service, log io.Writer) http.Handler {
	t.Helper()
	known := tokens{}
	for text, token := range texts {
		token.Hash = api.HashToken(text)
		known[token.Hash] = token
	}
	h, err := api.New(api.Config{Service: s, Tokens: known, Log: slog.New(slog.NewTextHandler(log, nil)), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const (
	hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	toml = "application/toml"
	js   = "application/json"
)

type request struct {
	method, path, kind, body, token string
	header                          map[string]string
}

func (r request) send(h http.Handler) *httptest.ResponseRecorder {
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	q := httptest.NewRequest(r.method, r.path, body)
	if r.kind != "" {
		q.Header.Set("Content-Type", r.kind)
	}
	if r.token != "" {
		q.Header.Set("Authorization", "Bearer "+r.token)
	}
	for name, value := range r.header {
		q.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, q)
	return w
}

// routes are all routes of the contract, each with a request that it takes and the
// tokens that open it.
var routes = []struct {
	request
	status int
	opens  string
}{
	{request{method: "POST", path: "/v1/check", kind: toml, body: "x"}, 200, "run admin lasting"},
	{request{method: "GET", path: "/v1/connections"}, 200, "run read admin lasting"},
	{request{method: "PUT", path: "/v1/versions/" + hash, kind: toml, body: "abc"}, 200, "run admin lasting"},
	{request{method: "POST", path: "/v1/runs", kind: js, body: `{"version":"` + hash + `","source":{}}`}, 200, "run admin lasting"},
	{request{method: "GET", path: "/v1/runs"}, 200, "run read confirm admin lasting"},
	{request{method: "GET", path: "/v1/runs/r1"}, 200, "run read confirm admin lasting"},
	{request{method: "GET", path: "/v1/runs/r1/events"}, 200, "run read confirm admin lasting"},
	{request{method: "POST", path: "/v1/runs/r1/cancel", kind: js, body: `{}`}, 202, "run admin lasting"},
}

func TestRoutesAndTokens(t *testing.T) {
	if spec, err := api.GetSwagger(); err != nil {
		t.Fatal(err)
	} else {
		n := 0
		for _, item := range spec.Paths.Map() {
			n += len(item.Operations())
		}
		if n != len(routes) {
			t.Fatalf("the contract has %d routes, the table %d", n, len(routes))
		}
	}
	h := handler(t, &service{}, io.Discard)
	for _, route := range routes {
		for token := range texts {
			r := route.request
			r.token = token
			want := http.StatusForbidden
			switch {
			case token == "expired" || token == "revoked":
				want = http.StatusUnauthorized
			case contains(route.opens, token):
				want = route.status
			}
			w := r.send(h)
			if w.Code != want {
				t.Errorf("%s %s with token %s: %d %s, want %d", r.method, r.path, token, w.Code, w.Body, want)
			}
			if want >= 400 {
				problem(t, w, want)
			}
		}
		for name, authorization := range map[string]string{
			"no token": "", "wrong token": "Bearer wrong", "empty token": "Bearer ", "another scheme": "Basic cnVuOnJ1bg==",
			"no scheme": "run", "two tokens": "Bearer run admin", "a hash": "Bearer " + api.HashToken("run"),
		} {
			r := route.request
			r.header = map[string]string{"Authorization": authorization}
			w := r.send(h)
			if problem(t, w, http.StatusUnauthorized); w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s, %s: no WWW-Authenticate", r.method, r.path, name)
			}
		}
	}
}

func contains(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// problem holds an answer to RFC 9457.
func problem(t *testing.T, w *httptest.ResponseRecorder, status int) run.Problem {
	t.Helper()
	var p run.Problem
	if kind := w.Header().Get("Content-Type"); kind != "application/problem+json" {
		t.Fatalf("status %d, media type %s, body %s", w.Code, kind, w.Body)
	}
	decoder := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil || decoder.More() {
		t.Fatalf("body %s: %v", w.Body, err)
	}
	if w.Code != status || p.Status != status || p.Title == "" || p.Detail == "" || !strings.HasPrefix(p.Type, "urn:reliability:") {
		t.Fatalf("status %d, want %d: %+v", w.Code, status, p)
	}
	return p
}

func TestBadRequests(t *testing.T) {
	start := func(body string) request { return request{method: "POST", path: "/v1/runs", kind: js, body: body} }
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		name string
		request
		status int
		detail string
	}{
		{"unknown path", request{method: "GET", path: "/v2/runs"}, 404, "nothing at this path"},
		{"root", request{method: "GET", path: "/"}, 404, "nothing at this path"},
		{"slash at the end", request{method: "GET", path: "/v1/runs/"}, 404, ""},
		{"slash twice", request{method: "GET", path: "//v1/runs"}, 404, ""},
		{"dots", request{method: "GET", path: "/v1/x/../runs"}, 404, ""},
		{"wrong method", request{method: "DELETE", path: "/v1/runs"}, 405, "DELETE is not a method of this path; it takes GET, POST"},
		{"wrong method of a run", request{method: "PATCH", path: "/v1/runs/r1"}, 405, ""},
		{"head of a stream", request{method: "HEAD", path: "/v1/runs/r1/events"}, 405, ""},
		{"options", request{method: "OPTIONS", path: "/v1/check"}, 405, ""},

		{"id that is none", request{method: "GET", path: "/v1/runs/R!"}, 400, "path parameter id"},
		{"id with a slash in it", request{method: "GET", path: "/v1/runs/a%2fb"}, 400, "path parameter id"},
		{"long id", request{method: "GET", path: "/v1/runs/" + long}, 400, "path parameter id"},
		{"hash that is none", request{method: "PUT", path: "/v1/versions/abc", kind: toml, body: "abc"}, 400, "path parameter sha256"},
		{"hash in capitals", request{method: "PUT", path: "/v1/versions/" + strings.ToUpper(hash), kind: toml, body: "abc"}, 400, "path parameter sha256"},

		{"unknown parameter", request{method: "GET", path: "/v1/runs?repo=x"}, 400, `unknown query parameter "repo"`},
		{"parameter twice", request{method: "GET", path: "/v1/runs?path=a&path=b"}, 400, "path"},
		{"limit that is none", request{method: "GET", path: "/v1/runs?limit=ten"}, 400, "limit"},
		{"limit too high", request{method: "GET", path: "/v1/runs?limit=101"}, 400, "query parameter limit"},
		{"limit of none", request{method: "GET", path: "/v1/runs?limit=0"}, 400, "query parameter limit"},
		{"status that is none", request{method: "GET", path: "/v1/runs?status=done"}, 400, "query parameter status"},
		{"version that is none", request{method: "GET", path: "/v1/runs?version=abc"}, 400, "query parameter version"},
		{"NUL in a parameter", request{method: "GET", path: "/v1/runs?path=%00"}, 400, "path"},
		{"not UTF-8", request{method: "GET", path: "/v1/runs?path=%ff"}, 400, "path"},
		{"broken query", request{method: "GET", path: "/v1/runs?path=%zz"}, 400, ""},
		{"long repository", request{method: "GET", path: "/v1/runs?repository=" + strings.Repeat("x", 513)}, 400, "query parameter repository"},
		{"parameter where there is none", request{method: "GET", path: "/v1/connections?x=1"}, 400, `unknown query parameter "x"`},
		{"event that is none", request{method: "GET", path: "/v1/runs/r1/events", header: map[string]string{"Last-Event-ID": "x"}}, 400, "header parameter Last-Event-ID"},
		{"negative event", request{method: "GET", path: "/v1/runs/r1/events", header: map[string]string{"Last-Event-ID": "-1"}}, 400, "header parameter Last-Event-ID"},
		{"long holder", request{method: "GET", path: "/v1/runs/r1/events?holder=" + long}, 400, "query parameter holder"},

		{"no media type", request{method: "POST", path: "/v1/check", body: "x"}, 415, "Content-Type: application/toml"},
		{"another media type", request{method: "POST", path: "/v1/check", kind: js, body: "x"}, 415, "Content-Type: application/toml"},
		{"form", request{method: "POST", path: "/v1/runs", kind: "application/x-www-form-urlencoded", body: "version=x"}, 415, "Content-Type: application/json"},
		{"cancel as text", request{method: "POST", path: "/v1/runs/r1/cancel", kind: "text/plain", body: "{}"}, 415, ""},
		{"cancel without a media type", request{method: "POST", path: "/v1/runs/r1/cancel", body: "{}"}, 415, ""},
		{"large scenario", request{method: "POST", path: "/v1/check", kind: toml, body: strings.Repeat("#", 65537)}, 413, "65537 bytes; at most 65536"},
		{"large version", request{method: "PUT", path: "/v1/versions/" + hash, kind: toml, body: strings.Repeat("#", 1<<20)}, 413, ""},
		{"large start", start(`{"version":"` + strings.Repeat("a", 70000) + `"}`), 413, ""},
		{"body where there is none", request{method: "GET", path: "/v1/runs", kind: js, body: "{}"}, 400, "takes no body"},

		{"no body", request{method: "POST", path: "/v1/runs", kind: js}, 400, ""},
		{"not JSON", start(`{`), 400, "not one JSON value"},
		{"JSON that is not UTF-8", start("{\"version\":\"\xff\"}"), 400, "not one JSON value"},
		{"JSON and more", start(`{"version":"` + hash + `","source":{}} x`), 400, "the body"},
		{"list", start(`[]`), 400, "the body"},
		{"null", start(`null`), 400, "the body"},
		{"no version", start(`{"source":{}}`), 400, "the body"},
		{"bad version", start(`{"version":"abc","source":{}}`), 400, "the body, version"},
		{"number for text", start(`{"version":"` + hash + `","source":{"path":3}}`), 400, "the body, source.path"},
		{"negative pull request", start(`{"version":"` + hash + `","source":{"pull_request":-1}}`), 400, "the body, source.pull_request"},
		{"huge pull request", start(`{"version":"` + hash + `","source":{"pull_request":1e300}}`), 400, ""},
		{"part of a pull request", start(`{"version":"` + hash + `","source":{"pull_request":1.5}}`), 400, ""},
		{"long path", start(`{"version":"` + hash + `","source":{"path":"` + strings.Repeat("x", 4097) + `"}}`), 400, "the body, source.path"},
		{"unknown member", start(`{"version":"` + hash + `","source":{},"hodler":"x"}`), 400, "hodler"},
		{"unknown member of the source", start(`{"version":"` + hash + `","source":{"repo":"x"}}`), 400, "the body, source"},
		{"NUL", start(`{"version":"` + hash + `","source":{"path":"a\u0000b"}}`), 400, "U+0000"},
		{"NUL in a reason", request{method: "POST", path: "/v1/runs/r1/cancel", kind: js, body: `{"reason":"\u0000"}`}, 400, "U+0000"},
		{"long reason", request{method: "POST", path: "/v1/runs/r1/cancel", kind: js, body: `{"reason":"` + strings.Repeat("x", 513) + `"}`}, 400, "the body, reason"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.request
			r.token = "run"
			w := r.send(handler(t, &service{}, io.Discard))
			if r.method == http.MethodHead {
				if w.Code != c.status {
					t.Fatalf("status %d", w.Code)
				}
				return
			}
			if p := problem(t, w, c.status); !strings.Contains(p.Detail, c.detail) || len(p.Detail) > 500 {
				t.Errorf("%s, want %s", p.Detail, c.detail)
			}
			if c.status == http.StatusMethodNotAllowed && w.Header().Get("Allow") == "" {
				t.Error("no Allow")
			}
		})
	}
}

// chunked is a body of unknown length.
type chunked struct{ io.Reader }

func TestLargeBodyOfUnknownLength(t *testing.T) {
	for path, kind := range map[string]string{"/v1/check": toml, "/v1/runs": js} {
		q := httptest.NewRequest("POST", path, chunked{io.MultiReader(strings.NewReader(`{"version":"`), strings.NewReader(strings.Repeat("a", 1<<20)))})
		q.Header.Set("Content-Type", kind)
		q.Header.Set("Authorization", "Bearer run")
		w := httptest.NewRecorder()
		handler(t, &service{}, io.Discard).ServeHTTP(w, q)
		problem(t, w, http.StatusRequestEntityTooLarge)
	}
}

func TestHandlersPassOn(t *testing.T) {
	s := &service{created: true}
	h := handler(t, s, io.Discard)
	ok := func(r request, status int) *httptest.ResponseRecorder {
		t.Helper()
		r.token = "run"
		w := r.send(h)
		if w.Code != status || s.who.Account != "acc" {
			t.Fatalf("%s %s: %d %s", r.method, r.path, w.Code, w.Body)
		}
		if status == 200 && strings.Contains(w.Body.String(), "null") {
			t.Errorf("%s %s answers null: %s", r.method, r.path, w.Body)
		}
		return w
	}
	ok(request{method: "POST", path: "/v1/check", kind: toml + "; charset=utf-8", body: "é\r\n"}, 200)
	if string(s.source) != "é\r\n" {
		t.Errorf("source %q", s.source)
	}
	ok(request{method: "PUT", path: "/v1/versions/" + hash, kind: toml, body: strings.Repeat("#", 65536)}, 201)
	if len(s.source) != 65536 {
		t.Errorf("%d bytes", len(s.source))
	}
	ok(request{method: "GET", path: "/v1/connections"}, 200)
	ok(request{method: "POST", path: "/v1/runs", kind: js, body: `{"version":"` + hash + `","holder":"h","again":true,"request":"q","source":{"repository":"r","pull_request":3,"path":"a b\"c"}}`}, 201)
	if want := (run.StartRequest{Version: hash, Holder: "h", Again: true, Request: "q", Source: run.Source{Repository: "r", PullRequest: 3, Path: `a b"c`}}); s.request != want {
		t.Errorf("%+v", s.request)
	}
	ok(request{method: "GET", path: "/v1/runs?path=a%20b&limit=7&status=finished&ref=main"}, 200)
	if want := (run.ListRunsParams{Path: "a b", Limit: 7, Status: run.StatusFinished, Ref: "main"}); s.params != want {
		t.Errorf("%+v", s.params)
	}
	ok(request{method: "POST", path: "/v1/runs/r1/cancel"}, 202)
	ok(request{method: "POST", path: "/v1/runs/r1/cancel", kind: js, body: `{"holder":"h","reason":"r"}`}, 202)
	if s.cancel != (run.CancelRequest{Holder: "h", Reason: "r"}) {
		t.Errorf("%+v", s.cancel)
	}
}

func TestErrorsOfTheService(t *testing.T) {
	for _, route := range routes {
		for status, err := range map[int]error{
			404: api.Refuse(api.NotFound, "no"),
			503: &api.Error{Kind: api.Unavailable, Detail: "later", RetryAfter: 1500 * time.Millisecond},
			500: errors.New("the disk of /var/secret is full"),
		} {
			var log bytes.Buffer
			r := route.request
			r.token = "admin"
			w := r.send(handler(t, &service{err: fmt.Errorf("wrapped: %w", err)}, &log))
			p := problem(t, w, status)
			if status == 503 && w.Header().Get("Retry-After") != "2" {
				t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
			}
			if status == 500 && (strings.Contains(p.Detail, "secret") || !strings.Contains(log.String(), "secret")) {
				t.Errorf("told %q, logged %q", p.Detail, log.String())
			}
			if strings.Contains(log.String(), "Bearer") || strings.Contains(log.String(), "admin") {
				t.Errorf("the log has the token: %s", log.String())
			}
		}
	}
}

func TestStream(t *testing.T) {
	s := &service{events: []store.Event{{ID: 4, Type: run.EventTypeLog, Data: []byte(`{"id":4}`)}, {ID: 5, Type: run.EventTypeFinished, Data: []byte(`{"id":5}`)}}}
	r := request{method: "GET", path: "/v1/runs/r1/events?holder=me", token: "run", header: map[string]string{"Last-Event-ID": "3"}}
	w := r.send(handler(t, s, io.Discard))
	want := "id: 4\nevent: log\ndata: {\"id\":4}\n\nid: 5\nevent: finished\ndata: {\"id\":5}\n\n"
	if w.Body.String() != want || w.Header().Get("Content-Type") != "text/event-stream" || !w.Flushed {
		t.Errorf("%q, %v", w.Body, w.Header())
	}
	if s.holder != "me" || s.after != 3 {
		t.Errorf("holder %q, after %d", s.holder, s.after)
	}
}
