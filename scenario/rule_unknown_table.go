package scenario

var unknownTable = Rule{
	Code: "unknown-table", Severity: Error,
	What:    "The same for a table with a header. What stands in it is not judged.",
	Message: `unknown table "assertion" in the file; did you mean "assertions"?`,
	Bad: `[assertion]
max_error_rate = 0.01

[objective]
success_rate = 0.99
window = "1m"
`,
	Good: `[assertions]
max_error_rate = 0.01

[objective]
success_rate = 0.99
window = "1m"
`,
}
