package report

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/inorbit-hr/reliability/scenario"
)

// jsonVersion is the version of the JSON form. It changes when a field changes its
// meaning or goes away.
const jsonVersion = 1

type jsonReport struct {
	Version int        `json:"version"`
	OK      bool       `json:"ok"`
	Files   []jsonFile `json:"files"`
}

type jsonFile struct {
	Path string `json:"path"`
	OK   bool   `json:"ok"`
	// Name and SHA256 are absent where the file could not be read.
	Name        string                `json:"name,omitempty"`
	SHA256      string                `json:"sha256,omitempty"`
	Diagnostics []scenario.Diagnostic `json:"diagnostics"`
}

// JSON writes one object with all files and their problems.
func JSON(w io.Writer, results []Result) error {
	report := jsonReport{Version: jsonVersion, OK: true, Files: make([]jsonFile, 0, len(results))}
	for i := range results {
		r := &results[i]
		file := jsonFile{Path: jsonPath(r.Path), OK: r.OK(), Name: r.Name, SHA256: r.SHA256, Diagnostics: r.Diagnostics}
		if file.Diagnostics == nil {
			file.Diagnostics = []scenario.Diagnostic{}
		}
		report.OK = report.OK && file.OK
		report.Files = append(report.Files, file)
	}
	return writeJSON(w, report)
}

// jsonPath keeps a path that is UTF-8 as it is, since JSON can carry it.
func jsonPath(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return visible(path)
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
