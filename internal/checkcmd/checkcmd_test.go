package checkcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/inorbit-hr/reliability/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const good = `[scenario]
format = 1
name = "%s"
environment = "staging"

[targets]
api = { connection = "public-api-staging" }

[assertions]
checks = ["surfaces"]
`

// write makes a file in a directory of the test and returns its path.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, stdin string, opts Options, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Run(t.Context(), args, strings.NewReader(stdin), &out, &err, opts)
	return code, out.String(), err.String()
}

func TestNoFileIsUsage(t *testing.T) {
	code, stdout, stderr := run(t, "", Options{})
	if code != ExitUsage || stdout != "" || !strings.HasPrefix(stderr, "usage: iohr reliability check") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if code, _, stderr = run(t, "", Options{Format: "yaml"}, "x"); code != ExitUsage || !strings.Contains(stderr, `unknown format "yaml"`) {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestGoodFileAndStandardInput(t *testing.T) {
	path := write(t, t.TempDir(), "a.toml", fmt.Sprintf(good, "A"))
	code, stdout, stderr := run(t, fmt.Sprintf(good, "B"), Options{}, path, "-")
	if want := "ok " + path + " (A)\nok - (B)\n"; code != ExitOK || stdout != want || stderr != "" {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// Every path that cannot be read gives one line; the files around it are checked.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	first := write(t, dir, "first.toml", fmt.Sprintf(good, "First"))
	last := write(t, dir, "last.toml", fmt.Sprintf(good, "Last"))
	link := filepath.Join(dir, "link.toml")
	if err := os.Symlink(first, link); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling.toml")
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe.toml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{"directory", dir, "1:1: is a directory; name the files in it [unreadable]"},
		{"missing", filepath.Join(dir, "none.toml"), "1:1: no such file [unreadable]"},
		{"below a file", filepath.Join(first, "x"), "1:1: cannot be read: not a directory [unreadable]"},
		{"link", link, "1:1: is a symbolic link; name the file itself [unreadable]"},
		{"dangling link", dangling, "1:1: is a symbolic link; name the file itself [unreadable]"},
		{"pipe", pipe, "1:1: is a named pipe, not a file; use - to read from a pipe [unreadable]"},
		{"device", "/dev/zero", "1:1: is a device, not a file [unreadable]"},
		{"no name", "", "1:1: no such file [unreadable]"},
		{"zero byte in the name", "a\x00b", `1:1: cannot be read: invalid argument [unreadable]`},
		{"empty", write(t, dir, "empty.toml", ""), "1:1: the file is empty: it has no table [empty]"},
		{"not UTF-8", write(t, dir, "latin.toml", "\xe9\xe9"), "1:1: the file is not UTF-8: byte 0xe9, and 1 more; save it as UTF-8 [not-utf8]"},
		{"a comment that is not UTF-8", write(t, dir, "comment.toml", "# caf\xe9\n"), "1:6: the file is not UTF-8: byte 0xe9 [not-utf8]"},
		{"zero bytes", write(t, dir, "zero.toml", "a\x00b\x00"), "1:2: control character U+0000: the file is not a text file [syntax]"},
		{"too large", write(t, dir, "large.toml", strings.Repeat("#", 70000)), "1:1: the file has 70000 bytes; a scenario may have at most 65536 [file-too-large]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := run(t, "", Options{}, first, tt.path, last)
			shown := strings.ReplaceAll(tt.path, "\x00", `\x00`)
			want := "ok " + first + " (First)\nerror " + shown + ": " + tt.want + "\nok " + last + " (Last)\n"
			if code != ExitProblem || stdout != want || stderr != "" {
				t.Errorf("code %d\n%s\nwant\n%s\nstderr %q", code, stdout, want, stderr)
			}
		})
	}
}

func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		if got := whyNot(&os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}); got != "permission denied" {
			t.Errorf("%q", got)
		}
		return // root may read everything
	}
	path := write(t, t.TempDir(), "secret.toml", fmt.Sprintf(good, "A"))
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := run(t, "", Options{}, path); code != ExitProblem || !strings.Contains(stdout, "permission denied") {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
}

func TestStandardInput(t *testing.T) {
	code, stdout, _ := run(t, strings.Repeat("#", scenario.MaxSize+1), Options{}, "-")
	if want := "error -: 1:1: the file is larger than a scenario may be: at most 65536 bytes [file-too-large]\n"; code != ExitProblem || stdout != want {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
	code, stdout, _ = run(t, fmt.Sprintf(good, "A"), Options{}, "-", "-")
	if code != ExitProblem || !strings.Contains(stdout, "standard input is read once") {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
	var out bytes.Buffer
	broken := errorReader{errors.New("the disk is gone")}
	if code := Run(t.Context(), []string{"-"}, broken, &out, &out, Options{}); code != ExitProblem || !strings.Contains(out.String(), "cannot be read: the disk is gone") {
		t.Errorf("code %d, stdout %q", code, out.String())
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

func TestDuplicateName(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.toml", fmt.Sprintf(good, "Same"))
	b := write(t, dir, "b.toml", fmt.Sprintf(good, "Same"))
	code, stdout, _ := run(t, "", Options{Terminal: true}, a, b, a)
	want := "ok " + a + " (Same)\n" +
		"error " + b + ": 3:8: the name \"Same\" is also that of " + a + " (line 3); names are unique in a change [duplicate-name]\n" +
		"    3 | name = \"Same\"\n      |        ^^^^^^\n" +
		"ok " + a + " (Same)\n"
	if code != ExitProblem || stdout != want {
		t.Errorf("code %d\n%s\nwant\n%s", code, stdout, want)
	}
}

// Whatever a file is, what is told of it has a place: also the name that it shares with
// another, which is read from files with errors too.
func TestEveryProblemHasAPlace(t *testing.T) {
	paths, err := filepath.Glob("../../scenario/testdata/*/*/*.toml")
	if err != nil || len(paths) < 100 {
		t.Fatal(len(paths), err)
	}
	for _, r := range Files(t.Context(), append(paths, t.TempDir(), "-"), strings.NewReader(""), nil) {
		for _, d := range r.Diagnostics {
			if s, e := d.Range.Start, d.Range.End; s.Line < 1 || s.Column < 1 || e.Line < s.Line || e.Line == s.Line && e.Column < s.Column {
				t.Errorf("%s: %v", r.Path, d)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped by a signal"))
	path := write(t, t.TempDir(), "a.toml", fmt.Sprintf(good, "A"))
	var out bytes.Buffer
	if code := Run(ctx, []string{path}, nil, &out, &out, Options{}); code != ExitProblem || !strings.Contains(out.String(), "was not checked: stopped by a signal") {
		t.Errorf("code %d, stdout %q", code, out.String())
	}
}

func TestPrintingFails(t *testing.T) {
	path := write(t, t.TempDir(), "a.toml", fmt.Sprintf(good, "A"))
	var stderr bytes.Buffer
	if code := Run(t.Context(), []string{path}, nil, fullWriter{}, &stderr, Options{}); code != ExitProblem || !strings.Contains(stderr.String(), "printing the results: full") {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("full") }
