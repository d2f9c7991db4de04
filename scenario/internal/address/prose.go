package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// letOff reports a dotted name that is no host although its last label may be a
// top-level domain: code, a product, a key of this format, a sentence without a space
// after its stop, an abbreviation.
func (sc *scanner) letOff(tok token, last string) bool {
	n := len(tok.labels)
	final, before := tok.labels[n-1], tok.labels[n-2]
	whole := strings.ToLower(strings.Join(tok.labels[:min(n, 4)], "."))
	switch {
	case products[whole] && n <= 4, sc.keyPath(tok):
		return true
	case n > 2 && singleLetters(tok.labels[:n-1]) && !commonDomains[last]: // "e.g.in"
		return true
	case properties[last] && nouns[strings.ToLower(before)]: // "order.id"
		return true
	case verbs[last] && lowerWord(final): // "orders.search"
		return true
	case n > 2 && reversed[strings.ToLower(tok.labels[0])] && len(last) > 3 && !commonDomains[last]: // "com.acme.shop"
		return true
	}
	if strings.Contains(before, "_") && !commonDomains[last] {
		return true // no such name can be registered
	}
	if sc.at(tok.end) == '(' && sc.at(tok.end+1) == ')' { // a call
		return true
	}
	return mixedCase(tok.labels, last)
}

// mixedCase reports code, product names and sentences by their capitals.
func mixedCase(labels []string, last string) bool {
	n := len(labels)
	final, before := labels[n-1], labels[n-2]
	beforeUpper := strings.ToUpper(before) == before
	switch {
	case last == "net" || last == "io": // Json.NET, Socket.IO
		return n == 2 && strings.ToUpper(final) == final && titleCase(before)
	case strings.HasPrefix(last, "com") && len(last) == 3, strongDomains[last]:
		return false
	case titleCase(final):
		return true
	case camelCase(final):
		return true
	case strings.ToUpper(final) == final && !beforeUpper && hasLetter(before) && ascii(final):
		return true
	}
	return n == 2 && camelCase(before) && !commonDomains[last]
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// titleCase reports a capital followed by small letters only, or by nothing.
func titleCase(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	if !unicode.IsUpper(r) {
		return false
	}
	if n == len(s) {
		return true
	}
	rest := s[n:]
	return strings.ToLower(rest) == rest && hasLetter(rest)
}

// camelCase reports a small letter followed, somewhere, by a capital.
func camelCase(s string) bool {
	small := false
	for i := range len(s) {
		if small && upper(s[i]) {
			return true
		}
		small = small || letter(s[i]) && !upper(s[i])
	}
	return false
}

func lowerWord(s string) bool { return strings.ToLower(s) == s && hasLetter(s) }

// percentile reports p50, p99 and the like.
func percentile(s string) bool {
	return len(s) > 1 && lower(s[0]) == 'p' && strings.Trim(s[1:], "0123456789.") == ""
}

func singleLetters(labels []string) bool {
	for _, l := range labels {
		if utf8.RuneCountInString(l) > 1 {
			return false
		}
	}
	return true
}

// versionLike reports labels that read as a version: v1.2.3, 1.2, v4, 2.x.
func versionLike(labels []string) bool {
	first, last := labels[0], labels[len(labels)-1]
	if len(labels) > 1 && digit(last[0]) {
		return true
	}
	first = strings.TrimLeft(first, "vV^~")
	return first == "" && len(labels) == 1 || first != "" && strings.Trim(first, "0123456789") == "" &&
		(len(labels) == 1 || !publicDomain(strings.ToLower(last)))
}

// keyPath reports a path of keys of a scenario, such as scenario.name.
func (sc *scanner) keyPath(tok token) bool {
	table := strings.ToLower(tok.labels[0])
	keys, ok := formatKeys[table]
	if !ok {
		return false
	}
	if table == "targets" {
		return len(tok.labels) == 2 || len(tok.labels) == 3 && keys[tok.labels[2]]
	}
	for _, key := range tok.labels[1:] {
		if !keys[key] {
			return false
		}
	}
	return true
}

// file reports a name that reads as a file's. An ending that is also a top-level
// domain counts with one stem, in a path, or behind another word of file names.
func (sc *scanner) file(tok token, last string, known bool) bool {
	n := len(tok.labels)
	before := strings.ToLower(tok.labels[n-2])
	switch {
	case fileStems[strings.ToLower(tok.labels[0])] && last != "com" && last != "org" && last != "net",
		last == "in" && (templates[before] || fileEndings[before]):
		return true
	case !fileEndings[last]:
		return false
	}
	if !known || n == 2 {
		return last != "so" || strings.HasPrefix(strings.ToLower(tok.labels[0]), "lib") || n == 2 && strings.Contains(tok.labels[0], "_")
	}
	if c := sc.at(tok.start - 1); c == '/' || c == '\\' {
		return true
	}
	return fileWords[before] || fileEndings[before] || digit(before[0]) || versionLike(tok.labels[n-2:n-1])
}

// line reads ":" and a line number with a column behind it, as compilers print them.
func (sc *scanner) line(i int) (behind int, ok bool) {
	if sc.at(i) != ':' {
		return i, false
	}
	end := sc.run(i+1, digit)
	return end, end > i+1 && sc.at(end) == ':' && digit(sc.at(end+1))
}

// filePath reports whether the path at i is one more file name.
func (sc *scanner) filePath(i int) bool {
	tok := sc.token(i)
	n := len(tok.labels)
	return n > 1 && fileEndings[strings.ToLower(tok.labels[n-1])]
}

// pathOnUnknown reports whether a name under no public suffix is a host because a
// path follows: not versions, code, or a list with slashes.
func (sc *scanner) pathOnUnknown(tok token) bool {
	n := len(tok.labels)
	for _, l := range tok.labels {
		if !lowerWord(l) || utf8.RuneCountInString(l) < 2 || versionLike([]string{l}) || strings.Contains(l, "_") {
			return false
		}
	}
	if !ascii(tok.labels[n-1]) || strings.ContainsAny(tok.labels[n-1], "0123456789") {
		return false
	}
	if c := sc.at(tok.start - 1); c == '/' || c == '\\' {
		return false
	}
	path := sc.token(tok.end + 1)
	return len(path.labels) == 1 || len(path.labels) > 1 && publicDomain(strings.ToLower(path.labels[len(path.labels)-1]))
}
