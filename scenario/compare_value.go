package scenario

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/inorbit-hr/reliability/scenario/internal/address"
	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// quantity is the value of a key as it is compared.
type quantity struct {
	node   *tree.Node // nil where the key is not written
	ok     bool
	text   string   // as a message tells it
	raw    string   // of text, as it is
	number *big.Rat // of numbers, exactly as written; of durations in nanoseconds
	set    []string // of lists, sorted, each once
}

// unreadable tells a value that is written and not of the key's kind.
func (q quantity) unreadable() bool { return q.node != nil && !q.ok }

func (q quantity) equal(other quantity) bool {
	switch {
	case q.number != nil && other.number != nil:
		return q.number.Cmp(other.number) == 0
	case q.set != nil || other.set != nil:
		return slices.Equal(q.set, other.set)
	}
	return q.raw == other.raw
}

func (q quantity) duration() time.Duration {
	if q.number == nil || !q.number.IsInt() {
		return 0
	}
	return time.Duration(q.number.Num().Int64())
}

func wholeQuantity(n int) quantity {
	return quantity{ok: true, text: strconv.Itoa(n) + " (the default)", number: new(big.Rat).SetInt64(int64(n))}
}

// quantity reads a key of a table, or what holds where it is not written.
func (d *differ) quantity(f *File, rule comparison, k *key, t *tree.Node) quantity {
	if n := valueOf(t, k.name); n != nil {
		return readQuantity(k, n)
	}
	switch {
	case t == nil:
		return quantity{}
	case rule.fallback != nil:
		return rule.fallback(f, t)
	case k.fallback == "":
		return quantity{}
	}
	kind := tree.String
	if k.kind == kindWhole {
		kind = tree.Integer
	}
	q := readQuantity(k, &tree.Node{Kind: kind, Text: k.fallback})
	q.node = nil
	q.text += " (the default)"
	return q
}

// readQuantity reads a value of a key's kind.
func readQuantity(k *key, n *tree.Node) quantity {
	q := quantity{node: n}
	switch k.kind {
	case kindFormat, kindWhole, kindNumber, kindShare, kindMillis:
		q.number, q.ok = numberOf(n)
		q.text = strings.ReplaceAll(n.Text, "_", "")
		if q.ok && q.number.IsInt() && len(q.number.Num().String()) <= 15 {
			q.text = q.number.Num().String()
		}
	case kindDuration:
		if n.Kind == tree.String {
			at, long, ok := parseDuration(n.Text)
			q.ok, q.text, q.number = ok && !long, n.Text, new(big.Rat).SetInt64(int64(at))
		}
	case kindWords, kindExpect:
		q.set, q.ok = setOf(n)
		q.text = "[" + strings.Join(q.set, ", ") + "]"
	default:
		q.ok = n.Kind == tree.String
		q.raw = n.Text
		q.text = strconv.Quote(told(n.Text))
		if k.kind == kindWord {
			q.text = told(n.Text)
		}
	}
	q.text = oneLine(q.text)
	return q
}

// numberOf reads a number exactly as written.
func numberOf(n *tree.Node) (*big.Rat, bool) {
	text := strings.TrimPrefix(strings.ReplaceAll(n.Text, "_", ""), "+")
	switch n.Kind {
	case tree.Integer:
		i, err := strconv.ParseInt(text, 0, 64)
		return new(big.Rat).SetInt64(i), err == nil
	case tree.Float:
		if strings.HasSuffix(text, "inf") || strings.HasSuffix(text, "nan") {
			return nil, false
		}
		return exact(text)
	}
	return nil, false
}

// setOf reads a list of words or whole numbers.
func setOf(n *tree.Node) ([]string, bool) {
	if n.Kind != tree.List {
		return nil, false
	}
	set := []string{}
	for _, item := range n.Items {
		switch item.Kind {
		case tree.String:
			set = append(set, told(item.Text))
		case tree.Integer:
			number, ok := numberOf(item)
			if !ok {
				return nil, false
			}
			set = append(set, number.Num().String())
		default:
			return nil, false
		}
	}
	slices.Sort(set)
	return slices.Compact(set), true
}

// maxTold bounds a text inside a message, in code points.
const maxTold = 60

// told is a text of the file as a message may repeat it: a file that is refused may
// hold an address, and that a password.
func told(text string) string {
	if len(address.Find(text, address.Operation)) > 0 {
		return "(an address)"
	}
	if utf8.RuneCountInString(text) > maxTold {
		text = string([]rune(text)[:maxTold]) + "..."
	}
	return oneLine(text)
}

// valueOf is the value of a key of a table, nil where it has none.
func valueOf(t *tree.Node, name string) *tree.Node {
	if m := t.Get(name); m != nil {
		return m.Value
	}
	return nil
}

func membersOf(t *tree.Node) []*tree.Member {
	if t == nil {
		return nil
	}
	return t.Members
}

// itemsOf are the tables of a list; a table where a list belongs counts as its only
// item.
func itemsOf(n *tree.Node) []*tree.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == tree.List:
		return n.Items
	case n.Kind == tree.Table:
		return []*tree.Node{n}
	}
	return nil
}

// textOf is the text of a key of a table, empty where it has none.
func textOf(t *tree.Node, name string) string {
	if n := valueOf(t, name); n != nil && n.Kind == tree.String {
		return n.Text
	}
	return ""
}

func durationOf(t *tree.Node, name string) (time.Duration, bool) {
	d, long, ok := parseDuration(textOf(t, name))
	return d, ok && !long
}

// choiceOf is the value of a table's selector.
func choiceOf(t *table, n *tree.Node) string {
	if t.selector == "" {
		return ""
	}
	if text := textOf(n, t.selector); text != "" {
		return text
	}
	return t.key(t.selector).fallback
}

// labelOf names an item of a list in words: what a reader knows it by, not its index.
func labelOf(t *table, n *tree.Node) string {
	switch t {
	case operationTable:
		return "operation " + told(operationName(n))
	case entryTable:
		at := told(textOf(n, "at"))
		if textOf(n, "action") == string(ActionLog) {
			return "the log entry at " + at
		}
		return fmt.Sprintf("the %s fault on %s at %s", told(textOf(valueOf(n, "fault"), "type")), told(textOf(n, "target")), at)
	}
	return t.name
}

// subjectOf names a key in words.
func subjectOf(t *table, n *tree.Node, k *key) string {
	switch t {
	case assertionsTable:
		return k.name
	case operationTable, entryTable:
		return labelOf(t, n) + ": " + k.name
	case faultTable:
		return labelOf(entryTable, n.Parent()) + ": " + k.name
	case targetTable:
		return "target " + told(n.Name()) + ": " + k.name
	}
	return strings.Trim(t.name, "[]") + "." + k.name
}
