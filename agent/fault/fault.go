// Package fault is the agent's listener in front of a connection, where faults act.
//
// A Proxy passes everything through until a fault is announced or applied:
//
//	client --> listener --> splice ------------------------------------> connection
//	                   \--> HTTP/1, HTTP/2, raw: meet the faults, then -/
//
// While no fault of the run can act on single requests, bytes are moved by the kernel
// and not looked at. Once [Proxy.Prepare] has announced one, each request is found in
// the stream, meets the active faults, and is passed on byte for byte or answered in
// the connection's place. A fault lives under a lease: if its holder does not renew it
// in time, it is lifted by itself.
//
// A fault acts on a request of HTTP/1, on a stream of HTTP/2 and gRPC, and on a whole
// connection of raw TCP. It does not act inside what an upgrade or CONNECT opened,
// HTTP/2 by way of an upgrade included: there is nothing to tell requests by.
//
// A connection that refuses, resets or answers garbage does so to the client as well:
// the proxy closes, resets or passes on, and never answers for it. Only a request of
// HTTP/1 whose end could be found at different places is answered by the proxy itself,
// with an error and the field Reliability-Proxy, which says why.
package fault

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/inorbit-hr/reliability/scenario"
)

// Header is the header field that marks an answer as injected; its value is the
// fault's type.
const Header = "Reliability-Fault"

// Spec is a fault to apply.
type Spec struct {
	Fault scenario.Fault
	// Lease is how long the fault acts without being renewed; above 0.
	Lease time.Duration
	// Seed makes delays, and the choice of the requests that are affected,
	// repeatable.
	Seed uint64
}

// effect is what a fault does to one request. The zero effect does nothing.
type effect struct {
	delay  time.Duration // the request waits this long before it goes on
	drop   bool          // the client's connection is closed without an answer
	status int           // the request is answered with this HTTP status
}

// kind is one type of fault.
type kind interface {
	// draw decides for the next request that meets the fault. Calls are never
	// concurrent.
	draw() (e effect, affected bool)
	// probe is the effect on a probe. An active fault acts on every probe, so that
	// one with a small share cannot hide.
	probe() effect
}

// order is the order in which a request meets active faults of different types: it
// is delayed first, and answered only where it was not dropped.
var order = map[scenario.FaultType]int{
	scenario.FaultLatency: 0,
	scenario.FaultDrop:    1,
	scenario.FaultErrors:  2,
}

func newKind(s Spec) (kind, error) {
	rng := rand.New(rand.NewPCG(s.Seed, s.Seed^0x9e3779b97f4a7c15))
	switch s.Fault.Type {
	case scenario.FaultLatency:
		return newLatency(s.Fault, rng)
	case scenario.FaultErrors:
		return newErrors(s.Fault, rng)
	case scenario.FaultDrop:
		return newDrop(s.Fault, rng)
	}
	return nil, fmt.Errorf("unknown fault type %q (one of: latency, errors, drop)", s.Fault.Type)
}
