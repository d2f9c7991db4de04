package verdict

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// digits is how many significant digits a number is shown with.
const digits = 3

// amount writes a value in its unit.
func amount(value float64, unit Unit) string { return precise(value, unit, digits) }

// apart writes a value and its limit with as many digits as it takes to tell them
// apart, so that nobody reads "400 ms, over the limit of 400 ms".
func apart(value, limit float64, unit Unit) (string, string) {
	for n := digits; n < 15 && value != limit; n++ {
		a, b := precise(value, unit, n), precise(limit, unit, n)
		if a != b {
			return a, amount(limit, unit)
		}
	}
	return amount(value, unit), amount(limit, unit)
}

func precise(value float64, unit Unit, n int) string {
	switch unit {
	case Milliseconds:
		if value >= 10_000 {
			return number(value/1000, n) + " s"
		}
		return number(value, n) + " ms"
	case Share:
		return number(value*100, n) + "%"
	case Requests:
		return whole(value)
	case PerSecond:
		return number(value, n) + "/s"
	default:
		return number(value, n)
	}
}

// number writes a number with n significant digits, never in exponents; its whole
// part keeps all of its digits.
func number(x float64, n int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "unknown"
	}
	if x == 0 {
		return "0"
	}
	decimals := max(n-1-int(math.Floor(math.Log10(math.Abs(x)))), 0)
	text := strconv.FormatFloat(x, 'f', min(decimals, 12), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return thousands(text)
}

// whole writes a whole number; a number that is not whole keeps its fraction.
func whole(x float64) string {
	if x != math.Trunc(x) || math.IsInf(x, 0) {
		return number(x, digits)
	}
	return thousands(strconv.FormatFloat(x, 'f', 0, 64))
}

func count(n int64) string { return thousands(strconv.FormatInt(n, 10)) }

// thousands parts the whole part of a number that has more than four digits.
func thousands(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if len(whole) > 4 {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// clock writes milliseconds as 1m42s; under ten seconds with the fraction that there
// is.
func clock(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d >= 10*time.Second || d <= -10*time.Second {
		d = d.Round(time.Second)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// counted writes a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// shortCommit is a commit as people write it.
func shortCommit(commit string) string {
	if isHex(commit) && len(commit) >= 40 {
		return commit[:7]
	}
	return plain(commit, maxName)
}

func isHex(text string) bool {
	return text != "" && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}
