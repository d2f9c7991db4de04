package address

import "strings"

// refang undoes the habits by which people write an address so that no program links
// it: brackets around dots, colons and at signs, escaped dots, hxxp for http. False
// where there is none.
func refang(v view) (view, bool) {
	if !strings.ContainsAny(v.s, "[({<\\*xX") {
		return view{}, false
	}
	w := newBuilder(v)
	behind := 0 // where the last defanged character ends
	for i := 0; i < len(v.s); {
		out, from, n := defanged(v.s, i, behind)
		if n == 0 {
			w.put(v.s[i:i+1], i, i+1)
			i++
			continue
		}
		for range i - from { // spaces before the bracket belong to it
			w.b, w.from, w.to = w.b[:len(w.b)-1], w.from[:len(w.from)-1], w.to[:len(w.to)-1]
		}
		w.put(out, from, i+n)
		i += n
		behind = i
	}
	if behind == 0 {
		return view{}, false
	}
	out := w.view()
	out.refanged = true
	return out, true
}

// bracketed are the words that stand for a character inside brackets.
var bracketed = map[string]string{
	".": ".", "dot": ".", "d0t": ".", "punkt": ".",
	":": ":", "colon": ":", "://": "://", "//": "//", "/": "/",
	"@": "@", "at": "@",
}

// defanged reports what the n bytes at i stand for; from is less than i where the
// space before them belongs to it, which it may from behind on.
func defanged(s string, i, behind int) (out string, from, n int) {
	switch c := s[i]; c {
	case '[', '(', '{', '<':
		return defangedBracket(s, i, behind)
	case '\\':
		if i+1 < len(s) && (s[i+1] == '.' || s[i+1] == '/') && i > 0 && s[i-1] != '\\' {
			return s[i+1 : i+2], i, 2
		}
	case 'h', 'H':
		if (i == 0 || !alnum(s[i-1])) && len(s) > i+4 {
			if mid := strings.ToLower(s[i+1 : i+3]); (mid == "xx" || mid == "**" || mid == "tx" || mid == "xt") && lower(s[i+3]) == 'p' {
				return "http", i, 4
			}
		}
	}
	return "", i, 0
}

func defangedBracket(s string, i, behind int) (out string, from, n int) {
	const longest = len("[ colon ]")
	closing := closingOf(s[i])
	end := strings.IndexByte(s[i:min(len(s), i+longest)], closing)
	if end < 0 {
		// "example[.com": the bracket is opened and left.
		if s[i] == '[' && i+2 < len(s) && s[i+1] == '.' && letter(s[i+2]) {
			return ".", i, 2
		}
		return "", i, 0
	}
	word := strings.ToLower(strings.Trim(s[i+1:i+end], " "))
	out, ok := bracketed[word]
	if !ok {
		return "", i, 0
	}
	from, n = i, end+1
	if out == "." || out == "@" {
		if i-1 > behind && s[i-1] == ' ' && s[i-2] != ' ' {
			from--
		}
		if i+n+1 < len(s) && s[i+n] == ' ' && s[i+n+1] != ' ' {
			n++
		}
	}
	return out, from, n
}

func closingOf(open byte) byte {
	switch open {
	case '[':
		return ']'
	case '(':
		return ')'
	case '{':
		return '}'
	}
	return '>'
}
