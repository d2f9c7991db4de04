package scenario

import (
	"unicode"
	"unicode/utf8"
)

var invisibleCharacter = Rule{
	Code: "invisible-character", Severity: Error,
	What: "Text and comments have no characters that are not seen: of no width, or turning the direction of the text, so that a reviewer reads another text than the machine. " +
		"Joiners inside an emoji, and inside words of the scripts that need them, are fine.",
	Message: "scenario.name has the invisible character U+202E",
	Bad: `[scenario]
format = 1
name = "Check\u2066out"
environment = "staging"
`,
	Good: `[scenario]
format = 1
name = "Checkout"
environment = "staging"
`,
}

// unseen are characters that show nothing though Unicode does not class them as
// format characters: fillers, blanks and the selectors in which text can be hidden.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034F, Hi: 0x034F, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115F, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180B, Hi: 0x180F, Stride: 1}, // Mongolian selectors and separator
		{Lo: 0x2028, Hi: 0x2029, Stride: 1}, // line and paragraph separator
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // braille blank
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xFE00, Hi: 0xFE0D, Stride: 1}, // variation selectors, but text and emoji style
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}, // half-width Hangul filler
	},
	R32: []unicode.Range32{
		{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}, // tags and supplementary selectors
	},
}

// hidden tells whether a character shows nothing, or turns the text. The signs of
// Arabic that Unicode classes as format characters are seen.
func hidden(r rune) bool {
	return r > unicode.MaxASCII &&
		(unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) || unicode.Is(unseen, r))
}

// firstHidden is the first hidden character of a text, or -1.
func firstHidden(text string) rune {
	for i, r := range text {
		if hidden(r) && !joins(text, i, r) {
			return r
		}
	}
	return -1
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// joiningScripts are those whose words need joiners to be written right.
var joiningScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

// joins tells whether a joiner at i stands where one belongs: between the parts of an
// emoji, or in a word of a script that has them.
func joins(text string, i int, r rune) bool {
	if r != joiner && r != nonJoiner {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	if before == utf8.RuneError || after == utf8.RuneError {
		return false // it stands at an end of the text
	}
	if r == joiner && emojiPart(before) && unicode.Is(unicode.So, after) {
		return true
	}
	return unicode.In(before, joiningScripts...) && unicode.In(after, joiningScripts...)
}

// emojiPart tells whether a character can end a part of an emoji: a symbol, its
// emoji style, or a skin tone.
func emojiPart(r rune) bool {
	return unicode.Is(unicode.So, r) || r == 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF
}
