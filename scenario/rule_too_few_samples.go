package scenario

import (
	"fmt"
	"math/big"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var tooFewSamples = Rule{
	Code: "too-few-samples", Severity: Error,
	What: "A limit needs enough measured requests to be judged. When none of n requests is bad, at most 3/n of all are, with 95 % certainty (the rule of three): " +
		"so a p50 needs 30 requests, a p95 60, a p99 300, an error rate e above 0 needs 3/e, a success rate s 3/(1-s). " +
		"The load makes mean rate x (duration - warmup); a window of the objective has mean rate x window.",
	Message: "a p99 needs at least 300 measured requests to be judged; this load makes about 270",
	Bad: `[load]
target = "api"
rate = 1
duration = "5m"
warmup = "30s"
operations = [{ openapi = "pets.list" }]

[assertions]
max_p99_ms = 400
`,
	Good: `[load]
target = "api"
rate = 2
duration = "5m"
warmup = "30s"
operations = [{ openapi = "pets.list" }]

[assertions]
max_p99_ms = 400
`,
}

// quantileSamples are the requests that a quantile needs: 3 / (1 - 0.95) = 60,
// 3 / (1 - 0.99) = 300, and 30 for a median.
var quantileSamples = []struct {
	name  LimitName
	what  string
	needs int64
}{{MaxP50, "p50", 30}, {MaxP95, "p95", 60}, {MaxP99, "p99", 300}}

// samples is the number of measured requests that the load makes.
func (c *checker) samples() (*big.Rat, bool) {
	warmup, duration, ok := c.measured()
	rate, also := c.meanRate()
	if !ok || !also {
		return nil, false
	}
	return requests(rate, duration-warmup), true
}

func (c *checker) checkSamples() {
	if made, ok := c.samples(); ok {
		for _, q := range quantileSamples {
			if limit, ok := c.assertions.get(string(q.name)); ok {
				c.needSamples(limit.node, "a "+q.what, big.NewRat(q.needs, 1), made, "this load makes")
			}
		}
		if limit, ok := c.assertions.get(string(MaxErrorRate)); ok && limit.number.Sign() > 0 {
			c.needSamples(limit.node, "an error rate of "+decimal(limit.number), threeOver(limit.number), made, "this load makes")
		}
	}
	window, ok := c.objective.get("window")
	rate, also := c.meanRate()
	if !ok || !also {
		return
	}
	made := requests(rate, window.duration)
	if limit, ok := c.objective.get("p99_ms"); ok {
		c.needSamples(limit.node, "a p99", big.NewRat(300, 1), made, "a window of "+window.text+" has")
	}
	if limit, ok := c.objective.get("success_rate"); ok {
		needs := threeOver(new(big.Rat).Sub(one, limit.number))
		c.needSamples(limit.node, "a success rate of "+decimal(limit.number), needs, made, "a window of "+window.text+" has")
	}
}

func threeOver(share *big.Rat) *big.Rat { return new(big.Rat).Quo(big.NewRat(3, 1), share) }

func (c *checker) needSamples(n *tree.Node, what string, needs, made *big.Rat, makes string) {
	if made.Cmp(needs) >= 0 {
		return
	}
	c.tell(&tooFewSamples, n.Span, func() string {
		return fmt.Sprintf("%s needs at least %s measured requests to be judged; %s about %s", what, roundUp(needs), makes, whole(made))
	})
}
