package action

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sethvargo/go-githubactions"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/internal/gate"
	"github.com/inorbit-hr/reliability/verdict"
)

// input reads an input of the Action. Container actions and steps pass it as
// INPUT_NAME.
func input(getenv func(string) string, name string) string {
	return githubactions.New(githubactions.WithGetenv(getenv)).GetInput(name)
}

// githubPublisher shows the verdict inside a GitHub workflow: grouped progress and
// annotations in the log, outputs, and the step summary.
type githubPublisher struct {
	env      Environment
	commands *githubactions.Action
	progress *progress
}

// secondsPerLine keeps a long run's log readable.
const secondsPerLine = 5

func newGitHubPublisher(env Environment) *githubPublisher {
	return &githubPublisher{
		env:      env,
		commands: githubactions.New(githubactions.WithWriter(env.Stdout), githubactions.WithGetenv(env.Getenv)),
		progress: newProgress(env.Stdout, secondsPerLine),
	}
}

// Begin implements Publisher.
func (p *githubPublisher) Begin(c change.Change) {
	if token := input(p.env.Getenv, "token"); token != "" {
		p.commands.AddMask(token)
	}
	p.commands.Group("Reliability: " + heading(c))
}

// Progress implements Publisher.
func (p *githubPublisher) Progress(step gate.Progress) { p.progress.tell(step) }

// End implements Publisher.
func (p *githubPublisher) End() { p.commands.EndGroup() }

// Publish implements Publisher.
func (p *githubPublisher) Publish(v verdict.Verdict, files Files) error {
	if err := v.WriteText(p.env.Stdout); err != nil {
		return fmt.Errorf("printing the verdict: %w", err)
	}
	p.annotate(v)
	summary, err := os.ReadFile(files.Markdown)
	if err != nil {
		return fmt.Errorf("reading the summary: %w", err)
	}
	return errors.Join(
		appendFile(p.env.Getenv("GITHUB_STEP_SUMMARY"), string(summary)),
		p.output("verdict", string(v.State)),
		p.output("conclusion", v.Conclusion()),
		p.output("title", v.Title),
		p.output("json", p.shared(files.JSON)),
	)
}

// shared is a path as a later step of the job can use it: one in the workspace is told
// from there, because the workspace has another place inside a container.
func (p *githubPublisher) shared(path string) string {
	workspace := p.env.Getenv("GITHUB_WORKSPACE")
	relative, err := filepath.Rel(workspace, path)
	if workspace == "" || err != nil || !filepath.IsLocal(relative) {
		return path
	}
	return relative
}

// annotate writes the annotations as workflow commands; GitHub shows ten of each
// level a step, so the worst come first and the rest is counted.
func (p *githubPublisher) annotate(v verdict.Verdict) {
	shown, hidden := v.StepAnnotations()
	for _, a := range shown {
		fields := map[string]string{"title": a.Title}
		if a.Path != "" {
			fields["file"] = a.Path
			fields["line"] = strconv.Itoa(a.StartLine)
			fields["endLine"] = strconv.Itoa(a.EndLine)
		}
		if a.StartLine == a.EndLine && a.StartColumn > 0 {
			fields["col"] = strconv.Itoa(a.StartColumn)
			fields["endColumn"] = strconv.Itoa(a.EndColumn)
		}
		commands := p.commands.WithFieldsMap(fields)
		switch a.Level {
		case verdict.Failure:
			commands.Errorf("%s", a.Message)
		case verdict.Warning:
			commands.Warningf("%s", a.Message)
		default:
			commands.Noticef("%s", a.Message)
		}
	}
	if hidden > 0 {
		fmt.Fprintf(p.env.Stdout, "%d more annotations are in the step summary: GitHub shows ten of a level in a step\n", hidden)
	}
}

// fail ends without a verdict: the mistake is an error annotation, and the exit code
// is never that of a pass.
func (p *githubPublisher) fail(err error) int {
	code := verdict.ExitInconclusive
	var user *change.UserError
	if errors.As(err, &user) {
		code = verdict.ExitUsage
	}
	p.commands.Errorf("%s", err.Error())
	err = errors.Join(p.output("verdict", string(verdict.Inconclusive)), p.output("title", oneLine(err.Error())))
	if err != nil {
		fmt.Fprintln(p.env.Stderr, err)
	}
	return code
}

// output sets an output of the step. The delimiter is random, so that a value cannot
// end its own text and set another output
// (https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions#multiline-strings).
func (p *githubPublisher) output(name, value string) error {
	delimiter := "end-" + rand.Text()
	return appendFile(p.env.Getenv("GITHUB_OUTPUT"), fmt.Sprintf("%s<<%s\n%s\n%s\n", name, delimiter, value, delimiter))
}

// appendFile adds to a file that the runner made; without one there is nobody to
// read it.
func appendFile(path, text string) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("writing the step's result: %w", err)
	}
	_, err = io.WriteString(file, text)
	return errors.Join(err, file.Close())
}
