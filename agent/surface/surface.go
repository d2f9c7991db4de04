// Package surface checks that an HTTP connection answers, answers in the shape that
// its contract declares, and refuses a caller that it does not know. What is answered
// is validated and forgotten: a finding holds the operation, the status and the kind
// of failure, never content.
package surface

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/inorbit-hr/reliability/agent/contract"
)

// Bounds of a check.
const (
	// MaxOperations bounds the operations of one connection that are asked.
	MaxOperations = 100
	// maxAnswer bounds what is read of an answer, in bytes.
	maxAnswer = 4 << 20
	// Pause lies between two requests, so that a check is no load.
	Pause = 10 * time.Millisecond
)

// Connection is what is checked.
type Connection struct {
	Name       string
	Base       *url.URL
	Contract   *contract.Contract
	Credential string // a bearer token; empty for none
	Timeout    time.Duration
}

// Report is what a check found. Without any operation asked it proves nothing.
type Report struct {
	Asked    int      // requests
	Findings []string // each in one line
}

// Check asks every operation of the contract that changes nothing, once as a known
// caller and, where the contract or the connection has a credential, twice as an
// unknown one: without a credential and with a wrong one.
func Check(ctx context.Context, c Connection) Report {
	k := &checker{connection: c, client: &http.Client{
		Transport: &http.Transport{Proxy: nil, DisableCompression: true, DisableKeepAlives: true},
		Timeout:   c.Timeout,
		// A redirection is an answer: a connection is what was agreed on.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	asked := 0
	for _, id := range c.Contract.Operations() {
		operation, ok := c.Contract.Operation(id)
		if !ok || !operation.Safe() {
			continue
		}
		requests, err := operation.Requests()
		if err != nil || len(requests) == 0 {
			continue // load that names it is refused; a check has others to ask
		}
		if asked++; asked > MaxOperations {
			break
		}
		k.operation(ctx, operation, requests[0])
		if ctx.Err() != nil {
			break
		}
	}
	if asked == 0 {
		k.find("the contract has no operation that can be asked without changing anything")
	}
	return k.report
}

type checker struct {
	connection Connection
	client     *http.Client
	report     Report
}

func (k *checker) find(format string, values ...any) {
	k.report.Findings = append(k.report.Findings, "connection "+k.connection.Name+": "+fmt.Sprintf(format, values...))
}

func (k *checker) operation(ctx context.Context, o *contract.Operation, request contract.Request) {
	status, header, body, err := k.ask(ctx, o.Method, request, k.connection.Credential)
	switch {
	case err != nil:
		k.find("%s: %s", o.ID, err)
		return
	default:
		if err := o.Validate(status, header, body); err != nil {
			k.find("%s: the answer %d is not in its declared shape: %v", o.ID, status, err)
		}
	}
	if !o.Secured() && k.connection.Credential == "" {
		return // open to everybody, as declared
	}
	for _, unknown := range []struct{ who, token string }{
		{"without a credential", ""}, {"with a wrong credential", "not-a-credential"},
	} {
		status, _, _, err := k.ask(ctx, o.Method, request, unknown.token)
		switch {
		case err != nil:
			k.find("%s: asked %s: %s", o.ID, unknown.who, err)
		case status < 400:
			k.find("%s: answers an unknown caller (%s) with %d; it must refuse", o.ID, unknown.who, status)
		case status >= 500:
			k.find("%s: fails for an unknown caller (%s) with %d; it must refuse", o.ID, unknown.who, status)
		}
	}
}

// ask makes one request. Errors say what happened without saying where.
func (k *checker) ask(ctx context.Context, method string, r contract.Request, token string) (int, http.Header, []byte, error) {
	pause := time.NewTimer(Pause)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return 0, nil, nil, errors.New("the run ended before it was asked")
	}
	k.report.Asked++
	target, err := k.connection.Base.Parse(r.Path)
	if err != nil {
		return 0, nil, nil, errors.New("its path cannot be written as a URL")
	}
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(r.Body))
	if err != nil {
		return 0, nil, nil, errors.New("its request cannot be made")
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := k.client.Do(request)
	if err != nil {
		return 0, nil, nil, errors.New("no answer")
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, nil, nil, errors.New("the answer broke off")
	case len(body) > maxAnswer:
		return 0, nil, nil, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	return response.StatusCode, response.Header, body, nil
}
