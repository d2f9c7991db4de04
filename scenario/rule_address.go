package scenario

var addressRule = Rule{
	Code: "address", Severity: Error,
	What: "A URL, a host or an address anywhere in the file, in values, keys and comments, however it is written. " +
		"A scenario names connections; only the bench's operator says what they are.",
	Message: `targets.api.connection: host name "api.example.com"; a scenario names connections, never addresses`,
	Bad:     "[targets]\napi = { connection = \"api.example.com\" }\n",
	Good:    "[targets]\napi = { connection = \"public-api-staging\" }\n",
}

func (c *checker) addresses() {}
