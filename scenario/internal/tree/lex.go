package tree

import (
	"bytes"
	"unicode/utf8"
)

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

// skipBlankLines skips what the parser skips before an expression.
func skipBlankLines(b []byte, i int) int {
	for i < len(b) && (isBlank(b[i]) || b[i] == '\n' || b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n') {
		i++
	}
	return i
}

func commaIn(b []byte, from, to int) int {
	for i := from; i < to; i++ {
		switch b[i] {
		case ',':
			return i
		case '#':
			for i < to && b[i] != '\n' {
				i++
			}
		}
	}
	return -1
}

// firstInvalid is the offset of the first byte that is not UTF-8, or -1.
func firstInvalid(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// stringEnd returns the offset behind the string that starts at i with a quote, and
// whether it is closed; a single-line string that is not ends at its line's end.
func stringEnd(b []byte, i int) (end int, closed bool) {
	quote := b[i]
	if i+2 < len(b) && b[i+1] == quote && b[i+2] == quote {
		for j := i + 3; j < len(b); j++ {
			switch {
			case b[j] == '\\' && quote == '"':
				j++
			case b[j] == quote && bytes.HasPrefix(b[j:], []byte{quote, quote, quote}):
				j += 3
				for n := 0; n < 2 && j < len(b) && b[j] == quote; n++ {
					j++
				}
				return j, true
			}
		}
		return len(b), false
	}
	for j := i + 1; j < len(b); j++ {
		switch {
		case b[j] == '\n' || b[j] == '\r' && j+1 < len(b) && b[j+1] == '\n':
			return j, false
		case b[j] == '\\' && quote == '"' && j+1 < len(b) && b[j+1] != '\n':
			j++
		case b[j] == quote:
			return j + 1, true
		}
	}
	return len(b), false
}

func isMultiline(b []byte, i int) bool {
	return i+2 < len(b) && b[i+1] == b[i] && b[i+2] == b[i]
}

// place says where in an expression an offset stands.
type place struct {
	open []int // offsets of the brackets open around it, the outermost first
	// text is the start of the string that the offset is in, else -1; unclosed tells
	// that this string is never closed.
	text     int
	unclosed bool
}

// locate reads an expression from its start to the offset.
func locate(b []byte, start, at int) place {
	p := place{text: -1}
	for i := start; i < at && i < len(b); {
		switch b[i] {
		case '"', '\'':
			end, closed := stringEnd(b, i)
			if at < end || !closed && at <= end {
				p.text, p.unclosed = i, !closed
				return p
			}
			i = end
		case '#':
			for i < at && i < len(b) && b[i] != '\n' {
				i++
			}
		case '[', '{':
			p.open = append(p.open, i)
			i++
		case ']', '}':
			p.open = p.open[:max(0, len(p.open)-1)]
			i++
		default:
			i++
		}
	}
	return p
}

// scanKeys reads a dotted key; ok is false where what follows the last name that was
// read cannot stand in a key.
func scanKeys(b []byte, i int) (keys []Key, end int, ok bool) {
	for {
		i = skipBlanks(b, i)
		start := i
		var text string
		switch {
		case i < len(b) && (b[i] == '"' || b[i] == '\''):
			stop, closed := stringEnd(b, i)
			if !closed || isMultiline(b, i) || bytes.IndexByte(b[i:stop], '\\') >= 0 {
				return keys, i, false
			}
			text, i = string(b[i+1:stop-1]), stop
		default:
			for i < len(b) && isBare(b[i]) {
				i++
			}
			if i == start {
				return keys, i, false
			}
			text = string(b[start:i])
		}
		keys = append(keys, Key{Span: Span{start, i}, Text: text})
		next := skipBlanks(b, i)
		if next >= len(b) || b[next] != '.' {
			return keys, next, true
		}
		i = next + 1
	}
}

func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
