// Package bench is the control plane: it checks scenarios against an account, keeps
// versions and runs, queues and executes them on agents, and serves the API.
package bench

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/inorbit-hr/reliability/bench/api"
	"github.com/inorbit-hr/reliability/bench/queue"
	"github.com/inorbit-hr/reliability/bench/store"
)

// Options say how a bench is opened.
type Options struct {
	// Config is what bench.toml says; required.
	Config *Config
	// NewAgent makes the agent of a name; required.
	NewAgent func(ctx context.Context, c *Config, name string) (Agent, error)
	// Store is the path of the SQLite file; empty keeps everything in memory.
	Store string
	// Listen is where the API listens; empty is a free port of 127.0.0.1.
	Listen string
	// Clock is the time that leases and the queue go by; nil is the machine's.
	Clock Clock
	// Log takes what an operator should know; nil drops it.
	Log *slog.Logger
}

// Bench is an open bench.
type Bench struct {
	cfg     *Config
	account string
	store   *store.Store
	agents  map[string]Agent
	hub     *hub
	clock   Clock
	log     *slog.Logger

	server *http.Server
	url    string
	token  string

	// wake tells the queue that a run came or ended.
	wake chan struct{}
	// stopping is closed when Close begins: streams end, nothing new starts.
	stopping chan struct{}
	stop     context.CancelFunc // ends the loops
	loops    sync.WaitGroup     // queue and leases
	serving  sync.WaitGroup     // the API
	runs     sync.WaitGroup

	mu     sync.Mutex
	active map[string]context.CancelCauseFunc // what is running, by id
	closed bool
}

// lastRites says how a run ends that was running when its bench died.
const lastRites = "the bench stopped while the run was going, so what it measured is lost"

// embeddedToken is the name of the token that Token gives.
const embeddedToken = "embedded"

// Open opens a bench and starts to work. It goes on with what the process before it
// left: queued runs stay queued; one that was running ends inconclusive.
func Open(ctx context.Context, o Options) (*Bench, error) {
	if o.Config == nil || o.NewAgent == nil {
		return nil, errors.New("open a bench: the options lack Config or NewAgent")
	}
	b := &Bench{
		cfg: o.Config, account: o.Config.Account.Name, agents: map[string]Agent{}, hub: newHub(), clock: o.Clock, log: o.Log,
		wake: make(chan struct{}, 1), stopping: make(chan struct{}), active: map[string]context.CancelCauseFunc{},
	}
	if b.clock == nil {
		b.clock = systemClock{}
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	// The loops outlive the call that opens the bench.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = stop
	if err := b.open(ctx, work, o); err != nil {
		// What was opened is closed again; the first error says what to do.
		_ = b.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return b, nil
}

func (b *Bench) open(ctx, work context.Context, o Options) (err error) {
	if o.Store == "" {
		b.store, err = store.OpenMemory(ctx)
	} else {
		b.store, err = store.OpenSQLite(ctx, o.Store)
	}
	if err != nil {
		return err
	}
	now := b.clock.Now()
	ended, err := b.store.Recover(ctx, lastRites, now, now.Add(lease))
	if err != nil {
		return err
	}
	for _, id := range ended {
		b.log.WarnContext(ctx, "ended a run that was going when the bench stopped", "run", id)
	}
	for _, name := range sortedKeys(b.cfg.Agents) {
		agent, err := o.NewAgent(ctx, b.cfg, name)
		if err != nil {
			return fmt.Errorf("start agent %s: %w", name, err)
		}
		b.agents[name] = agent
	}
	if err := b.makeToken(ctx, now); err != nil {
		return err
	}
	return b.serve(ctx, work, o.Listen)
}

// makeToken makes the token of the process that embeds the bench; one of a process
// before is no longer valid.
func (b *Bench) makeToken(ctx context.Context, now time.Time) error {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return fmt.Errorf("make a token: %w", err)
	}
	b.token = base64.RawURLEncoding.EncodeToString(secret)
	return b.store.ReplaceToken(ctx, store.Token{
		Hash: api.HashToken(b.token), Account: b.account, Name: embeddedToken,
		Scopes: []string{api.ScopeRead, api.ScopeRun}, CreatedAt: now,
	})
}

// serve starts the API and the loops.
func (b *Bench) serve(ctx, work context.Context, listen string) error {
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	handler, err := api.New(api.Config{Service: b, Tokens: b.store, Log: b.log, Now: b.clock.Now})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("the bench cannot listen on %s: the port is in use; stop what uses it, or set another port in the setting listen", listen)
	}
	if err != nil {
		return fmt.Errorf("the bench cannot listen on %s, as the setting listen says: %w", listen, err)
	}
	b.url = "http://" + listener.Addr().String()
	b.server = &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(b.log.Handler(), slog.LevelWarn),
	}
	loop := &queue.Loop{
		Source: queueSource{b}, Limits: queue.Limits{AtOnce: b.cfg.Plan.RunsAtOnce, AnHour: b.cfg.Plan.RunsAnHour},
		Clock: b.clock, Wake: b.wake, Start: b.begin,
		Failed: func(err error) { b.log.Error("the queue failed; it tries again", "error", err) },
	}
	b.serving.Go(func() {
		if err := b.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			b.log.Error("the API stopped", "error", err)
		}
	})
	b.loops.Go(func() { loop.Run(work) })
	b.loops.Go(func() { b.expire(work) })
	return nil
}

// URL is where the API is.
func (b *Bench) URL() string { return b.url }

// Token is a token for the API that is valid until the bench is closed. It may read and
// run, and confirm nothing.
func (b *Bench) Token() string { return b.token }

// kick makes the queue look again.
func (b *Bench) kick() {
	select {
	case b.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// stopped is why the runs of a bench that closes are cancelled.
const stopped = "the bench was stopped"

// Close ends the bench: what is running is cancelled and its faults are lifted, what is
// queued stays so in the store. It waits until nothing is left of it, or ctx ends; then
// it says what was not done. Repeating it does nothing.
func (b *Bench) Close(ctx context.Context) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	b.mu.Unlock()

	close(b.stopping)
	b.stop()
	// No run begins once the queue's loop has ended.
	errs := []error{wait(ctx, &b.loops, "the bench's loops were still ending when it was stopped")}
	b.mu.Lock()
	ids := sortedKeys(b.active)
	b.mu.Unlock()
	for _, id := range ids {
		b.cancel(context.WithoutCancel(ctx), id, stopped)
	}
	errs = append(errs, wait(ctx, &b.runs, "runs were still ending when the bench was stopped"))
	if b.server != nil {
		errs = append(errs, b.shutdown(ctx))
	}
	errs = append(errs, wait(ctx, &b.serving, "the API was still ending when the bench was stopped"))
	for _, name := range sortedKeys(b.agents) {
		if err := b.agents[name].Close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop agent %s: %w", name, err))
		}
	}
	if b.store != nil {
		if err := b.store.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close the store: %w", err))
		}
	}
	return errors.Join(errs...)
}

// shutdownLimit is how long answers that are being read are waited for. Every run has
// ended and told so by then.
const shutdownLimit = 2 * time.Second

// shutdown ends the API. A caller that does not read its answer is cut off.
func (b *Bench) shutdown(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, shutdownLimit)
	defer done()
	err := b.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = b.server.Close()
	}
	if err != nil {
		return fmt.Errorf("stop the API: %w", err)
	}
	return nil
}

// wait waits for a group as long as ctx lives.
func wait(ctx context.Context, group *sync.WaitGroup, late string) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", late, ctx.Err())
	}
}
