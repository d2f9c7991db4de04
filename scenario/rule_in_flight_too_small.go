package scenario

import (
	"fmt"
	"math"
	"math/big"
)

var inFlightTooSmall = Rule{
	Code: "in-flight-too-small", Severity: Error,
	What: "Requests under way = rate x latency (Little's law). A `max_in_flight` below `rate` x `max_p99_ms` / 1000 would hold requests back " +
		"before the service is as slow as it may be.",
	Message: "50 a second at 400 ms needs 20 in flight; max_in_flight is 10",
	Bad: `[load]
target = "api"
rate = 50
duration = "5m"
max_in_flight = 10
operations = [{ openapi = "pets.list" }]

[assertions]
max_p99_ms = 400
`,
	Good: `[load]
target = "api"
rate = 50
duration = "5m"
max_in_flight = 40
operations = [{ openapi = "pets.list" }]

[assertions]
max_p99_ms = 400
`,
}

func (c *checker) checkInFlight() {
	bound, ok := c.load.get("max_in_flight")
	rate, also := c.load.get("rate")
	limit, too := c.assertions.get(string(MaxP99))
	if !ok || !also || !too {
		return
	}
	needs := new(big.Rat).Mul(rate.number, limit.number)
	needs.Quo(needs, big.NewRat(1000, 1))
	if bound.number.Cmp(needs) >= 0 {
		return
	}
	c.tell(&inFlightTooSmall, bound.node.Span, func() string {
		return fmt.Sprintf("%s a second at %s ms needs %s in flight; max_in_flight is %s",
			decimal(rate.number), decimal(limit.number), roundUp(needs), bound.number.RatString())
	})
}

// leastInFlight is the effective max_in_flight of a load that names none and asserts
// nothing that needs more: with 64 connections a generator tells a stall as it is and
// holds tens of thousands of requests a second, and opening connections without a
// bound makes an overload worse.
const leastInFlight = 64

// InFlight is the most requests under way at once: max_in_flight, or where the file
// names none the greater of 64 and twice what Little's law asks for, rate x latency,
// at the strictest latency limit of the assertions. Twice, so that requests are not
// held back as soon as the service reaches its limit.
func (l *Load) InFlight(a Assertions) int {
	if l.MaxInFlight > 0 {
		return l.MaxInFlight
	}
	strictest := math.Inf(1)
	for _, name := range []LimitName{MaxP50, MaxP95, MaxP99} {
		if limit, ok := a.Limit(name); ok {
			strictest = min(strictest, limit)
		}
	}
	if math.IsInf(strictest, 1) {
		return leastInFlight
	}
	rate := max(l.Rate, l.From)
	return max(leastInFlight, int(min(math.Ceil(2*rate*strictest/1000), math.MaxInt32)))
}
