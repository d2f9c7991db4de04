package scenario

var unknownTable = Rule{
	Code: "unknown-table", Severity: Error,
	What:    "The same for a table with a header. What stands in it is not judged.",
	Message: `unknown table "assertion" in the file; did you mean "assertions"?`,
	Bad:     "[assertion]\nmax_error_rate = 0.01\n\n[objective]\nsuccess_rate = 0.99\nwindow = \"1m\"\n",
	Good:    "[assertions]\nmax_error_rate = 0.01\n\n[objective]\nsuccess_rate = 0.99\nwindow = \"1m\"\n",
}
