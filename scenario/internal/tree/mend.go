package tree

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mend tells a syntax error and makes the text readable again where that is
// possible: a value that cannot be read is written over by a placeholder of the same
// length and remembered as broken, so that everything around it keeps its place. It
// returns where to go on, or -1 to give up.
//
// start is where the expression starts, at where the parser stopped.
func (r *reader) mend(start, at int, message string) int {
	p := locate(r.text, start, at)
	switch {
	case p.text >= 0:
		return r.mendText(start, at, p, message)
	case strings.Contains(message, "comment"):
		return r.mendComment(start, at)
	case at < len(r.text) && r.text[at] == '\r' && !r.atLineEnd(at):
		r.problem(Span{at, at + 1}, "expected newline, but a carriage return stands alone; end lines with LF or CRLF", "")
		r.blank(at, r.doc.lineEnd(at))
		r.partial()
		return start
	}
	if size := oddSpace(r.text[at:]); size > 0 {
		r.problem(Span{at, at + size}, "unexpected "+describe(r.text[at:])+" outside quotes; write a plain space", "")
		r.blankOdd(at)
		return start
	}
	if t, ok := r.token(start, at, p, message); ok && !r.isTableLine(start, at) {
		r.problem(t.told, t.message, t.suggestion)
		r.placeholder(t.span)
		return start
	}
	switch {
	case strings.HasPrefix(message, "expected newline"):
		return r.mendRest(start, at)
	case r.text[start] == '[':
		return r.mendHeader(start, at)
	case at < len(r.text) && r.text[at] == ']' && r.endsHeader(start, at):
		r.problem(Span{at, at + 1}, "a table's name stands in brackets: write [name], or [[name]] for a list", "")
		return r.looseHeader(start)
	}
	r.problem(r.runeAt(at), r.explain(start, at, p, message), "")
	if at >= r.doc.lineEnd(start) {
		r.blankRest(r.doc.lineEnd(start))
	}
	r.poison(start)
	return r.resume(start, at, p)
}

// problem notes a problem, from the start of a character to the end of one: at the end
// of the document the parser stops at its last byte.
func (r *reader) problem(s Span, message, suggestion string) {
	source := r.doc.source
	for i := 0; i < utf8.UTFMax && s.Start > 0 && s.Start < len(source) && !utf8.RuneStart(source[s.Start]); i++ {
		s.Start--
	}
	for i := 0; i < utf8.UTFMax && s.End > s.Start && s.End < len(source) && !utf8.RuneStart(source[s.End]); i++ {
		s.End++
	}
	p := Problem{s, message, suggestion}
	if n := len(r.doc.Problems); n == 0 || r.doc.Problems[n-1] != p {
		r.doc.Problems = append(r.doc.Problems, p)
	}
}

// runeAt is the span of the character at an offset; nothing at the end of a line.
func (r *reader) runeAt(at int) Span {
	if at >= len(r.text) || r.text[at] == '\n' || r.atLineEnd(at) {
		return Span{at, at}
	}
	_, size := utf8.DecodeRune(r.text[at:])
	return Span{at, at + size}
}

func (r *reader) blank(from, to int) {
	for i := from; i < to; i++ {
		r.text[i] = ' '
	}
}

// placeholder writes a value of the same length over a value that cannot be read.
func (r *reader) placeholder(s Span) {
	for i := s.Start; i < s.End; i++ {
		r.text[i] = 'x'
	}
	if s.End-s.Start == 1 {
		r.text[s.Start] = '0'
	} else {
		r.text[s.Start], r.text[s.End-1] = '\'', '\''
	}
	r.broken[s.Start] = true
}

// mendText handles an error inside a string.
func (r *reader) mendText(start, at int, p place, message string) int {
	c := r.text[at]
	end, _ := stringEnd(r.text, p.text)
	multiline := isMultiline(r.text, p.text)
	switch {
	case isControl(c) && c != '\n' && !r.atLineEnd(at):
		r.problem(Span{at, at + 1}, "control character "+codePoint(rune(c))+" in text; leave it out", "")
		for i := at; i < end; i++ {
			if isControl(r.text[i]) && r.text[i] != '\n' && !r.atLineEnd(i) {
				r.text[i] = ' '
			}
		}
		return start
	case p.unclosed && multiline:
		quotes := string(r.text[p.text : p.text+3])
		r.problem(Span{p.text, p.text + 3}, "the text that starts here is never closed; end it with "+quotes, "")
		r.poison(start)
		return r.nextTable(r.nextLine(start))
	case p.unclosed:
		r.problem(r.runeAt(at), "the text is not closed on its line; end it with "+string(r.text[p.text]), "")
		r.blankRest(end)
		if len(p.open) == 0 && r.isValue(start, p.text) {
			r.placeholder(Span{p.text, end})
			return start
		}
		if r.text[start] == '[' {
			return r.lostHeader(start)
		}
		r.poison(start)
		return r.resume(start, at, p)
	}
	told := r.runeAt(at)
	if r.text[at] == '\\' {
		_, size := utf8.DecodeRune(r.text[at+1:])
		told.End = at + 1 + size
	}
	r.problem(told, explainEscape(string(r.text[told.Start:told.End]), message), "")
	for multiline && end < len(r.text) && r.text[end] == r.text[p.text] {
		end++
	}
	r.placeholder(Span{p.text, end})
	return start
}

// isValue tells whether the offset is where the value of the expression starts.
func (r *reader) isValue(start, at int) bool {
	_, end, ok := scanKeys(r.text, start)
	return ok && end < at && r.text[end] == '=' && skipBlanks(r.text, end+1) == at
}

