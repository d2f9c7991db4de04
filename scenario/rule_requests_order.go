package scenario

var requestsOrder = Rule{
	Code: "requests-order", Severity: Error,
	What:    "`min_requests` above `max_requests` can never hold.",
	Message: "min_requests 2000 is more than max_requests 1000",
	Bad: `[assertions]
min_requests = 2000
max_requests = 1000
`,
	Good: `[assertions]
min_requests = 1000
max_requests = 20000
`,
}

// checkRequests tells limits that no number of requests keeps.
func (c *checker) checkRequests() {
	least, ok := c.assertions.get(string(MinRequests))
	most, also := c.assertions.get(string(MaxRequests))
	if ok && also && least.number.Cmp(most.number) > 0 {
		c.settle(&requestsOrder, least.node, "min_requests %s is more than max_requests %s", least.number.RatString(), most.number.RatString())
	}
}
