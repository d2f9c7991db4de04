package decide

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// number writes at most four significant digits, without an exponent.
func number(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	digits := max(0, 3-int(math.Floor(math.Log10(math.Abs(v)))))
	scale := math.Pow(10, float64(min(digits, 12)))
	return strconv.FormatFloat(math.Round(v*scale)/scale, 'f', -1, 64)
}

// percent writes a share.
func percent(v float64) string { return number(100*v) + " %" }

// seconds writes a time as scenario files do: 4m30s.
func seconds(s float64) string {
	d := time.Duration(math.Round(s*1000)) * time.Millisecond
	out := ""
	if h := d / time.Hour; h > 0 {
		out += fmt.Sprintf("%dh", h)
		d -= h * time.Hour
	}
	if m := d / time.Minute; m > 0 {
		out += fmt.Sprintf("%dm", m)
		d -= m * time.Minute
	}
	if d > 0 || out == "" {
		out += number(d.Seconds()) + "s"
	}
	return out
}

// measured writes how many requests were.
func measured(n int64) string {
	switch n {
	case 0:
		return "none were measured"
	case 1:
		return "1 was measured"
	}
	return fmt.Sprintf("%d were measured", n)
}

// runs writes how many looks there were, in the user's words.
func runs(looks int) string {
	if looks == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", looks)
}

// verb agrees with a number of windows or requests.
func verb(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
