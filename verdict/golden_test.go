package verdict

import (
	"bytes"
	"flag"
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
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		all[ending] = b.Bytes()
	}
	return all
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
