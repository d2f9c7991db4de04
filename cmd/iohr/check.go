package main

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inorbit-hr/reliability/internal/action"
	"github.com/inorbit-hr/reliability/internal/checkcmd"
	"github.com/inorbit-hr/reliability/scenario/report"
)

func newCheck(s streams) *cobra.Command {
	var (
		format string
		bench  benchFlags
	)
	command := &cobra.Command{
		Use:   "check FILE...",
		Short: "Checks scenario files; - is standard input",
		Long: `Checks scenario files and tells all problems of each, with their lines and columns. Prints "ok FILE (NAME)" or a line a
problem, "error FILE: LINE:COLUMN: MESSAGE [code]" or "warning ...". Exit code: 0 no error, 1 an error, 2 usage.

With --bench or --config the files are also checked against the account: its connections, contracts, policies and
ceilings. Without them the file alone is checked.`,
		RunE: func(command *cobra.Command, files []string) error {
			options := checkcmd.Options{Format: format, Terminal: isTerminal(s.out)}
			if inputs := bench.inputs(); len(files) > 0 && (inputs.Bench != "" || inputs.Config != "") {
				check, end, err := action.OnlineCheck(command.Context(), inputs)
				if err != nil {
					return err
				}
				defer end()
				options.Online = check
			}
			code := checkcmd.Run(command.Context(), files, s.in, s.out, s.err, options)
			if code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
	bench.add(command)
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
