package scenario

// This file is format 1 as data: which table takes which keys, of what kind, within
// what bounds. Reading, the JSON Schema and the reference all come from it.

// kind is what a key's value must be.
type kind uint8

const (
	kindLine       kind = iota // text on one line
	kindText                   // text, line breaks allowed
	kindReason                 // text on one line that gives a reason
	kindName                   // a name: N
	kindTarget                 // a name in [targets]
	kindFormat                 // the number of the format
	kindDuration               // text: D
	kindWhole                  // a whole number
	kindNumber                 // a number
	kindShare                  // a number from 0 to 1
	kindMillis                 // a number of milliseconds
	kindWord                   // one of the key's words
	kindOpenAPI                // an operationId
	kindGRPC                   // package.Service/Method
	kindWords                  // a list of the key's words
	kindExpect                 // a list of statuses or of gRPC codes
	kindTable                  // a table
	kindTables                 // a list of tables
	kindNamedTable             // a table whose keys are names
)

// key is a key of a table.
type key struct {
	name     string
	kind     kind
	required bool
	// only lists the values of the table's selector that the key belongs to; without,
	// it belongs to all.
	only []string
	// aboveZero refuses zero, belowOne refuses one.
	aboveZero, belowOne bool
	// min and max bound a whole number; max is 0 where there is none.
	min, max int64
	words    []string // of kindWord and kindWords
	fallback string   // the default, as written
	what     string   // for the reference
	table    *table   // of kindTable, kindTables and kindNamedTable
}

// table is a table of the format.
type table struct {
	name string // as messages call it
	// place is where its keys belong, in words.
	place string
	// selector is the key whose value decides which other keys belong to the table.
	selector string
	// chosen words the selector's value in a message: "a fault of type %s".
	chosen string
	what   string
	keys   []key
}

func (t *table) key(name string) *key {
	for i := range t.keys {
		if t.keys[i].name == name {
			return &t.keys[i]
		}
	}
	return nil
}

// grpcCodes are the names of the status codes of gRPC, in the order of their numbers
// (https://grpc.io/docs/guides/status-codes/).
var grpcCodes = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
	"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
	"UNAUTHENTICATED",
}

var scenarioTable = &table{
	name: "[scenario]", place: "[scenario]",
	what: "What the scenario is, and where it runs.",
	keys: []key{
		{name: "format", kind: kindFormat, required: true, min: FormatKnown, max: FormatKnown, what: "The version of this format. Another value than 1 is refused, so an old file never changes its meaning."},
		{name: "name", kind: kindLine, required: true, what: "What people call the scenario: one line of 1 to 80 characters, unique in a change."},
		{name: "environment", kind: kindName, required: true, what: "The environment of the account that it runs in."},
		{name: "description", kind: kindText, what: "What it shows, in prose."},
		{name: "skip", kind: kindReason, what: "The reason for not running it. The scenario is listed as skipped; adding a reason loosens the gate."},
	},
}

var targetTable = &table{
	name: "a target", place: "a target",
	what: "A name in this file for a connection of the account. A scenario names connections, never addresses.",
	keys: []key{
		{name: "connection", kind: kindName, required: true, what: "The connection."},
		{name: "proxy", kind: kindName, what: "The agent's listener in front of the connection, where faults act; only a target of a fault needs one."},
	},
}

var operationTable = &table{
	name: "an operation", place: "[[load.operations]]",
	what: "One kind of request of the mix, looked up in the connection's contract.",
	keys: []key{
		{name: "openapi", kind: kindOpenAPI, what: "An operationId. Exactly one of `openapi` and `grpc` is given."},
		{name: "grpc", kind: kindGRPC, what: "A method, as package.Service/Method."},
		{name: "weight", kind: kindWhole, min: 1, fallback: "1", what: "The operation's part of the mix, relative to the other weights."},
		{name: "expect", kind: kindExpect, min: 100, max: 599, fallback: "2xx and 3xx, or OK", what: "What counts as success: statuses of an OpenAPI operation, names of codes of a gRPC method."},
	},
}

var loadTable = &table{
	name: "[load]", place: "[load]", selector: "pattern", chosen: "pattern %s",
	what: "The requests that are sent, on a schedule that does not wait for answers.",
	keys: []key{
		{name: "target", kind: kindTarget, required: true, what: "The target that the requests go to."},
		{name: "rate", kind: kindNumber, required: true, aboveZero: true, what: "Requests a second; of ramp and step the last rate."},
		{name: "duration", kind: kindDuration, required: true, aboveZero: true, what: "How long requests are sent, warm-up included."},
		{name: "warmup", kind: kindDuration, fallback: "0s", what: "The first part of the duration: sent, and not counted."},
		{name: "max_in_flight", kind: kindWhole, min: 1, fallback: "the greater of 64 and twice rate x limit", what: "The most requests under way at once."},
		{name: "pattern", kind: kindWord, words: []string{string(Constant), string(Poisson), string(Ramp), string(Step)}, fallback: string(Constant), what: "How the rate develops: `constant` (evenly spaced), `poisson` (the same rate at random distances), `ramp` (from `from` to `rate` in a line), `step` (the same in `steps` equal steps)."},
		{name: "from", kind: kindNumber, required: true, only: []string{string(Ramp), string(Step)}, what: "The first rate, in requests a second."},
		{name: "steps", kind: kindWhole, required: true, min: 2, only: []string{string(Step)}, what: "The number of steps."},
		{name: "operations", kind: kindTables, required: true, table: operationTable, what: "The mix of requests."},
	},
}

