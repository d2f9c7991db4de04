package verdict

import (
	"fmt"
	"strings"
	"unicode"
)

// noLink stands behind a character that GitHub would make a link, a mention or a
// sign of: it shows nothing.
const noLink = "\u200b"

// markdown writes one line of text that is not ours so that Markdown and HTML show it
// as it is: no markup, no link, no mention, no cell of a table. It holds in a
// paragraph, a list, a table and inside an HTML element.
func markdown(text string) string {
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		var before, after rune
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		switch {
		case r == '\n' || r == '\r':
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*[]<>&|~$", r),
			r == '_' && !(word(before) && word(after)),
			strings.ContainsRune("-+=#", r) && i == 0:
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune(".)", r) && (after == ' ' || after == 0) && onlyDigits(runes[:i]): // "1." would be a list
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
		if r == '@' || r == '#' || r == ':' && after != ' ' && after != 0 || r == '.' && endsWWW(runes[:i]) {
			b.WriteString(noLink)
		}
	}
	return b.String()
}

func word(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func onlyDigits(runes []rune) bool {
	for _, r := range runes {
		if r < '0' || r > '9' {
			return false
		}
	}
	return len(runes) > 0
}

func endsWWW(runes []rune) bool {
	return len(runes) >= 3 && strings.EqualFold(string(runes[len(runes)-3:]), "www")
}

// code writes text that is not ours as code where that is safe, else as markdown does.
func code(text string) string {
	if text == "" {
		return ""
	}
	for _, r := range text {
		if !word(r) && !strings.ContainsRune("./- :,()", r) {
			return markdown(text)
		}
	}
	if strings.TrimSpace(text) != text {
		return markdown(text)
	}
	return "`" + text + "`"
}

// fenced is a block of code; the fence is longer than any inside it.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}
