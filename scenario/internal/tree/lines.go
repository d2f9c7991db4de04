package tree

import (
	"bytes"
	"sort"
	"strconv"
	"unicode/utf8"
)

// byteOrderMark is U+FEFF in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// HasByteOrderMark tells whether the document starts with a byte-order mark. It is
// part of no line: columns of the first line count from behind it.
func (d *Document) HasByteOrderMark() bool { return bytes.HasPrefix(d.source, byteOrderMark) }

func lineStarts(source []byte) []int {
	starts := make([]int, 1, 1+bytes.Count(source, []byte{'\n'}))
	for i, b := range source {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// Position turns an offset into a line and a column, both from 1; the column counts
// code points, and a byte that is not UTF-8 as one.
func (d *Document) Position(offset int) (line, column int) {
	line = sort.SearchInts(d.lines, offset+1)
	start := d.lines[line-1]
	if start == 0 && d.HasByteOrderMark() {
		start = min(len(byteOrderMark), offset)
	}
	return line, 1 + utf8.RuneCount(d.source[start:offset])
}

// Line returns a line without its end, and without a byte-order mark; n is from 1.
// A line that the document does not have is empty.
func (d *Document) Line(n int) string {
	if n < 1 || n > len(d.lines) {
		return ""
	}
	start, end := d.lines[n-1], len(d.source)
	if n < len(d.lines) {
		end = d.lines[n] - 1
		if end > start && d.source[end-1] == '\r' {
			end--
		}
	}
	line := d.source[start:end]
	if n == 1 {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	return string(line)
}

// Raw returns the bytes of a span as text.
func (d *Document) Raw(s Span) string { return string(d.source[s.Start:s.End]) }

// lineOf is the index into lines of the line that holds the offset.
func (d *Document) lineOf(offset int) int { return sort.SearchInts(d.lines, offset+1) - 1 }

// lineEnd is the offset of the line feed, or of its carriage return, that ends the
// line of the offset, or the document's length.
func (d *Document) lineEnd(offset int) int {
	i := bytes.IndexByte(d.source[offset:], '\n')
	if i < 0 {
		return len(d.source)
	}
	if end := offset + i; end > offset && d.source[end-1] == '\r' {
		return end - 1
	}
	return offset + i
}

// Places tells where the parts of a string's decoded text stand in the document.
type Places struct {
	doc  *Document
	node *Node
	// raw is, for each byte of the text, the offset that it comes from.
	raw []int
}

// Places reads a string once more to know where each byte of its text comes from.
func (d *Document) Places(n *Node) Places {
	p := Places{doc: d, node: n, raw: make([]int, 0, len(n.Text)+1)}
	raw := d.source[n.Span.Start:n.Span.End]
	i := 1
	if len(raw) >= 6 && raw[1] == raw[0] && raw[2] == raw[0] {
		i = 3
		if raw[i] == '\n' {
			i++
		} else if raw[i] == '\r' && raw[i+1] == '\n' {
			i += 2
		}
	}
	for len(p.raw) <= len(n.Text) && i < len(raw) {
		if raw[i] != '\\' || raw[0] != '"' {
			p.raw = append(p.raw, n.Span.Start+i)
			i++
			continue
		}
		size, decoded := escapeSize(raw[i:])
		for range decoded {
			p.raw = append(p.raw, n.Span.Start+i)
		}
		i += size
	}
	return p
}

// Of finds a part of the text. It is false where escapes or folded lines stand in the
// part, so that the text is not to be seen as it is.
func (p Places) Of(start, end int) (Span, bool) {
	if start >= len(p.raw) {
		return Span{}, false
	}
	at := Span{p.raw[start], p.raw[start] + end - start}
	if at.End > p.node.Span.End || p.doc.Raw(at) != p.node.Text[start:end] {
		return Span{}, false
	}
	return at, true
}

// escapeSize is the number of bytes of an escape, and of what it stands for.
func escapeSize(raw []byte) (size, decoded int) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[raw[1]]
	switch {
	case digits > 0 && len(raw) >= 2+digits:
		c, _ := strconv.ParseUint(string(raw[2:2+digits]), 16, 32)
		return 2 + digits, utf8.RuneLen(rune(c))
	case raw[1] == ' ' || raw[1] == '\t' || raw[1] == '\r' || raw[1] == '\n':
		size = 1
		for size < len(raw) && bytes.IndexByte([]byte(" \t\r\n"), raw[size]) >= 0 {
			size++
		}
		return size, 0
	}
	return 2, 1
}
