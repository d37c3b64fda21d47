package languages

import (
	"bytes"
	"cmp"
	"slices"

	"ambit/vectors/record"
)

// recovery reads the parts of a file that have syntax errors again. The recovery of a
// grammar can lose everything behind an error. This one cuts the text by its layout, finds
// the pieces that are broken by parsing groups of pieces, and reads the rest without them
// and each of them alone. A broken piece is opened: its members, with its first and last
// lines around them, are searched in the same way. So an error costs the smallest piece
// that it is in.
//
// A group is an eighth of the group around it, and only broken groups are divided, so that
// a broken unit costs few parses of the text around it.
type recovery struct {
	c       *compiled
	b       *builder
	text    []byte            // as the grammar reads it
	known   map[question]bool // what clean has answered: two in five questions come again
	shown   map[place]int     // the end of the text that shows an error, whatever follows it
	arounds int               // texts around pieces so far
}

// place is where a text starts, with the text around it.
type place struct{ around, start int }

// question is a source that clean is asked about.
type question struct {
	source string
	first  bool // it starts the text, so it has the opening of the language
}

// groups is how many groups a broken group is divided into.
const groups = 8

// reserved is the part of the work that the first parse leaves for the pieces: an eighth.
const reserved = 8

// maxOpenings bounds the depth of units that are opened.
const maxOpenings = 8

// around is the text around a piece that makes it readable: first and last lines of the
// units that it is in, outer before inner.
type around struct {
	heads, feet []record.Span
	number      int // 0 for none
}

// wrap returns the spans of a text with what is around it.
func (a around) wrap(s record.Span) []record.Span {
	spans := append(slices.Clone(a.heads), s)
	for _, f := range slices.Backward(a.feet) {
		spans = append(spans, f)
	}
	return spans
}

// with returns the text around what is inside of a unit. The comments before the unit are left
// out: each question about the inside would read them again.
func (rec *recovery) with(a around, head, foot piece) around {
	rec.arounds++
	a = around{append(slices.Clone(a.heads), rec.behindComments(head.span())), slices.Clone(a.feet), rec.arounds}
	if len(foot) > 0 {
		a.feet = append(a.feet, foot.span())
	}
	return a
}

// behindComments returns a span without the lines at its start that are comments. A block
// comment with the start of another in it stays: some languages nest them.
func (rec *recovery) behindComments(s record.Span) record.Span {
	for {
		rest := rec.text[s.Start:s.End]
		body := bytes.TrimLeft(rest, " \t\r\n")
		n := 0
		switch mark := rec.b.row.comment; {
		case mark != "" && rec.b.row.closing == "" && bytes.HasPrefix(body, []byte(mark)):
			n = bytes.IndexByte(body, '\n')
		case mark == "//" && bytes.HasPrefix(body, []byte("/*")):
			end := bytes.Index(body[2:], []byte("*/"))
			if end < 0 || bytes.Contains(body[2:2+end], []byte("/*")) {
				return s
			}
			if n = 2 + end + 2; len(bytes.TrimSpace(body[n:])) == 0 || body[n] != '\n' && body[n] != '\r' {
				return s
			}
		}
		if n <= 0 {
			return s
		}
		s.Start += len(rest) - len(body) + n
	}
}

// loss is a piece that the grammar cannot read.
type loss struct {
	span   record.Span
	around around
	kept   bool // the text around it is read with it too
}

// read reads the text by the grammar. It returns false when it can read nothing of it.
func (rec *recovery) read() bool {
	var broken []piece
	var first []*builder // what the first parse found in each of broken
	reserve := rec.b.work / reserved
	rec.b.work -= reserve
	ok := rec.b.scan(rec.c, rec.text, func(nodes []node) {
		if nodes[0].broken() {
			broken = rec.regions(nodes)
		}
		parts, rest := divided(nodes, broken)
		for _, part := range parts {
			sub := rec.b.empty()
			sub.matches(rec.c, part, record.Span{End: len(rec.text)})
			first = append(first, sub)
		}
		rec.b.matches(rec.c, rest, record.Span{End: len(rec.text)})
	})
	rec.b.work += reserve
	if !ok {
		broken = []piece{rec.b.row.lines(rec.text, rec.b.text)}
		first = []*builder{rec.b.empty()}
	}
	any := ok
	for i, p := range broken {
		again, whole := rec.b.empty(), rec.b.work > 0
		var losses []loss
		if len(p) > 0 {
			losses, whole = rec.readPieces(p, again)
		}
		any = any || again.units(nil) > 0
		if again.units(losses) < first[i].units(losses) {
			again = first[i]
		} else {
			again.addLost(first[i], losses)
			if !whole {
				rec.b.partial = Costly
			}
		}
		again.broken = max(again.broken, 1)
		rec.b.add(again)
	}
	return any
}

