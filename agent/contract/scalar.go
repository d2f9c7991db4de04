package contract

import (
	"errors"
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// samples are values of the formats of text.
var samples = map[string]string{
	"date":          "2024-01-31",
	"date-time":     "2024-01-31T12:00:00Z",
	"time":          "12:00:00Z",
	"duration":      "PT1M",
	"uuid":          "00000000-0000-4000-8000-000000000001",
	"email":         "someone@example.com",
	"idn-email":     "someone@example.com",
	"hostname":      "example.com",
	"idn-hostname":  "example.com",
	"ipv4":          "192.0.2.1",
	"ipv6":          "2001:db8::1",
	"uri":           "https://example.com/",
	"url":           "https://example.com/",
	"uri-reference": "/example",
	"iri":           "https://example.com/",
	"byte":          "ZXhhbXBsZQ==",
	"json-pointer":  "/example",
}

// sample is a text of no format.
const sample = "example"

var errLength = errors.New("its pattern or format and its length do not go together")

// makeString gives a text of the schema's format, pattern and length.
func makeString(schema *openapi3.Schema) (any, error) {
	least, most := schema.MinLength, uint64(math.MaxInt)
	if schema.MaxLength != nil {
		most = *schema.MaxLength
	}
	switch {
	case least > most:
		return nil, errNever
	case least > longest:
		return nil, errTooMany
	}
	made, free := sample, true
	if text, ok := samples[schema.Format]; ok {
		made, free = text, false
	}
	if schema.Pattern != "" {
		text, err := matching(schema.Pattern, least, most)
		if err != nil {
			return nil, err
		}
		made, free = text, false
	}
	n := uint64(utf8.RuneCountInString(made))
	switch {
	case n >= least && n <= most:
		return made, nil
	case !free:
		return nil, errLength
	case n > most:
		return made[:most], nil
	}
	return strings.Repeat(made, int(least/n)+1)[:least], nil
}

var errPattern = errors.New("no value is found for its pattern")

// mostRepeats bounds how many repetitions are tried for a text that must have a length.
const mostRepeats = 1000

// matching gives a text of a length that a pattern matches: the first alternatives, and
// as few repetitions as the length allows. A pattern without ends may also stand in a
// longer text.
func matching(pattern string, least, most uint64) (string, error) {
	pattern = goPattern(pattern)
	matcher, err := regexp.Compile(pattern)
	if err != nil {
		return "", errOpaque
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", errOpaque
	}
	shortest := ""
	for more := range min(int(least), mostRepeats) + 1 {
		var b strings.Builder
		if !write(&b, tree, more) {
			return "", errPattern
		}
		text := b.String()
		if more == 0 {
			shortest = text
		}
		n := uint64(utf8.RuneCountInString(text))
		if n > most {
			break
		}
		if n >= least && matcher.MatchString(text) {
			return text, nil
		}
	}
	if n := uint64(utf8.RuneCountInString(shortest)); n < least {
		shortest += strings.Repeat("a", int(least-n))
		if matcher.MatchString(shortest) {
			return shortest, nil
		}
	}
	return "", errPattern
}

// write writes a text for a node of a pattern, with open repetitions made more times;
// false where there is none.
func write(b *strings.Builder, r *syntax.Regexp, more int) bool {
	if b.Len() > longest {
		return false
	}
	times, sub := 0, r.Sub
	switch r.Op {
	case syntax.OpLiteral:
		for _, c := range r.Rune {
			b.WriteRune(c)
		}
		return true
	case syntax.OpCharClass:
		return writeClass(b, r.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
		return true
	case syntax.OpCapture, syntax.OpConcat:
		times = 1
	case syntax.OpAlternate:
		times, sub = 1, r.Sub[:1]
	case syntax.OpStar:
		times = more
	case syntax.OpPlus:
		times = 1 + more
	case syntax.OpQuest:
		times = min(more, 1)
	case syntax.OpRepeat:
		times = r.Min
		switch {
		case r.Max < 0:
			times += more
		case more > 0:
			times = min(r.Max, max(r.Min, more))
		}
	case syntax.OpNoMatch:
		return false
	}
	for range times {
		for _, s := range sub {
			if !write(b, s, more) {
				return false
			}
		}
	}
	return true
}

// writeClass prefers a letter or digit of a class, then what can be printed.
func writeClass(b *strings.Builder, ranges []rune) bool {
	for _, want := range [][2]rune{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'!', '~'}, {0, utf8.MaxRune}} {
		for i := 0; i+1 < len(ranges); i += 2 {
			if c := max(ranges[i], want[0]); c <= min(ranges[i+1], want[1]) {
				b.WriteRune(c)
				return true
			}
		}
	}
	return false
}

// makeNumber gives 1, or else a number at or between the bounds, a multiple where one is
// asked.
func makeNumber(schema *openapi3.Schema) (any, error) {
	low, high := math.Inf(-1), math.Inf(1)
	aboveLow, belowHigh := schema.ExclusiveMin.IsTrue(), schema.ExclusiveMax.IsTrue()
	if schema.Min != nil {
		low = *schema.Min
	}
	if schema.Max != nil {
		high = *schema.Max
	}
	if v := schema.ExclusiveMin.Value; v != nil && *v >= low {
		low, aboveLow = *v, true
	}
	if v := schema.ExclusiveMax.Value; v != nil && *v <= high {
		high, belowHigh = *v, true
	}
	step := 0.0
	if schema.Type.Is(openapi3.TypeInteger) {
		step = 1
	}
	if schema.MultipleOf != nil && *schema.MultipleOf > 0 {
		step = *schema.MultipleOf
	}
	candidates := []float64{1, low, high, low + 1, high - 1, low/2 + high/2}
	if step > 0 {
		first, last := math.Ceil(low/step), math.Floor(high/step)
		candidates = []float64{1, step, 0, first * step, (first + 1) * step, last * step, (last - 1) * step}
	}
	for _, v := range candidates {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0),
			v < low || v == low && aboveLow,
			v > high || v == high && belowHigh,
			step == 1 && v != math.Trunc(v),
			step > 0 && math.Abs(v/step-math.Round(v/step)) > 1e-9:
			continue
		}
		return v, nil
	}
	return nil, errNever
}
