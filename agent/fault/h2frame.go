package fault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	h2HeadLen = 9 // bytes before a frame's payload
	// h2MaxFrame is the largest payload that is taken, and that either side is told
	// of, in bytes.
	h2MaxFrame = 256 << 10
	// h2MaxTable is the largest table of header fields that either side is told of,
	// in bytes; the value that HTTP/2 begins with.
	h2MaxTable = 4 << 10
	// h2BlockPart is the most of a header block that one frame carries, in bytes:
	// what every side has to take.
	h2BlockPart = 16 << 10
	// h2Backlog is the size of the frames that wait to be sent, in bytes, from which
	// no more are read.
	h2Backlog = 64 << 10
)

var errH2 = errors.New("a frame breaks HTTP/2")

// h2frame is one frame; payload is valid until the reader's next fill.
type h2frame struct {
	kind    http2.FrameType
	flags   http2.Flags
	stream  uint32
	payload []byte
}

func (f h2frame) has(flag http2.Flags) bool { return f.flags&flag != 0 }

// parseFrame reads the frame that p begins with; size is 0 while it is not complete.
func parseFrame(p []byte) (f h2frame, size int, err error) {
	if len(p) < h2HeadLen {
		return h2frame{}, 0, nil
	}
	length := int(p[0])<<16 | int(p[1])<<8 | int(p[2])
	if length > h2MaxFrame {
		return h2frame{}, 0, errH2
	}
	if size = h2HeadLen + length; len(p) < size {
		return h2frame{}, 0, nil
	}
	return h2frame{
		kind:    http2.FrameType(p[3]),
		flags:   http2.Flags(p[4]),
		stream:  binary.BigEndian.Uint32(p[5:]) & (1<<31 - 1),
		payload: p[h2HeadLen:size],
	}, size, nil
}

func appendFrame(p []byte, f h2frame) []byte {
	n := len(f.payload)
	p = append(p, byte(n>>16), byte(n>>8), byte(n), byte(f.kind), byte(f.flags))
	p = binary.BigEndian.AppendUint32(p, f.stream)
	return append(p, f.payload...)
}

func number(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }

// blockPart returns the part of a header block that a HEADERS frame carries, without
// padding and priority.
func (f h2frame) blockPart() ([]byte, error) {
	p, padding := f.payload, 0
	if f.has(http2.FlagHeadersPadded) {
		if len(p) < 1 {
			return nil, errH2
		}
		padding, p = int(p[0]), p[1:]
	}
	if f.has(http2.FlagHeadersPriority) {
		if len(p) < 5 {
			return nil, errH2
		}
		p = p[5:]
	}
	if padding > len(p) {
		return nil, errH2
	}
	return p[:len(p)-padding], nil
}

// boundSettings rewrites settings so that the proxy can take what they allow. The
// client's also switch off pushed answers, which have no request to affect.
func boundSettings(p []byte, fromClient bool) ([]byte, error) {
	if len(p)%6 != 0 {
		return nil, errH2
	}
	p = bytes.Clone(p)
	push := fromClient // to be added
	for s := p; len(s) > 0; s = s[6:] {
		most := uint32(1<<32 - 1)
		switch http2.SettingID(binary.BigEndian.Uint16(s)) {
		case http2.SettingHeaderTableSize:
			most = h2MaxTable
		case http2.SettingMaxFrameSize:
			most = h2MaxFrame
		case http2.SettingEnablePush:
			if fromClient {
				most, push = 0, false
			}
		}
		binary.BigEndian.PutUint32(s[2:], min(most, binary.BigEndian.Uint32(s[2:])))
	}
	if push {
		p = binary.BigEndian.AppendUint16(p, uint16(http2.SettingEnablePush))
		p = binary.BigEndian.AppendUint32(p, 0)
	}
	return p, nil
}

// h2in is one side that frames come from.
type h2in struct {
	r       *reader
	decoder *hpack.Decoder
	block   []byte // of the head that is being read
	head    h2frame
	open    bool // the next frame has to continue the block
	fields  []hpack.HeaderField
	size    int // of fields, as HPACK counts it
}

func newH2in(r *reader) *h2in {
	in := &h2in{r: r}
	in.decoder = hpack.NewDecoder(h2MaxTable, func(f hpack.HeaderField) {
		if in.size += int(f.Size()); in.size > maxHead {
			in.decoder.SetEmitEnabled(false)
			return
		}
		in.fields = append(in.fields, f)
	})
	in.decoder.SetMaxStringLength(maxHead)
	return in
}

