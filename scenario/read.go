package scenario

import (
	"math/big"
	"slices"
	"time"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// value is what a key holds, once it was found to be of the key's kind.
type value struct {
	key    *key
	member *tree.Member
	node   *tree.Node
	// ok is false where a problem of the value was told, or its text could not be read.
	ok       bool
	text     string
	number   *big.Rat // exactly as written
	duration time.Duration
	list     []value // of kindWords and kindExpect
	table    *section
	tables   []*section
}

// section is a table of the file, read by its manual.
type section struct {
	table  *table
	node   *tree.Node
	values map[string]*value
}

// has tells whether a key is there, right or wrong. A nil section has none.
func (s *section) has(name string) bool { return s != nil && s.values[name] != nil }

// get returns a key's value if it is of the right kind and within its bounds.
func (s *section) get(name string) (*value, bool) {
	if s == nil {
		return nil, false
	}
	v := s.values[name]
	return v, v != nil && v.ok
}

// hides tells whether a key that is not there may have been lost in a syntax error.
func (s *section) hides(name string) bool {
	return s == nil || !s.has(name) && s.node.Partial
}

// readTable reads a table. It tells unknown, misplaced and missing keys, and every
// value that is not of its key's kind.
func (c *checker) readTable(t *table, n *tree.Node) *section {
	s := &section{table: t, node: n, values: map[string]*value{}}
	if n.Kind != tree.Table {
		return s
	}
	if m := n.Get(t.selector); t.selector != "" && m != nil {
		c.readKey(s, t.key(t.selector), m)
	}
	for _, m := range n.Members {
		k := t.key(m.Name)
		switch {
		case k == nil:
			c.unknown(s, m)
		case k.name == t.selector:
		case c.isMisplaced(s, k, m):
			s.values[k.name] = &value{key: k, member: m, node: m.Value}
		default:
			c.readKey(s, k, m)
		}
	}
	for i := range t.keys {
		if k := &t.keys[i]; k.required && s.values[k.name] == nil && s.takes(k) == yes {
			c.absent = append(c.absent, absence{s, k})
		}
	}
	return s
}

// answer is yes, no, or not to be told.
type answer uint8

const (
	unclear answer = iota
	yes
	no
)

// takes tells whether a key belongs to the table with the selector's value that it has.
func (s *section) takes(k *key) answer {
	if k.only == nil {
		return yes
	}
	choice, ok := s.choice()
	switch {
	case !ok:
		return unclear
	case slices.Contains(k.only, choice):
		return yes
	}
	return no
}

// choice is the selector's value, or its default.
func (s *section) choice() (string, bool) {
	v := s.values[s.table.selector]
	if v == nil {
		fallback := s.table.key(s.table.selector).fallback
		return fallback, fallback != "" && !s.node.Partial
	}
	return v.text, v.ok
}

func (c *checker) readKey(s *section, k *key, m *tree.Member) {
	v := &value{key: k, member: m, node: m.Value}
	s.values[k.name] = v
	if m.Value.Kind == tree.Broken {
		return
	}
	v.ok = c.readValue(s, v)
}

func (c *checker) readValue(s *section, v *value) bool {
	switch v.key.kind {
	case kindTable:
		return c.readTableOf(v)
	case kindTables:
		return c.readTablesOf(v)
	case kindNamedTable:
		return c.readNamed(v)
	case kindWords, kindExpect:
		return c.readList(s, v)
	case kindFormat, kindWhole, kindNumber, kindShare, kindMillis:
		return c.isNumber(v) && c.isInRange(v)
	case kindDuration:
		return c.isText(v) && c.isDuration(v)
	}
	if !c.isText(v) || c.settled[v.node] {
		return false
	}
	switch v.key.kind {
	case kindOpenAPI, kindGRPC:
		return c.isOperation(v)
	case kindWord:
		return c.isWord(v, v.key.words)
	case kindName:
		return c.isNotEmpty(v) && c.isName(v.node, v.node.Path(), v.text)
	case kindLine:
		return c.isNotEmpty(v) && c.isShort(v)
	}
	return c.isNotEmpty(v)
}

// readTableOf reads a value that must be one table.
func (c *checker) readTableOf(v *value) bool {
	n := v.node
	// A second definition is told as that; what the first lacks may stand in it.
	n.Partial = n.Partial || len(v.member.Again) > 0
	switch {
	case n.Kind == tree.Table:
		v.table = c.readTable(v.key.table, n)
	case n.Kind == tree.List && n.Form == tree.ListHeader:
		for i, item := range n.Items {
			c.checkSingleBrackets(v, item)
			item.Partial = item.Partial || len(n.Items) > 1 || n.Partial
			if t := c.readTable(v.key.table, item); i == 0 {
				v.table = t
			}
		}
	default:
		c.tellWrongType(v, n)
		return false
	}
	for _, again := range v.member.Again {
		c.readTable(v.key.table, again)
	}
	return true
}

// readTablesOf reads a value that must be a list of tables.
func (c *checker) readTablesOf(v *value) bool {
	items := v.node.Items
	switch n := v.node; {
	case n.Kind == tree.List && n.Form == tree.Inline && len(n.Items) == 0:
		c.tellEmptyList(v)
		return false
	case n.Kind == tree.List:
	case n.Kind == tree.Table && (n.Form == tree.Header || n.Form == tree.Implied):
		c.checkDoubleBrackets(v, n)
		n.Partial = n.Partial || n.Form == tree.Implied
		items = []*tree.Node{n}
	default:
		c.tellWrongType(v, n)
		return false
	}
	if v.node.Form != tree.Inline {
		for _, again := range v.member.Again {
			// The brackets alone made it a second definition.
			c.settled[again] = true
			again.Partial = false
			if again.Form == tree.Header {
				c.checkDoubleBrackets(v, again)
			}
			items = append(items, again)
		}
	}
	for _, item := range items {
		if item.Kind != tree.Table {
			if item.Kind != tree.Broken {
				c.tellWrongItem(v, item)
			}
			v.tables = append(v.tables, &section{table: v.key.table, node: item, values: map[string]*value{}})
			continue
		}
		v.tables = append(v.tables, c.readTable(v.key.table, item))
	}
	return true
}

// readNamed reads the table of targets: its keys are names, its values tables.
func (c *checker) readNamed(v *value) bool {
	n := v.node
	if n.Kind == tree.List && n.Form == tree.ListHeader {
		for _, item := range n.Items {
			c.checkSingleBrackets(v, item)
		}
		n = n.Items[0]
	}
	if n.Kind != tree.Table {
		c.tellWrongType(v, n)
		return false
	}
	n.Partial = n.Partial || len(v.member.Again) > 0 || len(v.node.Items) > 1
	v.table = &section{table: targetsTable, node: n, values: map[string]*value{}}
	if len(n.Members) == 0 && !n.Partial {
		c.tellEmptyTable(v.key.name, n)
		return false
	}
	each := &key{kind: kindTable, table: targetTable}
	for _, m := range n.Members {
		c.isNameKey(m)
		target := &value{key: each, member: m, node: m.Value}
		v.table.values[m.Name] = target
		if m.Value.Kind != tree.Broken {
			target.ok = c.readTableOf(target)
		}
	}
	return true
}

// readList reads a list of words, statuses or codes.
func (c *checker) readList(s *section, v *value) bool {
	if v.node.Kind != tree.List || v.node.Form == tree.ListHeader {
		c.tellWrongType(v, v.node)
		return false
	}
	if len(v.node.Items) == 0 {
		c.tellEmptyList(v)
		return false
	}
	item, known := c.itemKey(s, v.key)
	ok := true
	for _, n := range v.node.Items {
		one := value{key: item, node: n}
		if !known || n.Kind == tree.Broken {
			ok = false
			continue
		}
		if item.kind == kindWhole {
			one.ok = c.isNumber(&one) && c.isInRange(&one)
		} else {
			one.ok = c.isText(&one) && !c.settled[n] && c.isWord(&one, item.words)
		}
		ok = ok && one.ok
		v.list = append(v.list, one)
	}
	return ok
}

// itemKey is what each item of a list must be. What an operation expects depends on
// what it is.
func (c *checker) itemKey(s *section, k *key) (*key, bool) {
	if k.kind == kindWords {
		return &key{name: k.name, kind: kindWord, words: k.words}, true
	}
	openapi, grpc := s.node.Get("openapi") != nil, s.node.Get("grpc") != nil
	if openapi {
		return &key{name: k.name, kind: kindWhole, min: k.min, max: k.max}, !grpc
	}
	return &key{name: k.name, kind: kindWord, words: grpcCodes}, grpc
}
