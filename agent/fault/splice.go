package fault

import (
	"io"
	"net"
	"sync"
)

// splice passes bytes both ways without looking at them, and each side's end as it
// comes. Between two TCP connections the kernel moves the bytes.
//
// A connection that refuses leaves the client with a closed connection, as near to
// the real thing as a listener can come.
func (c *conn) splice() {
	c.probe.pass()
	protocol := protocolHTTP1
	var first []byte // what was read to tell the protocol
	if c.proxy.upstream.tls != nil {
		in := newReader(c.client)
		var err error
		if protocol, err = c.sniff(in); err != nil {
			return
		}
		first = in.bytes()
	}
	up, err := c.dial(protocol)
	if err != nil {
		return
	}
	if len(first) > 0 {
		if _, err := up.Write(first); err != nil {
			return
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { c.pump(up, c.client) })
	c.pump(c.client, up)
	wg.Wait()
}

// pump copies until src ends, then passes the end on.
func (c *conn) pump(dst, src net.Conn) {
	if _, err := io.Copy(dst, src); err != nil {
		c.reset()
		return
	}
	closeWrite(dst)
}
