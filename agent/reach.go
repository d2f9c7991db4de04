package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// reachable asks the load's target once before any load, so that a service that is
// not there, or that answers nothing, is told as that and not as a failed limit.
func (e *execution) reachable(ctx context.Context) error {
	if e.scenario.Load == nil {
		return nil
	}
	target, _ := e.scenario.Target(e.scenario.Load.Target)
	c, ok := e.agent.connection(target.Connection)
	if !ok {
		return fmt.Errorf("connection %s is not one of this agent", target.Connection)
	}
	limit := e.agent.policy.RequestTimeout
	client := &http.Client{
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		Timeout:       limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	// OPTIONS changes nothing, whatever the service makes of it (RFC 9110, 9.3.7).
	request, err := http.NewRequestWithContext(ctx, http.MethodOptions, c.base.String(), nil)
	if err != nil {
		return fmt.Errorf("connection %s: its address cannot be asked", target.Connection)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("connection %s %s, so nothing was measured", target.Connection, failure(err, limit))
	}
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // any answer will do
	return response.Body.Close()
}

// failure says in words why a connection could not be used, without its address.
func failure(err error, limit time.Duration) string {
	var timeout net.Error
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused to be connected to"
	case errors.As(err, &dns):
		return "has a name that does not resolve"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		return "closed the connection without an answer"
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("did not answer within %s", limit)
	default:
		return "gave no answer that is HTTP"
	}
}
