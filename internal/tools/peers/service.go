package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// service answers at once and notes when each request arrived; it can be told to stall.
type service struct {
	start time.Time
	mu    sync.Mutex
	at    []time.Duration // arrivals since start

	stall sync.RWMutex // held while no answer is given
}

// arrivals is what the service saw of one load.
type arrivals struct {
	Count    int     `json:"count"`
	P50Micro float64 `json:"p50"` // lateness in microseconds
	P99Micro float64 `json:"p99"`
}

// serve writes its address and serves until ctx ends.
func serve(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the service: %w", err)
	}
	s := &service{start: time.Now()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.arrive)
	mux.HandleFunc("POST /reset", s.reset)
	mux.HandleFunc("POST /stall", s.stallLater)
	mux.HandleFunc("GET /arrivals", s.arrivals)
	server := &http.Server{Handler: mux}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Println("http://" + l.Addr().String())
	if err := server.Serve(l); err != http.ErrServerClosed {
		return fmt.Errorf("the service: %w", err)
	}
	return nil
}

func (s *service) arrive(http.ResponseWriter, *http.Request) {
	now := time.Since(s.start)
	s.mu.Lock()
	s.at = append(s.at, now)
	s.mu.Unlock()
	s.stall.RLock()
	defer s.stall.RUnlock()
}

func (s *service) reset(http.ResponseWriter, *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = s.at[:0]
}

// stallLater stalls for a second, that long after the first request of the load.
func (s *service) stallLater(w http.ResponseWriter, r *http.Request) {
	after, err := time.ParseDuration(r.FormValue("after"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	go func() {
		for {
			s.mu.Lock()
			n := len(s.at)
			s.mu.Unlock()
			if n > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(after)
		s.stall.Lock()
		time.Sleep(stallLength)
		s.stall.Unlock()
	}()
}

// arrivals compares what arrived with an even comb at the rate, laid so that no request
// came before its time.
func (s *service) arrivals(w http.ResponseWriter, r *http.Request) {
	rate, err := strconv.ParseFloat(r.FormValue("rate"), 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	at := slices.Clone(s.at)
	s.mu.Unlock()
	slices.Sort(at)
	late := make([]float64, len(at))
	for i, t := range at {
		late[i] = float64(t.Nanoseconds())/1000 - float64(i)*1e6/rate
	}
	told := arrivals{Count: len(at)}
	if len(late) > 0 {
		slices.Sort(late)
		told.P50Micro, told.P99Micro = late[len(late)/2]-late[0], late[len(late)*99/100]-late[0]
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(told)
}
