package action

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inorbit-hr/reliability/internal/change"
	"github.com/inorbit-hr/reliability/verdict"
)

// Files say where the verdict was written.
type Files struct {
	JSON     string // the verdict, by docs/verdict.schema.json
	Markdown string // the step summary
}

// The names of the files in the output folder.
const (
	jsonName     = "reliability-verdict.json"
	markdownName = "reliability-summary.md"
)

// maxEventSize bounds the event's payload, in bytes: GitHub caps webhook payloads at
// 25 MB (https://docs.github.com/en/webhooks/webhook-events-and-payloads).
const maxEventSize = 25 << 20

// writable refuses a folder that the verdict's files cannot be written to, before any
// time is spent on staging.
func writable(folder string) error {
	probe, err := os.CreateTemp(folder, ".reliability-")
	if err != nil {
		return usage(fmt.Sprintf("the verdict cannot be written to the folder %s: %v", folder, err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// write keeps the verdict as JSON and as Markdown. The JSON is always written,
// whatever the verdict is.
func write(folder string, v verdict.Verdict) (Files, error) {
	files := Files{JSON: filepath.Join(folder, jsonName), Markdown: filepath.Join(folder, markdownName)}
	for path, render := range map[string]func(io.Writer) error{files.JSON: v.WriteJSON, files.Markdown: v.WriteMarkdown} {
		var content bytes.Buffer
		if err := render(&content); err != nil {
			return Files{}, fmt.Errorf("rendering %s: %w", path, err)
		}
		if err := os.WriteFile(path, content.Bytes(), 0o644); err != nil {
			return Files{}, usage(fmt.Sprintf("the verdict cannot be written: %v", err))
		}
	}
	return files, nil
}

// readBounded reads a regular file of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return content, nil
}

// uncommitted notes the scenario files that stand otherwise in the folder than in
// the head commit: only what is committed is judged.
func uncommitted(root string, c change.Change) []string {
	if root == "" {
		return nil // a bare repository has no files beside its commits
	}
	var notes []string
	for _, file := range c.Files {
		if file.Head == nil {
			continue
		}
		content, err := readBounded(filepath.Join(root, filepath.FromSlash(file.Path)), int64(len(file.Head)))
		if errors.Is(err, fs.ErrNotExist) || (err == nil && bytes.Equal(content, file.Head)) {
			continue // a checkout of another commit, or none, is no reason for a note
		}
		notes = append(notes, file.Path+" has changes that are not committed; the committed file is judged")
	}
	return notes
}
