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
	f.Diagnostics = []Diagnostic{TooLarge(int64(len(f.source)))}
	return true
}

// TooLarge is what is told of a file over MaxSize, for those who know its size without
// reading it; a size that is not over MaxSize means that it is not known.
func TooLarge(size int64) Diagnostic {
	message := fmt.Sprintf("the file has %d bytes; a scenario may have at most %d", size, MaxSize)
	if size <= MaxSize {
		message = fmt.Sprintf("the file is larger than a scenario may be: at most %d bytes", MaxSize)
	}
	return Diagnostic{Code: fileTooLarge.Code, Severity: Error, Range: wholeFile, Message: message}
}

// wholeFile is where something about the file as a whole is told.
var wholeFile = Range{Start: Position{Line: 1, Column: 1}, End: Position{Line: 1, Column: 1}}
