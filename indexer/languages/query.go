package languages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	sitter "github.com/smacker/go-tree-sitter"
)

// compiled is a grammar with its query. It lives as long as the process, and but for the form of its
// tables it is immutable.
//
// The query files are tree-sitter queries whose only quantifier is "?". This package
// matches them with the flat nodes of a scan. Tree-sitter's own cursor takes half the time
// of a parse, and on hostile input quadratic time without a bound. A test compares the
// matches of both.
//
// Source: https://tree-sitter.github.io/tree-sitter/using-parsers/queries.
type compiled struct {
	grammar  grammar
	roles    []role       // by capture index
	patterns []pattern    // in the order of the file
	bySymbol [][]*pattern // by the symbol of the root
	wanted   []uint8      // by symbol: wantToken, wantFields
	body     uint16       // the capture index of @body

	anyFields bool // a step without a symbol wants fields

	parsed atomic.Int64   // bytes of the texts that were parsed
	wide   func() grammar // the grammar with a wide table, which the first call makes
}

// pattern is one pattern of a query.
type pattern struct {
	number uint16
	root   *step
	checks []predicate
}

// The symbols of steps that match several node types.
const (
	anyNode  = -1 // _
	anyNamed = -2 // (_)
	oneOf    = -3 // […]
)

// step describes one node of a match.
type step struct {
	symbol   int // of the grammar, or one of the above
	field    uint16
	without  []uint16 // fields that the node must not have
	captures []uint16
	choices  []*step // of oneOf
	children []*step
	named    bool // the node is named
	optional bool
	anchored bool // follows the previous child directly, or is the first
	closed   bool // no named child follows the last of children
}

// compile reads a query for a grammar. The error names the line of the query that does not
// fit the grammar.
func compile(l *sitter.Language, source string) (*compiled, error) {
	c := &compiled{grammar: grammarOf(l), bySymbol: make([][]*pattern, maxSymbols), wanted: make([]uint8, maxSymbols), body: noCapture}
	r := queryReader{c: c, s: source, captures: map[string]uint16{}}
	for r.blanks(); r.i < len(r.s) && r.err == nil; r.blanks() {
		r.pattern()
	}
	if r.err != nil {
		return nil, r.err
	}
	for i := range c.patterns {
		p := &c.patterns[i]
		if p.root.symbol < 0 {
			return nil, fmt.Errorf("pattern %d: a pattern starts with a node type", i)
		}
		c.bySymbol[p.root.symbol] = append(c.bySymbol[p.root.symbol], p)
		c.want(p.root)
	}
	c.wide = sync.OnceValue(c.grammar.wide)
	if c.anyFields {
		for i := range c.wanted {
			c.wanted[i] |= wantFields
		}
	}
	return c, nil
}

// noCapture stands for the index of a capture that a query does not have.
const noCapture = 0xFFFF

// want marks the tokens and fields that a scan must list for a step.
func (c *compiled) want(s *step) {
	if s.symbol >= 0 && !s.named {
		c.wanted[s.symbol] |= wantToken
	}
	needed := len(s.without) > 0
	for _, child := range s.children {
		needed = needed || child.field != 0
		c.want(child)
	}
	for _, choice := range s.choices {
		c.want(choice)
	}
	switch {
	case !needed:
	case s.symbol >= 0:
		c.wanted[s.symbol] |= wantFields
	default:
		c.anyFields = true
	}
}

// queryReader reads the text of a query.
type queryReader struct {
	c        *compiled
	s        string
	i        int
	captures map[string]uint16
	checks   []predicate
	err      error
}

func (r *queryReader) fail(format string, args ...any) {
	if r.err == nil {
		line := 1 + strings.Count(r.s[:min(r.i, len(r.s))], "\n")
		r.err = fmt.Errorf("line %d: "+format, append([]any{line}, args...)...)
		r.i = len(r.s)
	}
}

// blanks skips white space and comments.
func (r *queryReader) blanks() {
	for r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case isBlank(c):
			r.i++
		case c == ';':
			if j := strings.IndexByte(r.s[r.i:], '\n'); j >= 0 {
				r.i += j
			} else {
				r.i = len(r.s)
			}
		default:
			return
		}
	}
}

// eat takes c and the blanks that follow it.
func (r *queryReader) eat(c byte) bool {
	if r.i < len(r.s) && r.s[r.i] == c {
		r.i++
		r.blanks()
		return true
	}
	return false
}

// word takes a name.
func (r *queryReader) word() string {
	start := r.i
	for r.i < len(r.s) && (isNameByte(r.s[r.i]) || strings.IndexByte("-.?!", r.s[r.i]) >= 0) && r.s[r.i] != '@' && r.s[r.i] != '#' {
		r.i++
	}
	w := r.s[start:r.i]
	r.blanks()
	return w
}

// text takes a quoted string.
func (r *queryReader) text() string {
	start := r.i + 1
	for r.i = start; r.i < len(r.s) && r.s[r.i] != '"'; r.i++ {
		if r.s[r.i] == '\\' {
			r.i++
		}
	}
	if r.i >= len(r.s) {
		r.fail("a string does not end")
		return ""
	}
	t := strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(r.s[start:r.i])
	r.i++
	r.blanks()
	return t
}

