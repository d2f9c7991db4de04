package tree

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// unitPattern is a number with something behind it that is no number.
var unitPattern = regexp.MustCompile(`^[+-]?[0-9][0-9_.]*\s*[\pL%µ°€$/][\pL0-9%µ°€$/. ]*$`)

// checkNumber says why a number that the parser lets pass is none; empty means it is.
func checkNumber(text string, kind Kind) string {
	plain := strings.ReplaceAll(text, "_", "")
	if kind == Integer {
		if _, err := strconv.ParseInt(strings.TrimPrefix(plain, "+"), 0, 64); err != nil {
			return "the number is too large: a whole number is between -2^63 and 2^63-1"
		}
		return ""
	}
	if strings.HasSuffix(plain, "inf") || strings.HasSuffix(plain, "nan") {
		return ""
	}
	if _, err := strconv.ParseFloat(plain, 64); err != nil {
		return "the number is too large"
	}
	return ""
}

// checkTime says why a date or a clock time that the parser lets pass is none, and
// from which of its bytes on.
func checkTime(text string) (at int, message string) {
	const key = "x = "
	err := validTOML(key + text)
	if err == nil {
		return 0, ""
	}
	var derr *toml.DecodeError
	if errors.As(err, &derr) {
		_, column := derr.Position()
		at = min(max(column-1-len(key), 0), len(text)-1)
	}
	return at, "there is no such date or time: " + text
}

func validTOML(text string) error {
	var into map[string]any
	return toml.Unmarshal([]byte(text), &into)
}

// Oracle asks the library whether it reads the document at all, and returns what it
// refuses, or nil. It is the last word: a document that it refuses is not valid,
// whatever the tree says.
func (d *Document) Oracle() *Problem {
	text := string(d.source)
	if d.HasByteOrderMark() {
		text = "   " + text[len(byteOrderMark):]
	}
	err := validTOML(text)
	if err == nil {
		return nil
	}
	var derr *toml.DecodeError
	at := 0
	if errors.As(err, &derr) {
		line, column := derr.Position()
		if line >= 1 && line <= len(d.lines) {
			at = min(d.lines[line-1]+column-1, len(d.source))
		}
	}
	return &Problem{Span: Span{at, at}, Message: strings.TrimPrefix(err.Error(), "toml: ")}
}
