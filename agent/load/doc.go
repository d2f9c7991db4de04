// Package load sends an open-loop load over HTTP and measures it from the times at
// which requests were due.
//
//	schedule -> pacer -> dispatcher -> workers -> collector -> seconds, counts
//
// Every request has its time before the run starts. The pacer hands each one over when
// it is due; a fixed number of workers, each with one connection, send them. What is
// due while all workers are busy waits in a queue, and its latency counts from the time
// at which it was due: a service that stalls cannot slow its own load down, and cannot
// hide that it stalled.
package load
