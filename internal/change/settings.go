package change

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/pelletier/go-toml/v2"
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

// ParseSettings reads a settings file. All problems are told, each on its line.
func ParseSettings(content []byte) (Settings, []Problem) {
	var s Settings
	decoder := toml.NewDecoder(strings.NewReader(string(content))).DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return Settings{}, decodeProblems(err)
	}
	var problems []Problem
	complain := func(format string, values ...any) {
		problems = append(problems, Problem{Path: SettingsPath, Message: fmt.Sprintf(format, values...)})
	}
	if s.Format != 1 {
		complain("format is missing or unknown: write format = 1")
	}
	for _, word := range []struct {
		key, value string
		allowed    []string
	}{
		{"select", s.Select, []string{"changed", "affected", "all"}},
		{"gate.loosened", s.Gate.Loosened, []string{"note", "person"}},
		{"gate.borderline", s.Gate.Borderline, []string{"note", "block"}},
		{"gate.revision", s.Gate.Revision, []string{"note", "require"}},
		{"bot.runs", s.Bot.Runs, []string{"bot", "action"}},
	} {
		if word.value != "" && !slices.Contains(word.allowed, word.value) {
			complain("%s is %q; it takes one of: %s", word.key, word.value, strings.Join(word.allowed, ", "))
		}
	}
	for key, globs := range s.globs() {
		for _, glob := range globs {
			if !doublestar.ValidatePattern(glob) {
				complain("%s has %q, which is not a glob", key, glob)
			}
		}
	}
	for i, a := range s.Affected {
		if len(a.Paths) == 0 || len(a.Scenarios) == 0 {
			complain("affected[%d] needs both paths and scenarios", i)
		}
	}
	s.fill()
	return s, problems
}

func (s *Settings) globs() map[string][]string {
	globs := map[string][]string{"scenarios": s.Scenarios, "gate.advisory": s.Gate.Advisory}
	for i, a := range s.Affected {
		globs[fmt.Sprintf("affected[%d].paths", i)] = a.Paths
		globs[fmt.Sprintf("affected[%d].scenarios", i)] = a.Scenarios
	}
	return globs
}

func decodeProblems(err error) []Problem {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		problems := make([]Problem, 0, len(strict.Errors))
		for _, unknown := range strict.Errors {
			line, _ := unknown.Position()
			problems = append(problems, Problem{
				Path: SettingsPath, Line: line,
				Message: fmt.Sprintf("unknown key %q", strings.Join(unknown.Key(), ".")),
			})
		}
		return problems
	}
	problem := Problem{Path: SettingsPath, Message: "cannot be read as TOML: " + err.Error()}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		problem.Line, _ = decode.Position()
		problem.Message = "cannot be read: " + strings.TrimPrefix(decode.Error(), "toml: ")
	}
	return []Problem{problem}
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
