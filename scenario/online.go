package scenario

import "fmt"

// ValidName tells whether a text is a name as targets, connections, proxies and
// environments have it: lower-case letters, digits and single hyphens, a letter first.
func ValidName(text string) bool { return validName(text) }

// Closest is the one of some words that a text was probably meant to be; empty where
// none is near, or several are equally so.
func Closest(text string, words []string) string { return closest(text, words) }

// Problem words a problem of the value at a path, such as targets.api.connection (see
// Find), for a rule that needs more than the file. Where the file does not have the path,
// the nearest table that it is in is told, or the file's beginning.
func (f *File) Problem(code string, severity Severity, path, format string, args ...any) Diagnostic {
	return Diagnostic{Code: code, Severity: severity, Range: f.near(path), Message: oneLine(fmt.Sprintf(format, args...))}
}

// near is where a path stands, or the longest beginning of it that the file has.
func (f *File) near(path string) Range {
	for end := len(path); end > 0; end-- {
		if end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		if place, ok := f.Find(path[:end]); ok {
			return place.Value
		}
	}
	start := Position{Line: 1, Column: 1}
	return Range{Start: start, End: start}
}
