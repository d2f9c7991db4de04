package address

import (
	"slices"
	"strings"
	"testing"
)

// worst are texts that make a search by regular expression slow: long runs, many
// starts that never finish, and every view at once.
var worst = map[string]string{
	"prose":          "The engine keeps p99 under 400 ms while the mailer is slow. ",
	"letters":        "a",
	"dots":           ".",
	"labels":         "a.",
	"names":          "a.b ",
	"hosts":          "a.com ",
	"long names":     "abcdefgh.",
	"colons":         ":",
	"slashes":        "/",
	"at signs":       "a@",
	"passwords":      "a:b@",
	"users":          "a@b ",
	"schemes":        "a://",
	"empty schemes":  "://",
	"http":           "http:",
	"hex":            "0:",
	"double colons":  "1::",
	"numbers":        "1.",
	"octal":          "0177.",
	"addresses":      "1.2.3.4 ",
	"percent":        "%25",
	"percent thrice": "%252561.",
	"brackets":       "[",
	"defanged":       "a[.]",
	"spaced":         "a [dot] ",
	"base64":         "aHR0",
	"sockets":        "/a.sock",
	"ports":          "a:9000 ",
	"hyphens":        "-",
	"hyphen labels":  "-.",
	"marks":          "a\u0301",
	"many marks":     "\u0301",
	"hangul":         "가",
	"mixed scripts":  "日a",
	"idn":            "日.本 ",
	"idn tld":        "a.中国 ",
	"full width":     "ａ．",
	"ideographic":    "a。",
	"soft hyphens":   "a\u00ad",
	"backslashes":    `\\a\`,
	"mac":            "00:1a:2b:3c:4d:5e ",
	"not utf-8":      "\xff\xfe",
	"camel":          "aB.cD ",
	"invisible":      "\u200b",
	"ligatures":      "\ufdfa",
	"wrapped":        "jdbc:jdbc:",
	"unc":            `//a.b `,
}

// size is the largest scenario file.
const size = 64 << 10

func filled(unit string) string { return strings.Repeat(unit, size/len(unit)+1)[:size] }

func BenchmarkFind(b *testing.B) {
	var names []string
	for name := range worst {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text := filled(worst[name])
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(text, Text)
			}
		})
	}
}
