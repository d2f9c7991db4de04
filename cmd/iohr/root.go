package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/verdict"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exitError ends a command with an exit code of its own, without a further message.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// execute runs the command line and returns the exit code: that of the verdict, or
// 2 for a mistake in the call, or 3 for what could not be found out.
func execute(ctx context.Context, arguments []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(arguments)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	var exit exitError
	var user *change.UserError
	switch {
	case err == nil:
		return verdict.ExitOK
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &user), errors.As(err, new(usageError)):
		fmt.Fprintln(s.err, "iohr:", err)
		return verdict.ExitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(s.err, "iohr: cancelled")
		return verdict.ExitCancelled
	default:
		fmt.Fprintln(s.err, "iohr:", err)
		return verdict.ExitInconclusive
	}
}

// usageError is a mistake in the flags or arguments.
type usageError struct{ error }

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use: "iohr", Short: "Checks and runs reliability scenarios, and judges changes by them",
		SilenceErrors: true, SilenceUsage: true, Args: noArguments, RunE: showHelp,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	reliability := &cobra.Command{
		Use: "reliability", Short: "Scenarios: check, run, verdict, and a sample to try", Args: noArguments, RunE: showHelp,
	}
	reliability.AddCommand(newCheck(s), newRun(s), newVerdict(s), newTry(s))
	root.AddCommand(reliability)
	return root
}

// showHelp is what a command without an action of its own does: a mistake, because
// nothing was asked.
func showHelp(command *cobra.Command, _ []string) error {
	if err := command.Help(); err != nil {
		return err
	}
	return exitError(verdict.ExitUsage)
}

func noArguments(command *cobra.Command, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("unknown command %q for %q; `%s --help` lists them", arguments[0], command.CommandPath(), command.CommandPath())}
}
