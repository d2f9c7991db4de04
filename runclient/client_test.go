package runclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "very-secret-token"

// bench is a server that answers by a script, one handler a request; the last one goes on.
type bench struct {
	*httptest.Server
	mu       sync.Mutex
	script   []http.HandlerFunc
	requests []*http.Request
	bodies   []string
	paused   []time.Duration
}

func serve(t *testing.T, script ...http.HandlerFunc) (*bench, *Client) {
	t.Helper()
	b := &bench{script: script}
	b.Server = httptest.NewServer(http.HandlerFunc(b.answer))
	t.Cleanup(b.Close)
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := New(Options{URL: b.URL, Token: secret, Transport: transport, Sleep: b.sleep, Quiet: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

func (b *bench) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	h := b.script[min(len(b.requests), len(b.script)-1)]
	b.requests, b.bodies = append(b.requests, r), append(b.bodies, string(body))
	b.mu.Unlock()
	h(w, r)
}

func (b *bench) sleep(ctx context.Context, d time.Duration) error {
	b.paused = append(b.paused, d)
	return ctx.Err()
}

// seen are the requests so far and their bodies.
func (b *bench) seen() ([]*http.Request, []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests), slices.Clone(b.bodies)
}

func answer(value any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
}

func problem(status int, detail string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(run.Problem{Type: "urn:reliability:x", Title: "a title", Status: status, Detail: detail})
	}
}

func raw(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	panic(http.ErrAbortHandler)
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"https://bench.example":            "",
		"https://bench.example/under/here": "",
		"http://127.0.0.1:8686":            "",
		"http://[::1]:8686/":               "",
		"http://localhost:8686":            "",
		"http://bench.example":             "plain http on another machine",
		"http://127.0.0.1.example":         "plain http on another machine",
		"http://10.0.0.1:8686":             "plain http on another machine",
		"bench.example":                    "must be a URL",
		"":                                 "must be a URL",
		"ftp://bench.example":              "must be a URL",
		"https://":                         "must be a URL",
		"https://u:p@bench.example":        "no user",
		"https://bench.example?token=x":    "no user, query",
	} {
		_, err := New(Options{URL: address, Token: secret})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	if _, err := New(Options{URL: "http://bench.example", Token: secret, AllowPlain: true}); err != nil {
		t.Errorf("allowed: %v", err)
	}
	for _, token := range []string{"", "x y z", "x\n", "tökén"} {
		if _, err := New(Options{URL: "https://bench.example", Token: token}); err == nil || token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("token %q: %v", token, err)
		}
	}
}

func TestCalls(t *testing.T) {
	b, c := serve(t, answer(map[string]any{"id": "r1", "sha256": "s", "version": "v"}))
	ctx := t.Context()
	for want, call := range map[string]func() error{
		"POST /v1/check application/toml x":                  func() error { _, err := c.Check(ctx, []byte("x")); return err },
		"GET /v1/connections  ":                              func() error { _, err := c.Connections(ctx); return err },
		"PUT /v1/versions/" + sumOfX + " application/toml x": func() error { _, err := c.Upload(ctx, []byte("x")); return err },
		"GET /v1/runs/r1  ":                                  func() error { _, err := c.Get(ctx, "r1"); return err },
		"GET /v1/runs  ":                                     func() error { _, err := c.List(ctx, run.ListRunsParams{}); return err },
		"GET /v1/runs?limit=3&path=a+b&status=finished  ": func() error {
			_, err := c.List(ctx, run.ListRunsParams{Limit: 3, Path: "a b", Status: "finished"})
			return err
		},
		`POST /v1/runs/r1/cancel application/json {"holder":"h"}`:                  func() error { _, err := c.Cancel(ctx, "r1", run.CancelRequest{Holder: "h"}); return err },
		`POST /v1/runs application/json {"request":"q","source":{},"version":"v"}`: func() error { _, err := c.Start(ctx, run.StartRequest{Version: "v", Request: "q"}); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		requests, bodies := b.seen()
		r := requests[len(requests)-1]
		got := fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Content-Type"), normal(bodies[len(bodies)-1]))
		if got != want || r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s, %q, want %s", got, r.Header.Get("Authorization"), want)
		}
	}
}

const sumOfX = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"

// normal sorts the members of JSON.
func normal(body string) string {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return body
	}
	sorted, _ := json.Marshal(v)
	return string(sorted)
}

