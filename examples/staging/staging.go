// Package staging is the sample staging environment: an api in front of an engine,
// both plain HTTP services with a contract, small enough to read in a minute. The
// api asks the engine for a price in every request, so what happens to the engine
// shows in the api.
package staging

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Contracts are the OpenAPI contracts of the two services: contracts/api.yaml and
// contracts/engine.yaml.
//
//go:embed contracts/*.yaml
var Contracts embed.FS

// RevisionHeader is where both services tell which revision of them runs.
const RevisionHeader = "Service-Revision"

// DefaultRevision is told until Tell says otherwise.
const DefaultRevision = "sample-1"

// Bounds of one exchange in the sample; every server and client has some.
const (
	headerTimeout = 5 * time.Second
	engineTimeout = 5 * time.Second
)

// Server is a running service of the sample.
type Server struct {
	name     string
	listener net.Listener
	server   *http.Server
	done     chan error
	release  func()
	revision atomic.Pointer[string]
}

// StartEngine starts the engine on an address such as 127.0.0.1:0.
func StartEngine(ctx context.Context, address string) (*Server, error) {
	return start(ctx, "engine", address, newEngine(), func() {})
}

// StartAPI starts the api on an address such as 127.0.0.1:0; it reaches the engine
// at engineURL, which is the agent's proxy when faults are to act.
func StartAPI(ctx context.Context, address, engineURL string) (*Server, error) {
	handler, release := newAPI(engineURL)
	return start(ctx, "api", address, handler, release)
}

func start(ctx context.Context, name, address string, handler http.Handler, release func()) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("starting the sample's %s: %w", name, err)
	}
	s := &Server{
		name:     name,
		listener: listener,
		server:   &http.Server{ReadHeaderTimeout: headerTimeout},
		done:     make(chan error, 1),
		release:  release,
	}
	s.Tell(DefaultRevision)
	s.server.Handler = s.revealRevision(handler)
	go func() { s.done <- s.server.Serve(listener) }()
	return s, nil
}

// URL is where the service answers.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close stops the service and waits for it; requests under way may end until ctx
// does, then they are cut off.
func (s *Server) Close(ctx context.Context) error {
	defer s.release()
	shutdown := s.server.Shutdown(ctx)
	if shutdown != nil {
		shutdown = errors.Join(shutdown, s.server.Close())
	}
	if err := <-s.done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the sample's %s: %w", s.name, err)
	}
	return shutdown
}

// Tell sets the revision that the service says it is.
func (s *Server) Tell(revision string) { s.revision.Store(&revision) }

func (s *Server) revealRevision(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(RevisionHeader, *s.revision.Load())
		next.ServeHTTP(w, r)
	})
}
