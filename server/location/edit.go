package location

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"ambit/server/api"
)

// Change replaces a range of a text.
type Change struct {
	Range *api.Range // nil means the whole text
	Text  string
}

// Edit returns text with the changes applied in order: the range of each counts in the
// text that the changes before it made. Text and changes are valid UTF-8. The error names
// the first change whose range is not in its text, by the rules of [Offset].
//
// The time is O(n + m log(n + m)) for n bytes and m changes: the text is a tree of pieces
// while it is edited. Source: Boehm, Atkinson and Plass, "Ropes: an Alternative to
// Strings" (1995), balanced as in Seidel and Aragon, "Randomized Search Trees" (1996).
func Edit(text string, changes []Change, e api.PositionEncoding) (string, error) {
	r := rope{encoding: e, random: rand.New(rand.NewPCG(1, 2))}
	r.root = r.build(text)
	for i, c := range changes {
		if c.Range == nil {
			r.root = r.build(c.Text)
			continue
		}
		start, end, err := r.span(*c.Range)
		if err != nil {
			return "", fmt.Errorf("change %d: %w", i, err)
		}
		r.replace(start, end, c.Text)
	}
	var out strings.Builder
	out.Grow(r.root.total().bytes)
	r.root.writeTo(&out)
	return out.String(), nil
}

// maxPieceBytes bounds the piece of a new node; changes let it grow to twice that. All of a
// piece is read at each change in it, and smaller ones make more nodes.
const maxPieceBytes = 128

// rope is a text in pieces.
type rope struct {
	root     *node // nil when empty
	encoding api.PositionEncoding
	random   *rand.Rand
}

// node is a piece of a text with the nodes before and after it.
type node struct {
	left, right *node
	piece       string // not empty, whole code points
	own, sum    size   // of the piece; of the piece and all nodes below
	nodes       int    // this one and those below
}

// size is how long a text is.
type size struct {
	bytes       int
	chars       int // in the encoding of the rope
	breaks      int // ends of lines; "\r\n" is one
	first, last byte
}

// plus returns the size of two texts in a row.
func (s size) plus(t size) size {
	switch {
	case t.bytes == 0:
		return s
	case s.bytes == 0:
		return t
	}
	sum := size{s.bytes + t.bytes, s.chars + t.chars, s.breaks + t.breaks, s.first, t.last}
	if s.last == '\r' && t.first == '\n' {
		sum.breaks--
	}
	return sum
}

// measure returns the size of text.
func (r *rope) measure(text string) size {
	if text == "" {
		return size{}
	}
	s := size{bytes: len(text), chars: len(text), first: text[0], last: text[len(text)-1]}
	s.breaks = strings.Count(text, "\n")
	if n := strings.Count(text, "\r"); n > 0 {
		s.breaks += n - strings.Count(text, "\r\n")
	}
	if r.encoding != api.UTF8 {
		s.chars = 0
		for i := range len(text) {
			switch b := text[i]; {
			case utf8.RuneStart(b) && b >= 0xF0 && r.encoding != api.UTF32: // the first of four bytes
				s.chars += 2
			case utf8.RuneStart(b):
				s.chars++
			}
		}
	}
	return s
}

// total returns the size of the text of n.
func (n *node) total() size {
	if n == nil {
		return size{}
	}
	return n.sum
}

// count returns the number of nodes.
func (n *node) count() int {
	if n == nil {
		return 0
	}
	return n.nodes
}

// update sets what n knows of the nodes below and returns n.
func (n *node) update() *node {
	n.sum = n.left.total().plus(n.own).plus(n.right.total())
	n.nodes = n.left.count() + 1 + n.right.count()
	return n
}

// writeTo writes the text of n.
func (n *node) writeTo(out *strings.Builder) {
	if n != nil {
		n.left.writeTo(out)
		out.WriteString(n.piece)
		n.right.writeTo(out)
	}
}

// build returns the balanced tree of a text.
func (r *rope) build(text string) *node {
	if text == "" {
		return nil
	}
	start, end := 0, len(text)
	if len(text) > maxPieceBytes {
		start = codePointAt(text, (len(text)-maxPieceBytes)/2)
		end = codePointAt(text, start+maxPieceBytes)
	}
	n := &node{piece: text[start:end], own: r.measure(text[start:end])}
	n.left, n.right = r.build(text[:start]), r.build(text[end:])
	return n.update()
}

