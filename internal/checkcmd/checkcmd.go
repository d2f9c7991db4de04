// Package checkcmd is the check of scenario files as a command: which paths it reads,
// what it refuses to read, and what it prints. The rules are those of package scenario.
package checkcmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/scenario/report"
)

// The exit codes of the check.
const (
	ExitOK      = 0 // no error in any file
	ExitProblem = 1 // an error in a file, or a path that could not be read
	ExitUsage   = 2 // called the wrong way
)

// Usage is printed when no file is named.
const Usage = `usage: iohr reliability check [--format text|json|sarif|github] FILE...

Checks scenario files offline. FILE may be - for standard input.
`

// Options are the flags of the command.
type Options struct {
	// Format is one of report.Formats; empty is text.
	Format string
	// Terminal tells that the output is read on a terminal: with the text format the
	// source line of each problem follows it.
	Terminal bool
	// Online is the half of the check that asks the account; nil checks the files
	// alone. It is asked only about files that the offline half accepts.
	Online Online
}

// Online checks a file against an account. An error means that it could not be asked,
// which is a problem of the file's check, never a pass.
type Online func(ctx context.Context, f *scenario.File) ([]scenario.Diagnostic, error)

// notChecked is the code of a file that the account could not be asked about.
const notChecked = "not-checked"

// Run checks the files named and prints what it found in their order. It returns the
// exit code. It stops early when the context is done; what was not checked then is
// told as unread.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, opts Options) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, Usage)
		return ExitUsage
	}
	write, err := report.For(opts.Format)
	if err != nil {
		fmt.Fprintf(stderr, "%v\n\n%s", err, Usage)
		return ExitUsage
	}
	if opts.Terminal && (opts.Format == "" || opts.Format == "text") {
		write = report.Terminal
	}
	results := Files(ctx, args, stdin, opts.Online)
	if err := write(stdout, results); err != nil {
		fmt.Fprintf(stderr, "printing the results: %v\n", err)
		return ExitProblem
	}
	for i := range results {
		if !results[i].OK() {
			return ExitProblem
		}
	}
	return ExitOK
}

// Files checks the files named, as many at once as there are processors. The results
// stand in the order of the names; of the files themselves only one a processor is in
// memory at a time.
func Files(ctx context.Context, paths []string, stdin io.Reader, online Online) []report.Result {
	results := make([]report.Result, len(paths))
	names := make([]name, len(paths))
	input := slices.Index(paths, standardInput)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		workers.Go(func() {
			for i := range next {
				if paths[i] == standardInput && i != input {
					results[i] = untold(paths[i], unreadable("standard input is read once; it is named before"))
					continue
				}
				results[i], names[i] = checkPath(ctx, paths[i], stdin, online)
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	workers.Wait()
	tellDuplicateNames(results, names)
	return results
}

// name is where a scenario's name stands, and the line.
type name struct {
	at   scenario.Range
	line string
}

func checkPath(ctx context.Context, path string, stdin io.Reader, online Online) (report.Result, name) {
	if ctx.Err() != nil {
		return untold(path, unreadable("was not checked: "+context.Cause(ctx).Error())), name{}
	}
	source, told := read(path, stdin)
	if told != nil {
		return untold(path, told), name{}
	}
	f := scenario.Check(source)
	place, _ := f.Find("scenario.name")
	return report.Of(path, f, askOnline(ctx, f, online)...), name{place.Value, strings.Clone(f.Line(place.Value.Start.Line))}
}

// askOnline is what the account says of a file that the offline half accepts.
func askOnline(ctx context.Context, f *scenario.File, online Online) []scenario.Diagnostic {
	if online == nil || !f.OK() {
		return nil
	}
	found, err := online(ctx, f)
	if err != nil {
		start := scenario.Position{Line: 1, Column: 1}
		return []scenario.Diagnostic{{
			Code: notChecked, Severity: scenario.Error, Range: scenario.Range{Start: start, End: start},
			Message: "could not be checked against the account: " + err.Error(),
		}}
	}
	return found
}

// untold is the result of a path of which nothing but one thing is told.
func untold(path string, d *scenario.Diagnostic) report.Result {
	return report.Result{Path: path, Diagnostics: []scenario.Diagnostic{*d}}
}

// tellDuplicateNames tells every file whose scenario has the name of one before it.
func tellDuplicateNames(results []report.Result, names []name) {
	first := map[string]int{}
	for i := range results {
		r := &results[i]
		if r.Name == "" {
			continue
		}
		before, seen := first[r.Name]
		if !seen {
			first[r.Name] = i
			continue
		}
		if filepath.Clean(r.Path) == filepath.Clean(results[before].Path) {
			continue // one file, named twice
		}
		r.Add(scenario.Diagnostic{
			Code: report.DuplicateName, Severity: scenario.Error, Range: names[i].at,
			Message: fmt.Sprintf("the name %q is also that of %s (line %d); names are unique in a change",
				r.Name, results[before].Path, names[before].at.Start.Line),
		}, names[i].line)
	}
}
