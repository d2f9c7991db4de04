package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxDecodings bounds the rounds of percent-decoding: a text encoded more often
// reads as noise to every tool that could use it.
const maxDecodings = 3

// maxExpansion bounds how many times longer a character may get by NFKC: fractions and
// units stay below it, and no part of an address is above.
const maxExpansion = 4

// view is the text in another spelling, with the place of each byte in the text as
// given.
type view struct {
	s string
	// from and to hold the range of each byte of s in the text as given; both are
	// nil where the view is the text.
	from, to []int32
	// refanged tells that brackets were read as dots and at signs, which prose has
	// too.
	refanged bool
}

// origin maps the half-open range a, b of the view to the text as given.
func (v view) origin(a, b int) (start, end int) {
	if v.from == nil || a >= b {
		return a, b
	}
	return int(v.from[a]), int(v.to[b-1])
}

// views returns the spellings of text that are searched, the plainest first.
func views(text string) []view {
	v := normalise(view{s: text})
	all := []view{v}
	if r, ok := refang(v); ok {
		all = append(all, r)
	}
	for range maxDecodings {
		decoded, ok := percentDecode(v)
		if !ok {
			break
		}
		v = normalise(decoded)
		all = append(all, v)
		if r, ok := refang(v); ok {
			all = append(all, r)
		}
	}
	return all
}

// builder writes a view from an earlier one.
type builder struct {
	src      view
	b        []byte
	from, to []int32
}

func newBuilder(src view) *builder {
	n := len(src.s)
	return &builder{src: src, b: make([]byte, 0, n), from: make([]int32, 0, n), to: make([]int32, 0, n)}
}

// put writes out in place of the half-open range p, q of the source.
func (w *builder) put(out string, p, q int) {
	start, end := w.src.origin(p, q)
	for i := range len(out) {
		w.b = append(w.b, out[i])
		w.from = append(w.from, int32(start))
		w.to = append(w.to, int32(end))
	}
}

func (w *builder) view() view { return view{s: string(w.b), from: w.from, to: w.to} }

// normalise composes compatibility forms (NFKC), drops characters that do not show,
// and maps dots, slashes, colons and the like that only look like the ASCII ones.
func normalise(v view) view {
	if ascii(v.s) {
		return v
	}
	w := newBuilder(v)
	var segment []byte
	for p, q := 0, 0; p < len(v.s); p = q {
		if v.s[p] < utf8.RuneSelf && (p+1 == len(v.s) || v.s[p+1] < utf8.RuneSelf) {
			q = p + 1
			w.put(v.s[p:q], p, q)
			continue
		}
		q = p + norm.NFKC.NextBoundaryInString(v.s[p:], true)
		segment = norm.NFKC.AppendString(segment[:0], v.s[p:q])
		if len(segment) > maxExpansion*(q-p) {
			segment = append(segment[:0], v.s[p:q]...) // a whole phrase in one character
		}
		for rest := segment; len(rest) > 0; {
			r, n := utf8.DecodeRune(rest)
			switch {
			case r == utf8.RuneError && n == 1:
				w.put(string(rest[:1]), p, q)
			case hidden(r):
			case r == '\u3002':
				w.put(ideographicStop(w.b, v.s[q:]), p, q)
			default:
				if plain, ok := lookAlikes[r]; ok {
					r = plain
				}
				w.put(string(r), p, q)
			}
			rest = rest[n:]
		}
	}
	return w.view()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hidden reports characters without a shape of their own, which split an address for
// a program and not for a reader.
func hidden(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r))
}

// lookAlikes maps what NFKC leaves alone to the ASCII character that it passes for.
var lookAlikes = map[rune]rune{
	'\u06d4': '.', '\u0701': '.', '\u0702': '.', '\ua4f8': '.', '\ua60e': '.', '\U00010a50': '.', '\U0001d16d': '.',
	'\u2e3c': '.', '\u2027': '.',
	'\u2044': '/', '\u2215': '/', '\u29f8': '/', '\u2571': '/',
	'\u02d0': ':', '\u02f8': ':', '\u0589': ':', '\u05c3': ':', '\u2236': ':', '\ua789': ':', '\u1803': ':',
	'\u2010': '-', '\u2011': '-', '\u2012': '-', '\u2212': '-', '\u00ad': '-',
	'\u2216': '\\', '\u29f5': '\\', '\u29f9': '\\',
	'\u066a': '%',
}

// ideographicStop decides what U+3002 is: a dot between two ASCII labels, as IDNA
// reads it, a dot before a domain, or the end of a sentence.
func ideographicStop(before []byte, after string) string {
	next, _ := utf8.DecodeRuneInString(after)
	if next >= '\uff10' && next <= '\uff5a' { // full-width forms of '0' to 'z'
		next -= 0xfee0
	}
	if len(before) == 0 || next >= utf8.RuneSelf || !alnum(byte(next)) {
		return "\u3002"
	}
	if alnum(before[len(before)-1]) {
		return "."
	}
	// Behind other letters only a domain of those scripts tells a name from a
	// sentence.
	end := 0
	for end < len(after) && end <= maxLabel && alnum(after[end]) {
		end++
	}
	last, _ := utf8.DecodeLastRune(before)
	behind, _ := utf8.DecodeRuneInString(after[end:])
	if unicode.IsLetter(last) && !unicode.IsLetter(behind) && ideographicDomains[strings.ToLower(after[:end])] {
		return "."
	}
	return "\u3002"
}

// percentDecode decodes one round of percent-encoding; false where there is none.
func percentDecode(v view) (view, bool) {
	first := -1
	for i := 0; i+2 < len(v.s); i++ {
		if v.s[i] == '%' && hexDigit(v.s[i+1]) && hexDigit(v.s[i+2]) {
			first = i
			break
		}
	}
	if first < 0 {
		return view{}, false
	}
	w := newBuilder(v)
	for i := 0; i < len(v.s); {
		if v.s[i] == '%' && i+2 < len(v.s) && hexDigit(v.s[i+1]) && hexDigit(v.s[i+2]) {
			w.put(string([]byte{unhex(v.s[i+1])<<4 | unhex(v.s[i+2])}), i, i+3)
			i += 3
			continue
		}
		w.put(v.s[i:i+1], i, i+1)
		i++
	}
	return w.view(), true
}
