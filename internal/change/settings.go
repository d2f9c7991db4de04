package change

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/inorbit-hr/reliability/internal/tomlfile"
)

// SettingsPath is where a repository keeps its settings.
const SettingsPath = ".github/reliability.toml"

// BenchPath is where a repository keeps the configuration of an embedded bench.
const BenchPath = ".github/bench.toml"

// Settings are a repository's own settings, .github/reliability.toml. They are read
// from the base branch only.
type Settings struct {
	Format int `toml:"format"`
	// Scenarios are the globs of scenario files; ** stands for any folders.
	Scenarios []string `toml:"scenarios"`
	// Select says which scenarios a change is judged by: "changed" are those it
	// alters; "affected" adds those that [[affected]] names for the paths it
	// touches, and means all where there is no [[affected]]; "all" are all.
	Select   string     `toml:"select"`
	Affected []Affected `toml:"affected"`
	Gate     Gate       `toml:"gate"`
	Bot      Bot        `toml:"bot"`
	// CheckName is the name of the check run.
	CheckName string `toml:"check_name"`
}

// Affected names the scenarios that paths of the repository affect.
type Affected struct {
	Paths     []string `toml:"paths"`
	Scenarios []string `toml:"scenarios"`
}

// Gate says how results become a verdict.
type Gate struct {
	// Advisory are globs of scenario files whose failures are shown and do not
	// block.
	Advisory []string `toml:"advisory"`
	// Loosened is what a lowered bar does: "person" (default) waits for a person,
	// "note" is shown.
	Loosened string `toml:"loosened"`
	// Borderline is what a result at its limit does after two looks: "note"
	// (default) passes with a warning, "block" is inconclusive.
	Borderline string `toml:"borderline"`
	// Revision is what a tested revision other than the head does: "note"
	// (default) is shown, "require" is inconclusive.
	Revision string `toml:"revision"`
}

// Bot is for the App's bot.
type Bot struct {
	// Runs says who starts runs: "bot" (default) or "action".
	Runs string `toml:"runs"`
}

// defaultScenarios are the globs of a repository that names none.
var defaultScenarios = []string{"scenarios/**/*.toml", "**/scenarios/**/*.toml"}

// DefaultSettings are those of a repository without a settings file: it is judged by
// the scenarios that a change alters. A file without `select` means "affected".
func DefaultSettings() Settings {
	s := Settings{Format: 1, Select: "changed"}
	s.fill()
	return s
}

func (s *Settings) fill() {
	if len(s.Scenarios) == 0 {
		s.Scenarios = defaultScenarios
	}
	for value, standard := range map[*string]string{
		&s.Select: "affected", &s.Gate.Loosened: "person", &s.Gate.Borderline: "note",
		&s.Gate.Revision: "note", &s.Bot.Runs: "bot", &s.CheckName: "reliability",
	} {
		if *value == "" {
			*value = standard
		}
	}
}

// words are the keys that take one word of a list.
var words = []struct {
	key     string
	of      func(*Settings) string
	allowed []string
}{
	{"select", func(s *Settings) string { return s.Select }, []string{"changed", "affected", "all"}},
	{"gate.loosened", func(s *Settings) string { return s.Gate.Loosened }, []string{"note", "person"}},
	{"gate.borderline", func(s *Settings) string { return s.Gate.Borderline }, []string{"note", "block"}},
	{"gate.revision", func(s *Settings) string { return s.Gate.Revision }, []string{"note", "require"}},
	{"bot.runs", func(s *Settings) string { return s.Bot.Runs }, []string{"bot", "action"}},
}

// ParseSettings reads a settings file. All problems are told, each on its line.
func ParseSettings(content []byte) (Settings, []Problem) {
	var s Settings
	file := tomlfile.Read(SettingsPath, content, &s)
	if err := file.Err(); err != nil {
		return Settings{}, Problems(err)
	}
	if s.Format != 1 {
		file.Refuse("format", "missing or unknown: write format = 1")
	}
	for _, w := range words {
		if value := w.of(&s); file.Has(w.key) && !slices.Contains(w.allowed, value) {
			file.Refuse(w.key, "is %q; it takes one of: %s", value, strings.Join(w.allowed, ", "))
		}
	}
	if file.Has("scenarios") && len(s.Scenarios) == 0 {
		file.Refuse("scenarios", "is empty: no file would be a scenario; leave it out for the default")
	}
	checkGlobs(file, "scenarios", s.Scenarios)
	checkGlobs(file, "gate.advisory", s.Gate.Advisory)
	for i, a := range s.Affected {
		key := fmt.Sprintf("affected[%d]", i)
		if len(a.Paths) == 0 || len(a.Scenarios) == 0 {
			file.Refuse(key, "needs both paths and scenarios")
		}
		checkGlobs(file, key+".paths", a.Paths)
		checkGlobs(file, key+".scenarios", a.Scenarios)
	}
	if err := file.Err(); err != nil {
		return Settings{}, Problems(err)
	}
	s.fill()
	return s, nil
}

func checkGlobs(file *tomlfile.File, key string, globs []string) {
	for i, glob := range globs {
		if !doublestar.ValidatePattern(glob) {
			file.Refuse(fmt.Sprintf("%s[%d]", key, i), "%q is not a glob", glob)
		}
	}
}

// Problems are those of a configuration file, each on its line; an error that has no
// line is one problem.
func Problems(err error) []Problem {
	var told tomlfile.Error
	if !errors.As(err, &told) {
		return []Problem{{Message: err.Error()}}
	}
	problems := make([]Problem, 0, len(told))
	for _, p := range told {
		message := p.Message
		if p.Key != "" {
			message = p.Key + ": " + message
		}
		problems = append(problems, Problem{Path: p.File, Line: p.Line, Message: message})
	}
	return problems
}

// IsScenario tells whether a path is a scenario file.
func (s *Settings) IsScenario(path string) bool { return matches(s.Scenarios, path) }

// IsAdvisory tells whether a scenario file's failures are only shown.
func (s *Settings) IsAdvisory(path string) bool { return matches(s.Gate.Advisory, path) }

// Selects tells whether a scenario file at the head is one that the change is judged
// by. touched tells whether the change alters the file itself, changed holds every
// path that it alters.
func (s *Settings) Selects(path string, touched bool, changed []string) bool {
	if !s.IsScenario(path) {
		return false
	}
	if touched || s.Select == "all" {
		return true
	}
	if s.Select != "affected" {
		return false
	}
	if len(s.Affected) == 0 {
		return true
	}
	for _, a := range s.Affected {
		if matches(a.Scenarios, path) && anyMatches(a.Paths, changed) {
			return true
		}
	}
	return false
}

func anyMatches(globs, paths []string) bool {
	for _, path := range paths {
		if matches(globs, path) {
			return true
		}
	}
	return false
}

// matches compares bytes: a path of a repository may be anything but NUL, and a
// backslash in it is a character. Globs were validated when they were read.
func matches(globs []string, path string) bool {
	for _, glob := range globs {
		if doublestar.MatchUnvalidated(glob, path) {
			return true
		}
	}
	return false
}
