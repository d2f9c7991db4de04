package agent

import "github.com/inorbit-hr/reliability/scenario"

// The rules of the agent's half of the online check.
var (
	unknownConnection = online("unknown-connection",
		"A target names a connection that the agent does not have.",
		`the agent has no connection "engine-stagin"; did you mean "engine-staging"?`)
	wrongEnvironment = online("wrong-environment",
		"A target names a connection of another environment than the scenario's.",
		`connection "engine" belongs to environment "production", not to "staging"`)
	wrongProxy = online("wrong-proxy",
		"A target names a proxy that is not the one in front of its connection.",
		`the proxy of connection "engine-staging" is "engine", not "engin"`)
	wrongProtocol = online("wrong-protocol",
		"A load, an operation or a fault needs another protocol than its connection speaks, or one that the agent does not do.",
		`operation "shop.Orders/Get" is gRPC, and connection "public-api-staging" speaks http`)
	unknownOperation = online("unknown-operation",
		"The load names an operation that the contract of its connection does not have.",
		`the contract of connection "public-api-staging" has no operation "orders.serch"; did you mean "orders.search"?`)
	noRequest = online("no-request",
		"The contract does not say enough to make a request: a required part has neither an example nor a default nor a schema that gives a value.",
		`operation orders.get: path parameter id has no example, default or schema to make one from`)
	notAllowed = online("not-allowed",
		"The agent's policy does not allow the connection, the fault, or an operation that is not GET or HEAD.",
		`the agent's policy does not allow operation "orders.create" (POST) as load; allowed writes: none`)
	overCeiling = online("over-ceiling",
		"A rate, a duration or the requests in flight are above a ceiling.",
		"load.rate 900 is above 500 requests a second, the ceiling of the agent's policy")
	overBudget = online("over-budget",
		"The faults cost more than the budget: the seconds of each times the share of requests that it affects, a latency fault all.",
		"the faults cost 360 s together, above 300 s, the fault budget of the agent's policy")
	frozenTarget = online("frozen-target",
		"A fault's target had one that could not be shown to be lifted. A person looks, and unfreezes it.",
		`connection "engine-staging" takes no fault until a person has seen that none acts on it: proxy engine does not accept connections`)
	noCounter = online("no-counter",
		"`max_uncounted` compares what was sent with what the service counted, and needs a counter at the service.",
		"no connection of the agent has a counter, so max_uncounted cannot be measured")
	uncheckedProtocol = online("unchecked-protocol",
		"`checks` asks for a check of every connection, and there is none for the protocol that one speaks.",
		`connection "store-staging" speaks tcp, for which there is no surfaces check`)
)

func online(code, what, message string) scenario.Rule {
	return scenario.Rule{Code: code, Severity: scenario.Error, What: what, Message: message}
}

// Rules is the manual of the agent's half of the online check.
func Rules() []scenario.Rule {
	return []scenario.Rule{
		unknownConnection, wrongEnvironment, wrongProxy, wrongProtocol, unknownOperation, noRequest,
		notAllowed, overCeiling, overBudget, frozenTarget, noCounter, uncheckedProtocol,
	}
}
