package fault

import "errors"

type bodyKind int

const (
	bodyNone    bodyKind = iota
	bodyLength           // so many bytes
	bodyChunked          // chunks, then trailers
	bodyToEnd            // everything up to the end of the connection
)

// body finds the end of a message's body in a stream that is passed on as it comes.
type body struct {
	kind  bodyKind
	left  int64 // bodyLength: bytes to come; bodyChunked: of the chunk's data
	state chunkState
	line  int // bytes of the current line, or of all trailers
	any   bool
}

// chunkState is what comes next in a chunked body.
type chunkState int

const (
	chunkSize     chunkState = iota // the digits of a chunk's size
	chunkExt                        // the rest of that line
	chunkSizeLF                     // the LF of that line
	chunkData                       // the chunk's bytes
	chunkDataCR                     // the CR behind them
	chunkDataLF                     // the LF behind them
	chunkTrailer                    // the first byte of a line of trailers
	chunkInLine                     // the rest of a line of trailers
	chunkLineLF                     // the LF of a line of trailers
	chunkFinalLF                    // the LF of the last, empty line
	chunkFinished                   // behind the body
)

const (
	// maxChunkLine bounds a chunk's size line with its extensions, in bytes.
	maxChunkLine = 4 << 10
	// maxChunkDigits bounds the hex digits of a chunk's size: 2^60 - 1 bytes.
	maxChunkDigits = 15
)

var errChunk = errors.New("a chunked body breaks the format")

// done reports whether the whole body has been scanned.
func (b *body) done() bool {
	switch b.kind {
	case bodyNone:
		return true
	case bodyLength:
		return b.left == 0
	case bodyChunked:
		return b.state == chunkFinished
	}
	return false
}

// scan returns how many of the next bytes of the stream belong to the body. An error
// leaves the place of its end unknown.
func (b *body) scan(p []byte) (int, error) {
	switch b.kind {
	case bodyNone:
		return 0, nil
	case bodyLength:
		n := int(min(b.left, int64(len(p))))
		b.left -= int64(n)
		return n, nil
	case bodyChunked:
		return b.scanChunks(p)
	}
	return len(p), nil
}

func (b *body) scanChunks(p []byte) (int, error) {
	for i := 0; i < len(p); {
		if b.state == chunkFinished {
			return i, nil
		}
		if b.state == chunkData {
			n := int(min(b.left, int64(len(p)-i)))
			b.left -= int64(n)
			i += n
			if b.left == 0 {
				b.state = chunkDataCR
			}
			continue
		}
		if err := b.scanFraming(p[i]); err != nil {
			return i, err
		}
		i++
	}
	return len(p), nil
}

// scanFraming takes one byte that is not a chunk's data.
func (b *body) scanFraming(c byte) error {
	b.line++
	switch b.state {
	case chunkSize, chunkExt, chunkSizeLF:
		return b.scanSize(c)
	case chunkDataCR:
		return b.expect(c, '\r', chunkDataLF)
	case chunkDataLF:
		b.line = 0
		return b.expect(c, '\n', chunkSize)
	}
	return b.scanTrailer(c)
}

func (b *body) scanSize(c byte) error {
	if b.line > maxChunkLine {
		return errChunk
	}
	switch b.state {
	case chunkSizeLF:
		next := chunkData
		if b.left == 0 {
			next = chunkTrailer
		}
		b.line, b.any = 0, false
		return b.expect(c, '\n', next)
	case chunkExt:
		switch c {
		case '\r':
			b.state = chunkSizeLF
		case '\n', 0:
			return errChunk
		}
		return nil
	}
	if digit, ok := hexDigit(c); ok {
		if b.line > maxChunkDigits {
			return errChunk
		}
		b.left, b.any = b.left<<4|digit, true
		return nil
	}
	if !b.any {
		return errChunk
	}
	switch c {
	case '\r':
		b.state = chunkSizeLF
	case ';', ' ', '\t':
		b.state = chunkExt
	default:
		return errChunk
	}
	return nil
}

func (b *body) scanTrailer(c byte) error {
	if b.line > maxHead {
		return errChunk
	}
	switch b.state {
	case chunkTrailer:
		switch {
		case c == '\r':
			b.state = chunkFinalLF
		case token[c]:
			b.state = chunkInLine
		default:
			return errChunk
		}
	case chunkInLine:
		switch c {
		case '\r':
			b.state = chunkLineLF
		case '\n', 0:
			return errChunk
		}
	case chunkLineLF:
		return b.expect(c, '\n', chunkTrailer)
	case chunkFinalLF:
		return b.expect(c, '\n', chunkFinished)
	}
	return nil
}

func (b *body) expect(c, want byte, next chunkState) error {
	if c != want {
		return errChunk
	}
	b.state = next
	return nil
}

func hexDigit(c byte) (int64, bool) {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0'), true
	case 'a' <= c && c <= 'f':
		return int64(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return int64(c-'A') + 10, true
	}
	return 0, false
}
