package address

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Bounds of the domain name system, in bytes.
const (
	maxLabel = 63
	maxHost  = 255
)

// token is one dotted name: labels joined by single dots.
type token struct {
	start, end int
	labels     []string
}

// token reads the dotted name at i. A change between a script without spaces and
// another one, inside a label, ends it.
func (sc *scanner) token(i int) token { return sc.tokenIn(i, nil) }

// tokenIn is token with room for the labels.
func (sc *scanner) tokenIn(i int, room []string) token {
	tok := token{start: i, end: i, labels: room[:0]}
	from := i
	var before rune
	for i < len(sc.s) {
		if c := sc.s[i]; c == '.' && i > from && i+1 < len(sc.s) {
			if _, _, ok := labelRune(sc.s[i+1:]); !ok {
				break
			}
			tok.labels = append(tok.labels, sc.s[from:i])
			i++
			from, before = i, 0
			continue
		}
		r, n, ok := labelRune(sc.s[i:])
		if !ok || before != 0 && isUnspaced(before) != isUnspaced(r) && letterOrDigit(before) && letterOrDigit(r) {
			break
		}
		before = r
		i += n
	}
	if i > from {
		tok.labels = append(tok.labels, sc.s[from:i])
	}
	tok.end = i
	return tok
}

// letterOrDigit tells the characters that a script is known by from hyphens.
func letterOrDigit(r rune) bool { return r != '-' && r != '_' }

// names finds host names, and bare names with a port.
func (sc *scanner) names() {
	for i := 0; i < len(sc.s); {
		_, n, ok := labelRune(sc.s[i:])
		if !ok {
			i += n
			continue
		}
		tok := sc.tokenIn(i, sc.labels)
		sc.labels = tok.labels
		i = max(tok.end, i+n)
		tok = trimHyphens(tok)
		switch len(tok.labels) {
		case 0:
		case 1:
			sc.single(tok)
		default:
			sc.dotted(tok)
		}
	}
}

// trimHyphens takes hyphens off both ends: they are list marks, options or dashes.
func trimHyphens(tok token) token {
	for len(tok.labels) > 0 {
		first := tok.labels[0]
		kept := strings.TrimLeft(first, "-")
		tok.start += len(first) - len(kept)
		if kept != "" {
			tok.labels[0] = kept
			break
		}
		tok.labels = tok.labels[1:]
		if len(tok.labels) > 0 {
			tok.start++ // the dot
		}
	}
	for len(tok.labels) > 0 {
		n := len(tok.labels) - 1
		last := tok.labels[n]
		kept := strings.TrimRight(last, "-")
		tok.end -= len(last) - len(kept)
		if kept != "" {
			tok.labels[n] = kept
			break
		}
		tok.labels = tok.labels[:n]
		if n > 0 {
			tok.end--
		}
	}
	return tok
}

// single judges a name without a dot.
func (sc *scanner) single(tok token) {
	name := tok.labels[0]
	if sc.at(tok.end) != ':' && strings.IndexByte("lLiIbBxX", name[0]) < 0 {
		return // no name of the machine, and no port: most words
	}
	name = strings.ToLower(name)
	if port, end, ok := sc.port(tok.end); ok && portOnName(name, port, sc.at(tok.start-1) == ':') && !sc.imageTag(name, port, end) {
		sc.add(kindHostPort, tok.start, end)
		return
	}
	switch {
	case loopback[name], embedsIPv4(name):
		sc.add(kindHost, tok.start, tok.end)
	case punycode(name):
		sc.add(kindHostName, tok.start, tok.end)
	}
}

// portOnName reports whether a bare name with that port is a host: a time, a ratio or
// a digest is none, and a small number behind several colons (inURN) neither.
func portOnName(name string, port int, inURN bool) bool {
	if !plausiblePort(port) || inetNumber(name) || !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || letter(byte(r)) }) {
		return false
	}
	if r, _ := utf8.DecodeLastRuneInString(name); isUnspaced(r) {
		return false
	}
	if digests[name] || port < 1024 && (len(name) == 1 || inURN || words[name] || percentile(name)) {
		return false
	}
	// "2026-03-01T10:30" ends in an hour and minutes.
	if n := len(name); n >= 3 && name[n-3] == 't' && digit(name[n-2]) && digit(name[n-1]) && (n == 3 || digit(name[0])) {
		return port >= 60
	}
	return true
}

// imageTag reports the tag of a container image, such as node:22 or app:80-alpine.
func (sc *scanner) imageTag(name string, port, end int) bool {
	return port < 1024 && (images[name] && port != 80 && port != 443 || sc.at(end) == '-' && letter(sc.at(end+1)))
}

// port reads ":" and a port number at i; behind is where it ends.
func (sc *scanner) port(i int) (port, behind int, ok bool) {
	if sc.at(i) != ':' {
		return 0, 0, false
	}
	behind = sc.run(i+1, digit)
	if n := behind - i - 1; n == 0 || n > 5 || sc.wordAt(behind) {
		return 0, 0, false
	}
	// A version, a time, a place in a file or an IPv6 address goes on behind.
	switch c, next := sc.at(behind), sc.at(behind+1); {
	case c == '.' && digit(next), c == ':' && (hexDigit(next) || next == ':'):
		return 0, 0, false
	}
	port, err := strconv.Atoi(sc.s[i+1 : behind])
	return port, behind, err == nil && port > 0 && port < 1<<16 && sc.s[i+1] != '0'
}

// plausiblePort reports a port that people write: registered, or well known.
func plausiblePort(port int) bool { return port >= 1024 || wellKnownPorts[port] }

