// Package tree reads a TOML document into a tree in which every key, value and
// comment knows the bytes it stands on, and which survives syntax errors: what could
// not be read is in the tree as Broken, so that one typo does not hide the rest.
//
// It knows TOML and nothing of scenarios. Only parse.go touches the library's
// unstable parser.
package tree

import (
	"strconv"
	"strings"
)

// Span is a half-open range of bytes of the document.
type Span struct{ Start, End int }

// Kind is what a value is.
type Kind uint8

// The kinds of values. Broken stands for a value that could not be read.
const (
	Broken Kind = iota
	Table
	List
	String
	Integer
	Float
	Bool
	Time // any date, clock time or both
)

// Form is how a table or list is written.
type Form uint8

// The forms of tables and lists.
const (
	Plain      Form = iota // not a table or list
	Implied                // a table known only from a longer header: a of [a.b]
	Header                 // [a]
	ListHeader             // [[a]]: the list, and each of its tables
	Dotted                 // a table known from a dotted key: a of a.b = 1
	Inline                 // { } or [ ]
)

// Node is a value.
type Node struct {
	Kind Kind
	Form Form
	// Span is the value as written: quotes and brackets included. Of a table with a
	// header it is the header; of an implied or dotted table the first mention of its
	// name.
	Span Span
	// Anchor is where something that the table lacks is told.
	Anchor Span
	// Text is the decoded text of a String, and any other scalar as written.
	Text string
	// Members of a table stand in the order of the document.
	Members []*Member
	// Items of a list.
	Items []*Node
	// Partial is set where a syntax error may have hidden a part of the table.
	Partial bool
	// Loose is set on a header with broken brackets: they tell nothing about what was
	// meant.
	Loose bool

	parent *Node
	member *Member // in a table
	item   int     // in a list
	index  map[string]*Member
}

// Member is a key of a table with its value.
type Member struct {
	Name string
	// Key is the name as written, quotes included: of a header the last part.
	Key   Span
	Value *Node
	// Again holds further definitions of the same name by headers, which TOML
	// refuses; each is in Document.Duplicates too.
	Again []*Node
}

// Get returns the member of that name, or nil. A nil node and anything that is not a
// table have none.
func (n *Node) Get(name string) *Member {
	if n == nil || n.Kind != Table {
		return nil
	}
	if n.index != nil {
		return n.index[name]
	}
	for _, m := range n.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// indexFrom is the number of members from which a table has an index; below it a
// linear search is faster.
const indexFrom = 16

func (n *Node) add(m *Member) {
	n.Members = append(n.Members, m)
	switch {
	case n.index != nil:
		n.index[m.Name] = m
	case len(n.Members) == indexFrom:
		n.index = make(map[string]*Member, 2*indexFrom)
		for _, m := range n.Members {
			n.index[m.Name] = m
		}
	}
}

// HasHeader tells whether the value is made by a header.
func (n *Node) HasHeader() bool { return n.Form == Header || n.Form == ListHeader }

// Parent is the table or list that holds the node; nil for the document's own table.
func (n *Node) Parent() *Node { return n.parent }

// Name is the key that holds the node; empty in a list.
func (n *Node) Name() string {
	if n.member == nil {
		return ""
	}
	return n.member.Name
}

// Path names the node from the top of the document: load.operations[0].openapi.
func (n *Node) Path() string {
	var parts []string
	for ; n.parent != nil; n = n.parent {
		if n.member != nil {
			parts = append(parts, n.member.Name)
		} else {
			parts = append(parts, "["+strconv.Itoa(n.item)+"]")
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		if b.Len() > 0 && parts[i][:min(1, len(parts[i]))] != "[" {
			b.WriteByte('.')
		}
		b.WriteString(parts[i])
	}
	return b.String()
}

// Key is one mention of a name: a part of a key or of a header.
type Key struct {
	Span Span
	Text string // decoded
}

// Duplicate is a second definition of what is defined already.
type Duplicate struct {
	Span  Span  // the name as written the second time
	First *Node // the first definition
	Node  *Node // the second definition where it is a header, else nil
}

// Form11 is a form that TOML 1.1 allows and TOML 1.0 refuses.
type Form11 uint8

// The forms of TOML 1.1.
const (
	TableOverLines Form11 = iota
	CommaBeforeBrace
	EscapeE
	EscapeX
	TimeWithoutSeconds
)

// Newer is one use of a form of TOML 1.1.
type Newer struct {
	Form Form11
	Span Span
	Node *Node // the value that holds it, or nil for a key
}

// Problem is a place that TOML does not read.
type Problem struct {
	Span       Span
	Message    string
	Suggestion string
}

// Document is what was read.
type Document struct {
	Root       *Node
	Keys       []Key
	Strings    []*Node
	Comments   []Span // from the # to the end of the text, without the line's end
	Duplicates []Duplicate
	Newer      []Newer
	Problems   []Problem
	// Invalid are the offsets of bytes that are not UTF-8.
	Invalid []int
	// Lost is set when reading gave up before the end of the document.
	Lost bool

	source []byte
	lines  []int // offset of each line's first byte
}
