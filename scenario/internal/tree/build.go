package tree

// This file puts what was parsed into the tree, by the rules of TOML for keys and
// headers.

// define puts a value under a dotted key.
func (r *reader) define(table *Node, keys []Key, value *Node) {
	for i, k := range keys {
		m := table.Get(k.Text)
		if i == len(keys)-1 {
			if m != nil {
				r.duplicate(k.Span, m.Value, nil)
				return
			}
			table.put(k, value)
			return
		}
		switch {
		case m == nil:
			next := &Node{Kind: Table, Form: Dotted, Span: k.Span, Anchor: k.Span}
			table.put(k, next)
			table = next
		case m.Value.Kind == Broken:
			return
		case m.Value.Kind == Table && m.Value.Form == Dotted:
			table = m.Value
		default:
			r.duplicate(k.Span, m.Value, nil)
			return
		}
	}
}

func (n *Node) put(k Key, value *Node) {
	m := &Member{Name: k.Text, Key: k.Span, Value: value}
	value.parent, value.member = n, m
	n.add(m)
}

func (n *Node) push(item *Node) {
	item.parent, item.item = n, len(n.Items)
	n.Items = append(n.Items, item)
}

func (r *reader) duplicate(s Span, first, second *Node) {
	d := Duplicate{Span: s, First: first, Node: second}
	if second != nil {
		second.Partial = true
	}
	r.doc.Duplicates = append(r.doc.Duplicates, d)
}

// header opens the table of a header. list is set for double brackets, loose where
// the brackets are broken and tell nothing.
func (r *reader) header(keys []Key, span Span, list, loose bool) {
	table := r.doc.Root
	for i, k := range keys {
		last := i == len(keys)-1
		m := table.Get(k.Text)
		switch {
		case last && m == nil:
			r.table = newTable(table, k, span, list, loose)
		case last:
			r.table = r.reopen(m, k, span, list, loose)
		case m == nil:
			next := &Node{Kind: Table, Form: Implied, Span: k.Span, Anchor: k.Span}
			table.put(k, next)
			table = next
		default:
			next := m.Value
			if next.Kind == List && next.Form == ListHeader {
				next = next.Items[len(next.Items)-1]
			}
			if len(m.Again) > 0 {
				next = m.Again[len(m.Again)-1]
			}
			if next.Kind != Table || next.Form == Inline {
				if next.Kind != Broken {
					r.duplicate(k.Span, m.Value, nil)
				}
				r.table = &Node{Kind: Table, Form: Header, Span: span, Anchor: span, Partial: true}
				return
			}
			table = next
		}
	}
}

func newTable(parent *Node, k Key, span Span, list, loose bool) *Node {
	table := &Node{Kind: Table, Form: Header, Span: span, Anchor: span, Loose: loose}
	if !list {
		parent.put(k, table)
		return table
	}
	table.Form = ListHeader
	all := &Node{Kind: List, Form: ListHeader, Span: span, Anchor: span, Loose: loose}
	parent.put(k, all)
	all.push(table)
	return table
}

// reopen handles a header whose name is known already.
func (r *reader) reopen(m *Member, k Key, span Span, list, loose bool) *Node {
	v := m.Value
	switch {
	case v.Kind == List && v.Form == ListHeader && (list || loose):
		item := &Node{Kind: Table, Form: ListHeader, Span: span, Anchor: span, Loose: loose}
		v.push(item)
		return item
	case v.Kind == Table && v.Form == Implied && (!list || loose):
		v.Form, v.Span, v.Anchor, v.Loose = Header, span, span, loose
		m.Key = k.Span
		return v
	}
	again := &Node{Kind: Table, Form: Header, Span: span, Anchor: span, Loose: loose}
	if list {
		again.Form = ListHeader
	}
	again.parent, again.member = v.parent, m
	if v.Kind != Broken {
		r.duplicate(k.Span, v, again)
		m.Again = append(m.Again, again)
	}
	return again
}
