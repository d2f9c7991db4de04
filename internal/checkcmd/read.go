package checkcmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/scenario/report"
)

// standardInput is the name of standard input.
const standardInput = "-"

// read returns a file's bytes, or what is told instead. A file over the limit is read
// just far enough to know it.
func read(path string, stdin io.Reader) (source []byte, told *scenario.Diagnostic) {
	if path == standardInput {
		return readAll(stdin, 0)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, unreadable(whyNot(err))
	}
	if reason := refuse(info.Mode()); reason != "" {
		return nil, unreadable(reason)
	}
	// The path may have become another thing since: never follow a link, never wait for
	// the other end of a pipe.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unreadable(whyNot(err))
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, unreadable(whyNot(err))
	}
	if reason := refuse(info.Mode()); reason != "" {
		return nil, unreadable(reason)
	}
	return readAll(file, info.Size())
}

// readAll reads up to the limit; the size is 0 where it is not known.
func readAll(r io.Reader, size int64) ([]byte, *scenario.Diagnostic) {
	source, err := io.ReadAll(io.LimitReader(r, scenario.MaxSize+1))
	if err != nil {
		return nil, unreadable(whyNot(err))
	}
	if len(source) > scenario.MaxSize {
		told := scenario.TooLarge(size)
		return nil, &told
	}
	return source, nil
}

func unreadable(reason string) *scenario.Diagnostic {
	start := scenario.Position{Line: 1, Column: 1}
	return &scenario.Diagnostic{
		Code: report.Unreadable, Severity: scenario.Error, Range: scenario.Range{Start: start, End: start}, Message: reason,
	}
}

// refuse says why a path of a mode is not read; empty means it is.
func refuse(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "is a directory; name the files in it"
	case mode&fs.ModeSymlink != 0:
		return "is a symbolic link; name the file itself"
	case mode&fs.ModeNamedPipe != 0:
		return "is a named pipe, not a file; use - to read from a pipe"
	case mode&fs.ModeSocket != 0:
		return "is a socket, not a file"
	case mode&fs.ModeDevice != 0:
		return "is a device, not a file"
	case !mode.IsRegular():
		return "is not a regular file"
	}
	return ""
}

// whyNot words an error without the path, which stands in front of it.
func whyNot(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.ELOOP):
		return "is a symbolic link; name the file itself"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return "cannot be read: " + err.Error()
}