// regions returns the pieces of the text that the broken nodes below the root touch, those
// that adjoin as one.
func (rec *recovery) regions(nodes []node) []piece {
	lines := piece(rec.b.row.lines(rec.text, rec.b.text))
	if len(lines) == 0 {
		return nil
	}
	if nodes[0].symbol == errorSymbol {
		return []piece{lines}
	}
	pieces := lines.split(false)
	hit := make([]bool, len(pieces))
	for changed := true; changed; {
		changed = false
		k := 0
		for j := uint32(1); j < nodes[0].next; j = nodes[j].next {
			n := &nodes[j]
			for k+1 < len(pieces) && pieces[k].span().End <= int(n.start) {
				k++
			}
			to := k + 1
			for to < len(pieces) && pieces[to].span().Start < int(n.end) {
				to++
			}
			spreads := n.broken() && (to > k+1 || !confined(nodes, j, pieces[k]))
			if (spreads || slices.Contains(hit[k:to], true)) && slices.Contains(hit[k:to], false) {
				changed = true
				for i := k; i < to; i++ {
					hit[i] = true
				}
			}
		}
	}
	var out []piece
	at := 0
	for i := range pieces {
		if hit[i] && i > 0 && hit[i-1] {
			out[len(out)-1] = lines[at-len(out[len(out)-1]) : at+len(pieces[i])]
		} else if hit[i] {
			out = append(out, pieces[i])
		}
		at += len(pieces[i])
	}
	return out
}

// confined reports whether the errors in node at, which lies in a piece, spread to no other
// unit than the one that they are in. The recovery of the grammar is good enough then.
func confined(nodes []node, at uint32, p piece) bool {
	if nodes[at].symbol == errorSymbol {
		return false
	}
	_, inner, _, ok := p.open()
	if !ok {
		return true
	}
	return confinedTo(nodes, at, inner.split(false))
}

// confinedTo is confined for the inside of a unit: no error, and no unit with an error,
// reaches from one part into another.
func confinedTo(nodes []node, at uint32, parts []piece) bool {
	from, to := parts[0].span().Start, parts[len(parts)-1].span().End
	known := false
	for j := at + 1; j < nodes[at].next; j = nodes[j].next {
		n := &nodes[j]
		if !n.broken() {
			continue
		}
		known = true
		if int(n.end) <= from || int(n.start) >= to {
			continue // in the first or the last lines of the unit
		}
		k, _ := slices.BinarySearchFunc(parts, int(n.start), func(p piece, at int) int { return cmp.Compare(p.span().End, at+1) })
		switch {
		case k < len(parts) && int(n.start) >= parts[k].span().Start && int(n.end) <= parts[k].span().End:
			if !confined(nodes, j, parts[k]) {
				return false
			}
		case n.symbol == errorSymbol, int(n.start) >= from && (k > 0 || int(n.end) < to), !confinedTo(nodes, j, parts):
			return false
		}
	}
	return known
}

// readPieces reads a piece in parts and adds what it finds to out. It returns what the
// grammar cannot read, and false when the work does not suffice for all of it.
func (rec *recovery) readPieces(p piece, out *builder) (losses []loss, whole bool) {
	losses = rec.losses(p.split(false), around{}, 0)
	rest := bytes.Clone(rec.text[p.span().Start:p.span().End])
	for _, l := range losses {
		if !l.kept {
			blank(rest[l.span.Start-p.span().Start : l.span.End-p.span().Start])
		}
	}
	whole = rec.scan(rest, []record.Span{p.span()}, func(nodes []node) { out.matches(rec.c, nodes, p.span()) })
	for _, l := range losses {
		spans := l.around.wrap(l.span)
		whole = rec.scan(rec.source(spans), spans, func(nodes []node) {
			clip(nodes, l.span)
			out.matches(rec.c, nodes, l.span)
		}) && whole
	}
	return losses, whole
}

