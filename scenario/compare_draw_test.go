package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// draft is a scenario on its way to TOML: tables of values that can be spelled in
// several ways.
type draft struct{ keys []entry }

type entry struct {
	key   string
	value any // text, number, duration, options, *draft or []*draft
}

type (
	text     string
	number   string // digits, with a fraction or without
	duration int    // milliseconds
	options  []string
)

func (d *draft) set(key string, value any) {
	for i := range d.keys {
		if d.keys[i].key == key {
			d.keys[i].value = value
			return
		}
	}
	d.keys = append(d.keys, entry{key, value})
}

func (d *draft) get(key string) any {
	for _, e := range d.keys {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

func (d *draft) drop(key string) {
	d.keys = slices.DeleteFunc(d.keys, func(e entry) bool { return e.key == key })
}

func (d *draft) table(key string) *draft {
	t, _ := d.get(key).(*draft)
	return t
}

// drawDraft draws a valid scenario.
func drawDraft(t *rapid.T) *draft {
	draw := func(low, high int, label string) int { return rapid.IntRange(low, high).Draw(t, label) }
	flip := func(label string) bool { return rapid.Bool().Draw(t, label) }
	file := &draft{}
	head := &draft{}
	head.set("format", number("1"))
	head.set("name", text("Scenario "+strconv.Itoa(draw(1, 99, "name"))))
	head.set("environment", text("staging"))
	if flip("description") {
		head.set("description", text("What it shows."))
	}
	if flip("skip") {
		head.set("skip", text("Until the engine is fixed"))
	}
	file.set("scenario", head)
	targets := &draft{}
	for _, name := range []string{"api", "engine", "mailer"} {
		target := &draft{}
		target.set("connection", text(name+"-staging"))
		if name != "api" {
			target.set("proxy", text(name))
		}
		targets.set(name, target)
	}
	file.set("targets", targets)
	minutes := draw(10, 40, "minutes")
	rate := draw(50, 200, "rate")
	file.set("load", drawLoad(t, rate, minutes))
	if events := drawTimeline(t, minutes); len(events) > 0 {
		file.set("timeline", events)
	}
	file.set("assertions", drawAssertions(t, rate))
	if flip("objective") {
		objective := &draft{}
		objective.set("success_rate", number("0.9"+strconv.Itoa(draw(0, 4, "success"))))
		objective.set("p99_ms", number(strconv.Itoa(draw(100, 900, "objective p99"))))
		objective.set("window", duration(1000*draw(60, 300, "window")))
		file.set("objective", objective)
	}
	return file
}

func drawLoad(t *rapid.T, rate, minutes int) *draft {
	load := &draft{}
	load.set("target", text("api"))
	load.set("rate", number(strconv.Itoa(rate)))
	load.set("duration", duration(minutes*60_000))
	if rapid.Bool().Draw(t, "warmup") {
		load.set("warmup", duration(1000*rapid.IntRange(1, 60).Draw(t, "seconds")))
	}
	load.set("max_in_flight", number(strconv.Itoa(rapid.IntRange(500, 900).Draw(t, "in flight"))))
	switch pattern := rapid.SampledFrom([]string{"", "constant", "poisson", "ramp", "step"}).Draw(t, "pattern"); pattern {
	case "":
	case "ramp", "step":
		load.set("from", number(strconv.Itoa(rate/2)))
		if pattern == "step" {
			load.set("steps", number("4"))
		}
		fallthrough
	default:
		load.set("pattern", text(pattern))
	}
	var operations []*draft
	for _, name := range []string{"pets.list", "pets.get", "pets.v1.PetService/GetPet"}[:rapid.IntRange(1, 3).Draw(t, "operations")] {
		o := &draft{}
		expect := options{"200", "404"}
		if strings.Contains(name, "/") {
			o.set("grpc", text(name))
			expect = options{`"OK"`, `"NOT_FOUND"`}
		} else {
			o.set("openapi", text(name))
		}
		if rapid.Bool().Draw(t, "weighted") {
			o.set("weight", number(strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "weight"))))
		}
		if rapid.Bool().Draw(t, "expecting") {
			o.set("expect", expect)
		}
		operations = append(operations, o)
	}
	load.set("operations", operations)
	return load
}

