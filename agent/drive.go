package agent

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/inorbit-hr/reliability/agent/contract"
)

// front is where load for the connection goes: its proxy, where it has one.
func (c *connection) front() (scheme, address string) {
	if c.proxy != nil {
		return "http", c.proxy.Addr().String()
	}
	port := c.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[c.base.Scheme]
	}
	return c.base.Scheme, net.JoinHostPort(c.base.Hostname(), port)
}

// requests are the requests of an operation as they are sent, in turn.
func (c *connection) requests(id string) ([]*http.Request, error) {
	operation, ok := c.contract.Operation(id)
	if !ok {
		return nil, fmt.Errorf("the contract of connection %s has no operation %s", c.Name, id)
	}
	made, err := operation.Requests()
	if err != nil {
		return nil, fmt.Errorf("the contract of connection %s gives no request: %w", c.Name, err)
	}
	requests := make([]*http.Request, 0, len(made))
	for _, m := range made {
		r, err := c.request(operation.Method, m, c.credential)
		if err != nil {
			return nil, fmt.Errorf("operation %s of connection %s cannot be requested: %w", id, c.Name, err)
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// request makes a request to the connection, as a caller with a bearer token or, where
// that is empty, as one without. Its host is that of the service, also where a proxy
// stands in front.
func (c *connection) request(method string, r contract.Request, token string) (*http.Request, error) {
	target, err := c.base.Parse(r.Path)
	if err != nil || target.Host != c.base.Host {
		return nil, errors.New("its path cannot be part of a URL")
	}
	request, err := http.NewRequest(method, target.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, errors.New("its method cannot be used")
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
	return request, nil
}
