package main

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inorbit-hr/reliability/internal/checkcmd"
	"github.com/inorbit-hr/reliability/scenario/report"
)

func newCheck(s streams) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "check FILE...",
		Short: "Checks scenario files; - is standard input",
		Long: `Checks scenario files and tells all problems of each, with their lines and columns. Prints "ok FILE (NAME)" or a line a
problem, "error FILE: LINE:COLUMN: MESSAGE [code]" or "warning ...". Exit code: 0 no error, 1 an error, 2 usage.`,
		RunE: func(command *cobra.Command, files []string) error {
			code := checkcmd.Run(command.Context(), files, s.in, s.out, s.err, checkcmd.Options{
				Format: format, Terminal: isTerminal(s.out),
			})
			if code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
	command.Flags().StringVar(&format, "format", "", "one of: "+strings.Join(report.Formats(), ", "))
	return command
}

// isTerminal tells whether a person reads the output as it comes.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
