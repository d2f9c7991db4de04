package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/inorbit-hr/reliability/agent/contract"
)

// front is where load for the connection goes: through its proxy where the scenario
// names that, so that faults on the target itself are met, else to the service.
func (c *connection) front(proxy string) (scheme, address string) {
	if proxy != "" && c.proxy != nil {
		return "http", c.proxy.Addr().String()
	}
	port := c.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[c.base.Scheme]
	}
	return c.base.Scheme, net.JoinHostPort(c.base.Hostname(), port)
}

// requests are the requests of an operation as they are sent. Errors name the operation.
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
		r, err := c.request(operation.Method, m)
		if err != nil {
			return nil, fmt.Errorf("operation %s of connection %s: %w", id, c.Name, err)
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// request makes a request to the connection. Its host is that of the service, also
// where a proxy stands in front.
func (c *connection) request(method string, r contract.Request) (*http.Request, error) {
	target, err := c.base.Parse(r.Path)
	if err != nil || target.Host != c.base.Host {
		return nil, errors.New("its path cannot be part of a URL")
	}
	var body io.Reader // none is not the same as an empty one
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	request, err := http.NewRequest(method, target.String(), body)
	if err != nil {
		return nil, errors.New("its method cannot be used")
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	if r.ContentType != "" {
		request.Header.Set("Content-Type", r.ContentType)
	}
	if c.credential != "" {
		request.Header.Set("Authorization", "Bearer "+c.credential)
	}
	return request, nil
}
