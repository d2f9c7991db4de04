package verdict

import (
	"fmt"
	"strconv"
	"strings"
)

// tallest is how many times the limit a picture shows: what is slower is cut off, or
// one answer that never came would flatten everything else.
const tallest = 5

// mermaid draws latency over the run as a chart that GitHub shows: columns for the
// time in which a fault was active, a line for p99, a line for the limit.
// https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-diagrams
func mermaid(p *Picture) string {
	top, _ := p.top()
	var shade, p99, limit []string
	for i, point := range p.Points {
		height := "0"
		if p.shaded(i) {
			height = plot(top)
		}
		shade = append(shade, height)
		p99 = append(p99, plot(min(point.P99, top)))
		if p.Limit != nil {
			limit = append(limit, plot(*p.Limit))
		}
	}
	var b strings.Builder
	// The order of colours is that of the series below.
	b.WriteString(`%%{init: {"theme": "base", "themeVariables": {"xyChart": {"plotColorPalette": "#f4c7c3, #1f6feb, #d1242f"}}}}%%` + "\n")
	b.WriteString("xychart-beta\n")
	b.WriteString("  title \"p99 latency over the run\"\n")
	fmt.Fprintf(&b, "  x-axis \"seconds from the start\" 0 --> %d\n", int64(len(p.Points))*p.Step/1000)
	fmt.Fprintf(&b, "  y-axis \"ms\" 0 --> %s\n", plot(top))
	fmt.Fprintf(&b, "  bar [%s]\n", strings.Join(shade, ", "))
	fmt.Fprintf(&b, "  line [%s]\n", strings.Join(p99, ", "))
	if limit != nil {
		fmt.Fprintf(&b, "  line [%s]\n", strings.Join(limit, ", "))
	}
	return fenced("mermaid", b.String()) + "\nBlue: " + p.caption() + "\n"
}

// top is the greatest value shown, and whether something is above it.
func (p *Picture) top() (top float64, clipped bool) {
	for _, point := range p.Points {
		top = max(top, point.P99)
	}
	if p.Limit != nil {
		if high := *p.Limit * tallest; top > high {
			return high, true
		}
		top = max(top, *p.Limit*1.2)
	}
	return max(top, 1), false
}

// shaded tells whether a fault was active in a point.
func (p *Picture) shaded(i int) bool {
	from := int64(i) * p.Step
	for _, f := range p.Faults {
		if f.From < from+p.Step && f.To > from {
			return true
		}
	}
	return false
}

// caption says how to read the chart, and what it does not show.
func (p *Picture) caption() string {
	top, clipped := p.top()
	parts := []string{"p99 latency, the worst second of each " + clock(p.Step)}
	if p.Limit != nil {
		parts = append(parts, "the limit is "+amount(*p.Limit, Milliseconds))
	}
	if len(p.Faults) > 0 {
		var spans []string
		for _, f := range p.Faults {
			spans = append(spans, fmt.Sprintf("%s from %s to %s", markdown(f.Type), clock(f.From), clock(f.To)))
		}
		parts = append(parts, "a fault was active (marked): "+strings.Join(spans, ", "))
	}
	if warm := p.warmup(); warm > 0 {
		parts = append(parts, "warm-up, which does not count, ends at "+clock(warm))
	}
	if p.Breach != nil {
		parts = append(parts, "the objective broke at "+clock(*p.Breach))
	}
	if clipped {
		parts = append(parts, "what is slower than "+amount(top, Milliseconds)+" is cut off")
	}
	return strings.Join(parts, "; ") + "."
}

// warmup is when warm-up ends, to the point.
func (p *Picture) warmup() int64 {
	end := int64(0)
	for i, point := range p.Points {
		if point.Warmup {
			end = int64(i+1) * p.Step
		}
	}
	return end
}

// plot is a number as Mermaid reads it.
func plot(x float64) string {
	text := strconv.FormatFloat(x, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0")
}
