// Command action is the GitHub Action.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/inorbit-hr/reliability/internal/action"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := action.Run(ctx, action.Environment{Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
