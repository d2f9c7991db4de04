package fault

import (
	"bytes"
	"io"
	"net"
	"sync"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

const (
	// rawChunk is the most that is read of a raw connection at once, in bytes.
	rawChunk = 16 << 10
	// rawQueue bounds the chunks of one connection that are being delayed: with
	// rawChunk, 1 MiB.
	rawQueue = 64
)

// raw is a connection whose bytes are not HTTP. It meets a fault as a whole and once:
// when it is opened, or, open already, with the next bytes that its client sends.
// Latency then delays the client's bytes, piece by piece and in order.
type raw struct {
	*conn
	met map[*Active]bool
}

// chunk is a piece of the client's bytes on its way.
type chunk struct {
	p    []byte
	wait func() bool // lets its delay pass, false when the connection is gone; nil without one
}

func (c *conn) serveRaw() {
	r := &raw{conn: c, met: map[*Active]bool{}}
	if _, _, dropped := r.meet(); dropped {
		return
	}
	c.probe.pass()
	up, err := c.dial("")
	if err != nil {
		return
	}
	queue := make(chan chunk, rawQueue)
	var wg sync.WaitGroup
	wg.Go(func() { r.read(queue) })
	wg.Go(func() { r.write(up, queue) })
	c.pump(c.client, up)
	wg.Wait()
}

// meet lets the connection meet the active faults that it has not met yet, and draws
// the delay of the next piece and whose it is.
func (r *raw) meet() (delay time.Duration, by *Active, dropped bool) {
	for _, a := range *r.proxy.active.Load() {
		again := r.met[a]
		if again && a.Type() != scenario.FaultLatency {
			continue
		}
		r.met[a] = true
		e := a.meet(r.probe, again)
		if e.drop {
			return 0, nil, true
		}
		if e.delay > 0 {
			delay, by = e.delay, a
		}
	}
	return delay, by, false
}

func (r *raw) read(queue chan<- chunk) {
	defer close(queue)
	buf := make([]byte, rawChunk)
	for {
		n, err := r.client.Read(buf)
		if n > 0 {
			delay, by, dropped := r.meet()
			if dropped {
				r.sever()
				return
			}
			c := chunk{p: bytes.Clone(buf[:n])}
			if delay > 0 {
				c.wait = by.start(delay, r.gone)
			}
			select {
			case queue <- c:
			case <-r.gone:
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				r.reset()
			}
			return
		}
	}
}

func (r *raw) write(up net.Conn, queue <-chan chunk) {
	for c := range queue {
		if c.wait != nil && !c.wait() {
			return
		}
		if _, err := up.Write(c.p); err != nil {
			r.reset()
			return
		}
	}
	closeWrite(up)
}
