package verdict

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The greatest lengths, in code points, of text that is not ours.
const (
	maxName    = 80  // as the scenario format bounds it
	maxPath    = 300 // shown; an annotation keeps its path whole
	maxMessage = 500
	maxSource  = 160 // of a source line that is shown
)

// plain makes text from a file or a service harmless for a terminal and for one line:
// line breaks and runs of white space become one space, and every character that
// cannot be seen (control characters, terminal escapes, zero-width and direction
// marks) is written as its number. It is at most limit code points long.
func plain(text string, limit int) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = n > 0
			continue
		}
		shown := visible(r)
		if n += utf8.RuneCountInString(shown); space {
			n++
		}
		if n > limit {
			return cut(b.String(), limit-1) + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteString(shown)
	}
	return b.String()
}

// visible is the character, or its number where it cannot be seen.
func visible(r rune) string {
	if r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r) && !invisible(r) {
		return string(r)
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// invisible are letters and marks that show nothing; the selectors that choose
// between a sign's plain and its coloured form are not among them.
func invisible(r rune) bool {
	if r == '\uFE0E' || r == '\uFE0F' {
		return false
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

// sourceLine makes a source line harmless without moving its columns: a character
// that cannot be seen becomes one that can, and a tab stays.
func sourceLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case visible(r) != string(r):
			return '\uFFFD'
		}
		return r
	}, text)
}

// cut returns at most n code points of the text.
func cut(text string, n int) string {
	if n <= 0 {
		return ""
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// bound is the text, cut to n code points with an ellipsis where it is longer.
func bound(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimRight(cut(text, n-1), " ") + "…"
}

// shownPath is a path on one line.
func shownPath(path string) string {
	if path == "" {
		return "(no path)"
	}
	return plain(path, maxPath)
}
