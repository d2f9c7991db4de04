package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mask = "***"
	// maxShown bounds what a message repeats, in code points.
	maxShown = 80
	// maxSecret bounds a password that holds at signs or characters that end a URL,
	// in bytes.
	maxSecret = 256
)

// shown returns the match as a message may repeat it.
func shown(h hit) string {
	text := h.view.s[h.from:h.to]
	if h.kind == kindEncodedURL {
		return cut(text[:min(len(text), len("aHR0cDov"))]) + "..."
	}
	plain := decodeAll(text)
	if strings.Contains(plain, "@") {
		text = maskUser(plain)
	} else if secretFollows(h) {
		scheme, _, _ := strings.Cut(text, ":")
		text = scheme + "://" + mask
	}
	return cut(text)
}

// decodeAll undoes what may hide an at sign.
func decodeAll(text string) string {
	if !strings.ContainsAny(text, "%[({<") {
		return text
	}
	v := view{s: text}
	if r, ok := refang(v); ok {
		v = r
	}
	for range maxDecodings {
		d, ok := percentDecode(v)
		if !ok {
			break
		}
		v = normalise(d)
	}
	return v.s
}

// maskUser hides everything between the scheme, if there is one, and the last at
// sign: a password may hold slashes and at signs itself.
func maskUser(text string) string {
	last := strings.LastIndexByte(text, '@')
	start := 0
	if i := strings.Index(text, ":/"); i >= 0 && i < last {
		start = i + 1
		for start < last && text[start] == '/' {
			start++
		}
	}
	return text[:start] + mask + text[last:]
}

// secretFollows reports whether an at sign stands in the same word behind the end of
// a URL: the URL was cut inside its user info.
func secretFollows(h hit) bool {
	if h.kind != kindURL {
		return false
	}
	rest := h.view.s[h.to:min(len(h.view.s), h.to+maxSecret)]
	if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(rest, "@")
}

// cut drops what does not print and bounds the length.
func cut(text string) string {
	if len(text) <= maxShown && ascii(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	var b strings.Builder
	n := 0
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			continue
		}
		if n++; n > maxShown {
			b.WriteString("...")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
