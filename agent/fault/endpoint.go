package fault

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"time"
)

// dialTimeout bounds the opening of a connection, TLS handshake included.
const dialTimeout = 10 * time.Second

// endpoint is where a proxy passes requests on to.
type endpoint struct {
	address string      // host:port
	tls     *tls.Config // nil without TLS
	raw     bool        // the bytes are not HTTP
	h2      bool        // the service speaks HTTP/2 alone
}

// newEndpoint never puts the address into an error.
func newEndpoint(u *url.URL) (endpoint, error) {
	if u == nil || u.Hostname() == "" {
		return endpoint{}, errors.New("the address names no host")
	}
	e, port := endpoint{}, u.Port()
	switch u.Scheme {
	case "http":
		port = orDefault(port, "80")
	case "https":
		port = orDefault(port, "443")
		e.tls = newTLS(u)
	case "grpc":
		e.h2 = true
	case "grpcs":
		port = orDefault(port, "443")
		e.h2, e.tls = true, newTLS(u)
	case "tcp":
		e.raw = true
	default:
		return endpoint{}, fmt.Errorf("the address has the scheme %q; a proxy takes http, https, grpc, grpcs or tcp", u.Scheme)
	}
	if port == "" {
		return endpoint{}, errors.New("the address names no port")
	}
	e.address = net.JoinHostPort(u.Hostname(), port)
	return e, nil
}

func newTLS(u *url.URL) *tls.Config {
	return &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
}

func orDefault(port, otherwise string) string {
	if port == "" {
		return otherwise
	}
	return port
}

var errNoHTTP2 = errors.New("the service does not speak HTTP/2")

// dial opens a connection. protocol is what TLS is to agree on.
func (e endpoint) dial(ctx context.Context, protocol string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", e.address)
	if err != nil || e.tls == nil {
		return c, err
	}
	cfg := e.tls.Clone()
	cfg.NextProtos = []string{protocol}
	t := tls.Client(c, cfg)
	if err := t.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	if protocol == protocolHTTP2 && t.ConnectionState().NegotiatedProtocol != protocolHTTP2 {
		_ = c.Close()
		return nil, errNoHTTP2
	}
	return t, nil
}

// failure says in words why a connection could not be used, without its address.
func failure(err error) string {
	var timeout net.Error
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errNoHTTP2):
		return "does not speak HTTP/2"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused the connection"
	case errors.As(err, &dns):
		return "has a name that does not resolve"
	case errors.As(err, &cert):
		return "showed a certificate that is not trusted"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "did not answer in time"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset the connection"
	}
	return "could not be reached"
}
