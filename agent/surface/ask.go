package surface

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/inorbit-hr/reliability/agent/contract"
)

// checker is one check under way.
type checker struct {
	connection Connection
	transport  *http.Transport
	client     *http.Client
	pause      time.Duration // between two requests, so that a check is no load
	report     Report
}

func newChecker(c Connection) *checker {
	t := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: 256 << 10, ForceAttemptHTTP2: true}
	return &checker{
		connection: c, transport: t, pause: time.Duration(float64(time.Second) / c.Rate),
		client: &http.Client{
			Transport: t, Timeout: c.Timeout,
			// A redirection is an answer: a connection is what was agreed on.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (k *checker) close() { k.transport.CloseIdleConnections() }

// answer lives as long as it is judged.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// refuses tells that the caller was sent away.
func (a answer) refuses() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

// ask makes one request. silence says why there was no answer, without saying where.
func (k *checker) ask(ctx context.Context, method string, r contract.Request, token string) (a answer, silence string) {
	if k.report.Asked > 0 {
		pause := time.NewTimer(k.pause)
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-ctx.Done():
			return answer{}, "the run ended before it was asked"
		}
	}
	k.report.Asked++
	target, err := k.connection.Base.Parse(r.Path)
	if err != nil || target.Host != k.connection.Base.Host {
		return answer{}, "its path cannot be part of a URL"
	}
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	request, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return answer{}, "its request cannot be made"
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	if r.ContentType != "" {
		request.Header.Set("Content-Type", r.ContentType)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return k.exchange(request)
}

func (k *checker) exchange(request *http.Request) (answer, string) {
	response, err := k.client.Do(request)
	if err != nil {
		return answer{}, silenceOf(err, k.connection.Timeout)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return answer{}, silenceOf(err, k.connection.Timeout)
	case len(body) > maxAnswer:
		return answer{}, fmt.Sprintf("the answer is longer than %d bytes", maxAnswer)
	}
	return answer{response.StatusCode, response.Header, body}, ""
}

// silenceOf says in words why there was no whole answer.
func silenceOf(err error, limit time.Duration) string {
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no whole answer within %s", limit)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the connection was closed before the answer was whole"
	}
	return "no answer that is HTTP"
}
