package chunk

import (
	"bytes"
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The sizes of chunks of code, in tokens (docs/design.md).
const (
	maxUnit   = 800 // a unit up to this is one chunk
	maxMember = 600 // a member of a larger unit up to this is one chunk
	minPart   = 200
	maxPart   = 600
	small     = 60 // neighbours below this merge
	maxMerged = 300
	// scrap is the size below which a piece joins the unit before or after it: a chunk of its
	// own would be noise in a search.
	scrap = 30
	// maxDepth bounds the units around a member; deeper ones are cut at statements.
	maxDepth = 32
)

// code cuts at declarations.
func (s *splitter) code() {
	s.groupKids()
	s.roles = slices.ContainsFunc(s.o.Decls, func(d languages.Decl) bool { return d.Role != "" })
	s.pieces = slices.Grow(s.spare.cut, len(s.o.Decls)/2+4)
	s.walk(-1, record.Span{Start: 0, End: len(s.o.Content)})
	s.spare.cut = s.pieces
	s.join()
	s.gather()
}

// groupKids lists the children of every declaration, in order.
func (s *splitter) groupKids() {
	decls := s.o.Decls
	s.kidsAt = make([]int, len(decls)+2)
	for i := range decls {
		if decls[i].Parent >= i { // Parse returns no such outline
			decls = decls[:i]
			break
		}
		s.kidsAt[decls[i].Parent+2]++
	}
	for i := 1; i < len(s.kidsAt); i++ {
		s.kidsAt[i] += s.kidsAt[i-1]
	}
	s.kids = make([]int, len(decls))
	next := slices.Clone(s.kidsAt)
	for i := range decls {
		at := &next[decls[i].Parent+1]
		s.kids[*at] = i
		*at++
	}
}

// children returns the declarations right inside i; inside the file for -1.
func (s *splitter) children(i int) []int { return s.kids[s.kidsAt[i+1]:s.kidsAt[i+2]] }

// walk cuts the span of a declaration, or of the file, at its children.
func (s *splitter) walk(parent int, span record.Span) {
	at, limit := span.Start, maxUnit
	if parent >= 0 {
		limit = maxMember
	}
	kids := s.children(parent)
	for len(kids) > 0 {
		n, i, unit := s.group(kids, parent, at, span.End, limit)
		kids = kids[n:]
		if unit.Start >= unit.End {
			continue
		}
		s.ownText(parent, record.Span{Start: at, End: unit.Start}, false)
		switch {
		case n > 1:
			s.add(piece{span: unit, decl: i, parent: parent})
		case parent >= 0 && !isMember(s.o.Decls[i].Kind) && s.rows.tokens(unit) <= maxMember:
			s.add(piece{span: unit, decl: -1, parent: parent, own: true})
		default:
			s.unit(s.innermost(i), parent, unit)
		}
		at = unit.End
	}
	s.ownText(parent, record.Span{Start: at, End: span.End}, true)
}

// isMember reports whether declarations of a kind are chunks of their own in a larger unit.
// Fields belong to its summary.
func isMember(k record.Kind) bool {
	switch k {
	case record.KindField, record.KindVariable, record.KindConstant:
		return false
	}
	return true
}

// ownText adds the text between two children of parent. Blank lines, text without a word
// and closing brackets belong to the piece before them.
func (s *splitter) ownText(parent int, span record.Span, last bool) {
	if n := len(s.pieces); n > 0 {
		before := &s.pieces[n-1].span
		if text := s.o.Content[span.Start:span.End]; !hasWord(text) && s.rows.tokens(span) <= maxMerged || last && parent >= 0 && isClosing(text) {
			span.Start = span.End
		} else {
			span.Start = s.skipBlank(span)
		}
		before.End = max(before.End, span.Start)
	}
	if span.Start < span.End {
		s.add(piece{span: span, decl: -1, parent: parent, own: parent >= 0})
	}
}

// skipBlank returns the start of the first line of a span that is not blank; the span's own
// start when it is inside a line.
func (s *splitter) skipBlank(span record.Span) int {
	at := span.Start
	for at == 0 || at < span.End && s.o.Content[at-1] == '\n' {
		n := bytes.IndexByte(s.o.Content[at:span.End], '\n')
		if n < 0 || !isBlank(s.o.Content[at:at+n]) {
			break
		}
		at += n + 1
	}
	return at
}

// isClosing reports whether text holds only the end of a block.
func isClosing(text []byte) bool {
	const longest = len("\n  end # Module\n")
	for len(text) > 0 && isBlank(text[:1]) {
		text = text[1:]
	}
	return len(text) <= longest && startsWithCloser(text)
}

// unit adds a declaration: whole, as a summary with its members, or in parts.
func (s *splitter) unit(i, parent int, span record.Span) {
	limit := maxUnit
	if parent >= 0 {
		limit = maxMember
	}
	p := piece{span: span, decl: i, parent: parent}
	p.tokens = s.rows.tokens(span)
	form := s.formOf(i, &p)
	switch {
	case form == formWhole, form == formPlain && p.tokens <= limit && !s.holdsForm(i, s.depth):
		s.add(p)
	case s.depth < maxDepth && (form != formPlain || s.isContainer(i, span)):
		first := len(s.pieces)
		s.depth++
		s.walk(i, span)
		s.depth--
		s.summarize(i, parent, first)
		if form == formAlone {
			s.standAlone(first, s.actions(i))
		}
	default:
		s.parts(p)
	}
}

// standAlone marks the pieces of some declarations, from index first on, so that they do not
// merge with their neighbours.
func (s *splitter) standAlone(first int, decls []int) {
	for k := range s.pieces[first:] {
		p := &s.pieces[first+k]
		p.alone = p.alone || p.decl >= 0 && slices.Contains(decls, p.decl)
	}
}

// isContainer reports whether walk cuts a unit at its members.
func (s *splitter) isContainer(i int, span record.Span) bool {
	members := 0
	for _, k := range s.children(i) {
		if d := &s.o.Decls[k]; isMember(d.Kind) {
			members += d.Span.End - d.Span.Start
		}
	}
	switch s.o.Decls[i].Kind {
	case record.KindFunction, record.KindMethod, record.KindVariable, record.KindConstant:
		return members*2 > span.End-span.Start // a closure that serves as a class or module
	}
	return members > 0
}

// summarize joins neighbouring pieces, from index first on, that are unit i's own text. The
// first becomes the summary of the unit, the others become parts.
func (s *splitter) summarize(i, parent, first int) {
	all := s.pieces
	joined := slices.Clone(all[first:])
	s.pieces = all[:first]
	part := 0
	for k := 0; k < len(joined); {
		p := joined[k]
		k++
		if !p.own || p.parent != i {
			s.pieces = append(s.pieces, p)
			continue
		}
		for ; k < len(joined) && joined[k].own && joined[k].parent == i; k++ {
			p.span.End = joined[k].span.End
		}
		p.decl, p.parent, p.own = i, parent, false
		for _, r := range s.runs(i, p.span) {
			if n := len(s.pieces); n > 0 && isBlank(s.o.Content[r.span.Start:r.span.End]) {
				s.pieces[n-1].span.End = r.span.End
				continue
			}
			p.span, p.title, p.directives = r.span, r.title, r.n
			p.tokens = s.rows.tokens(p.span)
			if part > 0 && p.title == "" && p.tokens < small {
				s.pieces = append(s.pieces, piece{span: p.span, decl: -1, parent: i, tokens: p.tokens})
				continue
			}
			p.part = part + 1
			part = s.parts(p)
		}
	}
}

// parts adds a piece in parts of minPart to maxPart tokens, numbered from p.part on, and
// returns the number of the last part. Part 1 of a unit with members is its summary.
func (s *splitter) parts(p piece) int {
	summary := p.part == 1
	cuts := []int(nil)
	if p.tokens > maxPart {
		cuts = s.rows.cutCode(p.span, minPart, maxPart, s.o.Breaks, s.remarksOf())
	}
	n, end := max(p.part, 1), p.span.End
	for _, cut := range append(cuts, end) {
		p.span.End = cut
		p.part, p.section = n, partName(n)
		if n == 1 && summary {
			p.section = summarySection
		}
		if p.decl < 0 {
			p.section, p.part = "", 0
		}
		p.tokens = s.rows.tokens(p.span)
		s.pieces = append(s.pieces, p)
		p.span.Start = cut
		n++
	}
	return n - 1
}

// summarySection names the summary of a unit, a file or a document.
const summarySection = "summary"

// add appends a piece; long text between units is cut.
func (s *splitter) add(p piece) {
	if n := len(s.pieces); n == 1 && isBlank(s.o.Content[:s.pieces[0].span.End]) {
		p.span.Start, s.pieces = s.pieces[0].span.Start, s.pieces[:0]
	}
	if p.tokens == 0 {
		p.tokens = s.rows.tokens(p.span)
	}
	if p.decl < 0 && !p.own && p.tokens > maxUnit {
		s.parts(p)
		return
	}
	s.pieces = append(s.pieces, p)
}
