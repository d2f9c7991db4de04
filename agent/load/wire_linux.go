package load

import (
	"net"

	"golang.org/x/sys/unix"
)

// acknowledged is how many bytes the other side's machine has acknowledged; false where
// the connection cannot be asked.
func acknowledged(c *net.TCPConn) (n uint64, ok bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			n, ok = info.Bytes_acked, true
		}
	})
	return n, ok && err == nil
}
