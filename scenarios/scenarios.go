// Package scenarios ships the three scenarios that every service can start from,
// written against the sample staging in examples/staging.
package scenarios

import "embed"

// Files are the scenario files: baseline.toml, error_injection.toml, latency.toml.
//
//go:embed *.toml
var Files embed.FS
