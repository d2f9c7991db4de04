package scenario

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// pairings match the items of lists by meaning. Each returns the items of both sides
// in pairs, with nil for the side that lacks one.
var pairings = map[string]func(d *differ, base, head []*tree.Node) [][2]*tree.Node{
	"load.operations": matchOperations,
	"timeline":        matchEntries,
}

// inOrder pairs items by their place.
func inOrder(_ *differ, base, head []*tree.Node) [][2]*tree.Node {
	pairs := make([][2]*tree.Node, max(len(base), len(head)))
	for i := range pairs {
		if i < len(base) {
			pairs[i][0] = base[i]
		}
		if i < len(head) {
			pairs[i][1] = head[i]
		}
	}
	return pairs
}

// matchTargets pairs the targets of both versions: by name, then by what they stand
// for, since a name is only a name in the file.
func (d *differ) matchTargets() {
	d.targets = map[string]string{}
	var left []Target
	for _, t := range d.base.Scenario.Targets {
		if valueOf(valueOf(d.head.doc.Root, "targets"), t.Name) != nil {
			d.targets[t.Name] = t.Name
			continue
		}
		left = append(left, t)
	}
	for _, t := range d.head.Scenario.Targets {
		if d.targets[t.Name] != "" {
			continue
		}
		i := slices.IndexFunc(left, func(l Target) bool { return l.Connection == t.Connection && l.Proxy == t.Proxy && t.Connection != "" })
		if i >= 0 {
			d.targets[left[i].Name] = t.Name
			left = slices.Delete(left, i, i+1)
		}
	}
}

// sameTarget tells whether two names stand for one target.
func (d *differ) sameTarget(base, head string) bool {
	if name, ok := d.targets[base]; ok {
		return name == head
	}
	return base == head
}

// operationName is the operation as the file names it.
func operationName(n *tree.Node) string {
	return cmp.Or(textOf(n, "openapi"), textOf(n, "grpc"))
}

// matchOperations pairs operations of one name, and finds out whether the mix of those
// that stayed is the same.
func matchOperations(d *differ, base, head []*tree.Node) [][2]*tree.Node {
	type id struct{ openapi, grpc string }
	left := map[id][]*tree.Node{}
	of := func(n *tree.Node) id { return id{textOf(n, "openapi"), textOf(n, "grpc")} }
	for _, n := range head {
		left[of(n)] = append(left[of(n)], n)
	}
	var pairs [][2]*tree.Node
	stayed := map[*tree.Node]bool{}
	for _, n := range base {
		same := left[of(n)]
		if len(same) == 0 {
			pairs = append(pairs, [2]*tree.Node{n, nil})
			continue
		}
		pairs = append(pairs, [2]*tree.Node{n, same[0]})
		stayed[same[0]] = true
		left[of(n)] = same[1:]
	}
	d.sameMix = sameMix(pairs)
	for _, n := range head {
		if !stayed[n] {
			pairs = append(pairs, [2]*tree.Node{nil, n})
		}
	}
	return pairs
}

// sameMix tells whether the weights of the operations that stayed keep their
// proportions.
func sameMix(pairs [][2]*tree.Node) bool {
	var first *big.Rat
	for _, p := range pairs {
		if p[1] == nil {
			continue
		}
		was, is := weightOf(p[0]), weightOf(p[1])
		if was == nil || is == nil || was.Sign() <= 0 {
			return false
		}
		ratio := is.Quo(is, was)
		if first == nil {
			first = ratio
		}
		if ratio.Cmp(first) != 0 {
			return false
		}
	}
	return true
}

func weightOf(n *tree.Node) *big.Rat {
	weight := valueOf(n, "weight")
	if weight == nil {
		return big.NewRat(1, 1)
	}
	number, ok := numberOf(weight)
	if !ok {
		return nil
	}
	return number
}

// event is an entry of the timeline as it is matched.
type event struct {
	action, fault, target string
	at                    time.Duration
	values                []string // all its values, each in one spelling
}

func eventOf(n *tree.Node) event {
	fault := valueOf(n, "fault")
	e := event{action: textOf(n, "action"), fault: textOf(fault, "type"), target: textOf(n, "target")}
	e.at, _ = durationOf(n, "at")
	e.values = append(valuesOf(entryTable, n), valuesOf(faultTable, fault)...)
	return e
}

// valuesOf are the values of a table in the order of the format.
func valuesOf(t *table, n *tree.Node) []string {
	var values []string
	for i := range t.keys {
		k := &t.keys[i]
		value := valueOf(n, k.name)
		if k.kind == kindTable {
			continue
		}
		if value == nil {
			values = append(values, "")
			continue
		}
		q := readQuantity(k, value)
		if q.number != nil {
			q.raw = q.number.RatString()
		}
		values = append(values, q.raw)
	}
	return values
}

// couple is an entry of base and one of head that could be the same.
type couple struct {
	apart      time.Duration // in time
	base, head int32
	unlike     int32 // what differs of type and target
	changes    int32 // values that differ
}

// matchEntries pairs entries of the timeline. Of all couples the likeliest go first:
// the same action, type and target, nearest in time, of the same content; then those
// with another type or another target.
func matchEntries(d *differ, base, head []*tree.Node) [][2]*tree.Node {
	pairs := make([][2]*tree.Node, len(base))
	for i, n := range base {
		pairs[i][0] = n
	}
	taken := make([]bool, len(head))
	for _, c := range d.couples(base, head) {
		if pairs[c.base][1] == nil && !taken[c.head] {
			pairs[c.base][1], taken[c.head] = head[c.head], true
		}
	}
	for j, n := range head {
		if !taken[j] {
			pairs = append(pairs, [2]*tree.Node{nil, n})
		}
	}
	return pairs
}

// couples are the entries that could be the same, the likeliest first.
func (d *differ) couples(base, head []*tree.Node) []couple {
	events := make([]event, len(head))
	for j, n := range head {
		events[j] = eventOf(n)
	}
	all := make([]couple, 0, len(base)*len(head))
	for i, n := range base {
		b := eventOf(n)
		for j, h := range events {
			same := d.sameTarget(b.target, h.target)
			if b.action != h.action || b.fault != h.fault && !same {
				continue // nothing in common: one is gone and one is new
			}
			c := couple{base: int32(i), head: int32(j), apart: (b.at - h.at).Abs()}
			if b.fault != h.fault {
				c.unlike += 2
			}
			if !same {
				c.unlike++
			}
			for k := range b.values {
				if b.values[k] != h.values[k] {
					c.changes++
				}
			}
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b couple) int {
		switch {
		case a.unlike != b.unlike:
			return int(a.unlike - b.unlike)
		case a.apart != b.apart:
			return cmp.Compare(a.apart, b.apart)
		}
		return int(cmp.Or(a.changes-b.changes, a.base-b.base, a.head-b.head))
	})
	return all
}
