package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxScheme bounds the length of a scheme, in bytes; the longest registered ones are
// shorter than this.
const maxScheme = 40

// urls finds scheme://..., and known schemes with one slash or none.
func (sc *scanner) urls() {
	for i := 0; i < len(sc.s); i++ {
		if sc.s[i] != ':' {
			continue
		}
		start, end := sc.url(i)
		if end > start {
			sc.add(kindURL, start, end)
			i = end - 1
		}
	}
}

// url reads the URL whose scheme ends at the colon at i; an empty range where there
// is none.
func (sc *scanner) url(i int) (start, end int) {
	start = sc.schemeStart(i)
	scheme := strings.ToLower(sc.s[start:i])
	slashes := sc.run(i+1, func(c byte) bool { return c == '/' || c == '\\' }) - i - 1
	switch {
	case slashes >= 2 && sc.at(i+1) == '/' && sc.at(i+2) == '/':
		if scheme == "" && !alnum(sc.at(i+3)) && sc.at(i+3) != '[' {
			return i, i
		}
	case slashes >= 1 && knownSchemes[scheme]:
		if c := sc.at(i + 1 + slashes); blank(c) {
			return i, i
		}
	case slashes == 0 && knownSchemes[scheme] && (sc.hostLike(i+1) || sc.opaque(scheme, i+1)):
	default:
		return i, i
	}
	return sc.outerScheme(start), sc.urlEnd(start, i+1+slashes)
}

// schemeStart walks back from the colon at i over a scheme.
func (sc *scanner) schemeStart(i int) int {
	start := i
	for start > 0 && i-start < maxScheme {
		if c := sc.s[start-1]; !alnum(c) && c != '+' && c != '-' && c != '_' {
			break
		}
		start--
	}
	for start < i && !letter(sc.s[start]) {
		start++
	}
	return start
}

// outerScheme moves the start of a URL over the schemes that wrap another one, as in
// jdbc:postgresql://.
func (sc *scanner) outerScheme(start int) int {
	for sc.at(start-1) == ':' {
		outer := sc.schemeStart(start - 1)
		if !wrappingSchemes[strings.ToLower(sc.s[outer:start-1])] {
			break
		}
		start = outer
	}
	return start
}

// hostLike reports whether what follows a known scheme without slashes, as in
// https:api.example.com, is a host rather than a word.
func (sc *scanner) hostLike(i int) bool {
	rest := sc.s[i:min(len(sc.s), i+maxHost)]
	for j := range len(rest) {
		if c := rest[j]; blank(c) || quote(c) || c == ',' || c == ';' || c == ')' {
			rest = rest[:j]
			break
		}
	}
	rest = strings.TrimRight(rest, ".,:;!?")
	if rest == "" || !alnum(rest[0]) && rest[0] != '[' && rest[0] < utf8.RuneSelf {
		return rest != "" && (rest[0] == '@' && strings.ContainsAny(rest[1:], "/.:") || rest[0] == ':' && strings.Contains(rest, "@"))
	}
	if strings.ContainsAny(rest, "@/[\\") {
		return true
	}
	host, port, _ := strings.Cut(rest, ":")
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if loopback[strings.ToLower(host)] || len(labels) > 1 && last != "" && !digit(last[0]) || len(labels) == 4 {
		return true
	}
	return port != "" && digit(port[0]) && letter(host[0])
}

// opaque reports whether anything that follows the scheme makes an address: the scheme
// is no word of prose, or an at sign names a socket.
func (sc *scanner) opaque(scheme string, i int) bool {
	if sc.at(i) == '@' && scheme == "unix" {
		return sc.wordAt(i + 1)
	}
	return opaqueSchemes[scheme] && sc.wordAt(i)
}

// urlEnd returns where the URL that starts at start ends; i is behind its scheme and
// slashes.
func (sc *scanner) urlEnd(start, i int) int {
	var open [3]int // ( [ {
	plain := true   // nothing but ASCII since the last delimiter of the URL
	end := i
loop:
	for end < len(sc.s) {
		c := sc.s[end]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(sc.s[end:])
			if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
				break
			}
			if isUnspaced(r) && plain && !urlDelimiter(sc.s[end-1]) {
				break
			}
			plain = false
			end += n
			continue
		}
		switch {
		case blank(c) || quote(c) || c == '<' || c == '>' || c == '|' || c == '^':
			break loop
		case strings.IndexByte("([{", c) >= 0:
			open[strings.IndexByte("([{", c)]++
		case strings.IndexByte(")]}", c) >= 0:
			k := strings.IndexByte(")]}", c)
			if open[k] == 0 {
				break loop
			}
			open[k]--
		}
		if urlDelimiter(c) {
			plain = true
		}
		end++
	}
	trimmed := strings.TrimRight(sc.s[i:end], ".,;:!?*_")
	return max(start, i+len(trimmed))
}

func urlDelimiter(c byte) bool { return strings.IndexByte("/.?&=#@:", c) >= 0 }

