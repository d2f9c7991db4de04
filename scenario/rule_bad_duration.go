package scenario

import (
	"fmt"
	"strings"
	"time"
)

var badDuration = Rule{
	Code: "bad-duration", Severity: Error,
	What:    "A duration is text: whole numbers with h, m, s and ms, in that order, each at most once, without spaces, such as \"1m30s\" or \"200ms\".",
	Message: `load.duration "5M" is not a duration: whole numbers with h, m, s, ms, such as "1m30s"`,
	Bad: `[load]
target = "api"
rate = 50
duration = "5 minutes"
operations = [{ openapi = "pets.list" }]
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "pets.list" }]
`,
}

// maxDuration bounds every duration.
const maxDuration = 24 * time.Hour

// units of a duration, in the order in which they are written.
var units = []struct {
	name string
	unit time.Duration
}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}}

// parseDuration reads a duration. One that is too long for a time.Duration is long,
// and still ok.
func parseDuration(text string) (d time.Duration, long, ok bool) {
	next := 0
	for text != "" {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		number, rest := text[:digits], text[digits:]
		if digits == 0 {
			return 0, false, false
		}
		unit := rest[:len(rest)-len(strings.TrimLeft(rest, "hms"))]
		// "5m2s" ends a unit at the next digit; "ms" is one unit, never "m" and "s".
		for ; next < len(units) && units[next].name != unit; next++ {
		}
		if next == len(units) {
			return 0, false, false
		}
		n, fits := smallNumber(number)
		if !fits || n > int64(maxDuration/units[next].unit)+1 {
			long = true
		} else {
			d += time.Duration(n) * units[next].unit
		}
		next++
		text = rest[len(unit):]
		ok = true
	}
	return d, long || d > maxDuration, ok
}

// smallNumber reads digits, as long as they stay below 10^12.
func smallNumber(digits string) (int64, bool) {
	var n int64
	for _, c := range digits {
		if n = n*10 + int64(c-'0'); n > 1e12 {
			return 0, false
		}
	}
	return n, true
}

// isDuration takes the duration of a text.
func (c *checker) isDuration(v *value) bool {
	d, long, ok := parseDuration(v.text)
	path := v.node.Path
	switch {
	case !ok:
		c.settled[v.node] = true
		c.tell(&badDuration, v.node.Span, func() string { return wordDuration(path(), v.text) })
	case long:
		c.settle(&outOfRange, v.node, "%s %q is longer than 24h", path(), v.text)
		return false
	case d == 0 && v.key.aboveZero:
		c.settle(&outOfRange, v.node, "%s must be longer than zero", path())
		return false
	}
	v.duration = d
	return ok
}

func wordDuration(path, text string) string {
	digits := strings.Trim(text, "0123456789") == ""
	switch {
	case digits && text != "":
		return fmt.Sprintf("%s %q needs a unit: %q, %q or %q?", path, text, text+"s", text+"m", text+"ms")
	case strings.HasPrefix(text, "-"):
		return fmt.Sprintf("%s %q is negative; a duration is not", path, text)
	}
	return fmt.Sprintf("%s %q is not a duration: whole numbers with h, m, s, ms, such as \"1m30s\"", path, text)
}
