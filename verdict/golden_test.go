package verdict

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// renderers are all forms of a verdict, by the ending of its golden file.
func renderers(t *testing.T, v Verdict) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for ending, write := range map[string]func(io.Writer) error{
		"txt": v.WriteText, "json": v.WriteJSON, "md": v.WriteMarkdown,
		"junit.xml": v.WriteJUnit, "sarif": v.WriteSARIF, "codequality.json": v.WriteCodeQuality,
		"check.md": func(w io.Writer) error { return writeCheck(w, v.CheckOutput()) },
		"commands": func(w io.Writer) error { return writeCommands(w, v) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		all[ending] = b.Bytes()
	}
	return all
}

// writeCheck shows a check run's output on one page.
func writeCheck(w io.Writer, c CheckOutput) error {
	_, err := fmt.Fprintf(w, "title: %s\n\nsummary:\n%s\ntext:\n%s\n", c.Title, c.Summary, c.Text)
	for i, batch := range c.Batches {
		fmt.Fprintf(w, "batch %d: %d annotations\n", i+1, len(batch))
	}
	return err
}

// writeCommands shows the annotations of a step.
func writeCommands(w io.Writer, v Verdict) error {
	shown, hidden := v.StepAnnotations()
	for _, a := range shown {
		fmt.Fprintf(w, "%s %q %d-%d:%d-%d %q\n%s\n\n", a.Level, a.Path, a.StartLine, a.EndLine, a.StartColumn, a.EndColumn, a.Title, a.Message)
	}
	_, err := fmt.Fprintf(w, "hidden: %d\n", hidden)
	return err
}

func TestGolden(t *testing.T) {
	for name, in := range inputs(t) {
		t.Run(name, func(t *testing.T) {
			for ending, got := range renderers(t, Judge(in)) {
				path := filepath.Join("testdata", name+"."+ending)
				if *update {
					if err := os.WriteFile(path, got, 0o644); err != nil {
						t.Fatal(err)
					}
					continue
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != string(want) {
					t.Errorf("%s differs; see what changed with: go test ./verdict -update && git diff", path)
				}
			}
		})
	}
}
