package scenario

import (
	"strings"
	"testing"
)

func TestProblemIsPlaced(t *testing.T) {
	f := Check([]byte("[scenario]\nformat = 1\nname = \"a\"\nenvironment = \"staging\"\n\n[targets]\napi = { connection = \"api\" }\n"))
	for path, want := range map[string]Position{
		"targets.api.connection": {Line: 7, Column: 22},
		"targets.api.proxy":      {Line: 7, Column: 7},
		"targets.web":            {Line: 6, Column: 1},
		"scenario":               {Line: 1, Column: 1},
		"load.rate":              {Line: 1, Column: 1},
	} {
		got := f.Problem("code", Warning, path, "about %s", path)
		got.Range.Start.Offset = 0
		if got.Range.Start != want || got.Code != "code" || got.Severity != Warning || got.Message != "about "+path {
			t.Errorf("%s: %+v, want it at %+v", path, got, want)
		}
	}
	got := f.Problem("code", Error, "scenario", "a\nb\x00 %s", strings.Repeat("long ", 200)).Message
	if strings.ContainsAny(got, "\n\x00") || len(got) > maxMessage+4 {
		t.Errorf("%q is not one short line", got)
	}
}
