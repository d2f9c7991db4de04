package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// Direction says what a change does to the bar that a scenario holds a service to.
type Direction string

// The directions. Different is a change that by itself neither raises nor lowers the
// bar.
const (
	Tighter   Direction = "tighter"
	Looser    Direction = "looser"
	Different Direction = "different"
)

// Difference is one change of meaning between two versions of a scenario.
type Difference struct {
	// Path names the key, in head where head has it: assertions.max_p99_ms. It is
	// empty for the file as a whole.
	Path      string    `json:"path"`
	Direction Direction `json:"direction"`
	// Range is the place in head: the value, or for something removed the table that
	// it was removed from, 1:1 where that is gone too. With InBase it is a place in
	// base: the file was deleted.
	Range  Range `json:"range"`
	InBase bool  `json:"in_base,omitempty"`
	// BaseRange is where the thing stands in base; zero for something added.
	BaseRange Range `json:"base_range"`
	// Message is one line in words, with both values and the direction.
	Message string `json:"message"`
}

// Compare tells what changed in meaning from base to head, sorted by the place in
// head. The order of tables, keys, targets and operations and the way that the TOML
// is written make no difference. A nil base is a file that was added, a nil head one
// that was deleted. The rules are those of comparisons; what cannot be compared, such
// as a value that the rules of the format refuse, is looser.
func Compare(base, head *File) []Difference {
	switch {
	case base == nil && head == nil:
		return nil
	case head == nil:
		return []Difference{{Direction: Looser, Range: top(), InBase: true, BaseRange: top(), Message: "the scenario was deleted: looser"}}
	case base == nil:
		return added(head)
	}
	if base.doc == nil || head.doc == nil { // over MaxSize: nothing was read
		if slices.Equal(base.source, head.source) {
			return nil
		}
		return []Difference{{Direction: Looser, Range: top(), BaseRange: top(), Message: "one of the versions is too large to be compared: looser"}}
	}
	d := &differ{base: base, head: head}
	d.matchTargets()
	d.table(fileTable, "", base.doc.Root, head.doc.Root)
	slices.SortStableFunc(d.found, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return d.found
}

// added compares a new file with none: it raises the bar, but for being skipped.
func added(head *File) []Difference {
	found := []Difference{{Direction: Tighter, Range: top(), Message: "the scenario is new: tighter"}}
	if at, ok := head.Find("scenario.skip"); ok {
		found = append(found, Difference{Path: "scenario.skip", Direction: Looser, Range: at.Value, Message: "the scenario is new and skipped: looser"})
	}
	return found
}

// top is the place of a file as a whole.
func top() Range {
	first := Position{Line: 1, Column: 1}
	return Range{Start: first, End: first}
}

// differ compares two files.
type differ struct {
	base, head *File
	// targets are the targets of base and the names that head gives them.
	targets map[string]string
	// sameMix tells that the weights of the operations in both files have the same
	// proportions.
	sameMix bool
	found   []Difference
}

// table compares two tables of the format, either of which may be nil.
func (d *differ) table(t *table, path string, base, head *tree.Node) {
	if base == nil && head == nil {
		return
	}
	chosen := choiceOf(t, base) == choiceOf(t, head)
	for i := range t.keys {
		k := &t.keys[i]
		if k.only != nil && !chosen && base != nil && head != nil {
			continue // it comes and goes with the selector, whose own rule tells
		}
		at := step(path, k.name)
		switch k.kind {
		case kindTable:
			d.whole(k.table, at, pair{table: t, key: k, baseTable: base, headTable: head, base: valueOf(base, k.name), head: valueOf(head, k.name)})
		case kindTables:
			d.list(k, at, pair{table: t, key: k, baseTable: base, headTable: head, base: valueOf(base, k.name), head: valueOf(head, k.name)})
		case kindNamedTable:
			d.named(k, at, valueOf(base, k.name), valueOf(head, k.name))
		default:
			d.value(at, t, k, base, head)
		}
	}
}

// whole compares a table that may be on one side alone: as one thing where it has a
// rule for coming and going, else key by key.
func (d *differ) whole(t *table, path string, p pair) {
	if p.base == nil && p.head == nil {
		return
	}
	rule := comparisonOf(path)
	if p.base != nil && p.head != nil || p.base == nil && rule.added == nil || p.head == nil && rule.removed == nil {
		d.table(t, path, p.base, p.head)
		return
	}
	d.comeOrGone(rule, p, "")
}

// list compares two lists of tables by the meaning of their items.
func (d *differ) list(k *key, path string, p pair) {
	match, ok := pairings[path]
	if !ok {
		match = inOrder
	}
	path += "[]"
	for _, item := range match(d, itemsOf(p.base), itemsOf(p.head)) {
		if item[0] != nil && item[1] != nil {
			d.table(k.table, path, item[0], item[1])
			continue
		}
		one := p
		one.base, one.head = item[0], item[1]
		d.comeOrGone(comparisonOf(path), one, labelOf(k.table, cmp.Or(item[0], item[1])))
	}
}

// named compares two tables of targets.
func (d *differ) named(k *key, path string, base, head *tree.Node) {
	path += ".*"
	rule := comparisonOf(path)
	kept := map[string]bool{}
	for _, m := range membersOf(base) {
		name, ok := d.targets[m.Name]
		if !ok {
			d.comeOrGone(rule, pair{key: k, baseTable: base, headTable: head, base: m.Value}, "target "+told(m.Name))
			continue
		}
		kept[name] = true
		d.table(k.table, path, m.Value, valueOf(head, name))
	}
	for _, m := range membersOf(head) {
		if !kept[m.Name] {
			d.comeOrGone(rule, pair{key: k, baseTable: base, headTable: head, head: m.Value}, "target "+told(m.Name))
		}
	}
}

// comeOrGone tells a table that only one side has.
func (d *differ) comeOrGone(rule comparison, p pair, label string) {
	does, verb := rule.added, "added"
	if p.head == nil {
		does, verb = rule.removed, "removed"
	}
	if does == nil {
		return
	}
	n := cmp.Or(p.head, p.base)
	if label == "" {
		label = "[" + p.key.name + "]"
	}
	p.d = d
	if direction := does(p); direction != "" {
		d.tell(n.Path(), direction, p, fmt.Sprintf("%s was %s", label, verb), "")
	}
}

// value compares a key that holds no table.
func (d *differ) value(path string, t *table, k *key, base, head *tree.Node) {
	rule := comparisonOf(path)
	p := pair{d: d, table: t, key: k, baseTable: base, headTable: head, base: valueOf(base, k.name), head: valueOf(head, k.name)}
	if p.base == nil && p.head == nil {
		return
	}
	p.was, p.is = d.quantity(d.base, rule, k, base), d.quantity(d.head, rule, k, head)
	subject := subjectOf(t, cmp.Or(head, base), k)
	switch {
	case p.was.ok && p.is.ok:
		if p.was.equal(p.is) && k.kind != kindTarget {
			return
		}
		direction, note := rule.changed(p)
		d.tell(pathOf(p, k), direction, p, fmt.Sprintf("%s went from %s to %s", subject, p.was.text, p.is.text), note)
	case p.was.unreadable() || p.is.unreadable():
		if p.base == nil || p.head == nil || p.base.Kind != p.head.Kind || p.base.Text != p.head.Text {
			d.tell(pathOf(p, k), Looser, p, subject+" changed and cannot be compared", "")
		}
	case p.was.ok && rule.removed != nil:
		d.tell(pathOf(p, k), rule.removed(p), p, fmt.Sprintf("%s %s was removed", subject, p.was.text), "")
	case p.is.ok && rule.added != nil:
		d.tell(pathOf(p, k), rule.added(p), p, fmt.Sprintf("%s %s was added", subject, p.is.text), "")
	}
}

// tell records a difference; an empty direction is none.
func (d *differ) tell(path string, direction Direction, p pair, words, note string) {
	if direction == "" {
		return
	}
	one := Difference{Path: path, Direction: direction, Range: top(), Message: words + ": " + string(direction)}
	if note != "" {
		one.Message += ", " + note
	}
	one.Message = oneLine(one.Message)
	switch {
	case p.head != nil:
		one.Range = d.head.rangeOf(p.head.Span)
	case p.headTable != nil && p.headTable.Parent() != nil:
		one.Range = d.head.rangeOf(p.headTable.Anchor)
	}
	if p.base != nil {
		one.BaseRange = d.base.rangeOf(p.base.Span)
	}
	d.found = append(d.found, one)
}

func pathOf(p pair, k *key) string {
	if n := cmp.Or(p.head, p.base); n != nil {
		return n.Path()
	}
	return k.name
}

func step(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
