package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inorbit-hr/reliability/scenario/internal/tree"
)

// maxDiagnostics bounds what is told of one file; a file with more problems is told
// how many are left out.
const maxDiagnostics = 100

// maxMessage bounds a message, in bytes: keys and values of the file are repeated in
// it, and a file may hold one of 64 KiB.
const maxMessage = 400

// oracleKeys is the number of keys up to which the library is asked for its verdict
// even on a file that is refused already. Its search for duplicates takes the square
// of the number of keys.
const oracleKeys = 2000

// Check is the whole offline half: it reads a file and holds it against every rule
// that the file alone can be held to. It never returns nil. The source must not be
// changed afterwards.
func Check(source []byte) *File {
	f := &File{source: source}
	if checkSize(f) {
		return f
	}
	source = source[:len(source):len(source)]
	doc := tree.Parse(source, func(name string) bool { return fileTable.key(name) != nil })
	f.doc = doc
	c := &checker{file: f, doc: doc, settled: map[*tree.Node]bool{}, settledKeys: map[int]bool{}, astray: map[*key]bool{}, suggested: map[*tree.Node][]string{}}
	c.language()
	if !c.otherFormat() {
		c.texts()
		c.addresses()
		if !c.isBlank() {
			c.readFile()
			c.relations()
		}
	}
	c.tellDuplicates()
	c.oracle()
	c.finish()
	return f
}

// finding is a problem before its position is worked out.
type finding struct {
	rule       *Rule
	span       tree.Span
	message    func() string
	suggestion string
}

// checker holds what is known of a file while it is checked.
type checker struct {
	file     *File
	doc      *tree.Document
	findings []finding
	// settled are values that a problem was told of: one cause, one diagnostic.
	settled map[*tree.Node]bool
	// settledKeys are the offsets of keys that a problem was told of.
	settledKeys map[int]bool
	// suggested are, for a table, the keys that its unknown keys were probably meant
	// to be: they are not told as missing too.
	suggested map[*tree.Node][]string
	// guesses counts how often an unknown key was compared with the known ones.
	guesses int
	// absent are the required keys that are not there, astray the keys of the format
	// that stand in a table that does not take them.
	absent []absence
	astray map[*key]bool

	facts
}

// tell notes a problem. The message is worded only if it is told.
func (c *checker) tell(r *Rule, s tree.Span, message func() string) *finding {
	c.findings = append(c.findings, finding{rule: r, span: s, message: message})
	return &c.findings[len(c.findings)-1]
}

// tellf is tell for a message that costs nothing to word.
func (c *checker) tellf(r *Rule, s tree.Span, format string, args ...any) *finding {
	return c.tell(r, s, func() string { return fmt.Sprintf(format, args...) })
}

// settle notes a problem of a value, of which nothing more is told.
func (c *checker) settle(r *Rule, n *tree.Node, format string, args ...any) *finding {
	c.settled[n] = true
	return c.tellf(r, n.Span, format, args...)
}

func (c *checker) line(s tree.Span) int {
	line, _ := c.doc.Position(s.Start)
	return line
}

// relations applies the rules that hold values against each other.
func (c *checker) relations() {
	c.checkTargets()
	c.checkProxies()
	c.checkListedTwice()
	c.checkWarmup()
	c.checkInFlight()
	c.checkLoadEnd()
	c.checkFaultInWarmup()
	c.checkOverlaps()
	c.checkJitter()
	c.checkNeedsLoad()
	c.checkPercentiles()
	c.checkRequests()
	c.checkReachable()
	c.checkSamples()
	c.checkLimits()
	c.checkWindow()
	c.checkAssertsNothing()
	c.checkUnusedTargets()
	c.checkLookAlikes()
	c.checkTimelineOrder()
	c.checkFaultExceedsLimit()
}

// finish sorts what was found, works out positions and words.
func (c *checker) finish() {
	invalid := c.doc.Invalid
	found := c.findings[:0:0]
	for _, f := range c.findings {
		// What stands on bytes that could not be read is told as just that.
		i, _ := slices.BinarySearch(invalid, f.span.Start)
		if f.rule != &notUTF8 && i < len(invalid) && invalid[i] < f.span.End {
			continue
		}
		found = append(found, f)
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		if d := a.span.Start - b.span.Start; d != 0 {
			return d
		}
		if d := strings.Compare(string(a.rule.Severity), string(b.rule.Severity)); d != 0 {
			return d
		}
		return strings.Compare(a.rule.Code, b.rule.Code)
	})
	left := 0
	if len(found) > maxDiagnostics {
		left = len(found) - maxDiagnostics
		errorsFirst(found)
	}
	all := make([]Diagnostic, 0, min(len(found), maxDiagnostics+1))
	for _, f := range found[:len(found)-left] {
		all = append(all, Diagnostic{
			Code: f.rule.Code, Severity: f.rule.Severity, Range: c.file.rangeOf(f.span),
			Message: oneLine(f.message()), Suggestion: oneLine(f.suggestion),
		})
	}
	if left > 0 {
		all = append(all, c.file.more(found[maxDiagnostics].span, found[maxDiagnostics].rule.Severity, left))
	}
	c.file.Diagnostics = all
	Sort(c.file.Diagnostics)
}

// errorsFirst moves errors before warnings where some must be left out, so that no
// error is left out for a warning.
func errorsFirst(found []finding) {
	slices.SortStableFunc(found, func(a, b finding) int {
		return strings.Compare(string(a.rule.Severity), string(b.rule.Severity))
	})
}

// oneLine keeps a message on one line and within bounds: it may repeat anything that
// the file holds.
func oneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if hidden(r) || control(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(clean) <= maxMessage {
		return clean
	}
	cut := clean[:maxMessage]
	if i := strings.LastIndexByte(cut, ' '); i > maxMessage/2 {
		cut = cut[:i]
	}
	return strings.ToValidUTF8(cut, "") + " ..."
}
