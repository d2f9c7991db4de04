package scenario

import "fmt"

var fileTooLarge = Rule{
	Code: "file-too-large", Severity: Error,
	What:    "A file over 65,536 bytes is refused before it is read.",
	Message: "the file has 71680 bytes; a scenario may have at most 65536",
	// The example would be too large for a page: the tests make it.
}

// checkSize refuses a file that is too large. Nothing of it is kept but its bytes.
func checkSize(f *File) bool {
	if len(f.source) <= MaxSize {
		return false
	}
	f.Diagnostics = []Diagnostic{{
		Code: fileTooLarge.Code, Severity: Error, Range: wholeFile,
		Message: fmt.Sprintf("the file has %d bytes; a scenario may have at most %d", len(f.source), MaxSize),
	}}
	return true
}

// wholeFile is where something about the file as a whole is told.
var wholeFile = Range{Start: Position{Line: 1, Column: 1}, End: Position{Line: 1, Column: 1}}
