// Package address finds network addresses in text: URLs, host names, IP addresses in
// every notation that a resolver takes, ports on bare names, user info, sockets, and
// the disguises of all of them.
//
// A scenario names connections and never addresses, so what is found here is refused.
// The search is a set of small parsers over a few views of the text: as it stands with
// look-alike characters mapped, percent-decoded, and with defanged dots put back. Host
// names in prose are told from file names, code and sentences by the public suffix
// list. It is pure, deterministic, and linear in the size of the text.
package address

import (
	"cmp"
	"slices"
)

// Where says what kind of text is searched: it decides how dotted names are read.
type Where int

const (
	// Text is a value, a key or a comment: a dotted name that ends in a public
	// suffix is a host unless it reads as a file, code or a sentence.
	Text Where = iota
	// Operation is an OpenAPI operationId or a gRPC method: dots are usual there,
	// so a dotted name counts only under a common top-level domain, or where a
	// slash follows a name without the capital of a gRPC service.
	Operation
)

// The kinds of match, as a message may name them.
const (
	kindURL        = "URL"
	kindHost       = "host"
	kindHostName   = "host name"
	kindInternal   = "internal host name"
	kindHostPort   = "host and port"
	kindHostPath   = "host and path"
	kindIPv4       = "IPv4 address"
	kindIPv6       = "IPv6 address"
	kindHardware   = "hardware address"
	kindUserInfo   = "e-mail address or userinfo"
	kindUNC        = "UNC path"
	kindSocket     = "socket path"
	kindEncodedURL = "encoded URL"
)

// Match is one address in a text.
type Match struct {
	// Start and End are the half-open byte range in the text as given. Where a
	// disguise hides the place, it is the narrowest range that surely holds it.
	Start, End int
	// Kind is what was found, in words: "host name", "IPv4 address".
	Kind string
	// Shown is the address as a message may repeat it: decoded, on one line, cut
	// to a readable length, and with user info masked.
	Shown string
}

// Find returns the addresses in text, in order and without overlap.
func Find(text string, where Where) []Match {
	if shortWord(text) {
		return nil
	}
	return find(text, where)
}

func find(text string, where Where) []Match {
	var hits []hit
	all := views(text)
	for i := range all {
		s := scanner{view: &all[i], s: all[i].s, where: where, hits: hits}
		s.scan()
		hits = s.hits
	}
	return settle(hits)
}

// shortest is the length of the shortest address of letters and digits alone, in bytes:
// base64 of a scheme.
const shortest = len("ZnRwOi8v")

// shortWord tells quickly that a text is too short to hold an address, as most values of
// a scenario are: what is shorter needs a mark, and only hyphens in pairs make one of
// those that a name has.
func shortWord(text string) bool {
	if len(text) >= shortest {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !alnum(c) && c != ' ' && (c != '-' || i > 0 && text[i-1] == '-') {
			return false
		}
	}
	return true
}

// hit is a match in one view; start and end are bytes of the text as given, from and
// to bytes of the view.
type hit struct {
	start, end int
	kind       string
	view       *view
	from, to   int
}

// settle keeps, of hits that overlap, the one that starts first and reaches farthest;
// of equals, the one of the plainest view.
func settle(hits []hit) []Match {
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out []Match
	end := 0
	for _, h := range hits {
		if len(out) > 0 && h.start < end {
			continue
		}
		end = h.end
		out = append(out, Match{Start: h.start, End: h.end, Kind: h.kind, Shown: shown(h)})
	}
	return out
}

// scanner searches one view.
type scanner struct {
	view   *view
	s      string // the view's text
	where  Where
	hits   []hit
	labels []string // room for the labels of one name
}

// scan runs every parser. Each is one pass over the text.
func (sc *scanner) scan() {
	sc.urls()
	sc.slashes()
	sc.userInfo()
	sc.ipv6()
	sc.hardware()
	sc.ipv4()
	sc.names()
	sc.sockets()
	sc.encoded()
}

// add records s[from:to] of the view as a match.
func (sc *scanner) add(kind string, from, to int) {
	start, end := sc.view.origin(from, to)
	sc.hits = append(sc.hits, hit{start: start, end: end, kind: kind, view: sc.view, from: from, to: to})
}