// next returns the next frame; size is 0 while none is complete.
func (in *h2in) next() (f h2frame, size int, err error) {
	f, size, err = parseFrame(in.r.bytes())
	if err != nil || size == 0 {
		return h2frame{}, 0, err
	}
	if continues := f.kind == http2.FrameContinuation; continues != in.open || continues && f.stream != in.head.stream {
		return h2frame{}, 0, errH2
	}
	return f, size, nil
}

// fieldsOf takes a HEADERS or CONTINUATION frame. It returns the fields once the head
// is complete; their frame is in.head.
func (in *h2in) fieldsOf(f h2frame) (fields []hpack.HeaderField, complete bool, err error) {
	part := f.payload
	if f.kind == http2.FrameHeaders {
		if part, err = f.blockPart(); err != nil {
			return nil, false, err
		}
		in.head, in.block = f, in.block[:0]
	}
	if in.block = append(in.block, part...); len(in.block) > maxHead {
		return nil, false, errH2
	}
	if in.open = !f.has(http2.FlagHeadersEndHeaders); in.open {
		return nil, false, nil
	}
	in.fields, in.size = nil, 0
	if _, err := in.decoder.Write(in.block); err != nil {
		return nil, false, err
	}
	if err := in.decoder.Close(); err != nil || in.size > maxHead {
		return nil, false, errH2
	}
	return in.fields, true, nil
}

// h2out is one side that frames go to. Frames are added under the connection's lock,
// and sent by a goroutine that does not hold it, so that a slow receiver holds up
// nobody but those who send to it.
type h2out struct {
	c       net.Conn
	buf     []byte // frames added and not sent
	over    bool   // nothing is added any more, or nothing can be sent
	changed sync.Cond
	encoder *hpack.Encoder
	block   bytes.Buffer
}

func newH2out(c net.Conn, mu *sync.Mutex) *h2out {
	o := &h2out{c: c}
	o.changed.L = mu
	o.encoder = hpack.NewEncoder(&o.block)
	// Without a table, a head does not depend on those before it, and those may be
	// sent in another order than they came, or not at all.
	o.encoder.SetMaxDynamicTableSize(0)
	return o
}

// send sends what is added until that is over, then passes the end on.
func (o *h2out) send() error {
	var spare []byte
	for {
		o.changed.L.Lock()
		for len(o.buf) == 0 && !o.over {
			o.changed.Wait()
		}
		p := o.buf
		o.buf = spare[:0]
		o.changed.Broadcast()
		o.changed.L.Unlock()
		if len(p) == 0 {
			closeWrite(o.c)
			return nil
		}
		if _, err := o.c.Write(p); err != nil {
			o.end()
			return err
		}
		if spare = p; cap(p) > 2*h2Backlog {
			spare = nil
		}
	}
}

// end lets send come to its end, and nobody wait for it.
func (o *h2out) end() {
	o.changed.L.Lock()
	defer o.changed.L.Unlock()
	o.over = true
	o.changed.Broadcast()
}

// awaitRoom wakes send and waits until the backlog is within its bound. It needs the
// lock.
func (o *h2out) awaitRoom() {
	if len(o.buf) > 0 {
		o.changed.Broadcast()
	}
	for len(o.buf) > h2Backlog && !o.over {
		o.changed.Wait()
	}
}

func (o *h2out) add(f h2frame) { o.buf = appendFrame(o.buf, f) }

// addHead adds a head as one HEADERS frame and as many CONTINUATION frames as needed.
func (o *h2out) addHead(stream uint32, fields []hpack.HeaderField, end bool) {
	o.block.Reset()
	for _, f := range fields {
		_ = o.encoder.WriteField(f) // a bytes.Buffer takes everything
	}
	f := h2frame{kind: http2.FrameHeaders, stream: stream}
	if end {
		f.flags = http2.FlagHeadersEndStream
	}
	for first := true; first || o.block.Len() > 0; first = false {
		f.payload = o.block.Next(h2BlockPart)
		if o.block.Len() == 0 {
			f.flags |= http2.FlagHeadersEndHeaders
		}
		o.add(f)
		f.kind, f.flags = http2.FrameContinuation, 0
	}
}
