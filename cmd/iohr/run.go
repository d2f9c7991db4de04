package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/inorbit-hr/reliability/internal/action"
)

var errOneFile = errors.New("name one scenario file: iohr reliability run FILE")

func newRun(s streams) *cobra.Command {
	var (
		bench  benchFlags
		wait   bool
		output string
	)
	command := &cobra.Command{
		Use:   "run FILE",
		Short: "Runs one scenario file on the bench",
		Long: `Uploads the file as a version, starts a run and prints its id. With --wait it follows the run and ends with the
verdict's exit code: 0 pass, 1 fail, breach, invalid or refused, 3 inconclusive, 4 a person must act, 130 cancelled. The
embedded bench ends with the command, so it needs --wait.`,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return usageError{errOneFile}
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			code, err := action.RunFile(command.Context(), action.FileRequest{
				Path: arguments[0], Inputs: bench.inputs(), Wait: wait, Output: output, Out: s.out,
			})
			if err != nil {
				return err
			}
			if code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
	bench.add(command)
	command.Flags().BoolVar(&wait, "wait", false, "follow the run to its end")
	command.Flags().StringVar(&output, "output", "", "folder for the verdict as JSON and the summary as Markdown (default: not written)")
	return command
}
