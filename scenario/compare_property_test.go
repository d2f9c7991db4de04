package scenario

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// read checks a spelling of a draft.
func read(t *rapid.T, d *draft, valid bool) *File {
	source := spell(t, d)
	f := Check([]byte(source))
	if valid && !f.OK() {
		t.Fatalf("a drawn scenario is refused: %+v\n%s", f.Diagnostics, source)
	}
	return f
}

// directions are the directions told for a path, or for what it lies in.
func directions(found []Difference, path string) []Direction {
	var all []Direction
	for _, d := range found {
		if d.Path == path {
			all = append(all, d.Direction)
		}
	}
	return all
}

func TestCompareSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDraft(t)
		base, head := read(t, d, true), read(t, d, true)
		if found := Compare(base, head); len(found) != 0 {
			t.Fatalf("two spellings of one scenario differ:\n%s\n--- base\n%s\n--- head\n%s", tellAll(found), base.Source(), head.Source())
		}
	})
}

// nudge moves a number by a step far below its own size, up or down.
func nudge(n number, up bool) number {
	whole, fraction, _ := strings.Cut(string(n), ".")
	if up {
		return number(whole + "." + fraction + strings.Repeat("0", 12) + "1")
	}
	// One less in the last place, and nines behind it.
	digits := []byte(whole + fraction)
	for i := len(digits) - 1; ; i-- {
		if digits[i] > '0' {
			digits[i]--
			break
		}
		digits[i] = '9'
	}
	return number(string(digits[:len(whole)]) + "." + string(digits[len(whole):]) + strings.Repeat("9", 12))
}

// loosening is a change of a draft that lowers the bar, and its undoing.
type loosening struct {
	name, path string
	do         func(d *draft)
}

// loosenings are the ways to lower the bar of a draft through its limits.
func loosenings(d *draft) []loosening {
	var all []loosening
	add := func(name, table, key string, do func(t *draft)) {
		all = append(all, loosening{name, table + "." + key, func(d *draft) { do(d.table(table)) }})
	}
	limit := func(table, key string, up bool) {
		n, ok := d.table(table).get(key).(number)
		if !ok {
			return
		}
		whole := key == "min_requests" || key == "max_requests"
		add("move", table, key, func(t *draft) {
			if !whole {
				t.set(key, nudge(n, up))
			} else if up {
				t.set(key, n+"1")
			} else {
				t.set(key, number("0"))
			}
		})
		add("remove", table, key, func(t *draft) { t.drop(key) })
	}
	for _, name := range limitNames {
		limit("assertions", name, strings.HasPrefix(name, "max_"))
	}
	add("remove", "assertions", "checks", func(t *draft) { t.drop("checks") })
	if objective := d.table("objective"); objective != nil {
		limit("objective", "success_rate", false)
		limit("objective", "p99_ms", true)
		window := objective.get("window").(duration)
		add("move", "objective", "window", func(t *draft) { t.set("window", window+1) })
	}
	return all
}

// copyOf copies a draft, so that a change leaves the original alone.
func copyOf(d *draft) *draft {
	c := &draft{}
	for _, e := range d.keys {
		switch v := e.value.(type) {
		case *draft:
			e.value = copyOf(v)
		case []*draft:
			all := make([]*draft, len(v))
			for i := range v {
				all[i] = copyOf(v[i])
			}
			e.value = all
		}
		c.keys = append(c.keys, e)
	}
	return c
}

// Any loosening of any limit is told, at its key, and nothing else is; the way back
// is tighter.
func TestCompareLooserLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDraft(t)
		l := rapid.SampledFrom(loosenings(d)).Draw(t, "loosening")
		looser := copyOf(d)
		l.do(looser)
		base, head := read(t, d, true), read(t, looser, false)
		if got := Compare(base, head); len(got) != 1 || !slices.Equal(directions(got, l.path), []Direction{Looser}) {
			t.Fatalf("%s %s: told %s\n--- base\n%s\n--- head\n%s", l.name, l.path, tellAll(got), base.Source(), head.Source())
		}
		if got := Compare(head, base); len(got) != 1 || !slices.Equal(directions(got, l.path), []Direction{Tighter}) {
			t.Fatalf("undo %s %s: told %s", l.name, l.path, tellAll(got))
		}
	})
}

