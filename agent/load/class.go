package load

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
)

// Class is what became of a request that was sent.
type Class string

// The classes of failure, as run.Counts.Failed names them. An answer that the
// operation does not accept arrived whole, and is of class status.
const (
	Accepted   Class = ""
	Connect    Class = "connect"    // no connection: refused, unreachable, no such name
	TLS        Class = "tls"        // a connection, and no agreement on TLS
	Timeout    Class = "timeout"    // no whole answer in time
	Reset      Class = "reset"      // the connection ended before the answer did
	Protocol   Class = "protocol"   // what came was no answer of HTTP
	Status     Class = "status"     // an answer with a status that is not accepted
	Unfinished Class = "unfinished" // still under way when the load was ended
)

// errEnded is why requests are cut off at the end of the load.
var errEnded = errors.New("the load has ended")

// dialClass tells what kept a connection from being opened. ctx is the request's.
func dialClass(ctx context.Context, connected bool) Class {
	switch {
	case errors.Is(context.Cause(ctx), errEnded):
		return Unfinished
	case connected:
		return TLS
	}
	return Connect
}

// exchangeClass tells what kept an answer from arriving whole.
func exchangeClass(ctx context.Context, err error) Class {
	var timeout net.Error
	switch {
	case errors.Is(context.Cause(ctx), errEnded):
		return Unfinished
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	case closedIdle(err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return Reset
	}
	return Protocol
}

// closedIdle tells that the other side closed the connection between two requests, so
// that the second never reached it. net/http has no exported error for it.
func closedIdle(err error) bool {
	return err != nil && err.Error() == "http: server closed idle connection"
}

// troubleOf tells what this machine lacks to open a connection, which is no failure of
// the service; empty where it lacks nothing.
func troubleOf(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "the machine of the agent has no file descriptor left for a connection"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "the machine of the agent has no port left for a connection: does the service close each after one answer?"
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.ENOBUFS):
		return "the machine of the agent has no memory left for a connection"
	}
	return ""
}
