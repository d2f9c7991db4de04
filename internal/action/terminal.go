package action

import (
	"fmt"
	"io"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/internal/gate"
	"github.com/inorbit-hr/reliability/verdict"
)

// Terminal shows the verdict to a person at a terminal, or in another CI's log.
type Terminal struct {
	out      io.Writer
	progress *progress
}

// NewTerminal writes to out, a line for every two seconds of load.
func NewTerminal(out io.Writer) *Terminal {
	return &Terminal{out: out, progress: newProgress(out, 2)}
}

// Begin implements Publisher.
func (t *Terminal) Begin(c change.Change) {
	fmt.Fprintln(t.out, heading(c))
}

// Progress implements Publisher.
func (t *Terminal) Progress(step gate.Progress) { t.progress.tell(step) }

// End implements Publisher.
func (t *Terminal) End() { fmt.Fprintln(t.out) }

// Publish implements Publisher.
func (t *Terminal) Publish(v verdict.Verdict, files Files) error {
	if err := v.WriteText(t.out); err != nil {
		return fmt.Errorf("printing the verdict: %w", err)
	}
	_, err := fmt.Fprintf(t.out, "\nverdict as JSON: %s\nsummary as Markdown: %s\n", files.JSON, files.Markdown)
	return err
}
