package verdict

import (
	"fmt"
	"io"
	"net/url"
	"strings"
)

// MaxSummary bounds a step's summary, in bytes; GitHub drops a greater one silently.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits
const MaxSummary = 1 << 20

// maxPictures bounds the charts of one page: a browser draws each of them.
const maxPictures = 10

// maxTold bounds the problems of one scenario on a page.
const maxTold = 20

// WriteMarkdown writes the verdict as a page: the title, a table of the scenarios, what was
// not done, and everything about each scenario. It is at most MaxSummary bytes long
// and says what it leaves out.
func (v Verdict) WriteMarkdown(w io.Writer) error {
	head := "## " + icon(v.State) + " " + markdown(v.Title) + "\n\n"
	overview := v.overview(MaxSummary / 2)
	_, err := io.WriteString(w, head+overview+v.details(MaxSummary-len(head)-len(overview), mermaid))
	return err
}

// overview is the page without the details of each scenario.
func (v *Verdict) overview(limit int) string {
	var parts []string
	if about := v.Change.markdown(); about != "" {
		parts = append(parts, about+"\n\n")
	}
	for _, p := range v.Problems {
		parts = append(parts, "- ❌ "+markdown(p.text())+"\n")
	}
	if len(v.Problems) > 0 {
		parts = append(parts, "\n")
	}
	if len(v.Scenarios) > 0 {
		parts = append(parts, "| Result | Scenario | What was found | Base branch |\n|---|---|---|---|\n")
	}
	for i := range v.Scenarios {
		parts = append(parts, v.Scenarios[i].row())
	}
	parts = append(parts, "\n")
	parts = append(parts, v.notDone()...)
	return fit(parts, limit, "more lines of this overview are not shown: the page would be too long")
}