// Taking out or weakening what the scenario does to the service is told as looser.
func TestCompareLooserWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDraft(t)
		head := copyOf(d)
		load := head.table("load")
		var faults []*draft
		events, _ := head.get("timeline").([]*draft)
		for _, e := range events {
			if e.table("fault") != nil {
				faults = append(faults, e)
			}
		}
		changes := map[string]func(){
			"rate":    func() { load.set("rate", nudge(load.get("rate").(number), false)) },
			"less":    func() { load.set("duration", load.get("duration").(duration)-1) },
			"warm-up": func() { load.set("warmup", duration(61_000)) },
			"room":    func() { load.set("max_in_flight", load.get("max_in_flight").(number)+"0") },
			"skip":    func() { head.table("scenario").drop("skip"); head.table("scenario").set("skip", text("Later")) },
			"other":   func() { load.set("target", text("mailer")) },
			"expect": func() {
				o := load.get("operations").([]*draft)[0]
				o.set("expect", options{"200", "201", "404", "500"})
			},
			"operation": func() {
				o := load.get("operations").([]*draft)
				o[0].set("openapi", text("pets.other"))
			},
			"connection": func() { head.table("targets").table("api").set("connection", text("other-staging")) },
			"load":       func() { head.drop("load") },
		}
		if len(faults) > 0 {
			one := rapid.SampledFrom(faults).Draw(t, "fault")
			changes["shorter"] = func() { one.set("for", one.get("for").(duration)-1) }
			changes["elsewhere"] = func() {
				other := text("engine")
				if one.get("target") == any(other) {
					other = "mailer"
				}
				one.set("target", other)
			}
			changes["gone"] = func() {
				left := slices.DeleteFunc(events, func(e *draft) bool { return e == one })
				if head.drop("timeline"); len(left) > 0 {
					head.set("timeline", left)
				}
			}
			fault := one.table("fault")
			changes["weaker"] = func() {
				if v, ok := fault.get("latency").(duration); ok {
					fault.set("latency", v-1)
				} else {
					fault.set("rate", nudge(fault.get("rate").(number), false))
				}
			}
		}
		var names []string
		for name := range changes {
			names = append(names, name)
		}
		slices.Sort(names)
		name := rapid.SampledFrom(names).Draw(t, "change")
		if name == "skip" {
			d.table("scenario").drop("skip")
		}
		base := read(t, d, true)
		changes[name]()
		after := read(t, head, false)
		found := Compare(base, after)
		if !slices.ContainsFunc(found, func(d Difference) bool { return d.Direction == Looser }) {
			t.Fatalf("%s: told %s\n--- base\n%s\n--- head\n%s", name, tellAll(found), base.Source(), after.Source())
		}
	})
}

// Places lie in their files, and the order of the differences is theirs.
func TestComparePlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, head := read(t, drawDraft(t), true), read(t, drawDraft(t), true)
		last := 0
		for _, d := range Compare(base, head) {
			if d.Range.Start.Offset < last || d.Range.End.Offset > len(head.Source()) || d.Range.End.Offset < d.Range.Start.Offset {
				t.Fatalf("%+v lies outside head or out of order", d)
			}
			last = d.Range.Start.Offset
			if d.BaseRange.End.Offset > len(base.Source()) {
				t.Fatalf("%+v lies outside base", d)
			}
			if d.Message == "" || strings.ContainsAny(d.Message, "\r\n") || d.Direction == "" {
				t.Fatalf("%+v is not fit to be told", d)
			}
		}
	})
}
