// Command peers compares the load generator with others, side by side on one machine:
// how late requests arrive against an even comb, which rate is held, what a request costs
// in processor time and memory, and what each tells of a service that stalls for a second.
// Absolute figures are this machine's; the ratios within one run are what compares.
//
//	go run ./internal/tools/peers -rates 1000,5000 -seconds 5
//
// It installs vegeta and fortio with go install into a temporary folder, and says so where
// one cannot be had. docs/benchmarks.md holds the last table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is the comparison, or one of the two processes that it starts of itself: the
// service, and the own generator.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "serve":
			return serve(ctx)
		case "own":
			return own(ctx, args[1:])
		}
	}
	flags := flag.NewFlagSet("peers", flag.ExitOnError)
	rates := flags.String("rates", "1000,5000,10000", "requests a second, with commas")
	seconds := flags.Int("seconds", 5, "how long each load is")
	rounds := flags.Int("rounds", 3, "how often each is measured; the median is told")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c := comparison{length: time.Duration(*seconds) * time.Second, rounds: *rounds}
	for text := range strings.SplitSeq(*rates, ",") {
		rate, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || rate < 1 {
			return fmt.Errorf("-rates: %q is not a number of requests a second", text)
		}
		c.rates = append(c.rates, rate)
	}
	if c.length < 3*time.Second || c.rounds < 1 {
		return fmt.Errorf("-seconds must be at least 3, for the stall, and -rounds at least 1")
	}
	return c.run(ctx)
}
