package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// reach asks every connection of the scenario once before any load, so that a service
// that is not there, or that answers nothing, is told as that and not as a limit that it
// broke. It gives the first problem in the order of the targets; empty without one.
func (e *execution) reach(ctx context.Context) string {
	problems := make([]string, len(e.scenario.Targets))
	var asked sync.WaitGroup
	for i, target := range e.scenario.Targets {
		c, ok := e.agent.connection(target.Connection)
		if !ok {
			return fmt.Sprintf("agent %s has no connection %s", e.agent.name, target.Connection)
		}
		asked.Go(func() { problems[i] = c.reach(ctx, e.agent.policy.RequestTimeout) })
	}
	asked.Wait()
	for _, p := range problems {
		if p != "" {
			return p
		}
	}
	return ""
}

// mostRead bounds what is read of an answer that nobody is interested in, in bytes.
const mostRead = 64 << 10

// reach tells what keeps the connection from answering; empty where it answers, whatever
// that is. Where it does not speak HTTP/1, that it accepts is all there is to know.
func (c *connection) reach(ctx context.Context, limit time.Duration) string {
	if c.Protocol != ProtocolHTTP {
		return c.accepts(ctx, limit)
	}
	// OPTIONS changes nothing, whatever the service makes of it (RFC 9110, 9.3.7).
	request, err := http.NewRequestWithContext(ctx, http.MethodOptions, c.base.String(), nil)
	if err != nil {
		return fmt.Sprintf("connection %s has an address that cannot be asked", c.Name)
	}
	answer, err := onceClient(limit).Do(request)
	if err != nil {
		return fmt.Sprintf("connection %s %s", c.Name, failure(err, limit))
	}
	_, _ = io.CopyN(io.Discard, answer.Body, mostRead) // any answer will do
	_ = answer.Body.Close()
	return ""
}

// onceClient makes one request and leaves no connection. It follows no redirection: a
// connection is an address that was agreed on.
func onceClient(limit time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true}, Timeout: limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (c *connection) accepts(ctx context.Context, limit time.Duration) string {
	_, address := c.front("")
	conn, err := (&net.Dialer{Timeout: limit}).DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Sprintf("connection %s %s", c.Name, failure(err, limit))
	}
	_ = conn.Close()
	return ""
}

// failure says in words why a connection gave no answer, without its address.
func failure(err error, limit time.Duration) string {
	var timeout net.Error
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused the connection"
	case errors.As(err, &dns):
		return "has a name that does not resolve"
	case errors.As(err, &certificate):
		return "shows a certificate that is not trusted"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "was not asked: this machine has no file descriptor left"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		return "closed the connection without an answer"
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("gave no answer within %s", limit)
	case errors.Is(err, context.Canceled):
		return "was not asked to the end: the run was cancelled"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "cannot be reached from here"
	}
	return "gave an answer that is not HTTP"
}
