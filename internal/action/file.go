package action

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/internal/gate"
	"github.com/inorbit-hr/reliability/run"
	"github.com/inorbit-hr/reliability/runclient"
	"github.com/inorbit-hr/reliability/scenario"
	"github.com/inorbit-hr/reliability/scenario/report"
	"github.com/inorbit-hr/reliability/verdict"
)

// FileRequest asks for a run of one file, without a change around it.
type FileRequest struct {
	Path   string
	Inputs Inputs
	// Wait follows the run to its end; without it the run is detached.
	Wait   bool
	Output string // folder for the verdict's files; empty writes none
	Out    io.Writer
}

// RunFile runs one scenario file and returns the exit code.
func RunFile(ctx context.Context, request FileRequest) (int, error) {
	if err := request.Inputs.Check(); err != nil {
		return 0, err
	}
	if !request.Wait && request.Inputs.Bench == "" {
		return 0, usage("the embedded bench ends with this command, so nothing would run: add --wait, or name a remote bench with --bench")
	}
	if request.Output != "" {
		if err := writable(request.Output); err != nil {
			return 0, err
		}
	}
	content, err := readScenario(request.Path)
	if err != nil {
		return 0, err
	}
	c := change.Change{
		Settings: change.DefaultSettings(),
		Files:    []change.File{{Path: filepath.ToSlash(filepath.Clean(request.Path)), Head: content}},
	}
	connected, err := connectForFile(ctx, request.Inputs)
	if err != nil {
		return 0, err
	}
	defer connected.close()
	if !request.Wait {
		return startDetached(ctx, request, connected.bench, c.Files[0].Path, content)
	}
	terminal := NewTerminal(request.Out)
	v := gate.Judge(ctx, c, gate.Options{
		Bench: connected.bench, Holder: newHolder(), Again: newAsk(), Progress: terminal.Progress,
	})
	if err := v.WriteText(request.Out); err != nil {
		return 0, fmt.Errorf("printing the verdict: %w", err)
	}
	if request.Output != "" {
		files, err := write(request.Output, v)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(request.Out, "\nverdict as JSON: %s\nsummary as Markdown: %s\n", files.JSON, files.Markdown)
	}
	return v.ExitCode(), nil
}

// newAsk names one call: a retry inside it finds its own run, a later call starts
// another.
func newAsk() string { return "by-hand-" + rand.Text() }

func readScenario(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, usage(fmt.Sprintf("%s: there is no such file", path))
	case err != nil:
		return nil, usage(fmt.Sprintf("%s: %v", path, errors.Unwrap(err)))
	case !info.Mode().IsRegular():
		return nil, usage(fmt.Sprintf("%s: not a file", path))
	}
	// A larger file is refused by the checker, in its own words.
	content, err := readBounded(path, scenario.MaxSize*16)
	if err != nil {
		return nil, usage(fmt.Sprintf("%s: %v", path, err))
	}
	return content, nil
}

// connectForFile reaches the bench that the inputs name, or starts the embedded one
// from a configuration on this machine: by hand, the person at the terminal decides.
func connectForFile(ctx context.Context, inputs Inputs) (*connection, error) {
	if inputs.Bench != "" {
		client, err := runclient.New(runclient.Options{URL: inputs.Bench, Token: inputs.Token})
		if err != nil {
			return nil, usage("the bench: " + err.Error())
		}
		return &connection{bench: client, close: func() {}}, nil
	}
	config := firstOf(inputs.Config, change.BenchPath)
	if _, err := os.Stat(config); err != nil {
		return nil, usage(fmt.Sprintf("there is no bench to run it on: %s cannot be read (%v); name another with --config, or a remote bench with --bench", config, errors.Unwrap(err)))
	}
	connected, err := OpenEmbedded(ctx, config, os.ReadFile)
	var broken *configError
	var missing *noBench
	switch {
	case errors.As(err, &broken):
		return nil, usage(err.Error())
	case errors.As(err, &missing):
		return nil, errors.New(missing.Reason)
	}
	return connected, err
}

// startDetached starts a run that nobody waits for.
func startDetached(ctx context.Context, request FileRequest, bench gate.Bench, path string, content []byte) (int, error) {
	file := scenario.Check(content)
	found := file.Diagnostics
	if file.OK() {
		online, err := gate.CheckOnline(ctx, bench, file)
		if err != nil {
			return 0, fmt.Errorf("checking %s: %w", path, err)
		}
		found = append(slices.Clone(found), online...)
	}
	result := report.Of(path, file, found[len(file.Diagnostics):]...)
	if len(found) > 0 {
		if err := report.Text(request.Out, []report.Result{result}); err != nil {
			return 0, fmt.Errorf("printing what the check found: %w", err)
		}
	}
	if !result.OK() {
		return verdict.ExitFailure, nil
	}
	version, err := bench.Upload(ctx, content)
	if err != nil {
		return 0, fmt.Errorf("uploading %s: %w", path, err)
	}
	started, err := bench.Start(ctx, run.StartRequest{Version: version.Sha256, Request: newAsk(), Source: run.Source{Path: path}})
	if err != nil {
		return 0, fmt.Errorf("starting the run of %s: %w", path, err)
	}
	fmt.Fprintf(request.Out, "run %s: %s\n", started.ID, started.Status)
	return verdict.ExitOK, nil
}

// OnlineCheck opens the bench that the inputs name and returns the check of a file
// against its account, and what ends it.
func OnlineCheck(ctx context.Context, inputs Inputs) (check func(context.Context, *scenario.File) ([]scenario.Diagnostic, error), end func(), err error) {
	connected, err := connectForFile(ctx, inputs)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, f *scenario.File) ([]scenario.Diagnostic, error) {
		return gate.CheckOnline(ctx, connected.bench, f)
	}, connected.close, nil
}
