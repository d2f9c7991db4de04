package scenario

import (
	"fmt"
	"math/big"
	"unicode/utf8"
)

var outOfRange = Rule{
	Code: "out-of-range", Severity: Error,
	What: "A number outside its bounds, infinity and not-a-number, a duration of zero where that means nothing, one longer than 24h, and a name over 80 characters. " +
		"A share is a number from 0 to 1, and a latency is in milliseconds.",
	Message: "assertions.max_error_rate 5 is not a share between 0 and 1; for 5 % write 0.05",
	Bad: `[assertions]
max_error_rate = 5
`,
	Good: `[assertions]
max_error_rate = 0.05
`,
}

// maxName bounds scenario.name, in code points.
const maxName = 80

func (c *checker) isShort(v *value) bool {
	n := utf8.RuneCountInString(v.text)
	if n <= maxName {
		return true
	}
	c.settle(&outOfRange, v.node, "%s has %d characters; it may have at most %d", v.node.Path(), n, maxName)
	return false
}

var one = big.NewRat(1, 1)

// isInRange holds a number against the bounds of its key.
func (c *checker) isInRange(v *value) bool {
	message := rangeMessage(v.key, v.number)
	if message == "" {
		return true
	}
	path := v.node.Path()
	if v.member == nil && path == "" {
		path = v.key.name
	}
	c.settle(&outOfRange, v.node, "%s %s", path, message)
	return false
}

// rangeMessage says how a number is outside its bounds; empty means it is not.
func rangeMessage(k *key, n *big.Rat) string {
	switch k.kind {
	case kindShare:
		return shareMessage(k, n)
	case kindMillis:
		if n.Cmp(one) < 0 {
			if n.Sign() > 0 {
				seconds, _ := new(big.Rat).Mul(n, big.NewRat(1000, 1)).Float64()
				return fmt.Sprintf("is in milliseconds and at least 1; for %s s write %s", decimal(n), formatNumber(seconds))
			}
			return "is in milliseconds and at least 1"
		}
	case kindNumber:
		switch {
		case k.aboveZero && n.Sign() <= 0:
			return "must be more than 0"
		case n.Sign() < 0:
			return "must be 0 or more"
		}
	case kindWhole:
		least, most := big.NewRat(k.min, 1), big.NewRat(k.max, 1)
		switch {
		case k.max > 0 && (n.Cmp(least) < 0 || n.Cmp(most) > 0):
			return fmt.Sprintf("must be between %d and %d, not %s", k.min, k.max, n.RatString())
		case k.min == 0 && n.Sign() < 0:
			return "must be 0 or more"
		case n.Cmp(least) < 0:
			return fmt.Sprintf("must be at least %d", k.min)
		}
	}
	return ""
}

func shareMessage(k *key, n *big.Rat) string {
	switch {
	case n.Cmp(one) > 0:
		share := new(big.Rat).Quo(n, big.NewRat(100, 1))
		if share.Cmp(one) > 0 {
			return fmt.Sprintf("%s is not a share between 0 and 1", decimal(n))
		}
		return fmt.Sprintf("%s is not a share between 0 and 1; for %s %% write %s", decimal(n), decimal(n), decimal(share))
	case k.belowOne && n.Cmp(one) == 0:
		return "is 1, which leaves no error budget: write less than 1, such as 0.999"
	case k.aboveZero && n.Sign() <= 0:
		return "is a share between 0 and 1 and must be above 0"
	case n.Sign() < 0:
		return "is a share between 0 and 1 and must not be negative"
	}
	return ""
}