// markdown says what was judged.
func (c *Change) markdown() string {
	var parts []string
	if c.Head != "" {
		parts = append(parts, "Commit "+code(shortCommit(c.Head)))
	}
	if c.Base != "" {
		parts = append(parts, "against "+code(shortCommit(c.Base)))
	}
	if c.MergeGroup != "" {
		parts = append(parts, "in the merge group "+code(plain(c.MergeGroup, maxPath)))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + ". A scenario sends load to running services, may disturb them with faults, and holds them to the limits written in its file."
}

// row is the scenario's row of the table.
func (s *Judged) row() string {
	name := code(s.Name)
	if s.Name != shownPath(s.Path) {
		name += "<br>" + code(shownPath(s.Path))
	}
	result := icon(s.State) + " " + s.word()
	if s.Advisory {
		result += "<br>advisory: does not block"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", result, name, markdown(s.Summary), markdown(s.before()))
}

// word is the scenario's state in a word.
func (s *Judged) word() string {
	switch {
	case s.State == None && s.Deleted:
		return "deleted"
	case s.State == None && s.Skipped != "":
		return "skipped"
	case s.State == None:
		return "checked, not run"
	case s.State == Pass && s.Borderline:
		return "passed, borderline"
	}
	return stateWord(s.State, s.TimedOut)
}

// before is what the base branch gave.
func (s *Judged) before() string {
	if s.Base == nil {
		return "no run"
	}
	return strings.TrimPrefix(baseLine(s.Base), "Base branch: ")
}

func icon(s State) string {
	switch s {
	case Pass, None:
		return "✅"
	case Waiting:
		return "✋"
	case Cancelled:
		return "⏹️"
	case Inconclusive:
		return "❓"
	default:
		return "❌"
	}
}

// notDone lists what the reader might take for done.
func (v *Verdict) notDone() []string {
	var parts []string
	for i := range v.Scenarios {
		s := &v.Scenarios[i]
		if s.State == None && !s.Deleted || s.State == Waiting || s.State == Cancelled || s.State == Refused {
			parts = append(parts, fmt.Sprintf("- %s: %s\n", code(s.Name), markdown(s.Summary)))
		}
	}
	for _, note := range v.Notes {
		parts = append(parts, "- "+markdown(note)+"\n")
	}
	if len(parts) == 0 {
		return nil
	}
	return append(append([]string{"**Not done, or good to know**\n\n"}, parts...), "\n")
}

// details is everything about each scenario.
func (v *Verdict) details(limit int, draw chart) string {
	var parts []string
	for i := range v.Scenarios {
		if i == maxPictures {
			draw = noChart
		}
		parts = append(parts, v.detail(&v.Scenarios[i], draw))
	}
	return fit(parts, limit, "more scenarios are not shown in full: the page would be too long")
}

// fit joins as many parts as fit, then says how many were left out.
func fit(parts []string, limit int, left string) string {
	const room = 200 // bytes for the last line
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size <= limit {
		return strings.Join(parts, "")
	}
	var b strings.Builder
	for i, p := range parts {
		if b.Len()+len(p) > limit-room {
			fmt.Fprintf(&b, "\n_%d %s._\n", len(parts)-i, left)
			break
		}
		b.WriteString(p)
	}
	return b.String()
}

func (v *Verdict) detail(s *Judged, draw chart) string {
	var b strings.Builder
	open := ""
	if s.Blocking {
		open = " open"
	}
	fmt.Fprintf(&b, "<details%s><summary>%s %s: %s</summary>\n\n", open, icon(s.State), markdown(s.Name), s.word())
	told := 0
	for _, a := range v.of(s.Path) {
		if a.Level == Notice {
			continue
		}
		if told++; told <= maxTold {
			b.WriteString(v.decidingLine(&a))
		}
	}
	if told > maxTold {
		fmt.Fprintf(&b, "_%d more problems of this file are not shown here._\n\n", told-maxTold)
	}
	b.WriteString(s.measured())
	if s.Picture != nil {
		b.WriteString(draw(s.Picture) + "\n")
	}
	for i := range s.Faults {
		fmt.Fprintf(&b, "- Fault: %s\n", markdown(s.Faults[i].sentence()))
	}
	for _, d := range s.Differences {
		fmt.Fprintf(&b, "- This change (%s): %s\n", markdown(d.Direction), markdown(d.Message))
	}
	if s.Run != nil {
		fmt.Fprintf(&b, "- %s\n", markdown(s.Run.line()))
	}
	fmt.Fprintf(&b, "- Base branch: %s\n", markdown(s.before()))
	b.WriteString("\n</details>\n\n")
	return b.String()
}

// decidingLine is the line of the file that an annotation stands on.
func (v *Verdict) decidingLine(a *Annotation) string {
	lines := strings.Split(a.Message, "\n")
	var b strings.Builder
	at := code(a.place())
	if link := v.Change.link(a); link != "" {
		at = "[" + at + "](" + link + ")"
	}
	fmt.Fprintf(&b, "**%s** %s\n\n", markdown(lines[0]), at)
	if a.Source != "" {
		t := textWriter{}
		t.excerpt(a)
		b.WriteString(fenced("text", t.b.String()) + "\n")
	}
	for _, line := range lines[1:] {
		b.WriteString("- " + markdown(line) + "\n")
	}
	if len(lines) > 1 {
		b.WriteString("\n")
	}
	return b.String()
}

// link is the address of a line on the change's host; empty where it is not known.
func (c *Change) link(a *Annotation) string {
	host, name, ok := strings.Cut(c.Repository, "/")
	if !ok || !isHex(c.Head) || !isHex(c.Base) || !addressable(host) || !addressable(name) || a.Path == "" {
		return ""
	}
	commit := c.Head
	if a.Code == "deleted" {
		commit = c.Base
	}
	u := url.URL{Scheme: "https", Host: host, Path: "/" + name + "/blob/" + commit + "/" + a.Path}
	return strings.NewReplacer("(", "%28", ")", "%29").Replace(u.String()) + fmt.Sprintf("#L%d", a.StartLine)
}

// addressable tells whether text can stand in an address as it is.
func addressable(text string) bool {
	for _, r := range text {
		if r > 'z' || !word(r) && !strings.ContainsRune("./-", r) {
			return false
		}
	}
	return text != "" && !strings.Contains(text, "//")
}

// measured is the table of all limits.
func (s *Judged) measured() string {
	if len(s.Measured) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| Limit | Measured | Asked | Decision | Evidence | Base branch |\n|---|---|---|---|---|---|\n")
	for i := range s.Measured {
		m := &s.Measured[i]
		value, limit, before := "not measured", "", ""
		switch {
		case m.Unit == NoUnit:
			value = ""
		case m.Value != nil:
			value, limit = apart(*m.Value, m.Limit, m.Unit)
		default:
			limit = amount(m.Limit, m.Unit)
		}
		switch {
		case limit == "":
		case m.Minimum:
			limit = "at least " + limit
		default:
			limit = "at most " + limit
		}
		if m.Base != nil {
			before = amount(*m.Base, m.Unit)
		}
		evidence := *m
		evidence.Base = nil
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", markdown(m.Label), value, limit, markdown(m.Decision),
			markdown(join("; ", evidence.evidence(), m.Reason)), before)
	}
	return b.String() + "\n"
}
