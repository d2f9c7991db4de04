package scenario

import "testing"

func TestHiddenCharacters(t *testing.T) {
	for text, want := range map[string]rune{
		"plain": -1,
		"Größe 日本語 тест שלום العربية":                     -1,
		"🦊 👩🏽\u200d🚀 👨\u200d👩\u200d👧 ❤️ 🏳️\u200d🌈 🇩🇪 1️⃣": -1,
		"می\u200cخواهم": -1, // a non-joiner in a Persian word
		"क्\u200dष":     -1, // a joiner in Devanagari
		"\u0600\u0661":  -1, // an Arabic sign that is seen
		"no\u00a0break": -1,
		"a\u200db":      0x200d,
		"a\u200cb":      0x200c,
		"🦊\u200d":       0x200d,
		"\u200d🦊":       0x200d,
		"a\u200bb":      0x200b,
		"a\u00adb":      0xad,
		"a\ufeffb":      0xfeff,
		"a\u2060b":      0x2060,
		"a\u202eb":      0x202e,
		"a\u2066b":      0x2066,
		"a\u200eb":      0x200e,
		"a\u061cb":      0x61c,
		"a\u2028b":      0x2028,
		"a\u3164b":      0x3164,
		"a\u2800b":      0x2800,
		"a\U000e0041b":  0xe0041,
		"a\U000e0100b":  0xe0100,
		"a\ufe00b":      0xfe00,
	} {
		if got := firstHidden(text); got != want {
			t.Errorf("%q: %U, want %U", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "a1": true, "a-b": true, "staging-eu-1": true, "a-1": true,
		"": false, "-a": false, "a-": false, "a--b": false, "1a": false, "A": false, "a_b": false, "a.b": false, "ä": false, "a b": false, "a\n": false,
	} {
		if validName(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]string{
		"1h": "1h", "90m": "1h30m", "1h30m": "1h30m", "1h0m1s1ms": "1h1s1ms", "0s": "0s", "007s": "7s", "1500ms": "1s500ms", "24h": "24h", "86400s": "24h",
		"24h1ms": "long", "1441m": "long", "99999999999999999999h": "long", "25h": "long", "23h60m1s": "long",
		"": "bad", "h": "bad", "5": "bad", "5M": "bad", "5 m": "bad", " 5m": "bad", "5m ": "bad", "1m1h": "bad", "1m1m": "bad", "1ms1s": "bad",
		"1.5s": "bad", "-1s": "bad", "+1s": "bad", "1d": "bad", "1us": "bad", "1µs": "bad", "1sm": "bad", "1hm": "bad", "1m30": "bad", "１m": "bad", "1_0s": "bad",
	} {
		d, long, ok := parseDuration(text)
		got := writeDuration(d)
		if long {
			got = "long"
		}
		if !ok {
			got = "bad"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestClosest(t *testing.T) {
	keys := []string{"format", "name", "environment", "description", "skip"}
	for text, want := range map[string]string{
		"naem": "name", "Name": "name", "NAME": "name", "skp": "skip", "descripton": "description", "enviroment": "environment", "env": "", "fromat": "format",
		"owner": "", "x": "", "": "", "names": "name", "nm": "",
	} {
		if got := closest(text, keys); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	// Two are equally near: none is meant.
	if got := closest("max_p90_ms", keyList(assertionsTable)); got != "" {
		t.Errorf("%q", got)
	}
}

func keyList(t *table) []string {
	var names []string
	for _, k := range t.keys {
		names = append(names, k.name)
	}
	return names
}
