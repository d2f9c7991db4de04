package agent

import "github.com/inorbit-hr/reliability/scenario"

// The rules of the agent's half of the online check.
var (
	unknownConnection = online("unknown-connection",
		"A target names a connection that the agent does not have.",
		`the agent has no connection "engine-stagin"; did you mean "engine-staging"?`,
		`[targets]
api = { connection = "public-api-stagin" }
`,
		`[targets]
api = { connection = "public-api-staging" }
`)
	wrongEnvironment = online("wrong-environment",
		"A target names a connection of another environment than the scenario's.",
		`connection "engine" belongs to environment "production", not to "staging"`,
		`[targets]
api = { connection = "engine-production" }

[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "prices.get" }]
`,
		`[targets]
api = { connection = "engine-staging" }

[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "prices.get" }]
`)
	wrongProxy = online("wrong-proxy",
		"A target names a proxy that is not the one in front of its connection.",
		`the proxy of connection "engine-staging" is "engine", not "engin"`,
		`[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engin" }
`,
		`[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }
`)
	wrongProtocol = online("wrong-protocol",
		"A load, an operation or a fault needs another protocol than its connection speaks, or one that the agent does not do.",
		`operation "shop.Orders/Get" is gRPC, and connection "public-api-staging" speaks http`,
		`[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ grpc = "shop.Orders/Get" }]
`,
		`[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "orders.get" }]
`)
	unknownOperation = online("unknown-operation",
		"The load names an operation that the contract of its connection does not have.",
		`the contract of connection "public-api-staging" has no operation "orders.serch"; did you mean "orders.search"?`,
		`[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "orders.serch" }]
`,
		`[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "orders.search" }]
`)
	noRequest = online("no-request",
		"The contract does not say enough to make a request: a required part has neither an example nor a default nor a schema that gives a value.",
		`operation orders.get: path parameter id has no example, default or schema to make one from`,
		`[targets]
api = { connection = "shop-staging" }

[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "stock.get" }]
`,
		`[targets]
api = { connection = "public-api-staging" }

[load]
target = "api"
rate = 50
duration = "5m"
operations = [{ openapi = "orders.get" }]
`)
	notAllowed = online("not-allowed",
		"The agent's policy does not allow the connection, the fault, or an operation that is not GET or HEAD.",
		`the agent's policy does not allow operation "orders.create" (POST) as load; allowed writes: none`,
		`[targets]
api = { connection = "hidden-staging" }
`,
		`[targets]
api = { connection = "public-api-staging" }
`)
	overCeiling = online("over-ceiling",
		"A rate, a duration or the requests in flight are above a ceiling.",
		"load.rate 900 is above 500 requests a second, the ceiling of the agent's policy",
		`[load]
target = "api"
rate = 900
duration = "5m"
operations = [{ openapi = "orders.search" }]
`,
		`[load]
target = "api"
rate = 400
duration = "5m"
operations = [{ openapi = "orders.search" }]
`)
	overBudget = online("over-budget",
		"The faults cost more than the budget: the seconds of each times the share of requests that it affects, a latency fault all.",
		"the faults cost 360 s together, above 300 s, the fault budget of the agent's policy",
		`[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }

[[timeline]]
at = "30s"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "200ms" }
for = "4m"
`,
		`[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging", proxy = "engine" }

[[timeline]]
at = "30s"
action = "fault"
target = "engine"
fault = { type = "latency", latency = "200ms" }
for = "1m"
`)
	frozenTarget = online("frozen-target",
		"A fault's target had one that could not be shown to be lifted. A person looks, and unfreezes it.",
		`connection "engine-staging" takes no fault until a person has seen that none acts on it: proxy engine does not accept connections`, "", "")
	noCounter = online("no-counter",
		"`max_uncounted` compares what was sent with what the service counted, and needs a counter at the service.",
		`connection "public-api-staging" has no counter, so max_uncounted cannot be measured`,
		`[assertions]
max_uncounted = 0.01
`,
		`[assertions]
max_error_rate = 0.01
`)
	uncheckedProtocol = online("unchecked-protocol",
		"`checks` asks for a check of every connection, and there is none for the protocol that one speaks.",
		`connection "store-staging" speaks tcp, for which there is no surfaces check`,
		`[targets]
api = { connection = "public-api-staging" }
store = { connection = "store-staging" }

[assertions]
max_error_rate = 0.01
checks = ["surfaces"]
`,
		`[targets]
api = { connection = "public-api-staging" }
engine = { connection = "engine-staging" }

[assertions]
max_error_rate = 0.01
checks = ["surfaces"]
`)
)

// online is a rule of the online half. bad is refused with its code by the account of
// the sample, good is accepted there; what a part does not have is that of a plain file.
func online(code, what, message, bad, good string) scenario.Rule {
	return scenario.Rule{Code: code, Severity: scenario.Error, What: what, Message: message, Bad: bad, Good: good, Online: true}
}

// Rules is the manual of the agent's half of the online check.
func Rules() []scenario.Rule {
	return []scenario.Rule{
		unknownConnection, wrongEnvironment, wrongProxy, wrongProtocol, unknownOperation, noRequest,
		notAllowed, overCeiling, overBudget, frozenTarget, noCounter, uncheckedProtocol,
	}
}
