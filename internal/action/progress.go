package action

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/internal/gate"
	"github.com/inorbit-hr/reliability/run"
)

// progress writes a line for what happens, and for each stretch of seconds of load.
// It is called by one goroutine at a time.
type progress struct {
	out io.Writer
	// every is how many seconds of load make a line.
	every int
	// seconds collects those of a run that have no line yet, by run.
	seconds map[string][]run.Second
}

func newProgress(out io.Writer, every int) *progress {
	return &progress{out: out, every: every, seconds: make(map[string][]run.Second)}
}

func (p *progress) tell(step gate.Progress) {
	label := oneLine(firstOf(step.Name, step.Path))
	say := func(format string, values ...any) {
		fmt.Fprintf(p.out, "%-16s %s\n", label, oneLine(fmt.Sprintf(format, values...)))
	}
	switch {
	case step.Run != nil:
		say("run %s, attempt %d: %s", step.Run.ID, step.Run.Attempt, step.Run.Status)
	case step.Event != nil:
		p.event(*step.Event, say)
	case step.Message != "":
		say("%s", step.Message)
	}
}

func (p *progress) event(e run.RunEvent, say func(string, ...any)) {
	switch e.Type {
	case run.EventTypeQueued:
		if e.Place > 1 {
			say("queued, place %d", e.Place)
		}
	case run.EventTypeStarted:
		say("started")
	case run.EventTypeSecond:
		if e.Second == nil {
			return
		}
		p.seconds[e.Run] = append(p.seconds[e.Run], *e.Second)
		if len(p.seconds[e.Run]) >= p.every {
			p.flush(e.Run, say)
		}
	case run.EventTypeFaultApplied, run.EventTypeFaultLifted:
		if e.Fault == nil {
			return
		}
		p.flush(e.Run, say)
		did := "applied"
		if e.Type == run.EventTypeFaultLifted {
			did = "lifted"
			if !e.Fault.Proved {
				did = "lifted, not proved yet"
			}
		}
		say("fault %s on %s %s", e.Fault.Type, e.Fault.Target, did)
	case run.EventTypeFinished:
		p.flush(e.Run, say)
		say("finished: %s", strings.TrimSuffix(string(e.Outcome)+", "+e.Message, ", "))
	default:
		say("%s", firstOf(e.Message, string(e.Type)))
	}
}

// flush writes the line of the seconds collected for a run.
func (p *progress) flush(id string, say func(string, ...any)) {
	seconds := p.seconds[id]
	if len(seconds) == 0 {
		return
	}
	delete(p.seconds, id)
	var due, errors, late, unsent int64
	var worst float64
	for _, s := range seconds {
		due, errors, late, unsent = due+s.Due, errors+s.Errors, late+s.Late, unsent+s.Unsent
		worst = max(worst, s.P99Ms)
	}
	last := seconds[len(seconds)-1]
	line := fmt.Sprintf("%4ds  %d requests, %d errors, slowest p99 %.0f ms", last.FromMs/1000+1, due, errors, worst)
	if last.Warmup {
		line += ", warm-up"
	}
	if late > 0 || unsent > 0 {
		line += fmt.Sprintf(", %d late, %d unsent", late, unsent)
	}
	say("%s", line)
}

// heading says what is judged.
func heading(c change.Change) string {
	noun := "scenarios"
	if len(c.Files) == 1 {
		noun = "scenario"
	}
	return fmt.Sprintf("%d %s, commit %.12s against %.12s", len(c.Files), noun, c.Head, c.Base)
}

// oneLine keeps what a file or a service says on one line, and from being a command
// to the terminal or to the runner, which also reads ##[command] inside a line.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != ' ' {
			return ' '
		}
		return r
	}, text)
	text = strings.ReplaceAll(text, "##[", "## [")
	return strings.ReplaceAll(text, "::", ": :")
}
