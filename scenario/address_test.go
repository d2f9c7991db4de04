package scenario

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// An address is told at its first character, or at the value where escapes or folded
// lines hide it.
func TestAddressPlaces(t *testing.T) {
	for value, want := range map[string]string{
		`"x api.example.com y"`:                 "4:18-4:33",
		`'x api.example.com y'`:                 "4:18-4:33",
		`"\"q\" api.example.com"`:               "4:22-4:37",
		`"\u00e9\t api.example.com"`:            "4:25-4:40",
		`"Größe 🦊 api.example.com"`:             "4:24-4:39",
		"\"\"\"\nx api.example.com\"\"\"":       "5:3-5:18",
		"\"\"\"\r\nx\r\n api.example.com\"\"\"": "6:2-6:17",
		"'''x\\\n\tapi.example.com'''":          "5:2-5:17",
		"\"\"\"x \\\n  api.example.com\"\"\"":   "5:3-5:18",
		"\"\"\"api.exam\\\n  ple.com\"\"\"":     "4:15-5:13",
		`"api\u002eexample.com"`:                "4:15-4:37",
		`"\u0061pi.example.com"`:                "4:15-4:37",
		`"api.example.com and b.example.org"`:   "4:16-4:31 4:36-4:49",
		`"api\u002eexample.com b.example.org"`:  "4:15-4:51 4:37-4:50",
	} {
		f := Check([]byte("[scenario]\nformat = 1\nname = \"x\"\ndescription = " + value + "\n"))
		var places []string
		for _, d := range f.Diagnostics {
			if d.Code == addressRule.Code {
				places = append(places, at(d.Range))
			}
		}
		if got := strings.Join(places, " "); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

// Every string of the address corpus is refused, or not, wherever it stands.
func TestAddressCorpus(t *testing.T) {
	for _, name := range []string{"refuse", "accept"} {
		file, err := os.ReadFile(filepath.Join("testdata", "corpus", "addresses", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(file)); lines.Scan(); {
			var one struct{ Text, Where string }
			if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
				t.Fatal(err)
			}
			forms := map[string]string{"an operation": "[load]\ntarget = \"api\"\nrate = 50\nduration = \"5m\"\noperations = [{ openapi = %s }]\n"}
			if one.Where == "text" {
				forms = map[string]string{
					"a description":   "[scenario]\nformat = 1\nname = \"x\"\nenvironment = \"staging\"\ndescription = %s\n",
					"a message":       "[[timeline]]\nat = \"1m\"\naction = \"log\"\nmessage = %s\n",
					"a key":           "[scenario]\nformat = 1\nname = \"x\"\nenvironment = \"staging\"\n%s = 1\n",
					"a connection":    "[targets]\napi = { connection = %s }\n",
					"an unknown list": "[other]\na = [1, [%s]]\n",
				}
			}
			for form, text := range forms {
				f := Check(complete(fmt.Sprintf(text, strconv.Quote(one.Text))))
				found := false
				for _, d := range f.Diagnostics {
					found = found || d.Code == addressRule.Code
				}
				hides := firstHidden(one.Text) >= 0
				if found != (name == "refuse") && !hides {
					t.Errorf("%s as %s: %v", one.Text, form, f.Diagnostics)
				}
			}
			if one.Where == "text" && name == "accept" {
				if f := Check([]byte("# " + one.Text + "\n" + fullExample)); len(f.Diagnostics) > 0 {
					t.Errorf("%s in a comment: %v", one.Text, f.Diagnostics)
				}
			}
		}
	}
}
