package verdict

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Limits of GitHub.
const (
	// MaxStepAnnotations is how many annotations of each level GitHub shows of one
	// step. https://docs.github.com/en/rest/checks/runs says 50 of all for a job.
	MaxStepAnnotations = 10
	// MaxCheckText bounds the summary and the text of a check run, in characters; it
	// is kept in bytes, which are never fewer.
	// https://docs.github.com/en/rest/checks/runs
	MaxCheckText = 65_535
	// CheckBatch is how many annotations one request may bring.
	// https://docs.github.com/en/rest/checks/runs
	CheckBatch = 50
	// MaxCheckMessage bounds the message of an annotation, in bytes: 64 KB.
	// https://docs.github.com/en/rest/checks/runs
	MaxCheckMessage = 64_000
)

// MaxCheckAnnotations bounds the annotations of one check run: each batch costs a
// request, and nobody reads more.
const MaxCheckAnnotations = 10 * CheckBatch

// StepAnnotations are the annotations that GitHub shows of one step, worst first: at
// most MaxStepAnnotations of a level. hidden is how many are left out. EndColumn is
// the last column here, as GitHub takes it.
func (v Verdict) StepAnnotations() (shown []Annotation, hidden int) {
	taken := map[Level]int{}
	for _, a := range v.Annotations {
		if taken[a.Level] == MaxStepAnnotations {
			hidden++
			continue
		}
		taken[a.Level]++
		shown = append(shown, forGitHub(a))
	}
	return shown, hidden
}

// CheckOutput is what a check run shows.
type CheckOutput struct {
	Title   string
	Summary string // Markdown, at most MaxCheckText
	Text    string // Markdown, at most MaxCheckText; may be empty
	// Batches are the annotations, at most CheckBatch for one request, worst first.
	// EndColumn is the last column here, as GitHub takes it.
	Batches [][]Annotation
}

// CheckOutput writes the verdict as the output of a check run. What is left out is
// said in it.
func (v Verdict) CheckOutput() CheckOutput {
	var batches [][]Annotation
	shown, hidden := 0, 0
	for _, a := range v.Annotations {
		if cleanPath(a.Path) == "" { // a check's annotation needs a file; the summary says it
			continue
		}
		if shown == MaxCheckAnnotations {
			hidden++
			continue
		}
		if shown%CheckBatch == 0 {
			batches = append(batches, nil)
		}
		shown++
		last := len(batches) - 1
		batches[last] = append(batches[last], forGitHub(a))
	}
	const room = 200 // bytes for the line about annotations
	out := CheckOutput{
		Title: v.Title, Summary: v.overview(MaxCheckText - room), Text: v.details(MaxCheckText, bars), Batches: batches,
	}
	if hidden > 0 {
		out.Summary += fmt.Sprintf("\n_%d more annotations are not shown: a check shows at most %d._\n", hidden, MaxCheckAnnotations)
	}
	return out
}

// forGitHub brings an annotation into GitHub's form and limits: a path from the
// repository's root, and columns that are part of the annotation, on one line only.
func forGitHub(a Annotation) Annotation {
	a.Path = cleanPath(a.Path)
	if a.StartLine != a.EndLine {
		a.StartColumn, a.EndColumn = 0, 0
	}
	if a.StartColumn > 0 {
		a.EndColumn = max(a.StartColumn, a.EndColumn-1)
	}
	if len(a.Message) > MaxCheckMessage {
		a.Message = cutBytes(a.Message, MaxCheckMessage-len("…")) + "…"
	}
	return a
}

func cleanPath(p string) string {
	if p == "" {
		return ""
	}
	return strings.TrimPrefix(path.Clean("/"+p), "/")
}

// cutBytes returns at most n bytes of the text, cut between characters.
func cutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