func TestRetries(t *testing.T) {
	good := answer(run.Run{ID: "r1"})
	for _, c := range []struct {
		name   string
		script []http.HandlerFunc
		tries  int
		want   string // of the error; empty where it succeeds
	}{
		{"at once", []http.HandlerFunc{good}, 1, ""},
		{"hung up", []http.HandlerFunc{hangUp, hangUp, good}, 3, ""},
		{"busy", []http.HandlerFunc{problem(429, "busy"), problem(503, "starting"), good}, 3, ""},
		{"gateway", []http.HandlerFunc{raw(502, "text/html", "<h1>"), raw(504, "text/html", "<h1>"), good}, 3, ""},
		{"cut short", []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"id":`)
		}, good}, 2, ""},
		{"hung up for good", []http.HandlerFunc{hangUp}, 7, "start the run: the bench does not answer (tried 7 times)"},
		{"busy for good", []http.HandlerFunc{problem(429, "busy")}, 7, "start the run: the bench refused: busy (HTTP 429)"},
		{"refused", []http.HandlerFunc{problem(404, "upload it first"), good}, 1, "start the run: the bench refused: upload it first (HTTP 404)"},
		{"without a detail", []http.HandlerFunc{problem(403, "")}, 1, "the bench refused: a title (HTTP 403)"},
		{"internal", []http.HandlerFunc{problem(500, "see the log"), good}, 1, "see the log (HTTP 500)"},
		{"refused by something else", []http.HandlerFunc{raw(401, "text/html", "<h1>login")}, 1, "the bench refused: Unauthorized (HTTP 401)"},
		{"redirect", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		}}, 1, `not the API of a bench (it redirects to "http://elsewhere.example/")`},
		{"a page", []http.HandlerFunc{raw(200, "text/html", "<h1>hello")}, 1, `not the API of a bench (media type "text/html")`},
		{"no JSON", []http.HandlerFunc{raw(200, "application/json", "<h1>hello")}, 1, "not the API of a bench (the answer cannot be read)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, client := serve(t, c.script...)
			r, err := client.Start(t.Context(), run.StartRequest{Version: "v"})
			if c.want == "" && (err != nil || r.ID != "r1") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%+v, %v", r, err)
			}
			requests, bodies := b.seen()
			if len(requests) != c.tries || len(b.paused) != c.tries-1 {
				t.Errorf("%d tries, %d pauses", len(requests), len(b.paused))
			}
			for _, body := range bodies {
				// A start that is tried again is the same start.
				if body != bodies[0] || !strings.Contains(body, `"request":"`) {
					t.Errorf("bodies %q", bodies)
				}
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the message has the token: %v", err)
			}
		})
	}
}

func TestPauses(t *testing.T) {
	b, c := serve(t, problem(503, "", "Retry-After", "7"), problem(429, "", "Retry-After", "100000"), problem(503, "", "Retry-After", "soon"), hangUp)
	if _, err := c.Get(t.Context(), "r1"); err == nil {
		t.Error("no error")
	}
	if len(b.paused) != 6 || b.paused[0] != 7*time.Second || b.paused[1] != time.Minute {
		t.Fatalf("pauses %v", b.paused)
	}
	for i, d := range b.paused[2:] {
		if longest := firstPause << (i + 2); d < longest/2 || d > longest {
			t.Errorf("pause %d is %s, want from %s to %s", i+2, d, longest/2, longest)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	c, err := New(Options{URL: address, Token: secret, Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	var unreachable *Unreachable
	if _, err := c.Get(t.Context(), "r1"); !errors.As(err, &unreachable) || unreachable.Tries != tries {
		t.Errorf("get: %v", err)
	}
	for _, err := range c.Follow(t.Context(), "r1", "") {
		if !errors.As(err, &unreachable) {
			t.Errorf("follow: %v", err)
		}
	}
}

func TestCancelledCalls(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b, c := serve(t, func(http.ResponseWriter, *http.Request) {
		cancel()
		panic(http.ErrAbortHandler)
	})
	if _, err := c.Get(ctx, "r1"); !errors.Is(err, context.Canceled) {
		t.Errorf("get: %v", err)
	}
	for _, err := range c.Follow(ctx, "r1", "") {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("follow: %v", err)
		}
	}
	if requests, _ := b.seen(); len(requests) > 1 {
		t.Errorf("%d requests", len(requests))
	}
}