// codePointAt returns the start of the code point that the byte at i is of.
func codePointAt(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// replace replaces the bytes from start to end.
func (r *rope) replace(start, end int, text string) {
	if r.replaceIn(r.root, start, end, text) {
		return
	}
	before, rest := r.split(r.root, start)
	_, after := r.split(rest, end-start)
	r.root = r.join(r.join(before, r.build(text)), after)
}

// replaceIn is replace for bytes in one piece of n, which stays one. It reports false, and
// has changed nothing, when there is no such piece.
func (r *rope) replaceIn(n *node, start, end int, text string) (done bool) {
	if n == nil {
		return false
	}
	before := n.left.total().bytes
	switch from, to := start-before, end-before; {
	case from < 0:
		done = r.replaceIn(n.left, start, end, text)
	case from > len(n.piece):
		done = r.replaceIn(n.right, from-len(n.piece), to-len(n.piece), text)
	default:
		length := from + len(text) + len(n.piece) - to
		if to > len(n.piece) || length == 0 || length > 2*maxPieceBytes {
			return false
		}
		n.piece, done = n.piece[:from]+text+n.piece[to:], true
		n.own = r.measure(n.piece)
	}
	if done {
		n.update()
	}
	return done
}

// join returns the tree of two texts in a row. Each node is the root with the same
// probability, so the depth is logarithmic whatever the changes are.
func (r *rope) join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case r.random.IntN(a.nodes+b.nodes) < a.nodes:
		a.right = r.join(a.right, b)
		return a.update()
	}
	b.left = r.join(a, b.left)
	return b.update()
}

// split returns the trees of the text up to a byte and from there.
func (r *rope) split(n *node, at int) (before, after *node) {
	if n == nil {
		return nil, nil
	}
	left := n.left.total().bytes
	switch own := at - left; {
	case own <= 0:
		before, n.left = r.split(n.left, at)
		return before, n.update()
	case own >= len(n.piece):
		n.right, after = r.split(n.right, own-len(n.piece))
		return n.update(), after
	default:
		rest := &node{piece: n.piece[own:], own: r.measure(n.piece[own:])}
		after = r.join(rest.update(), n.right)
		n.piece, n.own, n.right = n.piece[:own], r.measure(n.piece[:own]), nil
		return n.update(), after
	}
}

// prefix returns the size of the shortest prefix of the text, in whole code points, with
// at least n of what unit counts, or of the whole text when it has fewer.
func (r *rope) prefix(unit unit, n int) size {
	var before size
	for at := r.root; at != nil; {
		if at.left != nil {
			if s := before.plus(at.left.sum); unit.of(&s) >= n {
				at = at.left
				continue
			} else {
				before = s
			}
		}
		if unit.of(&before) >= n {
			return before
		}
		s := before.plus(at.own)
		if unit.of(&s) >= n {
			return r.prefixOf(at.piece, before, unit, n)
		}
		before, at = s, at.right
	}
	return before
}

// unit is what a prefix is measured in.
type unit int

const (
	inBytes unit = iota
	inChars
	inBreaks
)

// of returns the length of a text in the unit.
func (u unit) of(s *size) int {
	switch u {
	case inBytes:
		return s.bytes
	case inChars:
		return s.chars
	}
	return s.breaks
}

// prefixOf is prefix of a text with the size before, which has fewer than n, and a piece,
// with which it has enough.
func (r *rope) prefixOf(piece string, before size, unit unit, n int) size {
	for {
		_, first := utf8.DecodeRuneInString(piece)
		half := max(first, codePointAt(piece, len(piece)/2))
		switch s := before.plus(r.measure(piece[:half])); {
		case unit.of(&s) < n:
			before, piece = s, piece[half:]
		case half == first:
			return s
		default:
			piece = piece[:half]
		}
	}
}

// span returns the bytes of a range, by the rules of [Offset] for places that are not
// strict.
func (r *rope) span(c api.Range) (start, end int, err error) {
	start, line, err := r.offset(c.Start, nil)
	if err != nil {
		return 0, 0, fmt.Errorf("start %d:%d: %w", c.Start.Line, c.Start.Character, err)
	}
	if c.End.Line != c.Start.Line {
		line = nil
	}
	end, _, err = r.offset(c.End, line)
	if err != nil {
		return 0, 0, fmt.Errorf("end %d:%d: %w", c.End.Line, c.End.Character, err)
	}
	if end < start {
		return 0, 0, errors.New("the end of the range is before its start")
	}
	return start, end, nil
}

// offset returns the byte of p and the size of the text before its line, which is known
// or nil.
func (r *rope) offset(p api.Position, known *size) (at int, line *size, err error) {
	if p.Line < 0 || p.Character < 0 {
		return 0, nil, errNegative
	}
	if line = known; line == nil {
		start, err := r.lineStart(p.Line)
		if err != nil {
			return 0, nil, err
		}
		line = &start
	}
	wanted := line.chars + min(p.Character, r.root.total().chars-line.chars)
	end := r.prefix(inChars, wanted)
	switch {
	case end.breaks > line.breaks:
		return r.prefix(inBreaks, line.breaks+1).bytes - 1, line, nil
	case end.chars > wanted:
		return 0, nil, errInside
	}
	return end.bytes, line, nil
}

// lineStart returns the size of the text before a line.
func (r *rope) lineStart(line int) (size, error) {
	total := r.root.total()
	switch {
	case line > total.breaks+1:
		return size{}, errPastEnd
	case line > total.breaks:
		return total, nil
	}
	start := r.prefix(inBreaks, line)
	if start.last == '\r' {
		if next := r.prefix(inBytes, start.bytes+1); next.last == '\n' {
			return next, nil
		}
	}
	return start, nil
}