// drawTimeline draws entries that follow each other, two minutes apart.
func drawTimeline(t *rapid.T, minutes int) []*draft {
	var events []*draft
	for i := range rapid.IntRange(0, 4).Draw(t, "events") {
		at := 60_000 * (2 + 2*i)
		if at+120_000 > minutes*60_000 {
			break
		}
		e := &draft{}
		e.set("at", duration(at))
		kind := rapid.SampledFrom([]string{"latency", "errors", "drop", "log"}).Draw(t, "event")
		if kind == "log" {
			e.set("action", text("log"))
			e.set("message", text("Event "+strconv.Itoa(i)))
			events = append(events, e)
			continue
		}
		e.set("action", text("fault"))
		e.set("target", text(rapid.SampledFrom([]string{"engine", "mailer"}).Draw(t, "faulty")))
		e.set("for", duration(1000*rapid.IntRange(10, 110).Draw(t, "for")))
		fault := &draft{}
		fault.set("type", text(kind))
		if kind == "latency" {
			fault.set("latency", duration(rapid.IntRange(50, 400).Draw(t, "latency")))
			if rapid.Bool().Draw(t, "jittery") {
				fault.set("jitter", duration(rapid.IntRange(1, 50).Draw(t, "jitter")))
			}
		} else {
			fault.set("rate", number("0."+strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "share"))))
		}
		if kind == "errors" && rapid.Bool().Draw(t, "with status") {
			fault.set("status", number(strconv.Itoa(rapid.IntRange(500, 599).Draw(t, "status"))))
		}
		e.set("fault", fault)
		events = append(events, e)
	}
	return events
}

func drawAssertions(t *rapid.T, rate int) *draft {
	a := &draft{}
	values := map[string]number{
		"max_error_rate": number("0.0" + strconv.Itoa(rapid.IntRange(1, 5).Draw(t, "errors"))),
		"max_p50_ms":     number(strconv.Itoa(rapid.IntRange(10, 99).Draw(t, "p50"))),
		"max_p95_ms":     number(strconv.Itoa(rapid.IntRange(100, 299).Draw(t, "p95"))),
		"max_p99_ms":     number(strconv.Itoa(rapid.IntRange(300, 900).Draw(t, "p99"))),
		"min_requests":   number(strconv.Itoa(rapid.IntRange(1, 9000).Draw(t, "least"))),
		"max_requests":   number(strconv.Itoa(rapid.IntRange(600_000, 900_000).Draw(t, "most"))),
		"min_throughput": number(strconv.Itoa(rate / 3)),
		"max_uncounted":  number("0.00" + strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "uncounted"))),
	}
	for _, name := range limitNames {
		if rapid.Bool().Draw(t, name) {
			a.set(name, values[name])
		}
	}
	a.set("checks", options{`"surfaces"`})
	return a
}

var limitNames = []string{"max_error_rate", "max_p50_ms", "max_p95_ms", "max_p99_ms", "min_requests", "max_requests", "min_throughput", "max_uncounted"}

// speller writes a draft as TOML, in a spelling of its own choice.
type speller struct {
	t *rapid.T
	b strings.Builder
}

// spell writes a draft in a random order and spelling.
func spell(t *rapid.T, d *draft) string {
	s := &speller{t: t}
	var inline, headers []entry
	for _, e := range shuffled(t, d.keys) {
		if s.flip("inline table") {
			inline = append(inline, e)
		} else {
			headers = append(headers, e)
		}
	}
	for _, e := range inline {
		s.comment()
		if tables, ok := e.value.(*draft); ok && s.flip("dotted") {
			s.dotted(e.key, tables)
			continue
		}
		fmt.Fprintf(&s.b, "%s = %s\n", s.key(e.key), s.value(e.value))
	}
	for _, e := range headers {
		s.headed(e.key, e.value)
	}
	return s.b.String()
}

