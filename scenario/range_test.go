package scenario

import (
	"strings"
	"testing"
)

// A range covers exactly what is wrong.
func TestRangesCover(t *testing.T) {
	bad, warn := corpusFiles(t, "bad"), corpusFiles(t, "warn")
	for name, want := range map[string]string{
		"unknown-key.toml":                           "naem",
		"unknown-key-with-accent.toml":               `"próxy"`,
		"unknown-key-after-emoji.toml":               "skp",
		"unknown-table-case.toml":                    "Load",
		"variants/unknown-nested-table.toml":         "extra",
		"variants/unknown-quoted.toml":               `"na me"`,
		"misplaced-status-in-drop.toml":              "status",
		"missing-duration.toml":                      "[load]",
		"missing-duration-inline-load.toml":          "load",
		"missing-environment-dotted.toml":            "scenario",
		"missing-fault-latency.toml":                 "fault",
		"missing-message.toml":                       "[[timeline]]",
		"variants/missing-in-inline-list.toml":       "{",
		"variants/missing-scenario.toml":             "",
		"variants/missing-fault-header.toml":         "[timeline.fault]",
		"asserts-nothing-timeline-only.toml":         "[scenario]",
		"objective-needs-load.toml":                  "[objective]",
		"brackets-objective-double.toml":             "[[objective]]",
		"targets-empty-inline.toml":                  "targets",
		"assert-checks-empty.toml":                   "[]",
		"load-rate-text.toml":                        `"50/s"`,
		"load-rate-inf.toml":                         "+inf",
		"target-not-table.toml":                      `"public-api-staging"`,
		"name-two-lines.toml":                        "\"\"\"Checkout\nholds\"\"\"",
		"name-date.toml":                             "2026-01-31",
		"dup-inline-key.toml":                        "proxy",
		"variants/dup-quoted.toml":                   `"name"`,
		"load-operation-twice-inline.toml":           `"pets.v1.PetService/GetPet"`,
		"expect-openapi-range.toml":                  "600",
		"address-host.toml":                          "api.example.com",
		"address-schema-directive.toml":              "https://example.com/scenario.schema.json",
		"address-escaped.toml":                       `"api\u002eexample\u002ecom"`,
		"byte-order-mark.toml":                       "",
		"not-utf8-comment.toml":                      "\xe9",
		"syntax-unquoted-duration.toml":              "5m",
		"syntax-nbsp.toml":                           "\u00a0",
		"syntax-homoglyph-key.toml":                  "а",
		"syntax-unclosed-multiline.toml":             `"""`,
		"syntax-lone-cr.toml":                        "\r",
		"syntax-control-nul.toml":                    "\x00",
		"variants/syntax-words.toml":                 "Checkout holds under load",
		"toml11-trailing-comma.toml":                 ",",
		"toml11-inline-comment.toml":                 "{",
		"toml11-escape-x.toml":                       `\x68`,
		"toml11-escape-e.toml":                       `\e`,
		"toml11-datetime-without-seconds.toml":       "2026-01-31T10:30Z",
		"variants/comment-bidi.toml":                 "\u202e",
		"variants/brackets-operations.toml":          "[load.operations]",
		"variants/timeline-inline-table.toml":        `{ at = "1m", action = "log", message = "x" }`,
		"variants/syntax-inline-word.toml":           "engine-staging",
		"variants/unknown-spaced-header.toml":        "hooks",
		"variants/operation-not-table.toml":          `"a.b"`,
		"variants/missing-connection-inline.toml":    "api",
		"variants/missing-connection-header.toml":    "[targets.worker]",
		"variants/missing-objective-limits.toml":     "[objective]",
		"variants/timeline-dotted.toml":              "timeline",
		"variants/duration-full-width.toml":          `"５m"`,
		"variants/timeline-fault-without-entry.toml": "timeline",
	} {
		covers(t, name, bad[name], want)
	}
	for name, want := range map[string]string{
		"unused-target-header.toml": "worker", "fault-exceeds-limit.toml": `"400ms"`, "timeline-order-faults.toml": `"59s999ms"`, "look-alike-hyphen.toml": "payments",
	} {
		covers(t, name, warn[name], want)
	}
}

func covers(t *testing.T, name string, source []byte, want string) {
	t.Helper()
	for _, text := range []string{string(source), strings.ReplaceAll(string(source), "\n", "\r\n")} {
		if source == nil || strings.Contains(want, "\n") && strings.Contains(text, "\r") {
			continue
		}
		f := Check([]byte(text))
		if len(f.Diagnostics) == 0 {
			t.Errorf("%s: nothing told", name)
			continue
		}
		r := f.Diagnostics[0].Range
		if got := text[r.Start.Offset:r.End.Offset]; got != want {
			t.Errorf("%s: covers %q, want %q", name, got, want)
		}
	}
	if source == nil {
		t.Errorf("%s: no such file", name)
	}
}
