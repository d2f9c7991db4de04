package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/inorbit-hr/reliability/internal/action"
	"github.com/inorbit-hr/reliability/internal/change"
)

func newVerdict(s streams) *cobra.Command {
	var (
		bench            benchFlags
		base, head, only string
		output           string
		timeout          time.Duration
	)
	command := &cobra.Command{
		Use:   "verdict --base REV",
		Short: "Judges what a commit changes against a base, as the Action does",
		Long: `Finds the scenario files that a commit changes against a base revision, checks them, runs them on the bench, and
gives one verdict. Settings (` + change.SettingsPath + `) and the embedded bench's configuration are read from the base.

Exit code: 0 pass or nothing to run, 1 fail, breach, invalid or refused, 2 usage, 3 inconclusive, 4 a person must act,
130 cancelled.`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			inputs := bench.inputs()
			inputs.Only, inputs.Timeout = only, timeout
			if err := inputs.Check(); err != nil {
				return err
			}
			if base == "" {
				return &change.UserError{Message: "name the base revision: --base REV, such as --base origin/main"}
			}
			v, err := action.Judge(command.Context(), action.Request{
				Ask: change.Ask{Base: base, Head: head}, Directory: ".", Inputs: inputs, Output: output,
				Publisher: action.NewTerminal(s.out),
			})
			if err != nil {
				return err
			}
			if code := v.ExitCode(); code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
	bench.add(command)
	flags := command.Flags()
	flags.StringVar(&base, "base", "", "the revision that the change is meant for")
	flags.StringVar(&head, "head", "HEAD", "the commit to judge")
	flags.StringVar(&only, "only", "", "\"check\" runs nothing")
	flags.StringVar(&output, "output", ".", "folder for the verdict as JSON and the summary as Markdown")
	flags.DurationVar(&timeout, "timeout", 0, "bound of the whole, such as 30m (default: the bounds of each run)")
	return command
}
