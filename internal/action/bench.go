package action

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/inorbit-hr/reliability/bench"
	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/internal/gate"
	"github.com/inorbit-hr/reliability/runclient"
	"github.com/inorbit-hr/reliability/verdict"
)

// closeLimit bounds the end of an embedded bench: what runs is stopped and its
// faults are lifted in that time.
const closeLimit = 5 * time.Second

// connection is a bench to ask, and what ends it.
type connection struct {
	bench gate.Bench
	close func()
}

// noBench says that there is no bench, and what becomes of the scenarios.
type noBench struct{ verdict.NotRun }

func (e *noBench) Error() string { return e.Reason }

// configError is a mistake in the embedded bench's configuration.
type configError struct{ err error }

func (e *configError) Error() string { return e.err.Error() }
func (e *configError) Unwrap() error { return e.err }

// connect reaches the remote bench that the inputs name, or starts the embedded one
// that the change's base configures.
func connect(ctx context.Context, request Request, repository *change.Repository, c change.Change) (*connection, error) {
	if request.Inputs.Bench != "" {
		return connectRemote(request.Inputs, c)
	}
	config := path.Clean(firstOf(request.Inputs.Config, change.BenchPath))
	_, err := repository.ReadFile(c.SettingsFrom, config)
	if errors.Is(err, change.ErrNoFile) {
		return nil, withoutConfig(repository, c, config, request.Inputs.Only == OnlyCheck)
	}
	if err != nil {
		return nil, &configError{err}
	}
	return OpenEmbedded(ctx, config, func(name string) ([]byte, error) {
		content, err := repository.ReadFile(c.SettingsFrom, path.Clean(name))
		if errors.Is(err, change.ErrNoFile) {
			return nil, fmt.Errorf("%s is not in commit %.12s; the bench's configuration and contracts are read from the base, so a new one takes effect once merged", name, c.SettingsFrom)
		}
		return content, err
	})
}

func connectRemote(inputs Inputs, c change.Change) (*connection, error) {
	if inputs.Token == "" {
		reason := "the bench's token is empty: add it as a secret and pass it as the input token"
		if c.Fork || isBot(c.Actor) {
			reason = "this workflow has no secrets, because the change comes from a fork or a bot: the files were checked offline, and nothing was run; someone with write access can run it"
		}
		return nil, &noBench{verdict.NotRun{State: verdict.Waiting, Reason: reason}}
	}
	client, err := runclient.New(runclient.Options{URL: inputs.Bench, Token: inputs.Token})
	if err != nil {
		return nil, usage("the input bench: " + err.Error())
	}
	return &connection{bench: client, close: func() {}}, nil
}

// isBot tells GitHub's bot accounts by their names.
func isBot(actor string) bool { return strings.HasSuffix(actor, "[bot]") }

// withoutConfig says what to add where.
func withoutConfig(repository *change.Repository, c change.Change, config string, onlyCheck bool) error {
	reason := fmt.Sprintf("there is no bench to run it on: add %s on the base branch, or the inputs bench and token", config)
	if _, err := repository.ReadFile(c.Head, config); err == nil {
		reason = fmt.Sprintf("%s is new in this change and takes effect once merged: a change cannot configure the bench that judges it", config)
	}
	if onlyCheck {
		reason = "checked offline only: " + reason
	}
	return &noBench{verdict.NotRun{State: verdict.Inconclusive, Reason: reason}}
}

// OpenEmbedded starts a bench in this process from a configuration file; read gives
// the file and the contracts that it names.
func OpenEmbedded(ctx context.Context, config string, read func(string) ([]byte, error)) (*connection, error) {
	parsed, err := bench.LoadConfig(read, config)
	if err != nil {
		return nil, &configError{err}
	}
	b, err := bench.Open(ctx, bench.Options{Config: parsed, NewAgent: bench.Embedded(os.Getenv)})
	if err != nil {
		// The configuration is well-formed; what it names cannot be had here and now.
		return nil, &noBench{verdict.NotRun{
			State: verdict.Inconclusive, Reason: fmt.Sprintf("the embedded bench of %s could not be opened: %v", config, err),
		}}
	}
	end := func() {
		closing, done := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer done()
		_ = b.Close(closing) // what was not lifted in time is in the run's record
	}
	client, err := runclient.New(runclient.Options{URL: b.URL(), Token: b.Token()})
	if err != nil {
		end()
		return nil, fmt.Errorf("reaching the embedded bench: %w", err)
	}
	return &connection{bench: client, close: end}, nil
}

// newHolder is a name for this process that no other has.
func newHolder() string { return "gate-" + rand.Text() }
