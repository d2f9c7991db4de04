// Package action is the Action's whole path, from an event or a base revision to a
// verdict that is printed, written and returned as an exit code. cmd/action runs it
// with GitHub's environment, cmd/iohr without.
package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/internal/gate"
	"github.com/inorbit-hr/reliability/verdict"
)

// Environment is the world that the Action runs in.
type Environment struct {
	Getenv         func(string) string
	Stdout, Stderr io.Writer
}

// Request is one verdict that is asked for.
type Request struct {
	// Ask names the two commits.
	Ask change.Ask
	// Directory is inside the repository.
	Directory string
	Inputs    Inputs
	// Output is the folder that the verdict and the summary are written to.
	Output string
	// Publisher shows the verdict.
	Publisher Publisher
}

// Publisher shows progress and the verdict where the caller's readers look.
type Publisher interface {
	// Begin, Progress and End enclose the time in which runs are followed.
	Begin(c change.Change)
	Progress(p gate.Progress)
	End()
	// Publish shows the verdict; the files say where it was written.
	Publish(v verdict.Verdict, files Files) error
}

// Run takes GitHub's environment to a verdict and returns the exit code.
func Run(ctx context.Context, env Environment) int {
	publisher := newGitHubPublisher(env)
	v, err := JudgeEvent(ctx, env.Getenv, publisher)
	if err != nil {
		return publisher.fail(err)
	}
	return v.ExitCode()
}

// JudgeEvent judges the change that GitHub's environment names, and shows it with
// the publisher.
func JudgeEvent(ctx context.Context, getenv func(string) string, publisher Publisher) (verdict.Verdict, error) {
	request, err := fromGitHub(getenv)
	if err != nil {
		return verdict.Verdict{}, err
	}
	request.Publisher = publisher
	return Judge(ctx, request)
}

// fromGitHub reads what GitHub's runner set.
func fromGitHub(getenv func(string) string) (Request, error) {
	inputs, err := readInputs(getenv)
	if err != nil {
		return Request{}, err
	}
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return Request{}, usage("GITHUB_EVENT_PATH is not set: this command runs inside a GitHub workflow; elsewhere use `iohr reliability verdict --base REV`")
	}
	payload, err := readBounded(path, maxEventSize)
	if err != nil {
		return Request{}, usage(fmt.Sprintf("the event file of GITHUB_EVENT_PATH cannot be read: %v", err))
	}
	ask, err := change.FromEvent(getenv("GITHUB_EVENT_NAME"), payload)
	if err != nil {
		return Request{}, err
	}
	if ask.Actor == "" {
		ask.Actor = getenv("GITHUB_ACTOR")
	}
	if attempt := getenv("GITHUB_RUN_ATTEMPT"); attempt != "" && attempt != "1" {
		inputs.Again = "workflow-" + getenv("GITHUB_RUN_ID") + "-" + attempt
	}
	workspace := firstOf(getenv("GITHUB_WORKSPACE"), ".")
	return Request{Ask: ask, Directory: workspace, Inputs: inputs, Output: outputFolder(getenv("RUNNER_TEMP"), workspace)}, nil
}

// outputFolder is where the verdict's files go: the runner's folder for such files, or
// the workspace. Inside a container the former is named and not there; the workspace is
// what a later step of the job shares with it.
func outputFolder(temporary, workspace string) string {
	if info, err := os.Stat(temporary); temporary != "" && err == nil && info.IsDir() {
		return temporary
	}
	return workspace
}

// Judge finds the change, has it judged, writes the verdict's files and shows it.
// An error means that there is no verdict, because the change could not be found.
func Judge(ctx context.Context, request Request) (verdict.Verdict, error) {
	if err := writable(request.Output); err != nil {
		return verdict.Verdict{}, err
	}
	repository, err := change.Open(request.Directory)
	if err != nil {
		return verdict.Verdict{}, err
	}
	c, err := repository.Find(ctx, request.Ask)
	if err != nil {
		return verdict.Verdict{}, err
	}
	c.Notes = append(c.Notes, uncommitted(repository.Root(), c)...)
	v := judge(ctx, request, repository, c)
	files, err := write(request.Output, v)
	if err != nil {
		return verdict.Verdict{}, err
	}
	if err := request.Publisher.Publish(v, files); err != nil {
		return verdict.Verdict{}, err
	}
	return v, nil
}

// judge opens the bench that the change's base names and gives the change to the
// gate.
func judge(ctx context.Context, request Request, repository *change.Repository, c change.Change) verdict.Verdict {
	options := gate.Options{
		CheckOnly: request.Inputs.Only == OnlyCheck, Again: request.Inputs.Again, Holder: newHolder(),
		Progress: request.Publisher.Progress,
	}
	if needsBench(c) {
		connected, err := connect(ctx, request, repository, c)
		var missing *noBench
		switch {
		case errors.As(err, &missing):
			options.NoBench = missing.NotRun
		case err != nil:
			c.Problems = append(c.Problems, change.Problems(err)...)
		default:
			defer connected.close()
			options.Bench = connected.bench
		}
	}
	if limit := request.Inputs.Timeout; limit > 0 {
		limited, done := context.WithTimeout(ctx, limit)
		defer done()
		ctx = limited
	}
	request.Publisher.Begin(c)
	defer request.Publisher.End()
	return gate.Judge(ctx, c, options)
}

// needsBench tells whether there is anything to ask a bench about.
func needsBench(c change.Change) bool {
	if len(c.Problems) > 0 {
		return false
	}
	for _, f := range c.Files {
		if f.Head != nil {
			return true
		}
	}
	return false
}

// Inputs are what a workflow, or a command line, may set.
type Inputs struct {
	// Bench is the address of a remote bench; empty means an embedded one.
	Bench string
	// Token is the bench's token.
	Token string
	// Config is where the repository keeps the embedded bench's configuration.
	Config string
	// Only is empty, or OnlyCheck: nothing is run.
	Only string
	// Timeout bounds the whole; 0 leaves it to the bounds of each run.
	Timeout time.Duration
	// Again names an explicit re-run.
	Again string
}

// OnlyCheck is the value of the input `only` that starts no run.
const OnlyCheck = "check"

// Check refuses inputs that contradict each other or mean nothing.
func (i Inputs) Check() error {
	if i.Only != "" && i.Only != OnlyCheck {
		return usage(fmt.Sprintf("the input only is %q; it takes nothing but \"check\"", i.Only))
	}
	if i.Bench == "" && i.Token != "" {
		return usage("the input token is set and bench is not: name the bench's address too, or leave both out for the embedded bench")
	}
	return nil
}

func readInputs(getenv func(string) string) (Inputs, error) {
	i := Inputs{
		Bench: input(getenv, "bench"), Token: input(getenv, "token"), Config: input(getenv, "config"), Only: input(getenv, "only"),
	}
	if text := input(getenv, "timeout"); text != "" {
		limit, err := time.ParseDuration(text)
		if err != nil || limit <= 0 {
			return i, usage(fmt.Sprintf("the input timeout is %q; write a duration such as 30m", text))
		}
		i.Timeout = limit
	}
	return i, i.Check()
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// usage is a mistake in how the program was called.
func usage(message string) error { return &change.UserError{Message: message} }
