package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inorbit-hr/reliability/examples/staging"
	"github.com/inorbit-hr/reliability/internal/action"
	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/verdict"
)

// meant is how each shipped scenario ends on the sample staging.
var meant = map[string]verdict.State{
	"baseline": verdict.Pass, "error_injection": verdict.Fail, "latency": verdict.Breach,
}

func newTry(s streams) *cobra.Command {
	var only string
	command := &cobra.Command{
		Use:   "try",
		Short: "Judges a sample change on a sample staging, on this machine alone",
		Long: `Starts a small staging (an api in front of an engine) and an embedded bench on free loopback ports, makes a git
repository whose last commit changes three scenarios, and judges that commit as the Action judges a pull request. Nothing
is left behind but the verdict's files. The sample is meant to end in a failing verdict: one scenario passes, one fails an
assertion, one breaches its objective.`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			names := shippedNames()
			if only != "" && !slices.Contains(names, only) {
				return &change.UserError{Message: fmt.Sprintf("--scenario is %q; it takes one of: %s", only, strings.Join(names, ", "))}
			}
			if only != "" {
				names = []string{only}
			}
			return try(command.Context(), s, names)
		},
	}
	command.Flags().StringVar(&only, "scenario", "", "run one of the three: baseline, error_injection or latency")
	return command
}

func shippedNames() []string {
	names := make([]string, 0, len(meant))
	for name := range meant {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func try(ctx context.Context, s streams, names []string) (err error) {
	folder, err := os.MkdirTemp("", "reliability-try-")
	if err != nil {
		return fmt.Errorf("making a folder for the sample: %w", err)
	}
	repository := filepath.Join(folder, "repository")
	defer func() {
		err = errors.Join(err, os.RemoveAll(repository))
		_ = os.Remove(folder) // without a verdict it is empty; with one it stays
	}()

	sample, err := startSample(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sample.close()) }()
	fmt.Fprintf(s.out, "sample staging: api %s, engine %s, the api reaches the engine through the agent's proxy %s\n",
		sample.api.URL(), sample.engine.URL(), sample.proxy)

	event, err := makePullRequest(repository, sample, names)
	if err != nil {
		return err
	}
	environment := map[string]string{
		"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": event, "GITHUB_WORKSPACE": repository, "RUNNER_TEMP": folder,
	}
	v, err := action.JudgeEvent(ctx, func(key string) string { return environment[key] }, action.NewTerminal(s.out))
	if err != nil {
		return err
	}
	return closing(s.out, v, names)
}

// closing says in the last line whether the sample ended as it is meant to.
func closing(out io.Writer, v verdict.Verdict, names []string) error {
	want := meant[names[0]]
	if len(names) > 1 {
		want = verdict.Breach // the worst of the three
	}
	if v.State == verdict.Cancelled {
		fmt.Fprintln(out, "Cancelled: the run was stopped, and of the sample nothing is left but these two files.")
		return exitError(v.ExitCode())
	}
	if v.State != want {
		fmt.Fprintf(out, "This sample is meant to end in the verdict %s; this time it ended in %s.\n", want, v.State)
		return exitError(max(v.ExitCode(), verdict.ExitFailure))
	}
	if want == verdict.Pass {
		fmt.Fprintln(out, "This scenario of the sample is meant to pass.")
		return nil
	}
	fmt.Fprintln(out, "This sample is meant to end in a failing verdict: the gate works.")
	return nil
}

// sample is the running staging. The proxy's address is only reserved: the agent
// listens there once the bench is open.
type sample struct {
	api, engine *staging.Server
	proxy       string
}

func startSample(ctx context.Context) (*sample, error) {
	engine, err := staging.StartEngine(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sample{engine: engine}
	if s.proxy, err = freeAddress(ctx); err == nil {
		s.api, err = staging.StartAPI(ctx, "127.0.0.1:0", "http://"+s.proxy)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// freeAddress finds a loopback port that nobody listens on.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port for the agent's proxy: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

func (s *sample) close() error {
	ctx, done := context.WithTimeout(context.Background(), 2*time.Second)
	defer done()
	var err error
	if s.api != nil {
		err = s.api.Close(ctx)
	}
	return errors.Join(err, s.engine.Close(ctx))
}
