package tree

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Parse reads a document. isTable tells whether a name is that of a table of the
// document's top level: after a syntax error that leaves it unclear where the text
// goes on, reading resumes at the next header that starts with such a name.
//
// Parse never fails: what TOML does not read is in Problems, what it refuses though
// it can be read is in Duplicates and Newer.
func Parse(source []byte, isTable func(name string) bool) *Document {
	d := &Document{source: source, lines: lineStarts(source)}
	d.Root = &Node{Kind: Table, Form: Implied}
	d.Keys = make([]Key, 0, min(len(d.lines), usualKeys))
	r := &reader{
		doc:     d,
		text:    bytes.Clone(source),
		isTable: isTable,
		table:   d.Root,
		broken:  map[int]bool{},
	}
	if d.HasByteOrderMark() {
		copy(r.text, "   ") // blanks keep every offset
	}
	if i := firstInvalid(source); i >= 0 {
		r.maskInvalid(i)
	}
	r.read()
	return d
}

// usualKeys is the number of keys that room is made for at once: more than a usual
// scenario has.
const usualKeys = 128

// reader drives the library's parser, expression by expression.
type reader struct {
	doc *Document
	// text is the document with what could not be read written over; every offset in
	// it is one of the document.
	text    []byte
	isTable func(string) bool
	table   *Node // the table of the last header
	// broken holds the offsets of values that were written over.
	broken map[int]bool
	// invalid holds the lines with bytes that are not UTF-8, told elsewhere.
	repairs int
	parser  unstable.Parser
	base    int // offset of the parser's data in text
}

// maxRepairs bounds how many syntax errors of one document are told.
const maxRepairs = 64

func (r *reader) read() {
	r.parser.KeepComments = true
	last := -1 // where the parser stopped before
	for pos := 0; ; {
		r.base = pos
		r.parser.Reset(r.text[pos:])
		for r.parser.NextExpression() {
			pos = r.expression(r.parser.Expression())
		}
		err := r.parser.Error()
		if err == nil {
			return
		}
		var perr *unstable.ParserError
		if !errors.As(err, &perr) {
			r.doc.Problems = append(r.doc.Problems, Problem{Span: Span{pos, pos}, Message: err.Error()})
			r.giveUp()
			return
		}
		if r.repairs++; r.repairs > maxRepairs {
			r.giveUp()
			return
		}
		at := r.base + cap(r.parser.Data()) - cap(perr.Highlight)
		for at = min(at, len(r.text)); at > 0 && at < len(r.text) && !utf8.RuneStart(r.text[at]); at-- {
			// At the end of the document the parser stops at its last byte.
		}
		next := r.mend(skipBlankLines(r.text, pos), at, perr.Message)
		if next < 0 {
			r.giveUp()
			return
		}
		if at <= last && next <= pos {
			// Nothing was mended: go on behind the line, whatever it is.
			r.partial()
			next = r.nextLine(max(at, pos))
		}
		last, pos = at, next
	}
}

func (r *reader) giveUp() {
	r.doc.Lost = true
	r.partial()
}

// partial notes that a part of the current table, and of the document, may be hidden.
func (r *reader) partial() {
	r.table.Partial = true
	r.doc.Root.Partial = true
}

func (r *reader) span(n *unstable.Node) Span {
	start := r.base + int(n.Raw.Offset)
	return Span{start, start + int(n.Raw.Length)}
}

// expression adds one top-level expression to the tree and returns the offset behind
// it, trailing comment included.
func (r *reader) expression(n *unstable.Node) int {
	switch n.Kind {
	case unstable.Comment:
		s := r.span(n)
		r.doc.Comments = append(r.doc.Comments, s)
		return s.End
	case unstable.KeyValue:
		r.keyValue(r.table, n)
		end := r.span(n).End
		return r.trailingComment(n, end)
	default:
		keys := r.keys(n.Key())
		header := r.headerSpan(keys)
		r.header(keys, header, n.Kind == unstable.ArrayTable, false)
		return r.trailingComment(n, header.End)
	}
}

func (r *reader) trailingComment(n *unstable.Node, end int) int {
	if c := n.Next(); c.Valid() && c.Kind == unstable.Comment {
		s := r.span(c)
		r.doc.Comments = append(r.doc.Comments, s)
		return s.End
	}
	return end
}

func (r *reader) keys(it unstable.Iterator) []Key {
	var keys []Key
	for it.Next() {
		k := it.Node()
		keys = append(keys, Key{Span: r.span(k), Text: string(k.Data)})
	}
	r.noteKeys(keys)
	return keys
}

func (r *reader) noteKeys(keys []Key) {
	for _, k := range keys {
		r.noteEscapes(k.Span, nil)
	}
	r.doc.Keys = append(r.doc.Keys, keys...)
}

