package address

import (
	"unicode"
	"unicode/utf8"
)

func digit(c byte) bool    { return '0' <= c && c <= '9' }
func letter(c byte) bool   { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func alnum(c byte) bool    { return digit(c) || letter(c) }
func upper(c byte) bool    { return 'A' <= c && c <= 'Z' }
func hexDigit(c byte) bool { return digit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// blank reports white space and control characters.
func blank(c byte) bool { return c <= ' ' || c == 0x7f }

// quote reports the ASCII quotation marks.
func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func lower(c byte) byte {
	if upper(c) {
		return c + 'a' - 'A'
	}
	return c
}

func unhex(c byte) byte {
	if digit(c) {
		return c - '0'
	}
	return lower(c) - 'a' + 10
}

// at returns the byte at i, or 0 outside the text.
func (sc *scanner) at(i int) byte {
	if i < 0 || i >= len(sc.s) {
		return 0
	}
	return sc.s[i]
}

// wordAt reports whether a word character of ASCII stands at i.
func (sc *scanner) wordAt(i int) bool { return alnum(sc.at(i)) || sc.at(i) == '_' }

// run returns the end of the stretch of bytes from i for which in holds.
func (sc *scanner) run(i int, in func(byte) bool) int {
	for i < len(sc.s) && in(sc.s[i]) {
		i++
	}
	return i
}

// unspaced are the scripts written without spaces between words, and those that join
// particles to a foreign word: an address may stand directly beside their letters.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isUnspaced(r rune) bool {
	return r >= 0xe00 && (unicode.In(r, unspaced...) || r == '\u30fc') // U+30FC lengthens kana vowels
}

// labelRune decodes the character at the start of s; ok where it can stand in a
// label of a host name, underscores included.
func labelRune(s string) (r rune, n int, ok bool) {
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1, alnum(c) || c == '-' || c == '_'
	}
	r, n = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return r, n, false
	}
	return r, n, unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}
