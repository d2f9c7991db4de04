package runclient

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/inorbit-hr/reliability/run"
)

// Options say which bench a client speaks to, and how.
type Options struct {
	// URL of the bench, such as https://bench.example; required.
	URL string
	// Token for it; required. It is sent to that address and written nowhere.
	Token string
	// AllowPlain lets the token travel over http to another machine, where the
	// network between is trusted.
	AllowPlain bool
	// Transport carries the requests; nil is the standard one.
	Transport http.RoundTripper
	// Sleep waits between tries, and returns ctx's error when ctx ends first; nil
	// waits on the clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Quiet is how long a stream may stay silent before it counts as broken; 0 is 45 s,
	// three of the bench's signs of life.
	Quiet time.Duration
}

// Client calls the API of a bench. Every call may be repeated without harm, so it tries
// again when the network, or a bench that is busy or restarts, fails it. What the bench
// refuses is a *Refused; a bench that does not answer is an *Unreachable.
type Client struct {
	api     *generated
	options Options
}

// attemptTimeout bounds one try of a call that is no stream.
const attemptTimeout = 30 * time.Second

// New makes a client. It sends nothing yet.
func New(o Options) (*Client, error) {
	address, err := checkAddress(o)
	if err != nil {
		return nil, err
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Quiet == 0 {
		o.Quiet = 45 * time.Second
	}
	doer := &http.Client{
		Transport: o.Transport,
		// A redirect could take the token elsewhere; it is told instead.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	api, err := NewClient(address, WithHTTPClient(doer), WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		dropUnset(r)
		r.Header.Set("Authorization", "Bearer "+o.Token)
		return nil
	}))
	if err != nil {
		return nil, fmt.Errorf("the bench's address: %w", err)
	}
	return &Client{api: api, options: o}, nil
}

// dropUnset takes out the parameters that have no value: the generated code sends every
// optional one, which the contract refuses.
func dropUnset(r *http.Request) {
	query := r.URL.Query()
	for name := range query {
		if value := query.Get(name); value == "" || name == "limit" && value == "0" {
			query.Del(name)
		}
	}
	r.URL.RawQuery = query.Encode()
	for name := range r.Header {
		if r.Header.Get(name) == "" {
			r.Header.Del(name)
		}
	}
}

func checkAddress(o Options) (string, error) {
	u, err := url.Parse(strings.TrimSpace(o.URL))
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "", errors.New("the bench's address must be a URL such as https://bench.example")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the bench's address must have no user, query or fragment: the token is set by itself")
	case o.Token == "":
		return "", errors.New("the bench's token is empty")
	case strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("the bench's token holds a blank or another character that no token has: check how it was copied")
	case u.Scheme == "http" && !o.AllowPlain && !loopback(u.Hostname()):
		return "", fmt.Errorf("the bench's address %s is plain http on another machine, where the token could be read on the way: use https", u.Host)
	}
	return u.String(), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Check has a scenario file checked by both halves; it starts nothing.
func (c *Client) Check(ctx context.Context, source []byte) (run.CheckResult, error) {
	return call[run.CheckResult](ctx, c, "check the scenario", func(ctx context.Context) (*http.Response, error) {
		return c.api.CheckScenarioWithBody(ctx, "application/toml", bytes.NewReader(source))
	})
}

// Connections gives the connections of the account, by name and ability.
func (c *Client) Connections(ctx context.Context) ([]run.Connection, error) {
	list, err := call[run.ConnectionList](ctx, c, "list the connections", func(ctx context.Context) (*http.Response, error) {
		return c.api.ListConnections(ctx)
	})
	return list.Connections, err
}

// Upload keeps the exact bytes of a scenario file on the bench. Uploading them again
// changes nothing.
func (c *Client) Upload(ctx context.Context, source []byte) (run.Version, error) {
	sum := sha256.Sum256(source)
	return call[run.Version](ctx, c, "upload the scenario", func(ctx context.Context) (*http.Response, error) {
		return c.api.PutVersionWithBody(ctx, hex.EncodeToString(sum[:]), "application/toml", bytes.NewReader(source))
	})
}

// Start starts a run of an uploaded version, or finds the one that was started for the
// same change. A request without a name gets one, so that trying it again cannot start
// a second run.
func (c *Client) Start(ctx context.Context, request run.StartRequest) (run.Run, error) {
	if request.Request == "" {
		request.Request = rand.Text()
	}
	return call[run.Run](ctx, c, "start the run", func(ctx context.Context) (*http.Response, error) {
		return c.api.StartRun(ctx, request)
	})
}

// Get gives a run with everything it measured.
func (c *Client) Get(ctx context.Context, id string) (run.Run, error) {
	return call[run.Run](ctx, c, "read the run", func(ctx context.Context) (*http.Response, error) {
		return c.api.GetRun(ctx, id)
	})
}

// List gives a page of runs, newest first. Its Next, passed as Before, is the page
// behind it.
func (c *Client) List(ctx context.Context, params run.ListRunsParams) (run.RunList, error) {
	return call[run.RunList](ctx, c, "list the runs", func(ctx context.Context) (*http.Response, error) {
		return c.api.ListRuns(ctx, &params)
	})
}

// Cancel releases one holder of a run, or cancels it where the request names none. The
// run ends when its load has stopped and its faults are lifted.
func (c *Client) Cancel(ctx context.Context, id string, request run.CancelRequest) (run.Run, error) {
	return call[run.Run](ctx, c, "cancel the run", func(ctx context.Context) (*http.Response, error) {
		return c.api.CancelRun(ctx, id, request)
	})
}
