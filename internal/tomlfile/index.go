package tomlfile

import (
	"fmt"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"
)

// index gives the line of every key, table and list element of a valid file.
func index(content []byte) map[string]int {
	ix := &indexer{lines: map[string]int{}, lists: map[string]int{}}
	ix.parser.Reset(content)
	table := ""
	for ix.parser.NextExpression() {
		n := ix.parser.Expression()
		switch n.Kind {
		case unstable.Table:
			table = ix.keys("", n.Key(), true)
		case unstable.ArrayTable:
			list := ix.keys("", n.Key(), true)
			table = fmt.Sprintf("%s[%d]", list, ix.lists[list])
			ix.lists[list]++
			ix.note(table, ix.last)
		case unstable.KeyValue:
			ix.keyValue(table, n)
		}
	}
	return ix.lines
}

type indexer struct {
	parser unstable.Parser
	lines  map[string]int
	lists  map[string]int // how many elements a list of tables has so far
	last   int            // line of the key read last
}

// note keeps the first line of a key: a table may be mentioned again.
func (ix *indexer) note(key string, line int) {
	if _, ok := ix.lines[key]; !ok {
		ix.lines[key] = line
	}
}

// keys follows a dotted key. In a header, a list of tables stands for its newest
// element.
func (ix *indexer) keys(at string, it unstable.Iterator, header bool) string {
	first := true
	for it.Next() {
		if n := ix.lists[at]; header && !first && n > 0 {
			at = fmt.Sprintf("%s[%d]", at, n-1)
		}
		first = false
		at = join(at, string(it.Node().Data))
		ix.last = ix.parser.Shape(it.Node().Raw).Start.Line
		ix.note(at, ix.last)
	}
	return at
}

func (ix *indexer) keyValue(table string, n *unstable.Node) {
	key := ix.keys(table, n.Key(), false)
	ix.value(key, ix.last, n.Value())
}

func (ix *indexer) value(key string, line int, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				ix.keyValue(key, it.Node())
			}
		}
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			if it.Node().Raw.Length > 0 {
				line = ix.parser.Shape(it.Node().Raw).Start.Line
			}
			element := fmt.Sprintf("%s[%d]", key, i)
			ix.note(element, line)
			ix.value(element, line, it.Node())
			i++
		}
	}
}

// join appends a name to a key; a name that is no bare key is quoted.
func join(key, name string) string {
	if !bare(name) {
		name = strconv.Quote(name)
	}
	if key == "" {
		return name
	}
	return key + "." + name
}

func bare(name string) bool {
	for _, c := range []byte(name) {
		if !(c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return name != ""
}