// addLost adds the units that another builder has found in losses, with the values in them.
// It adds none around units that this builder has found.
func (b *builder) addLost(o *builder, losses []loss) {
	lost := func(at int) bool {
		return slices.ContainsFunc(losses, func(l loss) bool { return l.span.Start <= at && at < l.span.End })
	}
	var names []int // of the units
	for i := range b.decls {
		if !isValue(b.decls[i].Kind) {
			names = append(names, b.decls[i].NameSpan.Start)
		}
	}
	var added []record.Span
	for _, d := range o.decls {
		around := func(at int) bool { return d.Span.Start <= at && at < d.Span.End }
		if !isValue(d.Kind) && lost(d.NameSpan.Start) && lost(d.Span.Start) && !slices.ContainsFunc(names, around) {
			b.decls, added = append(b.decls, d), append(added, d.Span)
		}
	}
	known := map[int]bool{}
	for i := range b.decls {
		known[b.decls[i].NameSpan.Start] = true
	}
	for _, d := range o.decls {
		inAdded := func(s record.Span) bool { return s.Start <= d.NameSpan.Start && d.NameSpan.Start < s.End }
		if isValue(d.Kind) && !known[d.NameSpan.Start] && slices.ContainsFunc(added, inAdded) {
			b.decls = append(b.decls, d)
		}
	}
}

// clip ends the nodes that start in a span where it ends: a unit that is not closed takes
// the end of the unit around it for its own.
func clip(nodes []node, s record.Span) {
	for i := range nodes {
		if n := &nodes[i]; int(n.start) >= s.Start && int(n.start) < s.End {
			n.end = min(n.end, uint32(s.End))
		}
	}
}

// losses returns what is broken in pieces that are broken together.
func (rec *recovery) losses(pieces []piece, a around, depth int) (out []loss) {
	for _, i := range rec.broken(pieces, a) {
		out = append(out, rec.inside(pieces[i], a, depth)...)
	}
	return out
}

// broken returns the indexes of the pieces that are broken, alone and together with each
// of their neighbours.
func (rec *recovery) broken(pieces []piece, a around) []int {
	found := rec.divide(pieces, 0, a, nil)
	var out []int
	for k := 0; k < len(found); k++ {
		i := found[k]
		together := func(j int) bool {
			return j >= 0 && j < len(pieces) && rec.clean(a, record.Span{Start: pieces[min(i, j)].span().Start, End: pieces[max(i, j)].span().End})
		}
		switch {
		case len(pieces) == 1:
			out = append(out, i)
		case together(i + 1):
			if k+1 < len(found) && found[k+1] == i+1 {
				k++
			}
		case !together(i - 1):
			out = append(out, i)
		}
	}
	return out
}

// divide appends the indexes of the broken ones of pieces, which are broken together; at
// is the index of the first.
func (rec *recovery) divide(pieces []piece, at int, a around, out []int) []int {
	if len(pieces) == 1 {
		return append(out, at)
	}
	size := (len(pieces) + groups - 1) / groups
	for from := 0; from < len(pieces); from += size {
		group := pieces[from:min(from+size, len(pieces))]
		if !rec.clean(a, record.Span{Start: group[0].span().Start, End: group[len(group)-1].span().End}) {
			out = rec.divide(group, at+from, a, out)
		}
	}
	return out
}

// inside returns what is broken in a broken piece.
func (rec *recovery) inside(p piece, a around, depth int) []loss {
	whole := []loss{{p.span(), a, false}}
	if depth == maxOpenings || rec.b.work <= 0 {
		return whole
	}
	head, inner, foot, ok := p.open()
	if !ok {
		if parts := p.split(true); len(parts) > 1 {
			if broken := rec.broken(parts, a); len(broken) < len(parts) {
				return rec.each(parts, broken, a, depth+1)
			}
		}
		return whole
	}
	b := rec.with(a, head, foot)
	parts := inner.split(false)
	broken := rec.divide(parts, 0, b, nil)
	if len(broken) == len(parts) && !rec.clean(b, record.Span{Start: inner.span().Start, End: inner.span().Start}) {
		return whole
	}
	if len(parts) > 1 {
		broken = rec.broken(parts, b)
	}
	lost := rec.each(parts, broken, b, depth+1)
	if len(lost) == len(parts) && !slices.ContainsFunc(parts, func(part piece) bool {
		return !slices.ContainsFunc(lost, func(l loss) bool { return l.span == part.span() })
	}) {
		return append(lost, loss{p.span(), a, true}) // an empty body can hide what the unit is
	}
	return lost
}

