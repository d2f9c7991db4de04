package scenario

import (
	"math/big"
	"slices"
	"time"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// facts are the tables of a file, read, for the rules that hold them against each
// other. A table that the file lacks is nil.
type facts struct {
	root                    *section
	scenario, targets, load *section
	assertions, objective   *section
	operations, timeline    []*section
	faults                  []faultFact
	// strayTarget is set when a target is named that does not exist.
	strayTarget bool
}

// faultFact is an entry of the timeline that puts a fault on a target, as far as it
// could be read.
type faultFact struct {
	entry *section
	fault *section
	kind  FaultType
	// proxy is the listener that the fault acts on; empty where it is not known.
	proxy string
	// at and end bound the fault; timed tells whether they are known.
	at, end time.Duration
	timed   bool
}

// readFile reads all tables of the file and takes the facts from them.
func (c *checker) readFile() {
	c.checkEmptyTables()
	c.root = c.readTable(fileTable, c.doc.Root)
	one := func(name string) *section {
		if v, ok := c.root.get(name); ok {
			return v.table
		}
		return nil
	}
	c.scenario, c.targets, c.load = one("scenario"), one("targets"), one("load")
	c.assertions, c.objective = one("assertions"), one("objective")
	if v, ok := c.load.get("operations"); ok {
		c.operations = v.tables
	}
	if v, ok := c.root.get("timeline"); ok {
		c.timeline = v.tables
	}
	for _, entry := range c.timeline {
		if action, ok := entry.get("action"); ok && action.text == string(ActionFault) {
			c.faults = append(c.faults, c.factsOf(entry))
		}
	}
	for _, operation := range c.operations {
		c.checkOperation(operation)
	}
	c.checkObjective()
	c.tellMissing()
	c.model()
}

func (c *checker) factsOf(entry *section) faultFact {
	f := faultFact{entry: entry}
	if v, ok := entry.get("fault"); ok {
		f.fault = v.table
		if kind, ok := f.fault.get("type"); ok {
			f.kind = FaultType(kind.text)
		}
	}
	if name, ok := entry.get("target"); ok {
		if target, ok := c.targets.get(name.text); ok {
			if proxy, ok := target.table.get("proxy"); ok {
				f.proxy = proxy.text
			}
		}
	}
	at, known := entry.get("at")
	length, also := entry.get("for")
	if known && also {
		f.at, f.end, f.timed = at.duration, at.duration+length.duration, true
	}
	return f
}

// measured is the time that counts: duration - warmup, if both are known and leave
// any.
func (c *checker) measured() (warmup, duration time.Duration, ok bool) {
	d, ok := c.load.get("duration")
	if !ok || c.load.hides("warmup") {
		return 0, 0, false
	}
	if c.load.has("warmup") {
		w, ok := c.load.get("warmup")
		if !ok {
			return 0, 0, false
		}
		warmup = w.duration
	}
	return warmup, d.duration, warmup < d.duration
}

// meanRate is the mean rate over the load, in requests a second.
func (c *checker) meanRate() (*big.Rat, bool) {
	rate, ok := c.load.get("rate")
	if !ok {
		return nil, false
	}
	pattern, ok := c.load.choice()
	if !ok {
		return nil, false
	}
	if pattern != string(Ramp) && pattern != string(Step) {
		return rate.number, true
	}
	from, ok := c.load.get("from")
	if !ok {
		return nil, false
	}
	sum := new(big.Rat).Add(from.number, rate.number)
	return sum.Quo(sum, big.NewRat(2, 1)), true
}

// requests is how many requests a mean rate sends in a time.
func requests(rate *big.Rat, in time.Duration) *big.Rat {
	return new(big.Rat).Mul(rate, seconds(in))
}

func seconds(d time.Duration) *big.Rat { return big.NewRat(int64(d), int64(time.Second)) }

// whole writes the whole part of a number that is not negative.
func whole(r *big.Rat) string { return new(big.Int).Quo(r.Num(), r.Denom()).String() }

// roundUp writes the least whole number that is not less.
func roundUp(r *big.Rat) string {
	q, m := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.String()
}

// maxPlaces bounds the decimal places up to which a message repeats a number exactly:
// two that differ must not read alike.
const maxPlaces = 20

// decimal writes a number as short as it can be told.
func decimal(r *big.Rat) string {
	if places, exact := r.FloatPrec(); exact && places <= maxPlaces && r.Num().BitLen() <= 96 {
		return r.FloatString(places)
	}
	f, _ := r.Float64()
	return formatNumber(f)
}

// lost tells whether a table that the file lacks may have been lost in a syntax error,
// or is probably one that was told as unknown.
func (c *checker) lost(name string) bool {
	if c.root.has(name) || c.doc.Root.Partial {
		return true
	}
	return slices.Contains(c.suggested[c.doc.Root], name)
}

// meant tells whether an unknown key of the table was told that was probably this one.
func (c *checker) meant(s *section, name string) bool {
	return s != nil && slices.Contains(c.suggested[s.node], name)
}

// header is where the want of a table's content is told: its header, or its key.
func (s *section) header() tree.Span { return s.node.Anchor }