// atLineEnd tells whether the byte is the carriage return of a CRLF.
func (r *reader) atLineEnd(i int) bool {
	return r.text[i] == '\r' && i+1 < len(r.text) && r.text[i+1] == '\n'
}

func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

func (r *reader) mendComment(start, at int) int {
	c := r.text[at]
	if c == '\r' {
		r.problem(Span{at, at + 1}, "a carriage return stands alone in a comment; end lines with LF or CRLF", "")
		r.partial()
	} else {
		r.problem(Span{at, at + 1}, "control character "+codePoint(rune(c))+" in a comment", "")
	}
	for i := at; i < r.doc.lineEnd(at); i++ {
		if isControl(r.text[i]) {
			r.text[i] = ' '
		}
	}
	return start
}

// mendRest handles text behind a complete key-value or header.
func (r *reader) mendRest(start, at int) int {
	end := r.doc.lineEnd(at)
	if r.text[start] == '[' && r.text[at] == ']' {
		r.problem(Span{at, at + 1}, "one bracket too many behind the table's name", "")
		return r.looseHeader(start)
	}
	what := "the value"
	if r.text[start] == '[' {
		what = "the table's name"
	}
	if value, ok := r.bareValue(start, at); ok {
		key, _, _ := scanKeys(r.text, start)
		told, suggestion := explainToken(string(r.text[value.Start:value.End]), key[len(key)-1].Text, "")
		r.problem(Span{at, value.End}, told, suggestion)
		r.placeholder(value)
		return start
	}
	message := "expected newline or a comment behind " + what + ", found " + describe(r.text[at:])
	if r.text[at] == ',' && at+1 < end && allDigits(string(r.text[at-1:at])+string(r.text[at+1:at+2])) {
		message = "a number has no comma: write 1_000 for a thousand, and 0.5 for a half"
	}
	r.problem(r.runeAt(at), message, "")
	r.partial()
	touches := r.text[at-1] == '"' || r.text[at-1] == '\''
	if touches || strings.IndexByte("]},", r.text[at]) >= 0 && !onlyComma(r.text[at:end]) {
		// A quote or a bracket is missing: the value is not what was meant.
		r.poison(start)
		return r.nextLine(at)
	}
	r.blank(at, end)
	return start
}

func onlyComma(rest []byte) bool {
	return strings.TrimRight(string(rest), " \t") == ","
}

// bareValue is the unquoted text, of several words, that is the value of the
// expression, if it has one.
func (r *reader) bareValue(start, at int) (Span, bool) {
	if r.text[start] == '[' {
		return Span{}, false
	}
	_, end, ok := scanKeys(r.text, start)
	if !ok || end >= at || r.text[end] != '=' {
		return Span{}, false
	}
	from := skipBlanks(r.text, end+1)
	for i := from; i < at; i++ {
		if !isWordByte(r.text[i]) && !isBlank(r.text[i]) {
			return Span{}, false
		}
	}
	return Span{from, r.tokenEnd(at, false)}, isWordByte(r.text[at])
}

// poison defines the key of an expression as Broken, so that it is not missed.
func (r *reader) poison(start int) {
	r.partial()
	keys, end, ok := scanKeys(r.text, start)
	if !ok || !r.keyEnds(end) {
		return
	}
	r.doc.Keys = append(r.doc.Keys, keys...)
	table := r.table
	for _, k := range keys[:len(keys)-1] {
		m := table.Get(k.Text)
		if m == nil {
			next := &Node{Kind: Table, Form: Dotted, Span: k.Span, Anchor: k.Span, Partial: true}
			table.put(k, next)
			table = next
			continue
		}
		if m.Value.Kind != Table {
			return
		}
		table = m.Value
	}
	last := keys[len(keys)-1]
	if table.Get(last.Text) == nil {
		table.put(last, &Node{Kind: Broken, Span: Span{last.Span.Start, end}, Partial: true})
	}
}

// keyEnds tells whether what stands behind a key is a value, or could introduce one:
// otherwise the key itself may not have been read as it was meant.
func (r *reader) keyEnds(end int) bool {
	return end < len(r.text) && strings.IndexByte("=:\"'[{0123456789", r.text[end]) >= 0
}

// oddSpace returns the length of the space or invisible character, other than those
// of TOML, that the text starts with, or 0.
func oddSpace(b []byte) int {
	c, size := utf8.DecodeRune(b)
	if c >= utf8.RuneSelf && c != utf8.RuneError && (unicode.IsSpace(c) || unicode.Is(unicode.Cf, c)) {
		return size
	}
	return 0
}

// blankOdd writes blanks over all odd spaces of the line from the offset on that stand
// outside quotes.
func (r *reader) blankOdd(at int) {
	for i, end := at, r.doc.lineEnd(at); i < end; {
		if size := oddSpace(r.text[i:]); size > 0 {
			r.blank(i, i+size)
			i += size
			continue
		}
		if r.text[i] == '"' || r.text[i] == '\'' {
			i, _ = stringEnd(r.text, i)
			continue
		}
		if r.text[i] == '#' {
			return
		}
		i++
	}
}

// maskInvalid writes over every byte that is not UTF-8, from the first on.
func (r *reader) maskInvalid(first int) {
	for i := first; i < len(r.text); {
		c, size := utf8.DecodeRune(r.text[i:])
		if c == utf8.RuneError && size == 1 {
			r.doc.Invalid = append(r.doc.Invalid, i)
			r.text[i] = 'x'
		}
		i += size
	}
}
