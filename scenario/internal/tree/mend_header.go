package tree

import (
	"bytes"
	"strings"
)

// mendHeader handles a header that the parser does not read.
func (r *reader) mendHeader(start, at int) int {
	told := r.runeAt(at)
	keys, next, ok := scanKeys(r.text, r.afterBrackets(start))
	if ok && (next >= r.doc.lineEnd(start) || r.text[next] == ']' || r.text[next] == '#') && len(keys) > 0 {
		closing := "]"
		if start+1 < len(r.text) && r.text[start+1] == '[' {
			closing = "]]"
		}
		r.problem(told, "expected "+closing+" behind the table's name", "")
		r.blankRest(at)
		return r.looseHeader(start)
	}
	r.problem(told, "a table's name ends with "+unexpected(describe(r.text[at:]))+"; write [name], or [[name]] for a list", "")
	return r.lostHeader(start)
}

// lostHeader goes on in a table that is none of the document's: it is not known whose
// keys those below are.
func (r *reader) lostHeader(start int) int {
	r.partial()
	at := Span{start, start}
	r.table = &Node{Kind: Table, Form: Header, Span: at, Anchor: at, Partial: true}
	return r.nextLine(start)
}

func (r *reader) afterBrackets(start int) int {
	for start < len(r.text) && r.text[start] == '[' {
		start++
	}
	return start
}

// looseHeader opens the table of a header with broken brackets.
func (r *reader) looseHeader(start int) int {
	keys, next, _ := scanKeys(r.text, r.afterBrackets(start))
	for next < len(r.text) && r.text[next] == ']' {
		next++
	}
	list := bytes.HasPrefix(r.text[start:], []byte("[[")) || bytes.HasPrefix(r.text[max(0, next-2):], []byte("]]"))
	r.doc.Keys = append(r.doc.Keys, keys...)
	r.header(keys, Span{start, next}, list, true)
	r.doc.Root.Partial = true
	return r.nextLine(start)
}

// endsHeader tells whether the line is the name of a table of which the opening
// bracket is missing.
func (r *reader) endsHeader(start, at int) bool {
	_, end, ok := scanKeys(r.text, start)
	rest := strings.TrimLeft(string(r.text[at:r.doc.lineEnd(at)]), "]")
	rest = strings.TrimSpace(rest)
	return ok && end == at && (rest == "" || rest[0] == '#')
}
