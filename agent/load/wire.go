package load

import (
	"net"
	"sync"
	"sync/atomic"
)

// wire is a connection that knows how much of what was written on it the other side's
// machine has taken. A service may close a connection that has nothing to do, and then a
// request that was just written never reaches it; only this tells that from a service
// which takes a request and hangs up.
type wire struct {
	net.Conn // by its methods alone: a ReadFrom would write past written
	tcp      *net.TCPConn
	origin   uint64       // what was acknowledged when the connection was new
	written  atomic.Int64 // bytes

	once  sync.Once
	taken atomic.Int64 // bytes acknowledged when the connection ended; -1 where not known
}

func newWire(c *net.TCPConn) *wire {
	w := &wire{Conn: c, tcp: c}
	w.taken.Store(-1)
	w.origin, _ = acknowledged(c)
	return w
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if err != nil {
		w.ended()
	}
	return n, err
}

func (w *wire) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	w.written.Add(int64(n))
	if err != nil {
		w.ended()
	}
	return n, err
}

// Close closes the connection.
func (w *wire) Close() error {
	w.ended()
	return w.Conn.Close()
}

// ended keeps how much was acknowledged, at the first sign that the connection is over:
// afterwards it cannot be asked any more.
func (w *wire) ended() {
	w.once.Do(func() {
		if n, ok := acknowledged(w.tcp); ok {
			w.taken.Store(int64(n - w.origin))
		}
	})
}

// unreached tells that a connection which has ended took nothing of what was written
// behind the first bytes of it. It is false where that is not known.
func (w *wire) unreached(before int64) bool {
	taken := w.taken.Load()
	return taken >= 0 && taken <= before
}
