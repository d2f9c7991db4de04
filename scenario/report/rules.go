package report

import "github.com/inorbit-hr/reliability/scenario"

// The codes of what is told of a path, or of several files together, rather than of
// what stands in one file.
const (
	Unreadable    = "unreadable"
	DuplicateName = "duplicate-name"
)

// Rules is the manual of these codes.
func Rules() []scenario.Rule {
	return []scenario.Rule{
		{
			Code: Unreadable, Severity: scenario.Error,
			What:    "The path is not a file that can be read: it is missing, a directory, a symbolic link, a device, or not permitted.",
			Message: "is a directory; name the files in it",
		},
		{
			Code: DuplicateName, Severity: scenario.Error,
			What:    "Two files of one check have the same `scenario.name`. The later file is told, at its name.",
			Message: `the name "Checkout" is also that of scenarios/checkout.toml (line 3); names are unique in a change`,
		},
	}
}
