package fault

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
)

// linger bounds how long a connection that has been answered for the last time waits
// for the client to close, so that the answer is not lost to a reset.
const linger = 2 * time.Second

// conn is one client's connection and, once it is needed, the one behind it.
type conn struct {
	proxy  *Proxy
	client *net.TCPConn
	parsed bool          // requests are found in the stream
	probe  *probe        // nil for all but the proxy's own probes
	gone   chan struct{} // closed by sever

	mu       sync.Mutex
	upstream net.Conn
	severed  bool
}

func (c *conn) serve() {
	defer c.proxy.unregister(c)
	defer c.sever()
	c.probe = c.proxy.probes.of(c.client.RemoteAddr())
	switch {
	case !c.parsed:
		c.splice()
	case c.proxy.upstream.raw:
		c.serveRaw()
	default:
		c.serveHTTP()
	}
}

// The names by which TLS agrees on a protocol.
const (
	protocolHTTP1 = "http/1.1"
	protocolHTTP2 = "h2"
)

func (c *conn) serveHTTP() {
	in := newReader(c.client)
	switch protocol, err := c.sniff(in); {
	case err != nil:
	case protocol == protocolHTTP2:
		c.serveH2(in)
	default:
		c.serveHTTP1(in)
	}
}

// sniff tells the protocol from what the client sends first.
func (c *conn) sniff(in *reader) (protocol string, err error) {
	for {
		if err := in.fill(); err != nil {
			return "", err
		}
		p := in.bytes()
		n := min(len(p), len(http2.ClientPreface))
		if string(p[:n]) != http2.ClientPreface[:n] {
			_ = c.client.SetReadDeadline(time.Time{})
			return protocolHTTP1, nil
		}
		if n == len(http2.ClientPreface) {
			_ = c.client.SetReadDeadline(time.Time{})
			return protocolHTTP2, nil
		}
		_ = c.client.SetReadDeadline(time.Now().Add(headTimeout))
	}
}

// sever closes both sides at once. It may be called more than once.
func (c *conn) sever() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.severed {
		return
	}
	c.severed = true
	close(c.gone)
	_ = c.client.Close()
	if c.upstream != nil {
		_ = socket(c.upstream).Close()
	}
}

// reset is sever for a connection that broke: both sides see it break.
func (c *conn) reset() {
	c.mu.Lock()
	for _, side := range []net.Conn{c.client, c.upstream} {
		if t, ok := socket(side).(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
	}
	c.mu.Unlock()
	c.sever()
}

// socket is the connection below TLS: closing it does not wait for the other side.
func socket(c net.Conn) net.Conn {
	if t, ok := c.(*tls.Conn); ok {
		return t.NetConn()
	}
	return c
}

var errSevered = errors.New("the connection was closed")

// dial opens the connection behind the client's.
func (c *conn) dial(protocol string) (net.Conn, error) {
	up, err := c.proxy.upstream.dial(c.proxy.ctx, protocol)
	c.probe.dialled(err)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.severed {
		_ = up.Close()
		return nil, errSevered
	}
	c.upstream = up
	return up, nil
}

// closeWrite tells the other side that nothing more comes, where the connection can.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}