func (rec *recovery) each(pieces []piece, indexes []int, a around, depth int) (out []loss) {
	for _, i := range indexes {
		out = append(out, rec.inside(pieces[i], a, depth)...)
	}
	return out
}

// clean reports whether the grammar reads a span, with what is around it, without an error.
// An error before the end of a text is also one of a longer text.
func (rec *recovery) clean(a around, s record.Span) bool {
	at := place{a.number, s.Start}
	if end, ok := rec.shown[at]; ok && s.End >= end {
		return false
	}
	spans := a.wrap(s)
	source := rec.source(spans)
	q := question{string(source), spans[0].Start == 0}
	clean, ok := rec.known[q]
	if ok {
		return clean
	}
	opened := rec.opened(source, spans)
	shown, ok := rec.c.parser(len(opened)).sound(opened, &rec.b.work)
	if !ok {
		return false
	}
	if rec.known == nil {
		rec.known, rec.shown = map[question]bool{}, map[place]int{}
	}
	rec.known[q] = shown == 0
	before := len(opened) - len(source)
	for _, h := range a.heads {
		before += h.End - h.Start
	}
	if end := s.Start + max(0, shown-before); shown > 0 && end <= s.End {
		rec.shown[at] = end
	}
	return shown == 0
}

// source returns some spans of the text as one text.
func (rec *recovery) source(spans []record.Span) []byte {
	if len(spans) == 1 {
		return rec.text[spans[0].Start:spans[0].End]
	}
	var source []byte
	for _, s := range spans {
		source = append(source, rec.text[s.Start:s.End]...)
	}
	return source
}

// scan parses a source that stands for some spans of the text, and calls fn with the nodes
// at their places in the text.
func (rec *recovery) scan(source []byte, spans []record.Span, fn func([]node)) bool {
	opened := rec.opened(source, spans)
	opening := uint32(len(opened) - len(source))
	return rec.b.scan(rec.c, opened, func(nodes []node) {
		for i := range nodes {
			n := &nodes[i]
			start := moved(spans, max(n.start, opening)-opening, false)
			n.start, n.end = start, max(start, moved(spans, max(n.end, opening)-opening, true)) // a missing token is empty
		}
		fn(nodes)
	})
}

// opened returns a source that stands for some spans of the text, with what opens the language
// before it when it does not start the text.
func (rec *recovery) opened(source []byte, spans []record.Span) []byte {
	if o := rec.b.row.opening; o != "" && spans[0].Start > 0 {
		return slices.Concat([]byte(o), source)
	}
	return source
}

// moved returns the place in the text of an offset in a source that stands for spans. An
// offset between two spans is the end of the first if end is set, else the start of the
// second.
func moved(spans []record.Span, offset uint32, end bool) uint32 {
	at := int(offset)
	for i, s := range spans {
		n := s.End - s.Start
		if at < n || at == n && (end || i+1 == len(spans)) {
			return uint32(s.Start + at)
		}
		at -= n
	}
	return uint32(spans[len(spans)-1].End)
}

// divided returns, for each of some pieces, the root and those of its children that start in
// the piece, and the root with the other children.
func divided(nodes []node, pieces []piece) (parts [][]node, rest []node) {
	if len(pieces) == 0 {
		return nil, nodes
	}
	parts, rest = make([][]node, len(pieces)), append(make([]node, 0, len(nodes)), nodes[0])
	for i := range parts {
		parts[i] = []node{nodes[0]}
	}
	k := 0
	for j := uint32(1); j < nodes[0].next; j = nodes[j].next {
		at := int(nodes[j].start)
		for k < len(pieces) && pieces[k].span().End <= at {
			k++
		}
		to := &rest
		if k < len(pieces) && at >= pieces[k].span().Start {
			to = &parts[k]
		}
		shift := j - uint32(len(*to))
		for _, n := range nodes[j:nodes[j].next] {
			n.next -= shift
			*to = append(*to, n)
		}
	}
	for i := range parts {
		parts[i][0].next = uint32(len(parts[i]))
	}
	rest[0].next = uint32(len(rest))
	return parts, rest
}