// pattern reads a top-level pattern.
func (r *queryReader) pattern() {
	r.checks = nil
	root := r.step()
	if r.err == nil {
		r.c.patterns = append(r.c.patterns, pattern{uint16(len(r.c.patterns)), root, r.checks})
	}
}

// step reads one node of a pattern with its captures.
func (r *queryReader) step() *step {
	s := &step{}
	if r.i >= len(r.s) {
		r.fail("a pattern does not end")
		return s
	}
	switch c := r.s[r.i]; {
	case c == '[':
		r.eat('[')
		s.symbol = oneOf
		for r.err == nil && !r.eat(']') {
			s.choices = append(s.choices, r.step())
		}
	case c == '"':
		t := r.text()
		if s.symbol = int(r.c.grammar.symbol(t, false)); s.symbol == 0 {
			r.fail("the grammar has no %q", t)
		}
	case c == '_':
		r.i++
		r.blanks()
		s.symbol = anyNode
	case r.eat('('):
		r.node(s)
	default:
		r.fail("unexpected %q", c)
	}
	for r.err == nil && r.i < len(r.s) {
		switch {
		case r.eat('@'):
			s.captures = append(s.captures, r.capture(r.word()))
		case r.eat('?'):
			s.optional = true
		default:
			return s
		}
	}
	return s
}

// node reads the inside of the parentheses of a node.
func (r *queryReader) node(s *step) {
	switch name := r.word(); name {
	case "_":
		s.symbol, s.named = anyNamed, true
	default:
		s.named = true
		if s.symbol = int(r.c.grammar.symbol(name, true)); s.symbol == 0 {
			r.fail("the grammar has no node type %s", name)
		}
	}
	anchored := false
	for r.err == nil && !r.eat(')') {
		switch {
		case r.i >= len(r.s):
			r.fail("a node does not end")
		case r.eat('.'):
			anchored = true
		case r.eat('!'):
			s.without = append(s.without, r.field(r.word()))
		case strings.HasPrefix(r.s[r.i:], "(#"):
			r.predicate()
		default:
			field := r.fieldPrefix()
			child := r.step()
			child.field, child.anchored = field, anchored
			anchored = false
			s.children = append(s.children, child)
		}
	}
	s.closed = anchored
}

// fieldPrefix reads an optional "name:" and returns the field, 0 for none.
func (r *queryReader) fieldPrefix() uint16 {
	j := r.i
	for j < len(r.s) && isNameByte(r.s[j]) {
		j++
	}
	if j == r.i || j >= len(r.s) || r.s[j] != ':' {
		return 0
	}
	name := r.s[r.i:j]
	r.i = j + 1
	r.blanks()
	return r.field(name)
}

func (r *queryReader) field(name string) uint16 {
	f := r.c.grammar.fieldID(name)
	if f == 0 {
		r.fail("the grammar has no field %s", name)
	}
	return f
}

// capture returns the number of a capture name.
func (r *queryReader) capture(name string) uint16 {
	if n, ok := r.captures[name]; ok {
		return n
	}
	n := uint16(len(r.c.roles))
	r.captures[name] = n
	role := roleOf(name)
	if role.what == roleBody {
		r.c.body = n
	}
	r.c.roles = append(r.c.roles, role)
	return n
}

// predicate reads (#name? @capture "text" …).
func (r *queryReader) predicate() {
	r.i += len("(#")
	name, not := strings.CutPrefix(r.word(), "not-")
	if !r.eat('@') {
		r.fail("a predicate needs a capture")
		return
	}
	p := predicate{capture: r.capture(r.word()), not: not}
	for r.err == nil && !r.eat(')') {
		if r.i >= len(r.s) || r.s[r.i] != '"' {
			r.fail("a predicate takes strings")
			return
		}
		p.words = append(p.words, r.text())
	}
	switch {
	case name == "match?" && len(p.words) == 1:
		re, err := regexp.Compile(p.words[0])
		if err != nil {
			r.fail("%v", err)
		}
		p.pattern = re
	case name != "eq?" && name != "any-of?":
		r.fail("there is no predicate %s", name)
	}
	r.checks = append(r.checks, p)
}

// predicate is one #eq?, #any-of? or #match? of a pattern, or its #not- form.
type predicate struct {
	capture uint16
	not     bool
	words   []string
	pattern *regexp.Regexp
}

// holds reports whether the captures of one match satisfy the predicates.
func holds(ps []predicate, text string, match []capture) bool {
	for _, p := range ps {
		for _, c := range match {
			if c.index == p.capture && p.accepts(text[c.start:c.end]) == p.not {
				return false
			}
		}
	}
	return true
}

func (p predicate) accepts(s string) bool {
	if p.pattern != nil {
		return p.pattern.MatchString(s)
	}
	return slices.Contains(p.words, s)
}