func shuffled[T any](t *rapid.T, all []T) []T {
	if len(all) < 2 {
		return all
	}
	return rapid.Permutation(all).Draw(t, "order")
}

func (s *speller) flip(label string) bool { return rapid.Bool().Draw(s.t, label) }

func (s *speller) comment() {
	if s.flip("comment") {
		s.b.WriteString("  # a comment\n\n")
	}
}

func (s *speller) key(key string) string {
	if s.flip("quoted key") {
		return strconv.Quote(key)
	}
	return key
}

// dotted writes a table as dotted keys.
func (s *speller) dotted(path string, d *draft) {
	for _, e := range shuffled(s.t, d.keys) {
		fmt.Fprintf(&s.b, "%s.%s = %s\n", path, s.key(e.key), s.value(e.value))
	}
}

// headed writes a table or a list of tables under headers: first what is inline, then
// what has a header of its own.
func (s *speller) headed(path string, value any) {
	if all, ok := value.([]*draft); ok {
		for _, one := range shuffled(s.t, all) {
			s.comment()
			fmt.Fprintf(&s.b, "[[%s]]\n", path)
			s.body(path, one)
		}
		return
	}
	s.comment()
	fmt.Fprintf(&s.b, "[ %s ] # a table\n", path)
	s.body(path, value.(*draft))
}

func (s *speller) body(path string, d *draft) {
	var later []entry
	for _, e := range shuffled(s.t, d.keys) {
		switch e.value.(type) {
		case *draft, []*draft:
			if s.flip("own header") {
				later = append(later, e)
				continue
			}
		}
		fmt.Fprintf(&s.b, "%s = %s\n", s.key(e.key), s.value(e.value))
	}
	for _, e := range later {
		s.headed(path+"."+e.key, e.value)
	}
}

func (s *speller) value(value any) string {
	switch v := value.(type) {
	case text:
		if s.flip("literal") {
			return "'" + string(v) + "'"
		}
		return strconv.Quote(string(v))
	case number:
		return s.number(string(v))
	case duration:
		return strconv.Quote(s.duration(int(v)))
	case options:
		return "[" + strings.Join(shuffled(s.t, v), ", ") + "]"
	case []*draft:
		var items []string
		for _, one := range shuffled(s.t, v) {
			items = append(items, s.value(one))
		}
		return "[\n  " + strings.Join(items, ",\n  ") + ",\n]"
	case *draft:
		var pairs []string
		for _, e := range shuffled(s.t, v.keys) {
			pairs = append(pairs, s.key(e.key)+" = "+s.value(e.value))
		}
		return "{ " + strings.Join(pairs, ", ") + " }"
	}
	panic(fmt.Sprintf("no spelling of %T", value))
}

// number spells a number: whole ones with underscores, fractions with more zeros or an
// exponent.
func (s *speller) number(n string) string {
	if !strings.Contains(n, ".") {
		if len(n) > 3 && s.flip("underscore") {
			return n[:len(n)-3] + "_" + n[len(n)-3:]
		}
		return n
	}
	switch rapid.IntRange(0, 2).Draw(s.t, "fraction") {
	case 0:
		return n + "00"
	case 1:
		return n + "e0"
	}
	return n
}

// duration spells milliseconds in a unit that divides them.
func (s *speller) duration(ms int) string {
	choices := []string{fmt.Sprintf("%dms", ms)}
	if ms%1000 == 0 {
		choices = append(choices, fmt.Sprintf("%ds", ms/1000))
		if ms >= 60_000 && ms%60_000 != 0 {
			choices = append(choices, fmt.Sprintf("%dm%ds", ms/60_000, ms%60_000/1000))
		}
	}
	if ms > 0 && ms%60_000 == 0 {
		choices = append(choices, fmt.Sprintf("%dm", ms/60_000))
	}
	return rapid.SampledFrom(choices).Draw(s.t, "unit")
}
