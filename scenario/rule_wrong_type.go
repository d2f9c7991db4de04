package scenario

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

var wrongType = Rule{
	Code: "wrong-type", Severity: Error,
	What:    "A value, or an item of a list, is of another type of TOML than its key takes. Durations are text, so that they have a unit; numbers are never text.",
	Message: `load.duration needs a unit and quotes: "300s", "300m" or "300ms"?`,
	Bad: `[load]
target = "api"
rate = 50
duration = 300
operations = [{ openapi = "pets.list" }]
`,
	Good: `[load]
target = "api"
rate = 50
duration = "300s"
operations = [{ openapi = "pets.list" }]
`,
}

// kindNames are the types of TOML as messages call them.
var kindNames = map[tree.Kind]string{
	tree.Table: "a table", tree.List: "a list", tree.String: "text", tree.Integer: "a number",
	tree.Float: "a number", tree.Bool: "a boolean", tree.Time: "a date or time",
}

// tellWrongType tells a value of another type than its key takes.
func (c *checker) tellWrongType(v *value, n *tree.Node) {
	if c.settled[n] {
		return
	}
	c.settled[n] = true
	c.tell(&wrongType, n.Span, func() string {
		path := n.Path()
		if v.member == nil && path == "" {
			path = v.key.name
		}
		return path + " " + wordType(v.key, n)
	}).suggestion = suggestType(v.key, n)
}

func (c *checker) tellWrongItem(v *value, n *tree.Node) {
	c.settled[n] = true
	c.tell(&wrongType, n.Span, func() string { return n.Path() + " must be a table, not " + kindNames[n.Kind] })
}

func wordType(k *key, n *tree.Node) string {
	is := kindNames[n.Kind]
	switch k.kind {
	case kindDuration:
		return wordDurationType(n)
	case kindReason:
		return "must be the reason in quotes, not " + is
	case kindFormat, kindWhole:
		switch n.Kind {
		case tree.String:
			return "must be a whole number without quotes"
		case tree.Float:
			return "must be a whole number, without a decimal point or exponent"
		}
		return "must be a whole number, not " + is
	case kindNumber, kindShare, kindMillis:
		if n.Kind == tree.String {
			return "must be a number without quotes" + hintNumber(k, n.Text)
		}
		return "must be a number, not " + is
	case kindTable:
		return "must be a table, not " + is
	case kindNamedTable:
		return "must be a table of targets, not " + is
	case kindTables:
		return "must be a list of tables, not " + is + ": write [[" + n.Path() + "]]"
	case kindWords, kindExpect:
		if n.Kind == tree.String || n.Kind == tree.Integer {
			return "must be a list: write " + suggestType(k, n)
		}
		return "must be a list, not " + is
	}
	return "must be text in quotes, not " + is
}

func wordDurationType(n *tree.Node) string {
	switch n.Kind {
	case tree.Integer:
		return fmt.Sprintf("needs a unit and quotes: %q, %q or %q?", n.Text+"s", n.Text+"m", n.Text+"ms")
	case tree.Float:
		return `needs a unit and quotes, in whole numbers, such as "1m30s"`
	case tree.Time:
		return `needs units and quotes, not a clock time: "5m" is five minutes`
	}
	return `must be text in quotes such as "1m30s", not ` + kindNames[n.Kind]
}

// hintNumber says what a number in text is probably meant to be.
func hintNumber(k *key, text string) string {
	digits := strings.TrimSpace(strings.TrimRight(text, "%/abcdefghijklmnopqrstuvwxyz "))
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return ""
	}
	if strings.HasSuffix(strings.TrimSpace(text), "%") {
		return fmt.Sprintf(": for %s write %s", text, formatNumber(f/100))
	}
	return ": write " + digits
}

func suggestType(k *key, n *tree.Node) string {
	switch {
	case k.kind == kindWords && n.Kind == tree.String:
		return "[" + strconv.Quote(n.Text) + "]"
	case k.kind == kindExpect && n.Kind == tree.String:
		return "[" + strconv.Quote(n.Text) + "]"
	case k.kind == kindExpect && n.Kind == tree.Integer:
		return "[" + n.Text + "]"
	}
	return ""
}

// formatNumber writes a number without an exponent where that is short.
func formatNumber(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if len(s) > 21 {
		return strconv.FormatFloat(f, 'g', 12, 64)
	}
	return s
}

// isText takes the text of a value.
func (c *checker) isText(v *value) bool {
	if v.node.Kind != tree.String {
		c.tellWrongType(v, v.node)
		return false
	}
	v.text = v.node.Text
	return !c.settled[v.node]
}

// isNumber takes the number of a value, exactly as written, if it is of the key's type
// and finite.
func (c *checker) isNumber(v *value) bool {
	n := v.node
	fractions := v.key.kind == kindNumber || v.key.kind == kindShare || v.key.kind == kindMillis
	if n.Kind != tree.Integer && (n.Kind != tree.Float || !fractions) {
		c.tellWrongType(v, n)
		return false
	}
	if c.settled[n] {
		return false
	}
	text := strings.TrimPrefix(strings.ReplaceAll(n.Text, "_", ""), "+")
	if n.Kind == tree.Integer {
		i, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return false
		}
		v.number = new(big.Rat).SetInt64(i)
		return true
	}
	if strings.HasSuffix(text, "inf") || strings.HasSuffix(text, "nan") {
		c.settle(&outOfRange, n, "%s must be a finite number, not %s", n.Path(), n.Text)
		return false
	}
	number, ok := exact(text)
	v.number = number
	return ok
}

// exact reads a decimal number exactly; one too small for a float64 is zero, so that
// its exponent cannot cost memory.
func exact(text string) (*big.Rat, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	if f == 0 {
		return new(big.Rat), true
	}
	return new(big.Rat).SetString(text)
}
