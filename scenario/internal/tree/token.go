package tree

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is an unquoted word, or a number that is none, where a value belongs.
type token struct {
	span       Span // what to write over
	told       Span // what to point at
	message    string
	suggestion string
}

// token finds the token that the parser stopped in, if it did.
func (r *reader) token(start, at int, p place, message string) (token, bool) {
	word, number := tokenError(message)
	if !word && !number {
		behind := strings.HasPrefix(message, "expected newline") || strings.HasPrefix(message, "expected ',' or")
		if !behind || at == start || r.text[start] == '[' || !isWordByte(r.text[at-1]) || !isWordByte(r.text[at]) {
			return token{}, false
		}
		word = true
	}
	from := at
	for from > start && isWordByte(r.text[from-1]) {
		from--
	}
	to := r.tokenEnd(at, len(p.open) > 0)
	if to <= from || len(p.open) > 0 && bytes.IndexByte(r.text[from:to], '=') >= 0 {
		return token{}, false // a key in a list is no value
	}
	t := token{span: Span{from, to}, told: Span{from, to}}
	if number {
		t.told = r.runeAt(at)
	}
	key, _, _ := scanKeys(r.text, start)
	name := ""
	if len(key) > 0 && len(p.open) == 0 {
		name = key[len(key)-1].Text
	}
	t.message, t.suggestion = explainToken(string(r.text[from:to]), name, message)
	return t, true
}

// tokenError sorts the parser's messages about values.
func tokenError(message string) (word, number bool) {
	for _, prefix := range []string{"unexpected character", "expected keyword", "strings must be quoted", "expected digit", "expected number", "expected \"inf\"", "expected \"nan\""} {
		if strings.HasPrefix(message, prefix) {
			return true, false
		}
	}
	for _, part := range []string{"leading zeroes", "decimal point", "exponent must", "underscores", "radix prefix"} {
		if strings.Contains(message, part) {
			return false, true
		}
	}
	return false, false
}

func isWordByte(c byte) bool {
	return isBare(c) || c >= utf8.RuneSelf || strings.IndexByte("+.:%/$", c) >= 0
}

// tokenEnd is where an unquoted text ends: with its line, or in brackets at what may
// follow a value.
func (r *reader) tokenEnd(at int, nested bool) int {
	end, stop := at, "#"
	if nested {
		stop = "#,]}"
	}
	for line := r.doc.lineEnd(at); end < line && strings.IndexByte(stop, r.text[end]) < 0; {
		end++
	}
	for end > at && isBlank(r.text[end-1]) {
		end--
	}
	return end
}

func explainToken(text, key, message string) (told, suggestion string) {
	quoted := strconv.Quote(text)
	switch {
	case strings.ContainsAny(text, "“”„‘’«»"):
		plain := strings.Trim(text, "“”„‘’«»")
		suggestion = strconv.Quote(plain)
		return "curly quotes do not quote in TOML: write " + suggestion, suggestion
	case unitPattern.MatchString(text) && !strings.Contains(message, "underscores") && !strings.Contains(message, "exponent"):
		return explainUnit(text, key)
	case strings.EqualFold(text, "true"), strings.EqualFold(text, "false"):
		return fmt.Sprintf("%s is no value of TOML: write %s in lower case, or the text in quotes", text, strings.ToLower(text)), strings.ToLower(text)
	case strings.EqualFold(text, "null"), strings.EqualFold(text, "nil"), strings.EqualFold(text, "none"):
		return "TOML has no " + text + ": leave the key out, or write the text in quotes", ""
	case strings.Contains(message, "leading zeroes"):
		return "a number has no leading zeros: write " + trimZeros(text), trimZeros(text)
	case strings.Contains(message, "decimal point"):
		return "a decimal point needs a digit on both sides: write 0.5 or 5.0", ""
	case strings.Contains(message, "exponent"):
		return "an exponent needs a digit: write 1e3", ""
	case strings.Contains(message, "underscores"):
		return "an underscore in a number stands between two digits: write 1_000", ""
	case strings.Contains(message, "radix"):
		return "a number such as " + quoted + " needs digits, and no sign, around its prefix", ""
	case len(text) > 1 && text[0] == '.' && allDigits(text[1:]):
		return "a decimal point needs a digit on both sides: write 0" + text, "0" + text
	}
	return "text stands in quotes: write " + quoted + " in quotes", quoted
}

