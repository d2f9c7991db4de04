package load

import (
	"io"
	"net"
	"testing"
)

// A service that hung up before it was asked again took nothing of what was written; one
// that hangs up when it is asked took it.
func TestAWireKnowsWhatWasTaken(t *testing.T) {
	for name, takes := range map[string]bool{"hung up before": false, "hangs up when asked": true} {
		t.Run(name, func(t *testing.T) {
			client, server := pair(t)
			w := newWire(client)
			exchange(t, w, server, "first")
			before := w.written.Load()
			if !takes {
				_ = server.Close()
			}
			_, _ = io.WriteString(w, "second") // the kernel takes it either way
			if takes {
				if _, err := io.ReadFull(server, make([]byte, len("second"))); err != nil {
					t.Fatal(err)
				}
				_ = server.Close()
			}
			if _, err := w.Read(make([]byte, 1)); err == nil {
				t.Fatal("the connection has not ended")
			}
			if w.unreached(before) == takes {
				t.Errorf("unreached is %v: %d of %d bytes taken, %d before", !takes, w.taken.Load(), w.written.Load(), before)
			}
			_ = w.Close()
		})
	}
}

// pair is a connection over loopback, from both sides.
func pair(t *testing.T) (client, server *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Close(), s.Close() })
	return c.(*net.TCPConn), s.(*net.TCPConn)
}

// exchange sends a text there and back.
func exchange(t *testing.T, client, server io.ReadWriter, text string) {
	t.Helper()
	b := make([]byte, len(text))
	for _, way := range [][2]io.ReadWriter{{client, server}, {server, client}} {
		if _, err := io.WriteString(way[0], text); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(way[1], b); err != nil {
			t.Fatal(err)
		}
	}
}
