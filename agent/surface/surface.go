// Package surface checks that an HTTP connection answers, answers in the shape that
// its contract declares, and refuses a caller that it does not know. What is answered
// is validated and forgotten: a finding holds the operation, the status and the kind
// of failure, never content.
package surface

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/inorbit-hr/reliability/agent/contract"
)

// Bounds of one check.
const (
	// MaxRequests bounds the requests to one connection. A contract that needs more
	// is not checked in part: the check says so.
	MaxRequests = 1000
	// maxAnswer bounds what is read of an answer, in bytes.
	maxAnswer = 4 << 20
	// silences is how many operations in a row may give no answer before the rest is
	// not asked: each takes as long as a request may.
	silences = 3
)

// Connection is what is checked.
type Connection struct {
	Base *url.URL // scheme, host and port
	// Operations are what may be asked: they change nothing, and the contract has
	// requests for them.
	Operations []*contract.Operation
	Credential string        // a bearer token; empty for none
	Timeout    time.Duration // of one request
	Rate       float64       // requests a second at most, above 0
}

// Report is what a check found.
type Report struct {
	Asked int // requests
	// Findings are what is wrong, a line each, that begins with the operation.
	Findings []string
	// Unknown says what could not be found out, a line each. A check with any proves
	// nothing, and one that asked nothing either.
	Unknown []string
}

// Check asks every operation once as a known caller and, where the contract or the
// connection has a credential, twice as an unknown one: without a credential and with a
// wrong one. When ctx ends the check ends, and says so.
func Check(ctx context.Context, c Connection) Report {
	k := newChecker(c)
	defer k.close()
	if len(c.Operations) == 0 {
		k.unknown("the contract has no operation that can be asked without changing anything")
	}
	if n := k.needed(); n > MaxRequests {
		k.unknown("the contract needs %d requests to be checked; at most %d are made", n, MaxRequests)
		return k.report
	}
	silent := 0
	for i, o := range c.Operations {
		if k.operation(ctx, o) {
			silent = 0
		} else if silent++; silent == silences && i+1 < len(c.Operations) {
			k.find("%d operations in a row gave no answer, so the other %d were not asked", silences, len(c.Operations)-i-1)
			break
		}
		if ctx.Err() != nil {
			k.unknown("the run ended before all was asked")
			break
		}
	}
	return k.report
}

// needed is how many requests a check takes.
func (k *checker) needed() int {
	n := 0
	for _, o := range k.connection.Operations {
		n++
		if k.guarded(o) {
			n += len(unknownCallers)
		}
	}
	return n
}

// guarded tells that an operation must refuse a caller that it does not know.
func (k *checker) guarded(o *contract.Operation) bool {
	return o.Secured() || k.connection.Credential != ""
}

// unknownCallers are who an operation must refuse.
var unknownCallers = []struct{ who, token string }{
	{"without a credential", ""},
	{"with a wrong credential", "not-a-credential"},
}

// operation checks one operation. It gives false when there was no answer.
func (k *checker) operation(ctx context.Context, o *contract.Operation) bool {
	requests, err := o.Requests()
	if err != nil || len(requests) == 0 {
		k.unknown("%s cannot be asked", o.ID)
		return true
	}
	a, silence := k.ask(ctx, o.Method, requests[0], k.connection.Credential)
	if silence != "" {
		if ctx.Err() == nil {
			k.find("%s: %s", o.ID, silence)
		}
		return false
	}
	k.known(o, a)
	if !k.guarded(o) {
		return true // open to everybody, as declared
	}
	for _, caller := range unknownCallers {
		a, silence := k.ask(ctx, o.Method, requests[0], caller.token)
		switch {
		case ctx.Err() != nil:
			return true
		case silence != "":
			k.find("%s, asked %s: %s", o.ID, caller.who, silence)
		default:
			k.refusal(o, caller.who, a)
		}
	}
	return true
}

// known judges the answer to a caller who has the connection's credential.
func (k *checker) known(o *contract.Operation, a answer) {
	switch {
	case a.refuses() && k.connection.Credential != "":
		k.find("%s refuses the connection's own credential with %d", o.ID, a.status)
	case a.refuses() && o.Secured():
		k.unknown("%s needs a credential, and the connection has none: name one with credential_env", o.ID)
	case a.status >= http.StatusInternalServerError:
		k.find("%s fails with %d", o.ID, a.status)
	default:
		if err := o.Validate(a.status, a.header, a.body); err != nil {
			k.find("%s answers in another shape than declared: %v", o.ID, err)
		}
	}
}

// refusal judges the answer to a caller that the service does not know.
func (k *checker) refusal(o *contract.Operation, who string, a answer) {
	switch {
	case a.refuses():
	case a.status < http.StatusMultipleChoices:
		k.find("%s is open: asked %s it answers %d", o.ID, who, a.status)
	case a.status >= http.StatusInternalServerError:
		k.find("%s fails with %d when it is asked %s, and must refuse", o.ID, a.status, who)
	case o.Validate(a.status, a.header, a.body) != nil:
		k.find("%s answers %d when it is asked %s: that is neither 401 nor 403 nor a refusal that the contract declares", o.ID, a.status, who)
	}
}

func (k *checker) find(format string, values ...any) {
	k.report.Findings = append(k.report.Findings, fmt.Sprintf(format, values...))
}

func (k *checker) unknown(format string, values ...any) {
	k.report.Unknown = append(k.report.Unknown, fmt.Sprintf(format, values...))
}