// embedsIPv4 reports names such as ip-10-0-0-1.
func embedsIPv4(name string) bool {
	rest, ok := strings.CutPrefix(name, "ip-")
	if !ok {
		return false
	}
	parts := strings.SplitN(rest, "-", 5)
	if len(parts) < 4 {
		return false
	}
	for _, p := range parts[:4] {
		if n, err := strconv.Atoi(p); err != nil || n < 0 || n > 255 {
			return false
		}
	}
	return true
}

func punycode(label string) bool {
	return len(label) > len("xn--") && strings.EqualFold(label[:4], "xn--")
}

// dotted judges a name with dots.
func (sc *scanner) dotted(tok token) {
	kind := sc.dottedKind(tok)
	if kind == "" {
		sc.singlesOf(tok)
		return
	}
	end := tok.end
	if sc.rootDot(tok) {
		end++
	}
	sc.add(kind, tok.start, end)
}

// singlesOf looks for what is a host without its neighbours: localhost.yaml is a
// file, and ip-10-0-0-1.tar.gz still tells an address.
func (sc *scanner) singlesOf(tok token) {
	at := tok.start
	for _, label := range tok.labels {
		if embedsIPv4(strings.ToLower(label)) {
			sc.add(kindHost, at, at+len(label))
		}
		at += len(label) + 1
	}
}

// dottedKind returns what the dotted name is, empty where it is no address.
func (sc *scanner) dottedKind(tok token) string {
	n := len(tok.labels)
	last := strings.ToLower(tok.labels[n-1])
	if digit(last[0]) && strings.Trim(last, "0123456789") == "" {
		return "" // numbers: an IPv4 address or a version
	}
	for _, label := range tok.labels {
		if len(label) > maxLabel {
			return ""
		}
		if punycode(label) {
			return kindHostName
		}
	}
	if strings.EqualFold(tok.labels[0], "www") {
		return kindHostName
	}
	if sc.internal(tok, last) {
		return kindInternal
	}
	if last == "localhost" {
		return kindHost
	}
	if sc.where == Operation {
		return sc.operationKind(tok, last)
	}
	return sc.textKind(tok, last)
}

// internal reports a name under a suffix that is only resolved inside a network.
func (sc *scanner) internal(tok token, last string) bool {
	if !internalSuffixes[last] {
		n := len(tok.labels)
		return last == "default" && n == 2 && strings.EqualFold(tok.labels[0], "kubernetes") ||
			reservedSuffixes[last] && sc.where == Text && !sc.letOff(tok, last) && !sc.template(tok)
	}
	if sc.where == Operation {
		return !wordSuffixes[last]
	}
	return !sc.letOff(tok, last) && !sc.template(tok)
}

// template reports the name of a sample or local file, such as .env.local or
// config.toml.example.
func (sc *scanner) template(tok token) bool {
	before := strings.ToLower(tok.labels[len(tok.labels)-2])
	return before == "env" || configEndings[before]
}

// operationKind judges a dotted operation id.
func (sc *scanner) operationKind(tok token, last string) string {
	n := len(tok.labels)
	if sc.at(tok.end) == '/' && lowerWord(tok.labels[n-1]) {
		return kindHostName
	}
	if port, _, ok := sc.port(tok.end); ok && plausiblePort(port) {
		return kindHostPort
	}
	if titleCase(tok.labels[n-1]) || camelCase(tok.labels[n-1]) {
		return ""
	}
	if commonDomains[last] || n > 2 && countryDomains[last] {
		return kindHostName
	}
	return ""
}

// textKind judges a dotted name in prose, in a key or in a comment.
func (sc *scanner) textKind(tok token, last string) string {
	port, _, hasPort := sc.port(tok.end)
	hasPort = hasPort && plausiblePort(port)
	hasPath := sc.at(tok.end) == '/' && (sc.wordAt(tok.end+1) || sc.at(tok.end+1) >= utf8.RuneSelf)
	known := publicDomain(last)
	if sc.letOff(tok, last) {
		return ""
	}
	if file := sc.file(tok, last, known); file {
		// A name that is both is a file, unless it is reached like a host.
		_, atLine := sc.line(tok.end)
		if !known || !hasPort && !hasPath || atLine || hasPath && sc.filePath(tok.end+1) {
			return ""
		}
	}
	switch {
	case hasPath && (known || sc.pathOnUnknown(tok)):
		return kindHostPath
	case hasPort && (known || letter(last[0])):
		return kindHostPort
	case known:
		return kindHostName
	}
	return ""
}

// publicDomain reports a top-level domain of the public suffix list's ICANN part.
func publicDomain(label string) bool {
	if !ascii(label) {
		if a, err := idna.Punycode.ToASCII(label); err == nil {
			label = a
		}
	}
	// With a label before it, a domain that has only wildcard rules counts too.
	_, icann := publicsuffix.PublicSuffix("a." + label)
	return icann
}

// rootDot reports whether the dot behind a name is the root's and not a full stop: it
// stands alone, or the sentence goes on.
func (sc *scanner) rootDot(tok token) bool {
	if sc.at(tok.end) != '.' {
		return false
	}
	before, behind := sc.at(tok.start-1), sc.at(tok.end+1)
	if behind == ':' || behind == '/' {
		return true
	}
	if (before == 0 || quote(before)) && (behind == 0 || quote(behind)) {
		return true
	}
	next := sc.at(tok.end + 2)
	return behind == ' ' && letter(next) && !upper(next)
}
