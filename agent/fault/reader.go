package fault

import (
	"io"
	"net"
)

const (
	// readerSize is a reader's buffer to begin with, in bytes.
	readerSize = 4 << 10
	// readerKeep is the largest buffer that is kept between messages.
	readerKeep = 32 << 10
)

// reader is a buffer over one side of a connection whose bytes are looked at before
// they are taken, so that they can be passed on as they came.
type reader struct {
	src  net.Conn
	buf  []byte
	r, w int  // buf[r:w] is read and not yet taken
	full bool // the last read filled the buffer
}

func newReader(src net.Conn) *reader {
	return &reader{src: src, buf: make([]byte, readerSize)}
}

// bytes are those read and not yet taken; valid until the next call of fill.
func (r *reader) bytes() []byte { return r.buf[r.r:r.w] }

// take gives up the first n bytes.
func (r *reader) take(n int) {
	r.r += n
	if r.r == r.w {
		r.r, r.w = 0, 0
		if len(r.buf) > readerKeep {
			r.buf = make([]byte, readerSize)
		}
	}
}

// fill reads once more, growing the buffer when it is full.
func (r *reader) fill() error {
	if r.w == len(r.buf) {
		if r.r > 0 {
			r.w = copy(r.buf, r.bytes())
			r.r = 0
		} else {
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		}
	}
	if r.full && r.w == 0 && len(r.buf) < readerKeep {
		r.buf = make([]byte, 2*len(r.buf)) // a body comes faster than it is passed on
	}
	n, err := r.src.Read(r.buf[r.w:])
	r.w += n
	r.full = r.w == len(r.buf)
	if n > 0 {
		return nil // the error comes again with the next read
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}

// await makes sure that there is at least one byte.
func (r *reader) await() error {
	if r.r < r.w {
		return nil
	}
	return r.fill()
}
