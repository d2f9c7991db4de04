package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/inorbit-hr/reliability/internal/action"
	"github.com/inorbit-hr/reliability/internal/change"
)

// benchFlags name the bench of a command.
type benchFlags struct{ url, config string }

func (f *benchFlags) add(command *cobra.Command) {
	command.Flags().StringVar(&f.url, "bench", os.Getenv("IOHR_BENCH"),
		"address of a remote bench, its token in IOHR_TOKEN (default: an embedded bench)")
	command.Flags().StringVar(&f.config, "config", "",
		"configuration of the embedded bench (default "+change.BenchPath+")")
}

func (f *benchFlags) inputs() action.Inputs {
	inputs := action.Inputs{Bench: f.url, Config: f.config}
	if f.url != "" {
		inputs.Token = os.Getenv("IOHR_TOKEN")
	}
	return inputs
}
