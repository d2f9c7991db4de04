package verdict

import "strings"

// heights are the columns of a chart made of characters, from the lowest.
var heights = []rune("▁▂▃▄▅▆▇█")

// chart draws a picture.
type chart func(p *Picture) string

// noChart says that a page has too many.
func noChart(*Picture) string { return "No chart: a page has only so many.\n" }

// bars draws latency over the run with characters, for where no chart is drawn.
func bars(p *Picture) string {
	return fenced("text", p.bars()) + "\n" + p.caption() + "\n"
}

// bars are two lines: p99 latency, and when a fault was active.
func (p *Picture) bars() string {
	top, _ := p.top()
	line, under := "p99    ", "fault  "
	for i, point := range p.Points {
		height := int(min(point.P99, top) / top * float64(len(heights)-1))
		line += string(heights[max(0, height)])
		if p.shaded(i) {
			under += "#"
		} else {
			under += " "
		}
	}
	line += "  0 to " + amount(top, Milliseconds)
	if len(p.Faults) == 0 {
		return line
	}
	return line + "\n" + strings.TrimRight(under, " ")
}
