package agent

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/inorbit-hr/reliability/agent/contract"
)

// request makes a request to the connection. Its host is that of the service, also
// where a proxy stands in front.
func (c *connection) request(method string, r contract.Request) (*http.Request, error) {
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
	if c.credential != "" {
		request.Header.Set("Authorization", "Bearer "+c.credential)
	}
	return request, nil
}
