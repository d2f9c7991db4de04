package address

import (
	"encoding/base64"
	"strings"
)

// sockets finds the files of local sockets.
func (sc *scanner) sockets() {
	in := func(c byte) bool { return alnum(c) || strings.IndexByte("._/-~@+%", c) >= 0 }
	for i := 0; i < len(sc.s); i++ {
		if !in(sc.s[i]) {
			continue
		}
		end := sc.run(i, in)
		path := strings.TrimRight(sc.s[i:end], ".-/")
		low := path[max(0, len(path)-len(".socket")):]
		switch low = strings.ToLower(low); {
		case strings.HasSuffix(low, ".sock") && len(path) > len(".sock"),
			low == ".socket" && strings.Contains(path, "/"):
			sc.add(kindSocket, i, i+len(path))
		}
		i = end - 1
	}
}

// base64Head is how much of a base64 word is decoded: enough for the longest scheme
// that is looked for, in whole groups of four.
const base64Head = 32

// encoded finds base64 that begins like a URL.
func (sc *scanner) encoded() {
	in := func(c byte) bool { return alnum(c) || strings.IndexByte("+/-_", c) >= 0 }
	for i := 0; i < len(sc.s); i++ {
		if !in(sc.s[i]) {
			continue
		}
		end := sc.run(i, in)
		if end-i >= len("ZnRwOi8v") && encodedURL(sc.s[i:min(end, i+base64Head)]) {
			to := sc.run(end, func(c byte) bool { return c == '=' })
			sc.add(kindEncodedURL, i, min(to, end+2))
		}
		i = end - 1
	}
}

// fromURLAlphabet writes base64 in the letters that are decoded: words mix both.
var fromURLAlphabet = strings.NewReplacer("-", "+", "_", "/")

func encodedURL(word string) bool {
	if len(word)%4 == 1 {
		word = word[:len(word)-1]
	}
	word = fromURLAlphabet.Replace(word)
	decoded, err := base64.RawStdEncoding.DecodeString(word)
	if err != nil {
		return false
	}
	scheme, _, ok := strings.Cut(string(decoded), "://")
	return ok && len(scheme) > 1 && letter(scheme[0]) &&
		strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+.-") == ""
}
