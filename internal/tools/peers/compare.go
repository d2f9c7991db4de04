package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// The stall that is measured: none of its requests is answered before its end, so the true
// p99 follows from the lengths alone.
const (
	stallAfter  = time.Second
	stallLength = time.Second
	stallRate   = 1000
)

type comparison struct {
	rates  []int
	length time.Duration
	rounds int
	tools  []*tool
	target string
}

// row is one measurement of one tool.
type row struct {
	p50, p99  float64 // lateness in microseconds
	held      float64 // of the rate
	processor float64 // seconds for 100,000 requests
	memory    float64 // MB
}

func (c *comparison) run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return fmt.Errorf("making a folder for the peers: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	mine, err := ownTool()
	if err != nil {
		return err
	}
	c.tools = append(c.tools, mine)
	if path := install(ctx, folder, "github.com/tsenart/vegeta/v12@v12.13.0"); path != "" {
		c.tools = append(c.tools, vegeta(path))
	}
	if path := install(ctx, folder, "fortio.org/fortio@v1.66.0"); path != "" {
		c.tools = append(c.tools, fortio(path))
	}
	stop, err := c.startService(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := c.pacing(ctx); err != nil {
		return err
	}
	return c.stall(ctx)
}

// startService starts the service in a process of its own.
func (c *comparison) startService(ctx context.Context) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, "serve")
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the service: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the service: %w", err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	address, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("the service did not tell its address: %w", err)
	}
	c.target = strings.TrimSpace(address)
	return stop, nil
}

// pacing measures the tools in turn, round by round, so that what else the machine does
// meets all of them.
func (c *comparison) pacing(ctx context.Context) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| rate\t| tool\t| late p50, us\t| late p99, us\t| rate held\t| CPU s for 100,000\t| MB\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	for _, rate := range c.rates {
		rows := make([][]row, len(c.tools))
		for range c.rounds {
			for i, t := range c.tools {
				r, err := c.measure(ctx, t, rate)
				if err != nil {
					return err
				}
				rows[i] = append(rows[i], r)
			}
		}
		for i, t := range c.tools {
			m := medians(rows[i])
			fmt.Fprintf(w, "| %d\t| %s\t| %.0f\t| %.0f\t| %.3f\t| %.1f\t| %.0f\t|\n", rate, t.name, m.p50, m.p99, m.held, m.processor, m.memory)
		}
	}
	return w.Flush()
}

func (c *comparison) measure(ctx context.Context, t *tool, rate int) (row, error) {
	if err := c.post(ctx, "/reset"); err != nil {
		return row{}, err
	}
	u, err := t.run(ctx, c.target+"/", rate, c.length)
	if err != nil {
		return row{}, err
	}
	var seen arrivals
	if err := c.get(ctx, fmt.Sprintf("/arrivals?rate=%d", rate), &seen); err != nil {
		return row{}, err
	}
	n := float64(seen.Count)
	return row{
		p50: seen.P50Micro, p99: seen.P99Micro, held: n / (float64(rate) * c.length.Seconds()),
		processor: u.processor.Seconds() * 100_000 / max(n, 1), memory: u.memory,
	}, nil
}

func medians(rows []row) row {
	median := func(of func(row) float64) float64 {
		var all []float64
		for _, r := range rows {
			all = append(all, of(r))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return row{
		p50: median(func(r row) float64 { return r.p50 }), p99: median(func(r row) float64 { return r.p99 }),
		held:      median(func(r row) float64 { return r.held }),
		processor: median(func(r row) float64 { return r.processor }), memory: median(func(r row) float64 { return r.memory }),
	}
}

// stall tells what each tool makes of a service that gives no answer for a second.
func (c *comparison) stall(ctx context.Context) error {
	truth := (stallLength - c.length/100).Seconds() * 1000
	fmt.Printf("\nA stall of %s at %d/s over %s; the true p99 is %.0f ms\n\n", stallLength, stallRate, c.length, truth)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| tool\t| told p99, ms\t| told / true\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|")
	for _, t := range c.tools {
		if err := c.post(ctx, "/reset"); err != nil {
			return err
		}
		if err := c.post(ctx, "/stall?after="+stallAfter.String()); err != nil {
			return err
		}
		u, err := t.run(ctx, c.target+"/", stallRate, c.length)
		if err != nil {
			return err
		}
		told, err := t.p99(ctx, u.output)
		if err != nil {
			return fmt.Errorf("reading the report of %s: %w", t.name, err)
		}
		fmt.Fprintf(w, "| %s\t| %.0f\t| %.2f\t|\n", t.name, told, told/truth)
	}
	return w.Flush()
}

func (c *comparison) post(ctx context.Context, path string) error {
	return c.ask(ctx, http.MethodPost, path, nil)
}

func (c *comparison) get(ctx context.Context, path string, into any) error {
	return c.ask(ctx, http.MethodGet, path, into)
}

func (c *comparison) ask(ctx context.Context, method, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.target+path, nil)
	if err != nil {
		return fmt.Errorf("asking the service: %w", err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("asking the service: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("asking the service for %s: %s", path, answer.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
