package chunk

import (
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
	// tiny is the size below which text, such as a package clause, joins the unit after it:
	// a chunk of its own would be noise in a search.
	tiny = 16
	// maxDepth bounds the units around a member; deeper ones are cut at statements.
	maxDepth = 32
)

// code cuts at declarations.
func (s *splitter) code() {
	s.groupKids()
	s.roles = slices.ContainsFunc(s.o.Decls, func(d languages.Decl) bool { return d.Role != "" })
	s.pieces = make([]piece, 0, len(s.o.Decls)/2+4)
	s.walk(-1, record.Span{Start: 0, End: len(s.o.Content)})
	s.merge()
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
	at := span.Start
	for _, i := range s.children(parent) {
		unit := s.wholeLines(s.o.Decls[i].Span, at, span.End)
		if unit.Start >= unit.End {
			continue
		}
		s.ownText(parent, record.Span{Start: at, End: unit.Start}, false)
		if parent >= 0 && !isMember(s.o.Decls[i].Kind) && s.rows.tokens(unit) <= maxMember {
			s.add(piece{span: unit, decl: -1, parent: parent, own: true})
		} else {
			s.unit(i, parent, unit)
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

// wholeLines grows a span over the blanks around it on its lines and keeps it
// within [from, to).
func (s *splitter) wholeLines(span record.Span, from, to int) record.Span {
	c := s.o.Content
	start, end := max(span.Start, from), min(span.End, to)
	if start >= end {
		return record.Span{}
	}
	for start > from && classes[c[start-1]] == classBlank {
		start--
	}
	for end < to && classes[c[end]] == classBlank {
		end++
	}
	if end < to && c[end] == '\n' && c[end-1] != '\n' {
		end++
	}
	return record.Span{Start: start, End: end}
}

// ownText adds the text between two children of parent. Blanks and closing brackets belong
// to the piece before them.
func (s *splitter) ownText(parent int, span record.Span, last bool) {
	if span.Start >= span.End {
		return
	}
	text := s.o.Content[span.Start:span.End]
	if n := len(s.pieces); n > 0 && (isBlank(text) || last && parent >= 0 && isClosing(text)) {
		s.pieces[n-1].span.End = span.End
		return
	}
	s.add(piece{span: span, decl: -1, parent: parent, own: parent >= 0})
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
	part, titles := 0, map[string]int{}
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
		for _, r := range s.runs(i, p.span, titles) {
			if n := len(s.pieces); n > 0 && isBlank(s.o.Content[r.span.Start:r.span.End]) {
				s.pieces[n-1].span.End = r.span.End
				continue
			}
			p.span, p.title = r.span, r.title
			p.tokens = s.rows.tokens(p.span)
			p.part = part + 1
			part = s.parts(p)
		}
	}
	s.numberSections(first, i)
}

// numberSections names the sections of unit i, among the pieces from index first on, by their
// purpose.
func (s *splitter) numberSections(first, i int) {
	n := map[string]int{}
	for k := range s.pieces[first:] {
		if p := &s.pieces[first+k]; p.decl == i && p.title != "" {
			n[p.title]++
			p.section = purposeName(p.title, n[p.title])
		}
	}
}

// parts adds a piece in parts of minPart to maxPart tokens, numbered from p.part on, and
// returns the number of the last part. Part 1 of a unit with members is its summary.
func (s *splitter) parts(p piece) int {
	summary := p.part == 1
	cuts := []int(nil)
	if p.tokens > maxPart {
		cuts = s.rows.cutCode(p.span, minPart, maxPart, s.o.Breaks)
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

// merge joins small neighbours of one parent.
func (s *splitter) merge() {
	out := s.pieces[:0]
	for _, p := range s.pieces {
		p.tokens = s.rows.tokens(p.span) // ownText may have added blanks
		if n := len(out); n > 0 && s.mergeable(&out[n-1], &p) {
			q := &out[n-1]
			if q.decl >= 0 && p.decl >= 0 || q.merged {
				q.decl, q.merged = -1, true
			} else {
				q.decl = max(q.decl, p.decl)
			}
			q.part, q.section = p.part, p.section
			q.span.End = p.span.End
			q.tokens += p.tokens
			continue
		}
		out = append(out, p)
	}
	s.pieces = out
}

// mergeable reports whether q and its successor p become one chunk. A merged q can grow,
// although it is no longer small.
func (s *splitter) mergeable(q, p *piece) bool {
	if q.parent != p.parent || q.part > 0 || q.alone || p.alone {
		return false
	}
	if q.decl < 0 && !q.merged && q.tokens < tiny && p.decl >= 0 && p.part <= 1 {
		return q.tokens+p.tokens <= maxUnit
	}
	if p.part > 0 {
		return false
	}
	lastSmall := q.merged || q.tokens < small
	return lastSmall && p.tokens < small && q.tokens+p.tokens <= maxMerged
}
