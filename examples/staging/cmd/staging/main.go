// Command staging runs the sample staging environment until it is interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/inorbit-hr/reliability/examples/staging"
)

func main() {
	api := flag.String("api", "127.0.0.1:8080", "where the api listens")
	engine := flag.String("engine", "127.0.0.1:8081", "where the engine listens")
	engineURL := flag.String("engine-url", "", "where the api finds the engine, such as the agent's proxy (default: the engine itself)")
	revision := flag.String("revision", staging.DefaultRevision, "the revision that the services say they are, such as a commit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *api, *engine, *engineURL, *revision); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, apiAddress, engineAddress, engineURL, revision string) error {
	engine, err := staging.StartEngine(ctx, engineAddress)
	if err != nil {
		return err
	}
	defer closeServer(engine)
	if engineURL == "" {
		engineURL = engine.URL()
	}
	api, err := staging.StartAPI(ctx, apiAddress, engineURL)
	if err != nil {
		return err
	}
	defer closeServer(api)
	engine.Tell(revision)
	api.Tell(revision)
	fmt.Printf("api %s, engine %s, api reaches the engine at %s\n", api.URL(), engine.URL(), engineURL)
	<-ctx.Done()
	return nil
}

func closeServer(server *staging.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