func explainUnit(text, key string) (told, suggestion string) {
	digits := strings.TrimRightFunc(text, func(c rune) bool { return !unicode.IsDigit(c) })
	unit := strings.TrimSpace(text[len(digits):])
	switch {
	case unit == "%":
		if f, err := strconv.ParseFloat(digits, 64); err == nil {
			share := strconv.FormatFloat(f/100, 'g', 12, 64)
			return fmt.Sprintf("a share is a number: for %s write %s", text, share), share
		}
	case unit == "ms" && strings.HasSuffix(key, "_ms"):
		return fmt.Sprintf("%s is in milliseconds: write %s without the unit", key, digits), digits
	}
	quoted := strconv.Quote(text)
	return "a value with a unit is text: write " + quoted + " in quotes", quoted
}

func trimZeros(text string) string {
	if t := strings.TrimLeft(text, "0"); t != "" && t[0] != '.' {
		return t
	}
	return "0" + strings.TrimLeft(text, "0")
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func explainEscape(escape, message string) string {
	switch {
	case strings.HasPrefix(message, "invalid escape"):
		return escape + ` is no escape of TOML; write \\ for a backslash, or use 'single quotes'`
	case strings.Contains(message, "too many quotes"):
		return "too many quotes at the end of the text"
	case strings.Contains(message, "not a valid unicode"):
		return "the escape is no character of Unicode"
	case strings.Contains(message, "hexadecimal"), strings.Contains(message, "too short"):
		return `a Unicode escape is \u with four, or \U with eight hexadecimal digits`
	}
	return message
}

// explain words an error that cannot be repaired.
func (r *reader) explain(start, at int, p place, message string) string {
	unclosed := -1
	for _, i := range p.open {
		if r.doc.lineOf(i) < r.doc.lineOf(at) || at >= len(r.text)-1 {
			unclosed = i
		}
	}
	if unclosed >= 0 && (r.text[unclosed] == '{' || r.isTableLine(start, at) || at >= len(r.text)-1) {
		return fmt.Sprintf("the %c on line %d is not closed before this", r.text[unclosed], r.doc.lineOf(unclosed)+1)
	}
	found := describe(r.text[at:])
	switch {
	case strings.HasPrefix(message, "expected '='"):
		if at < len(r.text) && r.text[at] == ':' {
			return "unexpected character \":\" behind a key; TOML writes name = value"
		}
		return "expected = behind the key, found " + unexpected(found)
	case strings.HasPrefix(message, "invalid character at start of key"):
		return "unexpected character " + found + " where a key belongs; write letters, digits, - and _, or put the key in quotes"
	case strings.HasPrefix(message, "unexpected character") && at < len(r.text) && isBare(r.text[at]):
		return "a key in a list: tables of a list stand in braces, as [{ key = value }]"
	case strings.HasPrefix(message, "unexpected character"), strings.HasPrefix(message, "expected value"):
		return "a value is missing before " + found
	case strings.HasPrefix(message, "expected ',' or"):
		return "expected a comma or the closing bracket, found " + found
	case strings.HasPrefix(message, "unexpected comma"):
		return "unexpected comma in an inline table"
	case strings.Contains(message, "nested more than"):
		return "lists and tables are nested too deep"
	}
	return message
}

// unexpected names a character that is not expected.
func unexpected(found string) string {
	if strings.HasPrefix(found, "the ") {
		return found
	}
	return "the unexpected character " + found
}

// describe names the character that a text starts with.
func describe(b []byte) string {
	if len(b) == 0 {
		return "the end of the file"
	}
	c, _ := utf8.DecodeRune(b)
	switch c {
	case '\n', '\r':
		return "the end of the line"
	case ' ', '\t':
		return "a blank"
	case '\u00a0':
		return "non-breaking space (U+00A0)"
	case '\ufeff':
		return "byte-order mark (U+FEFF)"
	}
	if unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) {
		return "invisible character " + codePoint(c)
	}
	if c < utf8.RuneSelf && unicode.IsPrint(c) {
		return strconv.Quote(string(c))
	}
	if unicode.IsPrint(c) {
		return fmt.Sprintf("%q (%s)", string(c), codePoint(c))
	}
	return "control character " + codePoint(c)
}

func codePoint(c rune) string { return fmt.Sprintf("U+%04X", c) }
