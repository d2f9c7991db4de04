package tree

// This file finds where reading goes on behind what cannot be repaired.

// nextLine is the start of the line after that of the offset.
func (r *reader) nextLine(at int) int {
	line := r.doc.lineOf(at) + 1
	if line >= len(r.doc.lines) {
		return len(r.text)
	}
	return r.doc.lines[line]
}

// resume finds where to go on behind an expression that cannot be repaired.
func (r *reader) resume(start, at int, p place) int {
	end := locate(r.text, start, r.doc.lineEnd(start))
	if r.doc.lineOf(start) == r.doc.lineOf(at) {
		next := r.nextLine(start)
		if len(end.open) == 0 || r.endsInTable(end.open) || r.startsKey(next) {
			return next
		}
		return r.nextTable(next)
	}
	stopped := r.doc.lines[r.doc.lineOf(at)]
	switch {
	case r.endsInTable(p.open):
		// An inline table ends with its line, so this one is new.
		return r.behindTable(stopped)
	case len(p.open) > 0 && r.text[p.open[len(p.open)-1]] == '[' && skipBlanks(r.text, stopped) == at && r.startsKey(stopped):
		return stopped // a list that is not closed
	}
	return r.nextTable(stopped)
}

// startsKey tells whether a line starts with a key and an equals sign, and is not a
// part of something in brackets.
func (r *reader) startsKey(from int) bool {
	_, end, ok := scanKeys(r.text, from)
	return ok && end < len(r.text) && r.text[end] == '=' && !isPart(r.text[:r.doc.lineEnd(from)], from)
}

// isPart tells whether a line closes more brackets than it opens, or has a comma
// outside brackets.
func isPart(b []byte, i int) bool {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"', '\'':
			i, _ = stringEnd(b, i)
			continue
		case '#':
			return false
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return true
			}
		case ',':
			if depth == 0 {
				return true
			}
		}
		i++
	}
	return false
}

// behindTable skips the rest of an inline table that was written over several lines: up
// to a line that starts with its closing brace, if there is one before the next header
// or blank line.
func (r *reader) behindTable(from int) int {
	for line := r.doc.lineOf(from); line < len(r.doc.lines); line++ {
		start := r.doc.lines[line]
		i := skipBlanks(r.text, start)
		switch {
		case i >= r.doc.lineEnd(start) || r.text[i] == '[':
			return from
		case r.text[i] == '}':
			return r.nextLine(start)
		}
	}
	return from
}

// endsInTable tells whether the brackets that are open are those of inline tables.
func (r *reader) endsInTable(open []int) bool {
	for _, i := range open {
		if r.text[i] != '{' {
			return false
		}
	}
	return len(open) > 0
}

// nextTable is the next line that is the header of a known table, or the end.
func (r *reader) nextTable(from int) int {
	for line := r.doc.lineOf(from); line < len(r.doc.lines); line++ {
		if start := r.doc.lines[line]; start >= from && r.tableAt(start) {
			return start
		}
	}
	return len(r.text)
}

func (r *reader) tableAt(i int) bool {
	i = skipBlanks(r.text, i)
	if i >= len(r.text) || r.text[i] != '[' {
		return false
	}
	keys, next, ok := scanKeys(r.text, r.afterBrackets(i))
	return ok && r.isTable(keys[0].Text) && (next >= r.doc.lineEnd(i) || r.text[next] == ']')
}

// isTableLine tells whether reading stopped, inside a bracket that is never closed, at
// a header further down.
func (r *reader) isTableLine(start, at int) bool {
	line := r.doc.lineOf(at)
	return line > r.doc.lineOf(start) && r.tableAt(r.doc.lines[line])
}

// blankRest writes blanks over what stands below up to the next line that can start an
// expression: when something ends with its line too early, it is the rest of it.
func (r *reader) blankRest(end int) {
	for line := r.doc.lineOf(end) + 1; line < len(r.doc.lines); line++ {
		from := r.doc.lines[line]
		to := r.doc.lineEnd(from)
		if r.startsKey(from) || r.tableAt(from) {
			return
		}
		if i := skipBlanks(r.text, from); i < to && r.text[i] != '#' {
			r.blank(from, to)
		}
	}
}
