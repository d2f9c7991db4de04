package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be the Action itself, so that signals and exit codes
// are those of the real process.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_THE_ACTION") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// workspace is a checked-out repository with a pull request's event, as a runner makes
// it.
type workspace struct {
	t      *testing.T
	folder string
	env    map[string]string
	stdout *watched
}

const contract = `openapi: 3.0.3
info: { title: api, version: "1" }
paths:
  /me:
    get:
      operationId: me
      responses:
        "200": { description: me, content: { application/json: { schema: { type: object } } } }
`

func scenarioText(name, limit, duration string) string {
	return fmt.Sprintf(`[scenario]
format = 1
name = %q
environment = "staging"

[targets]
api = { connection = "public-api-staging" }

[load]
target = "api"
rate = 100
duration = %q
operations = [{ openapi = "me" }]

[assertions]
max_p50_ms = %s
`, name, duration, limit)
}

// surfacesText has no load, so how busy the machine is decides nothing.
func surfacesText(name string) string {
	return fmt.Sprintf(`[scenario]
format = 1
name = %q
environment = "staging"

[targets]
api = { connection = "public-api-staging" }

[assertions]
checks = ["surfaces"]
`, name)
}

func newWorkspace(t *testing.T, address string, files map[string]string) *workspace {
	t.Helper()
	w := &workspace{t: t, folder: t.TempDir(), stdout: &watched{seen: make(chan string, 1000)}}
	temp := t.TempDir()
	w.git("init", "-q", "-b", "main")
	w.write(".github/contract.yaml", contract)
	w.write(".github/bench.toml", `format = 1
[account]
name = "shop"
[environments.staging]
[agents.local.policy]
connections = ["public-api-staging"]
[connections.public-api-staging]
environment = "staging"
protocol = "http"
address = "`+address+`"
contract = "contract.yaml"
agent = "local"
`)
	base := w.commit()
	for path, content := range files {
		w.write(path, content)
	}
	head := w.commit()
	event := filepath.Join(temp, "event.json")
	payload := fmt.Sprintf(`{"number": 5, "repository": {"full_name": "o/r", "html_url": "https://github.com/o/r"},
		"pull_request": {"number": 5, "user": {"login": "ann"}, "base": {"ref": "main", "sha": %q},
		"head": {"ref": "x", "sha": %q, "repo": {"full_name": "o/r"}}}}`, base, head)
	if err := os.WriteFile(event, []byte(payload), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = map[string]string{
		"RUN_THE_ACTION": "1", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": event, "GITHUB_WORKSPACE": w.folder,
		"GITHUB_OUTPUT": filepath.Join(temp, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(temp, "summary"), "RUNNER_TEMP": temp,
	}
	return w
}

func (w *workspace) git(arguments ...string) string {
	w.t.Helper()
	command := exec.Command("git", arguments...)
	command.Dir = w.folder
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := command.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", arguments, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *workspace) write(path, content string) {
	w.t.Helper()
	target := filepath.Join(w.folder, path)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) commit() string {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "a change")
	return w.git("rev-parse", "HEAD")
}

// watched keeps what is written and tells each write.
type watched struct {
	text bytes.Buffer
	seen chan string
}

func (w *watched) String() string { return w.text.String() }

func (w *watched) Write(p []byte) (int, error) {
	select {
	case w.seen <- string(p):
	default:
	}
	return w.text.Write(p)
}

// start starts the Action with the workspace's environment and nothing else.
func (w *workspace) start() *exec.Cmd {
	w.t.Helper()
	binary, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	command := exec.Command(binary)
	command.Env = []string{"GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), "TMPDIR=" + os.TempDir()}
	for key, value := range w.env {
		command.Env = append(command.Env, key+"="+value)
	}
	command.Stdout, command.Stderr = w.stdout, w.stdout
	if err := command.Start(); err != nil {
		w.t.Fatal(err)
	}
	return command
}

func (w *workspace) run() int {
	w.t.Helper()
	command := w.start()
	_ = command.Wait() // the exit code is what is tested
	return command.ProcessState.ExitCode()
}

func (w *workspace) file(key string) string {
	content, err := os.ReadFile(w.env[key])
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(content)
}

// outputs reads GITHUB_OUTPUT as the runner does: name, delimiter, lines.
func (w *workspace) outputs() map[string]string {
	w.t.Helper()
	outputs := make(map[string]string)
	lines := strings.Split(w.file("GITHUB_OUTPUT"), "\n")
	for i := 0; i < len(lines); i++ {
		name, delimiter, ok := strings.Cut(lines[i], "<<")
		if !ok {
			continue
		}
		var value []string
		for i++; i < len(lines) && lines[i] != delimiter; i++ {
			value = append(value, lines[i])
		}
		outputs[name] = strings.Join(value, "\n")
	}
	return outputs
}

func answering(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprint(rw, `{}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Everything the runner reads is there, and a scenario's text is no command to it.
func TestVerdictOfAPullRequest(t *testing.T) {
	w := newWorkspace(t, answering(t), map[string]string{
		"scenarios/pass,a:b%.toml": surfacesText("holds ::error::no ##[error]no"),
		"scenarios/skipped.toml":   strings.Replace(surfacesText("not now"), "environment", "skip = \"later\"\nenvironment", 1),
	})
	code := w.run()
	log := w.stdout.String()
	outputs := w.outputs()
	// A new scenario that is skipped lowers the bar, which needs a person.
	if code != 4 || outputs["verdict"] != "waiting" || outputs["conclusion"] != "action_required" {
		t.Fatalf("exit %d, outputs %v\n%s", code, outputs, log)
	}
	for _, line := range strings.Split(log, "\n") {
		ours := strings.HasPrefix(line, "::notice ") || strings.HasPrefix(line, "::warning ") // its text is its own
		if strings.HasPrefix(strings.TrimSpace(line), "::error::no") || !ours && strings.Contains(line, "##[error]") {
			t.Errorf("the log has the command %q", line)
		}
	}
	notice := regexp.MustCompile(`(?m)^::(notice|warning) .*file=scenarios/pass%2Ca%3Ab%25\.toml,line=3`)
	if !notice.MatchString(log) {
		t.Errorf("no annotation on the name's line:\n%s", log)
	}
	if !strings.Contains(w.file("GITHUB_STEP_SUMMARY"), "not now") {
		t.Errorf("the summary does not name the skipped scenario")
	}
	content, err := os.ReadFile(outputs["json"])
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Schema int    `json:"schema"`
		State  string `json:"state"`
	}
	if err := json.Unmarshal(content, &v); err != nil || v.Schema != 1 || v.State != "waiting" {
		t.Errorf("%v: %+v", err, v)
	}
}

// In a container the runner's folder for files is named and not there: the verdict is
// written to the workspace, and told from there.
func TestInAContainer(t *testing.T) {
	w := newWorkspace(t, answering(t), map[string]string{"scenarios/a.toml": surfacesText("a")})
	w.env["RUNNER_TEMP"] = filepath.Join(t.TempDir(), "not-there")
	w.env["TMPDIR"] = w.env["RUNNER_TEMP"]
	if code := w.run(); code != 0 || w.outputs()["json"] != "reliability-verdict.json" {
		t.Fatalf("exit %d, outputs %v\n%s", code, w.outputs(), w.stdout.String())
	}
	if _, err := os.Stat(filepath.Join(w.folder, "reliability-verdict.json")); err != nil {
		t.Error(err)
	}
}

// A mistake in the call is told, is never a pass, and still sets the outputs.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		name, key, value, want string
		code                   int
	}{
		{"event", "GITHUB_EVENT_NAME", "pull_request_target", "start the workflow on pull_request instead", 2},
		{"no event file", "GITHUB_EVENT_PATH", "/nowhere/event.json", "GITHUB_EVENT_PATH cannot be read", 2},
		{"only", "INPUT_ONLY", "chek", `the input only is "chek"`, 2},
		{"timeout", "INPUT_TIMEOUT", "30", `the input timeout is "30"`, 2},
		{"token alone", "INPUT_TOKEN", "secret", "the input token is set and bench is not", 2},
		{"plain http", "INPUT_BENCH", "http://bench.example", "", 4}, // without a token: nothing is sent
		{"not a repository", "GITHUB_WORKSPACE", os.TempDir(), "is not in a git repository", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorkspace(t, "http://127.0.0.1:1", map[string]string{"scenarios/a.toml": scenarioText("a", "100", "2s")})
			w.env[test.key] = test.value
			if code := w.run(); code != test.code || !strings.Contains(w.stdout.String(), test.want) {
				t.Errorf("exit %d\n%s", code, w.stdout.String())
			}
			if outputs := w.outputs(); outputs["verdict"] == "pass" || outputs["verdict"] == "" || outputs["title"] == "" {
				t.Errorf("outputs %v", outputs)
			}
		})
	}
}

// An interrupted job stops its run, says so, and leaves no listener behind.
func TestInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			w := newWorkspace(t, answering(t), map[string]string{"scenarios/a.toml": scenarioText("a", "1000", "10m")})
			command := w.start()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = command.Wait() // the exit code is what is tested
			}()
			for loaded := false; !loaded; {
				select {
				case text := <-w.stdout.seen:
					loaded = strings.Contains(text, " requests, ") // load is on its way
				case <-ended:
					t.Fatalf("it ended by itself:\n%s", w.stdout.String())
				}
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			<-ended
			log := w.stdout.String()
			if code := command.ProcessState.ExitCode(); code != 130 || w.outputs()["verdict"] != "cancelled" {
				t.Errorf("exit %d, outputs %v\n%s", code, w.outputs(), log)
			}
			if !strings.Contains(log, "told the bench to stop run") {
				t.Errorf("the log does not say that the run was stopped:\n%s", log)
			}
		})
	}
}

// A bench that is not there is inconclusive, whatever the scenario would have done.
func TestBenchUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, "http://127.0.0.1:1", map[string]string{"scenarios/a.toml": scenarioText("a", "100", "2s")})
	w.env["INPUT_BENCH"], w.env["INPUT_TOKEN"], w.env["INPUT_TIMEOUT"] = "http://"+address, "t", "2s"
	if code := w.run(); code != 3 || w.outputs()["verdict"] != "inconclusive" {
		t.Errorf("exit %d, outputs %v\n%s", code, w.outputs(), w.stdout.String())
	}
	if strings.Contains(w.file("GITHUB_STEP_SUMMARY"), "secret") {
		t.Error("the summary has the token")
	}
}
