package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/inorbit-hr/reliability/examples/staging"
	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/scenarios"
)

// benchConfig is the sample's bench.toml.
var benchConfig = template.Must(template.New("bench.toml").Parse(`format = 1

[account]
name = "sample"

[plan]
max_rate = 200
max_duration = "1m"
max_in_flight = 128
fault_budget = "1m"

[environments.staging]

[agents.local.policy]
connections = ["public-api-staging", "engine-staging"]
faults = ["latency", "errors"]

[connections.public-api-staging]
environment = "staging"
protocol = "http"
address = "{{.API}}"
revision = { header = "Service-Revision" }
contract = "contracts/api.yaml"
agent = "local"

[connections.engine-staging]
environment = "staging"
protocol = "http"
address = "{{.Engine}}"
contract = "contracts/engine.yaml"
agent = "local"
proxy = { name = "engine", listen = "{{.Proxy}}" }
`))

// makePullRequest makes the repository: a base commit with the bench's configuration
// and lighter scenarios, and a head commit that raises their rate. It returns the
// file with the pull request's event.
func makePullRequest(folder string, s *sample, names []string) (string, error) {
	repository, err := git.PlainInitWithOptions(folder, &git.PlainInitOptions{
		InitOptions: git.InitOptions{DefaultBranch: plumbing.Main},
	})
	if err != nil {
		return "", fmt.Errorf("making the sample repository: %w", err)
	}
	baseFiles, headFiles, err := sampleFiles(s, names)
	if err != nil {
		return "", err
	}
	base, err := commit(repository, folder, baseFiles, "Three scenarios and the bench that runs them")
	if err != nil {
		return "", err
	}
	head, err := commit(repository, folder, headFiles, "Judge the service at the rate of a busy day")
	if err != nil {
		return "", err
	}
	s.api.Tell(head) // staging runs what is judged
	s.engine.Tell(head)
	event, err := json.Marshal(map[string]any{
		"action": "opened", "number": 1,
		"repository": map[string]any{"full_name": "sample/shop", "html_url": "https://github.com/sample/shop", "default_branch": "main"},
		"pull_request": map[string]any{
			"number": 1, "user": map[string]any{"login": "sample"},
			"base": map[string]any{"ref": "main", "sha": base},
			"head": map[string]any{"ref": "busy-day", "sha": head, "repo": map[string]any{"full_name": "sample/shop"}},
		},
	})
	if err != nil {
		return "", fmt.Errorf("writing the sample's event: %w", err)
	}
	path := filepath.Join(folder, git.GitDirName, "event.json")
	if err := os.WriteFile(path, event, 0o600); err != nil {
		return "", fmt.Errorf("writing the sample's event: %w", err)
	}
	return path, nil
}

// sampleFiles are the files of the two commits by path.
func sampleFiles(s *sample, names []string) (base, head map[string][]byte, err error) {
	base, head = make(map[string][]byte), make(map[string][]byte)
	for _, name := range names {
		path := "scenarios/" + name + ".toml"
		content, err := scenarios.Files.ReadFile(name + ".toml")
		if err != nil {
			return nil, nil, fmt.Errorf("reading the shipped scenario %s: %w", name, err)
		}
		head[path] = content
		base[path] = bytes.Replace(content, []byte("rate = 100\n"), []byte("rate = 80\n"), 1)
	}
	for _, name := range []string{"api.yaml", "engine.yaml"} {
		content, err := staging.Contracts.ReadFile("contracts/" + name)
		if err != nil {
			return nil, nil, fmt.Errorf("reading the sample's contract %s: %w", name, err)
		}
		base[".github/contracts/"+name] = content
	}
	var config strings.Builder
	err = benchConfig.Execute(&config, map[string]string{"API": s.api.URL(), "Engine": s.engine.URL(), "Proxy": s.proxy})
	if err != nil {
		return nil, nil, fmt.Errorf("writing the sample's bench.toml: %w", err)
	}
	base[change.BenchPath] = []byte(config.String())
	return base, head, nil
}

func commit(repository *git.Repository, folder string, files map[string][]byte, message string) (string, error) {
	tree, err := repository.Worktree()
	if err != nil {
		return "", fmt.Errorf("opening the sample repository: %w", err)
	}
	for path, content := range files {
		target := filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return "", fmt.Errorf("making the sample repository: %w", err)
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return "", fmt.Errorf("making the sample repository: %w", err)
		}
		if _, err := tree.Add(path); err != nil {
			return "", fmt.Errorf("adding %s to the sample repository: %w", path, err)
		}
	}
	hash, err := tree.Commit(message, &git.CommitOptions{
		Author: &object.Signature{Name: "Sample", Email: "sample@users.noreply.github.com", When: time.Now()},
	})
	if err != nil {
		return "", fmt.Errorf("committing to the sample repository: %w", err)
	}
	return hash.String(), nil
}
