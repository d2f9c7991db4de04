package tree

import (
	"bytes"
	"strings"
)

// noteEscapes finds the escapes that only TOML 1.1 has.
func (r *reader) noteEscapes(s Span, v *Node) {
	raw := r.text[s.Start:s.End]
	if len(raw) == 0 || raw[0] != '"' || bytes.IndexByte(raw, '\\') < 0 {
		return
	}
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch raw[i+1] {
		case 'e':
			r.doc.Newer = append(r.doc.Newer, Newer{EscapeE, Span{s.Start + i, s.Start + i + 2}, v})
		case 'x':
			r.doc.Newer = append(r.doc.Newer, Newer{EscapeX, Span{s.Start + i, s.Start + i + 4}, v})
		}
		i++
	}
}

// withoutSeconds tells whether a clock time stops at the minutes.
func withoutSeconds(text string) bool {
	i := strings.IndexByte(text, ':')
	return i >= 0 && (len(text) <= i+3 || text[i+3] != ':')
}