// headerSpan finds the brackets around the keys of a header.
func (r *reader) headerSpan(keys []Key) Span {
	start, end := keys[0].Span.Start, keys[len(keys)-1].Span.End
	for start > 0 && isBlank(r.text[start-1]) {
		start--
	}
	for start > 0 && r.text[start-1] == '[' {
		start--
	}
	for end < len(r.text) && isBlank(r.text[end]) {
		end++
	}
	for end < len(r.text) && r.text[end] == ']' {
		end++
	}
	return Span{start, end}
}

// keyValue adds a key and its value to a table.
func (r *reader) keyValue(table *Node, n *unstable.Node) {
	keys := r.keys(n.Key())
	last := keys[len(keys)-1]
	// The value stands behind the key, blanks and the equals sign.
	at := skipBlanks(r.text, last.Span.End)
	at = skipBlanks(r.text, at+1)
	value := &Node{}
	r.value(value, n.Value(), at)
	if value.Kind == Table {
		value.Anchor = last.Span
	}
	r.define(table, keys, value)
}

// value fills a node from the library's, which starts at the offset given, and
// returns the offset behind it.
func (r *reader) value(v *Node, n *unstable.Node, at int) int {
	switch n.Kind {
	case unstable.Array:
		return r.list(v, n, at)
	case unstable.InlineTable:
		return r.inlineTable(v, n, at)
	}
	v.Span = r.span(n)
	v.Text = string(n.Data)
	switch n.Kind {
	case unstable.String:
		v.Kind = String
	case unstable.Integer:
		v.Kind = Integer
	case unstable.Float:
		v.Kind = Float
	case unstable.Bool:
		v.Kind = Bool
	default:
		v.Kind = Time
	}
	r.scalar(v)
	return v.Span.End
}

// scalar tells what the parser lets pass, and notes forms of TOML 1.1.
func (r *reader) scalar(v *Node) {
	if r.broken[v.Span.Start] {
		v.Kind, v.Text = Broken, ""
		return
	}
	switch v.Kind {
	case String:
		r.doc.Strings = append(r.doc.Strings, v)
		r.noteEscapes(v.Span, v)
	case Time:
		if at, message := checkTime(v.Text); message != "" {
			r.problem(Span{v.Span.Start + at, v.Span.End}, message, "")
			v.Kind = Broken
		} else if withoutSeconds(v.Text) {
			r.doc.Newer = append(r.doc.Newer, Newer{Form: TimeWithoutSeconds, Span: v.Span, Node: v})
		}
	case Integer, Float:
		if message := checkNumber(v.Text, v.Kind); message != "" {
			r.problem(v.Span, message, "")
			v.Kind = Broken
		}
	}
}

func (r *reader) list(v *Node, n *unstable.Node, at int) int {
	v.Kind, v.Form = List, Inline
	pos := at + 1
	for c := n.Child(); c.Valid(); c = c.Next() {
		if c.Kind == unstable.Comment {
			continue // the gap below has it
		}
		pos = r.gap(pos)
		item := &Node{}
		end := r.value(item, c, pos)
		if item.Kind == Table {
			item.Anchor = Span{pos, pos + 1}
		}
		v.push(item)
		pos = end
	}
	pos = r.gap(pos) + 1
	v.Span = Span{at, pos}
	v.Anchor = v.Span
	return pos
}

func (r *reader) inlineTable(v *Node, n *unstable.Node, at int) int {
	v.Kind, v.Form = Table, Inline
	v.Anchor = Span{at, at + 1}
	pos, lines := at+1, false
	for c := n.Child(); c.Valid(); c = c.Next() {
		if c.Kind == unstable.Comment {
			continue
		}
		start := r.gap(pos)
		lines = lines || bytes.IndexByte(r.text[pos:start], '\n') >= 0
		r.keyValue(v, c)
		pos = r.span(c).End
	}
	end := r.gap(pos)
	lines = lines || bytes.IndexByte(r.text[pos:end], '\n') >= 0
	v.Span = Span{at, end + 1}
	if lines {
		r.doc.Newer = append(r.doc.Newer, Newer{Form: TableOverLines, Span: Span{at, at + 1}, Node: v})
	}
	if comma := commaIn(r.text, pos, end); comma >= 0 && n.Child().Valid() {
		r.doc.Newer = append(r.doc.Newer, Newer{Form: CommaBeforeBrace, Span: Span{comma, comma + 1}, Node: v})
	}
	return v.Span.End
}

// gap skips what may stand between the parts of a list or an inline table, and keeps
// the comments.
func (r *reader) gap(pos int) int {
	for pos < len(r.text) {
		switch r.text[pos] {
		case ' ', '\t', '\r', '\n', ',':
			pos++
		case '#':
			end := r.doc.lineEnd(pos)
			r.doc.Comments = append(r.doc.Comments, Span{pos, end})
			pos = end
		default:
			return pos
		}
	}
	return pos - 1 // not reached: the parser has seen the closing bracket
}
