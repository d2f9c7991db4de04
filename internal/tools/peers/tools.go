package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// connections is how many each tool may have, where it can be told.
const connections = 64

// tool is a load generator.
type tool struct {
	name    string
	command func(target string, rate int, length time.Duration) []string
	stdin   func(target string) string
	// p99 reads the latency that the tool tells, in milliseconds, from what it wrote.
	p99 func(ctx context.Context, output []byte) (float64, error)
}

// usage is what a process took.
type usage struct {
	processor time.Duration
	memory    float64 // MB at most
	output    []byte
}

func (t *tool) run(ctx context.Context, target string, rate int, length time.Duration) (usage, error) {
	words := t.command(target, rate, length)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var output, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &problems
	if t.stdin != nil {
		cmd.Stdin = strings.NewReader(t.stdin(target))
	}
	if err := cmd.Run(); err != nil {
		return usage{}, fmt.Errorf("%s: %w: %s", t.name, err, problems.Bytes())
	}
	u := usage{processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), output: output.Bytes()}
	u.memory = mostMemory(cmd.ProcessState)
	return u, nil
}

// ownTool is this program's own generator, as a process like the others.
func ownTool() (*tool, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	return &tool{
		name: "own",
		command: func(target string, rate int, length time.Duration) []string {
			return []string{self, "own", "-url", target, "-rate", strconv.Itoa(rate), "-for", length.String()}
		},
		p99: func(_ context.Context, output []byte) (float64, error) {
			var r ownReport
			err := json.Unmarshal(output, &r)
			return r.P99Ms, err
		},
	}, nil
}

// install builds a peer into a folder; nil where it cannot be had, which is said.
func install(ctx context.Context, folder, module string) (path string) {
	name := filepath.Base(strings.Split(module, "@")[0])
	if name == "v12" {
		name = "vegeta"
	}
	cmd := exec.CommandContext(ctx, "go", "install", module)
	cmd.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(output)), "\n")
		fmt.Fprintf(os.Stderr, "%s is left out: it cannot be installed: %s\n", name, lines[len(lines)-1])
		return ""
	}
	return filepath.Join(folder, name)
}

func vegeta(path string) *tool {
	return &tool{
		name: "vegeta 12.13",
		command: func(_ string, rate int, length time.Duration) []string {
			return []string{path, "attack", "-rate", strconv.Itoa(rate), "-duration", length.String(), "-workers", strconv.Itoa(connections), "-timeout", "10s"}
		},
		stdin: func(target string) string { return "GET " + target + "\n" },
		p99: func(ctx context.Context, output []byte) (float64, error) {
			cmd := exec.CommandContext(ctx, path, "report", "-type", "json")
			cmd.Stdin = bytes.NewReader(output)
			text, err := cmd.Output()
			if err != nil {
				return 0, err
			}
			var r struct {
				Latencies struct {
					P99 float64 `json:"99th"` // nanoseconds
				} `json:"latencies"`
			}
			err = json.Unmarshal(text, &r)
			return r.Latencies.P99 / 1e6, err
		},
	}
}

func fortio(path string) *tool {
	return &tool{
		name: "fortio 1.66",
		command: func(target string, rate int, length time.Duration) []string {
			return []string{path, "load", "-qps", strconv.Itoa(rate), "-t", length.String(), "-c", strconv.Itoa(connections), "-uniform", "-p", "99", "-json", "-", "-quiet", target}
		},
		p99: func(_ context.Context, output []byte) (float64, error) {
			var r struct {
				DurationHistogram struct {
					Percentiles []struct{ Percentile, Value float64 } // seconds
				}
			}
			if err := json.Unmarshal(output, &r); err != nil {
				return 0, err
			}
			for _, p := range r.DurationHistogram.Percentiles {
				if p.Percentile == 99 {
					return p.Value * 1000, nil
				}
			}
			return 0, fmt.Errorf("no p99 in fortio's report")
		},
	}
}
