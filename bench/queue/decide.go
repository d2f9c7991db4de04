// Package queue decides which queued runs may start, and starts them.
package queue

import "time"

// Entry is a run that waits for its turn, or has it.
type Entry struct {
	ID string
	// Connections that it uses.
	Connections []string
}

// Limits of an account's plan.
type Limits struct {
	AtOnce int // runs that go at the same time, at least 1
	AnHour int // runs that start within any 60 minutes, at least 1
}

// Hour is the time that Limits.AnHour counts.
const Hour = time.Hour

// State is a queue at one moment.
type State struct {
	Queued  []Entry // in the order in which they came
	Running []Entry
	// Began are the times at which runs began within the last hour, oldest first.
	Began []time.Time
}

// Decision says what may start now.
type Decision struct {
	Start []string
	// Wait is how long until the hour allows another start; 0 where it is not the
	// hour that holds the queue up.
	Wait time.Duration
}

// Decide is the whole rule. Runs start in the order in which they came; one that has to
// wait for a connection keeps all of its connections for itself, so that it is not
// overtaken for ever by runs that use some of them. Others may pass it.
func Decide(s State, limits Limits, now time.Time) Decision {
	taken := map[string]bool{}
	take := func(e Entry) (free bool) {
		free = true
		for _, c := range e.Connections {
			free = free && !taken[c]
		}
		for _, c := range e.Connections {
			taken[c] = true
		}
		return free
	}
	for _, e := range s.Running {
		take(e)
	}
	began := within(s.Began, now)
	var d Decision
	for _, e := range s.Queued {
		if len(s.Running)+len(d.Start) >= limits.AtOnce {
			break
		}
		if len(began)+len(d.Start) >= limits.AnHour {
			d.Wait = untilNext(began, len(d.Start), limits.AnHour, now)
			break
		}
		if take(e) {
			d.Start = append(d.Start, e.ID)
		}
	}
	return d
}

func within(began []time.Time, now time.Time) []time.Time {
	for len(began) > 0 && now.Sub(began[0]) >= Hour {
		began = began[1:]
	}
	return began
}

// untilNext is when enough starts are older than an hour. starting are those that
// begin now.
func untilNext(began []time.Time, starting, anHour int, now time.Time) time.Duration {
	leaves := len(began) + starting - anHour // index of the start that has to age
	if leaves >= len(began) {
		return Hour
	}
	return max(Hour-now.Sub(began[leaves]), time.Millisecond)
}
