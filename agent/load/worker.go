package load

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// class is how a request ended.
type class string

// The classes: accepted, or one of the failures of the wire's Counts.
const (
	classAccepted   class = "accepted"
	classStatus     class = "status"
	classConnect    class = "connect"
	classTLS        class = "tls"
	classTimeout    class = "timeout"
	classReset      class = "reset"
	classProtocol   class = "protocol"
	classUnfinished class = "unfinished" // cut off by the end of the run
	classUnsent     class = "unsent"
)

// answered tells that an answer arrived whole.
func (c class) answered() bool { return c == classAccepted || c == classStatus }

// ending is the end of one request.
type ending struct {
	class    class
	at       time.Duration // from the start of the load
	late     bool          // sent late although a worker was free
	injected bool          // answered by a fault
}

// worker sends one request at a time over a connection of its own.
type worker struct {
	g         *generator
	transport *http.Transport
	conn      *http.ClientConn
}

func newWorker(g *generator) *worker {
	return &worker{g: g, transport: &http.Transport{
		Proxy:              nil, // a connection is what was agreed on, whatever the environment says
		DisableCompression: true,
		DialContext:        (&net.Dialer{Timeout: g.plan.Timeout}).DialContext,
		TLSClientConfig:    &tls.Config{ServerName: hostname(g.plan.Host), MinVersion: tls.VersionTLS12},
	}}
}

func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// work sends what is due until the queue is closed and empty. When ctx ends, what is
// under way is cut off and what is left stays unsent.
func (w *worker) work(ctx context.Context) {
	defer w.close()
	for it := range w.g.queue {
		if ctx.Err() != nil {
			w.g.rec.end(it, ending{class: classUnsent})
			continue
		}
		busy := w.g.busy.Add(1)
		for peak := w.g.peak.Load(); busy > peak && !w.g.peak.CompareAndSwap(peak, busy); peak = w.g.peak.Load() {
		}
		late := it.idle && time.Since(w.g.start)-it.at > Late
		e := w.send(ctx, it)
		e.late = late
		e.at = time.Since(w.g.start)
		w.g.busy.Add(-1)
		w.g.rec.end(it, e)
	}
}

func (w *worker) close() {
	if w.conn != nil {
		_ = w.conn.Close() // nothing is under way
	}
	w.transport.CloseIdleConnections()
}

// send makes one request. A connection that failed is not used again.
func (w *worker) send(ctx context.Context, it item) ending {
	limited, done := context.WithTimeout(ctx, w.g.plan.Timeout)
	defer done()
	if w.conn == nil || w.conn.Err() != nil || w.conn.Available() == 0 {
		if err := w.connect(limited); err != nil {
			return ending{class: classify(ctx, err, true)}
		}
	}
	operation := &w.g.plan.Operations[it.operation]
	response, err := w.conn.RoundTrip(w.request(limited, &operation.Requests[it.request]))
	if err != nil {
		w.drop()
		return ending{class: classify(ctx, err, false)}
	}
	injected := response.Header.Get(faultHeader) != ""
	// The body is read to its end, so that it counts and the connection can be used
	// again, and is never kept. The timeout bounds one that does not end.
	_, err = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close() // its end was read, or the connection is dropped
	if err != nil {
		w.drop()
		return ending{class: classify(ctx, err, false), injected: injected}
	}
	if !operation.Accepts(response.StatusCode) {
		return ending{class: classStatus, injected: injected}
	}
	return ending{class: classAccepted, injected: injected}
}

// faultHeader marks an answer that a fault injected (package fault, Header).
const faultHeader = "Reliability-Fault"

func (w *worker) request(ctx context.Context, r *Request) *http.Request {
	target := *w.g.plan.Base
	path, query, _ := strings.Cut(r.Path, "?")
	target.Opaque, target.Path, target.RawQuery = "", "", query
	if plain, err := url.PathUnescape(path); err == nil {
		target.Path, target.RawPath = plain, path
	}
	request := (&http.Request{
		Method: r.Method, URL: &target, Host: w.g.plan.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.Header.Clone(),
	}).WithContext(ctx)
	if request.Header == nil {
		request.Header = make(http.Header)
	}
	if len(r.Body) > 0 {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(r.Body)), int64(len(r.Body))
	}
	return request
}

func (w *worker) connect(ctx context.Context) error {
	w.drop()
	conn, err := w.transport.NewClientConn(ctx, w.g.plan.Base.Scheme, address(w.g.plan.Base))
	if err != nil {
		return err
	}
	w.conn = conn
	return nil
}

func (w *worker) drop() {
	if w.conn != nil {
		_ = w.conn.Close() // it failed already
		w.conn = nil
	}
}

func address(base *url.URL) string {
	port := base.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[base.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(base.Hostname(), port)
}

// classify names a failure. parent is the context of the load: when that ended, the
// request was cut off.
func classify(parent context.Context, err error, connecting bool) class {
	var network net.Error
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	switch {
	case parent.Err() != nil:
		return classUnfinished
	case errors.As(err, &record), errors.As(err, &certificate), errors.As(err, &alert):
		return classTLS
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return classTimeout
	case connecting:
		return classConnect
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return classReset
	default:
		return classProtocol
	}
}
