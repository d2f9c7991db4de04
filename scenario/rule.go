package scenario

//go:generate go run ./internal/docgen ../docs

// Rule is the manual of one rule: what the reference and the tests know of it. The
// code that applies a rule stands beside its manual.
type Rule struct {
	// Code is stable; a tool may rely on it.
	Code     string
	Severity Severity
	// What says what is refused, or warned of, and why.
	What string
	// Message is an example of what is told.
	Message string
	// Bad is a part of a file that gives exactly this code, Good the same part put
	// right. The tables that a part does not have are those of a plain scenario; a part
	// that starts with "# the whole file" stands alone.
	Bad, Good string
	// Online tells a rule of the half that asks the account: the file alone shows
	// nothing wrong in Bad.
	Online bool
}

// ownFile starts an example that is a file of its own.
const ownFile = "# the whole file\n"

// Rules returns the manual of every rule, in the order of the reference.
func Rules() []Rule {
	return []Rule{
		fileTooLarge, notUTF8, byteOrderMark, syntax, tomlVersion, duplicateKey,
		controlCharacter, invisibleCharacter, unknownFormat,
		unknownKey, unknownTable, misplacedKey, missingKey, conflictingKeys,
		wrongType, wrongBrackets, empty, unknownValue, badName, badOperation, badDuration, outOfRange,
		addressRule,
		unknownTarget, noProxy, listedTwice,
		warmupTooLong, inFlightTooSmall, afterLoadEnd, faultInWarmup, overlappingFaults, jitterAboveLatency,
		needsLoad, percentileOrder, requestsOrder, unreachable, tooFewSamples, conflictingLimits, windowTooLong, assertsNothing,
		unusedTarget, lookAlikeTargets, timelineOrder, faultExceedsLimit,
		moreProblems,
	}
}
