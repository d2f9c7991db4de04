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
	up, err := c.dial("http/1.1")
	if err != nil {
		return
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