// slashes finds //host/path and \\server\share at the start of a word.
func (sc *scanner) slashes() {
	for i := 0; i+2 < len(sc.s); i++ {
		c := sc.s[i]
		if c != '/' && c != '\\' || sc.s[i+1] != c || !sc.opens(i) {
			continue
		}
		if sc.unc(i) {
			end := sc.urlEnd(i, i+2)
			sc.add(kindUNC, i, end)
			i = max(i, end-1)
		}
	}
}

// opens reports whether a word may start at i: nothing, a space, or an opening mark
// stands before it.
func (sc *scanner) opens(i int) bool {
	c := sc.at(i - 1)
	return c == 0 || blank(c) || quote(c) || strings.IndexByte("([{<=,;>|#", c) >= 0 || c >= utf8.RuneSelf
}

// unc reports whether the two slashes at i lead to a host.
func (sc *scanner) unc(i int) bool {
	rest := sc.s[i+2:]
	if sc.s[i] == '\\' && (strings.HasPrefix(rest, `.\pipe\`) || strings.HasPrefix(rest, `?\`)) {
		return true
	}
	r, _, ok := labelRune(rest)
	if rest[0] == '[' {
		return true
	}
	if !ok || r == '-' || r == '_' {
		return false
	}
	end := sc.run(i+2, func(c byte) bool { return alnum(c) || c == '-' || c == '_' || c >= utf8.RuneSelf })
	word, next := sc.s[i+2:end], sc.at(end)
	if sc.s[i] == '\\' {
		return len(word) > 1 && (next == '\\' || next == '.' && alnum(sc.at(end+1)))
	}
	if next == '.' && alnum(sc.at(end+1)) || next == '/' || next == ':' && digit(sc.at(end+1)) {
		return true
	}
	// A code comment is no address: //TODO, //nolint, //go:build.
	return strings.ToUpper(word) != word && !codeComments[word]
}

// userInfo finds user@host and user:password@host.
func (sc *scanner) userInfo() {
	behind := 0  // where the last at sign ends
	secret := -1 // where user:password before it starts: the password may go on
	for i := 0; i < len(sc.s); i++ {
		if sc.s[i] != '@' {
			continue
		}
		start := i
		for start > behind && userByte(sc.s[start-1]) {
			start--
		}
		if start == behind && secret >= 0 && i-secret < maxSecret {
			start = secret
		}
		behind, secret = i+1, -1
		for start < i && !alnum(sc.s[start]) && sc.s[start] < utf8.RuneSelf && sc.s[start] != ':' {
			start++
		}
		start = sc.userStart(start, i)
		if strings.Contains(sc.s[start:i], ":") {
			secret = start
		}
		if end := sc.hostAfterAt(start, i); end > 0 {
			sc.add(kindUserInfo, start, end)
		}
	}
}

// userStart moves the start of a user part behind the name of a setting (mail=) and
// behind text of a script without spaces.
func (sc *scanner) userStart(start, end int) int {
	user, _, _ := strings.Cut(sc.s[start:end], ":")
	start += strings.LastIndexByte(user, '=') + 1
	for j := end; j > start; {
		r, n := utf8.DecodeLastRuneInString(sc.s[start:j])
		if isUnspaced(r) && j < end {
			return j
		}
		j -= n
	}
	return start
}

func userByte(c byte) bool {
	return alnum(c) || c >= utf8.RuneSelf || strings.IndexByte("._%+~!$&*-:=", c) >= 0
}

// hostAfterAt returns the end of the host behind the at sign at i, for a user part
// that starts at start; 0 where there is no address.
func (sc *scanner) hostAfterAt(start, i int) int {
	user := sc.s[start:i]
	if !strings.ContainsFunc(user, func(r rune) bool { return r >= utf8.RuneSelf || alnum(byte(r)) }) || i+1 >= len(sc.s) {
		return 0
	}
	if sc.s[i+1] == '[' {
		if end := strings.IndexByte(sc.s[i+1:min(len(sc.s), i+1+maxHost)], ']'); end > 0 {
			return i + 1 + end + 1
		}
		return 0
	}
	tok := sc.token(i + 1)
	if len(tok.labels) == 0 || tok.start != i+1 {
		return 0
	}
	if parts, _ := inetParts(tok.labels); len(parts) == 4 {
		return tok.end
	}
	if versionLike(tok.labels) || sc.at(start-1) == '/' && len(tok.labels) == 1 {
		return 0
	}
	if len(tok.labels) > 1 {
		return tok.end
	}
	return sc.singleAfterAt(user, tok)
}

// singleAfterAt decides on user@name, where name has no dot: a person's handle, a
// tag or a percentile is no host.
func (sc *scanner) singleAfterAt(user string, tok token) int {
	last := user[len(user)-1]
	if !alnum(last) && last < utf8.RuneSelf {
		return 0
	}
	end := tok.end
	_, behind, hasPort := sc.port(tok.end)
	if hasPort {
		end = behind
	}
	if strings.Contains(user, ":") || hasPort {
		return end
	}
	name := strings.ToLower(tok.labels[0])
	if sc.view.refanged || tags[name] || !letter(name[0]) || percentile(name) || percentile(user) || !letter(user[0]) {
		return 0
	}
	return end
}