var faultTable = &table{
	name: "a fault", place: "a fault", selector: "type", chosen: "a fault of type %s",
	what: "What happens to requests on their way through the target's proxy.",
	keys: []key{
		{name: "type", kind: kindWord, required: true, words: []string{string(FaultLatency), string(FaultErrors), string(FaultDrop)}, what: "`latency` delays, `errors` answers in the service's place, `drop` closes the connection without an answer."},
		{name: "latency", kind: kindDuration, required: true, aboveZero: true, only: []string{string(FaultLatency)}, what: "The mean delay."},
		{name: "jitter", kind: kindDuration, fallback: "0s", only: []string{string(FaultLatency)}, what: "The delay is spread evenly over latency +/- jitter."},
		{name: "rate", kind: kindShare, required: true, aboveZero: true, only: []string{string(FaultErrors), string(FaultDrop)}, what: "The share of the requests that is affected."},
		{name: "status", kind: kindWhole, min: 400, max: 599, fallback: "503", only: []string{string(FaultErrors)}, what: "The HTTP status of the answer."},
	},
}

var entryTable = &table{
	name: "[[timeline]]", place: "[[timeline]]", selector: "action", chosen: "an entry with action %s",
	what: "What happens at a moment of the run.",
	keys: []key{
		{name: "at", kind: kindDuration, required: true, what: "When, from the run's start."},
		{name: "action", kind: kindWord, required: true, words: []string{string(ActionFault), string(ActionLog)}, what: "`fault` puts a fault on a target, `log` writes a line into the result."},
		{name: "target", kind: kindTarget, required: true, only: []string{string(ActionFault)}, what: "The target, which needs a proxy."},
		{name: "fault", kind: kindTable, required: true, table: faultTable, only: []string{string(ActionFault)}, what: "The fault."},
		{name: "for", kind: kindDuration, required: true, aboveZero: true, only: []string{string(ActionFault)}, what: "How long, until the fault is lifted."},
		{name: "message", kind: kindText, required: true, only: []string{string(ActionLog)}, what: "The line."},
	},
}

var assertionsTable = &table{
	name: "[assertions]", place: "[assertions]",
	what: "Limits on the whole run, warm-up excluded. A request that was not answered, or not as expected, is above every latency limit.",
	keys: []key{
		{name: string(MaxErrorRate), kind: kindShare, what: "The share of requests that may fail."},
		{name: string(MaxP50), kind: kindMillis, what: "The median latency, in milliseconds."},
		{name: string(MaxP95), kind: kindMillis, what: "The latency that 95 % of the requests must keep, in milliseconds."},
		{name: string(MaxP99), kind: kindMillis, what: "The latency that 99 % of the requests must keep, in milliseconds."},
		{name: string(MinRequests), kind: kindWhole, what: "The fewest measured requests."},
		{name: string(MaxRequests), kind: kindWhole, what: "The most measured requests."},
		{name: string(MinThroughput), kind: kindNumber, aboveZero: true, what: "The fewest answers as expected, a second."},
		{name: string(MaxUncounted), kind: kindShare, what: "The share of requests that the service may fail to count: sent minus counted."},
		{name: "checks", kind: kindWords, words: []string{CheckSurfaces}, what: "`surfaces`: every connection answers, in its declared shape, and refuses an unknown caller."},
	},
}

var objectiveTable = &table{
	name: "[objective]", place: "[objective]",
	what: "A service-level objective over a sliding window; the run tells when it broke. At least one of `success_rate` and `p99_ms` is given.",
	keys: []key{
		{name: "success_rate", kind: kindShare, aboveZero: true, belowOne: true, what: "The share of requests that must succeed."},
		{name: "p99_ms", kind: kindMillis, what: "The latency that 99 % of the requests must keep, in milliseconds."},
		{name: "window", kind: kindDuration, required: true, aboveZero: true, what: "The length of the window."},
	},
}

var targetsTable = &table{
	name: "[targets]", place: "[targets]",
	what: "One or more targets, by name.",
}

// fileTable is the file itself.
var fileTable = &table{
	name: "the file", place: "the top of the file",
	keys: []key{
		{name: "scenario", kind: kindTable, required: true, table: scenarioTable},
		{name: "targets", kind: kindNamedTable, required: true, table: targetTable},
		{name: "load", kind: kindTable, table: loadTable},
		{name: "timeline", kind: kindTables, table: entryTable},
		{name: "assertions", kind: kindTable, table: assertionsTable},
		{name: "objective", kind: kindTable, table: objectiveTable},
	},
}

// tables are all tables, in the order of the reference.
func tables() []*table {
	return []*table{scenarioTable, targetTable, loadTable, operationTable, entryTable, faultTable, assertionsTable, objectiveTable}
}

// placesOf are the tables that take a key of that name; of a table only those that
// take it as a table.
func placesOf(name string, isTable bool) []*table {
	var places []*table
	for _, t := range append([]*table{fileTable}, tables()...) {
		if k := t.key(name); k != nil && (!isTable || k.table != nil) {
			places = append(places, t)
		}
	}
	return places
}
