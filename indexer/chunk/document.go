package chunk

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The sizes of chunks of Markdown, in tokens (docs/design.md).
const (
	sectionLevel  = 2    // headings up to this level always start a chunk
	maxSection    = 1000 // a section up to this is one chunk
	minSection    = 500  // smaller neighbours in a section merge up to maxSection
	hardSection   = 1500 // only an indivisible chunk is larger
	smallSection  = 60   // a section below this joins a neighbour
	joinedSection = 300  // small sections join up to this
	smallTail     = 150  // a last part below this joins the one before it
	tinyTail      = 20   // a last part below this joins even an indivisible one
	smallTable    = 200  // a table below this stays in place
	docOverlap    = 50
	maxOverlapRow = 4 * docOverlap // bytes of the overlap inside a long row
)

// markdown cuts at headings, and long sections at their blocks.
func (s *splitter) markdown() {
	s.groupKids()
	blocks := s.o.Doc.Blocks
	d := documentCuts{s: s, blocks: blocks, heads: make([]int, len(blocks))}
	head, first := -1, 0
	for i, b := range blocks {
		if b.Kind == languages.BlockHeading {
			head++
		}
		d.heads[i] = head
	}
	for first < len(blocks) {
		last := first + 1
		for last < len(blocks) && d.bare(last-1) {
			last++
		}
		for last < len(blocks) && (blocks[last].Kind != languages.BlockHeading || blocks[last].Level > sectionLevel) {
			last++
		}
		d.section(first, last)
		first = last
	}
	if len(s.pieces) == 0 {
		s.pieces = append(s.pieces, piece{decl: -1, parent: -1})
	}
	s.pieces = d.joined(s.pieces)
	d.close()
}

// bare reports whether a block is front matter or a heading right above a deeper one. Such a
// block joins the next one.
func (d *documentCuts) bare(i int) bool {
	if d.blocks[i].Kind == languages.BlockFrontMatter {
		return true
	}
	return d.blocks[i].Kind == languages.BlockHeading && i+1 < len(d.blocks) && d.blocks[i+1].Kind == languages.BlockHeading &&
		d.blocks[i].Level < d.blocks[i+1].Level && d.blocks[i+1].Level <= sectionLevel
}

// documentCuts cuts a document. heads has for each block the index of the last heading up to
// it, which is the index of its section among the declarations.
type documentCuts struct {
	s      *splitter
	blocks []languages.Block
	heads  []int
}

// span covers the blocks [i, j) and the text up to the next block.
func (d *documentCuts) span(i, j int) record.Span {
	return record.Span{Start: d.start(i), End: d.start(j)}
}

func (d *documentCuts) start(i int) int {
	switch {
	case i == 0:
		return 0
	case i >= len(d.blocks):
		return len(d.s.o.Content)
	}
	return d.blocks[i].Span.Start
}

func (d *documentCuts) tokens(i, j int) int { return d.s.rows.tokens(d.span(i, j)) }

// section cuts the blocks [i, j), which stand under one heading.
func (d *documentCuts) section(i, j int) {
	if d.tokens(i, j) <= maxSection {
		d.add(d.span(i, j), i, 0, "")
		return
	}
	level := 7
	for k := i + 1; k < j; k++ {
		if b := d.blocks[k]; b.Kind == languages.BlockHeading {
			level = min(level, b.Level)
		}
	}
	if level > 6 {
		d.leaf(i, j)
		return
	}
	first := i // start of the neighbours that merge
	for k := i; k < j; {
		next := k + 1
		for next < j && (d.blocks[next].Kind != languages.BlockHeading || d.blocks[next].Level > level) {
			next++
		}
		if first < k && (d.tokens(first, next) > maxSection || d.tokens(first, k) >= minSection && d.tokens(k, next) >= minSection) {
			d.add(d.span(first, k), first, 0, "")
			first = k
		}
		if d.tokens(first, next) > maxSection {
			d.section(first, next)
			first = next
		}
		k = next
	}
	if first < j {
		d.add(d.span(first, j), first, 0, "")
	}
}

// add appends a piece that starts with block i.
func (d *documentCuts) add(span record.Span, i, part int, overlap string) {
	for i+1 < len(d.blocks) && d.bare(i) && d.blocks[i+1].Span.Start < span.End {
		i++
	}
	p := piece{span: span, decl: d.heads[i], parent: -1, part: part, overlap: overlap}
	if part > 0 {
		p.section = partName(part)
	}
	d.s.pieces = append(d.s.pieces, p)
}

// joined joins small sections with their neighbours: with the sections inside of them that
// follow, or with the siblings before or after them. The first section that holds both names
// the result, but a section that is not small and follows a small one around it names both.
func (d *documentCuts) joined(ps []piece) []piece {
	if len(ps) == 0 {
		return ps
	}
	tokens := func(a, b *piece) int { return d.s.rows.tokens(record.Span{Start: a.span.Start, End: b.span.End}) }
	out := ps[:1]
	for i := 1; i < len(ps); i++ {
		last, next := &out[len(out)-1], &ps[i]
		before, after := tokens(last, last), tokens(next, next)
		limit := joinedSection
		if before < smallSection && d.inside(next.decl, last.decl) {
			limit = maxSection // the text above the first section inside
		}
		small := before < smallSection || after < smallSection
		if small && last.part+next.part == 0 && d.related(last.decl, next.decl) && tokens(last, next) <= limit {
			top := d.first(last.span.Start)
			switch {
			case last.decl < 0, after >= smallSection && d.inside(next.decl, last.decl):
				last.decl = next.decl
			case !d.inside(next.decl, last.decl) && d.inside(next.decl, top):
				last.decl = top
			}
			last.span.End = next.span.End
			continue
		}
		out = append(out, *next)
	}
	return out
}

// first returns the first section that starts at an offset or behind it.
func (d *documentCuts) first(at int) int {
	i, _ := slices.BinarySearchFunc(d.s.o.Decls, at, func(s languages.Decl, at int) int { return s.Span.Start - at })
	return i
}

// inside reports whether section i stands in section j. Every section stands in -1, the
// document.
func (d *documentCuts) inside(i, j int) bool {
	for ; i >= 0; i = d.s.o.Decls[i].Parent {
		if i == j {
			return true
		}
	}
	return j < 0
}

// related reports whether section j, which follows i, stands in i or in the section around i.
func (d *documentCuts) related(i, j int) bool {
	return i < 0 || d.inside(j, i) || d.s.o.Decls[i].Parent == d.s.o.Decls[j].Parent
}

// close extends the pieces to cover every byte and counts their tokens.
func (d *documentCuts) close() {
	ps := d.s.pieces
	for i := range ps {
		if i == 0 {
			ps[i].span.Start = 0
		}
		if i+1 < len(ps) {
			ps[i].span.End = ps[i+1].span.Start
		} else {
			ps[i].span.End = len(d.s.o.Content)
		}
		ps[i].tokens = d.s.rows.tokens(ps[i].span)
	}
}

// atom is the smallest part of a long section.
type atom struct {
	span   record.Span
	kind   languages.BlockKind
	alone  bool   // a part of its own
	repeat string // the header of a table, for chunks that start with a later row
}

// leaf packs the blocks [i, j) of a section without inner headings into parts.
func (d *documentCuts) leaf(i, j int) {
	atoms := d.atoms(i, j)
	starts := []int{0} // indices of atoms
	size, alone := 0, false
	for k, a := range atoms {
		n := d.s.rows.costOf(a.span)
		heading := k > 0 && atoms[k-1].kind == languages.BlockHeading
		if k > 0 && !heading && (a.alone || alone || size+n > maxSection*costOne) {
			starts, size = append(starts, k), 0
		}
		size += n
		alone = a.alone
	}
	if k := len(starts) - 1; k > 0 && !alone && !atoms[starts[k]-1].alone && size < smallTail*costOne {
		if size < tinyTail*costOne || d.s.rows.tokens(record.Span{Start: atoms[starts[k-1]].span.Start, End: atoms[len(atoms)-1].span.End}) <= hardSection {
			starts = starts[:k]
		}
	}
	for n, k := range starts {
		end := len(atoms)
		if n+1 < len(starts) {
			end = starts[n+1]
		}
		part, overlap := 0, atoms[k].repeat
		if len(starts) > 1 {
			part = n + 1
		}
		if n > 0 && overlap == "" {
			overlap = d.overlap(atoms[starts[n-1]].span.Start, atoms[k].span.Start, atoms[k-1].kind)
		}
		d.add(record.Span{Start: atoms[k].span.Start, End: atoms[end-1].span.End}, i, part, overlap)
	}
}

// atoms lists the blocks [i, j). It divides long tables, lists and paragraphs.
func (d *documentCuts) atoms(i, j int) []atom {
	var atoms []atom
	for k := i; k < j; k++ {
		b := &d.blocks[k]
		a := atom{span: d.span(k, k+1), kind: b.Kind}
		n := d.s.rows.tokens(a.span)
		switch {
		case b.Kind == languages.BlockTable && n > maxSection:
			atoms = d.tableRows(atoms, a, b.Parts)
		case b.Kind == languages.BlockTable:
			a.alone = n >= smallTable
			atoms = append(atoms, a)
		case n <= maxSection || b.Kind == languages.BlockFence || b.Kind == languages.BlockHeading:
			atoms = append(atoms, a)
		case b.Kind == languages.BlockList:
			for m := range b.Parts {
				item := a
				if m > 0 {
					item.span.Start = b.Parts[m].Start
				}
				if m+1 < len(b.Parts) {
					item.span.End = b.Parts[m+1].Start
				}
				atoms = d.lines(atoms, item)
			}
		default:
			atoms = d.lines(atoms, a)
		}
	}
	return atoms
}

// lines appends a. It divides a long one at lines outside fences.
func (d *documentCuts) lines(atoms []atom, a atom) []atom {
	end := a.span.End
	for _, cut := range append(d.s.rows.cutProse(a.span, maxSection, d.s.o.Doc.Fences), end) {
		a.span.End = cut
		atoms = append(atoms, a)
		a.span.Start = cut
	}
	return atoms
}

// tableRows appends a table, divided at its rows.
func (d *documentCuts) tableRows(atoms []atom, a atom, rows []record.Span) []atom {
	header := ""
	if h := rows[0]; d.s.rows.tokens(h) <= smallTable {
		header = string(d.s.o.Content[h.Start:h.End])
	}
	end := a.span.End
	a.alone = true
	for k := 1; k < len(rows); k++ {
		grown := record.Span{Start: a.span.Start, End: rows[k].End}
		if k+1 == len(rows) {
			grown.End = end
		}
		if rows[k].Start > a.span.Start && d.s.rows.tokens(grown) > maxSection {
			a.span.End = rows[k].Start
			atoms = d.lines(atoms, a)
			a.span.Start, a.repeat = rows[k].Start, header
		}
	}
	a.span.End = end
	return d.lines(atoms, a)
}

// overlap returns the last words before a cut, if they are prose.
func (d *documentCuts) overlap(from, to int, kind languages.BlockKind) string {
	if kind == languages.BlockFence || kind == languages.BlockTable {
		return ""
	}
	if i, _ := slices.BinarySearchFunc(d.s.o.Doc.Fences, to, func(f record.Span, at int) int { return f.End - at - 1 }); i > 0 {
		from = max(from, d.s.o.Doc.Fences[i-1].End)
	}
	return d.s.tail(from, to, docOverlap)
}

// tail returns the last n tokens of a span, whole rows or words of one.
func (s *splitter) tail(from, to, n int) string {
	r := s.rows
	to = from + len(bytes.TrimRight(s.o.Content[from:to], " \t\r\n"))
	if n <= 0 || to <= from {
		return ""
	}
	start, row := to, r.at(to-1)
	for ; row >= 0 && int(r.starts[row]) >= from && r.costOf(record.Span{Start: int(r.starts[row]), End: to}) <= n*costOne; row-- {
		start = int(r.starts[row])
	}
	if start == to { // the last row has more than n tokens
		start = max(from, to-maxOverlapRow)
		if i := bytes.IndexAny(s.o.Content[start:to], " \t"); i >= 0 {
			start += i + 1
		}
	}
	return strings.ToValidUTF8(string(s.o.Content[start:to]), "") + "\n"
}

// prose cuts at blank lines, up to MaxTokens.
func (s *splitter) prose() {
	s.groupKids()
	from := 0
	for _, cut := range append(s.rows.cutProse(record.Span{End: len(s.o.Content)}, s.opt.MaxTokens, nil), len(s.o.Content)) {
		p := piece{span: record.Span{Start: from, End: cut}, decl: -1, parent: -1}
		if n := len(s.pieces); n > 0 {
			if !hasWord(s.o.Content[from:cut]) && s.rows.tokens(p.span) < small {
				s.pieces[n-1].span.End, from = cut, cut
				continue
			}
			p.overlap = s.tail(s.pieces[n-1].span.Start, from, s.opt.OverlapTokens)
		}
		p.tokens = s.rows.tokens(p.span)
		s.pieces = append(s.pieces, p)
		from = cut
	}
}

// describeText sets the kind and the names of a chunk of a document.
func (s *splitter) describeText(p *piece, c *record.Chunk) {
	c.Kind = record.KindText
	switch {
	case p.summary:
		c.Kind, c.Unit = record.KindDocument, s.o.Doc.Title
		c.Name = c.Unit
	case p.decl >= 0 && !s.opt.TextOnly:
		d := &s.o.Decls[p.decl]
		c.Kind, c.Unit, c.Name = d.Kind, d.Name, d.Name
		c.Signature = s.signature(p.decl)
		headings := s.headings(p.decl)
		c.Scope = strings.Join(headings[:len(headings)-1], " > ")
	}
	if !s.opt.TextOnly {
		c.Defines = s.defines(p)
	}
}

// headings returns the titles from the top heading down to section i.
func (s *splitter) headings(i int) []string {
	var path []string
	for ; i >= 0; i = s.o.Decls[i].Parent {
		path = append(path, s.o.Decls[i].Name)
	}
	slices.Reverse(path)
	return path
}

// sectionLine returns the value of the line Section: the section of a unit; in a document
// also the headings above it.
func (s *splitter) sectionLine(p *piece, c *record.Chunk) string {
	switch {
	case s.o.Doc == nil || p.decl < 0 || c.Scope == "":
		return c.Section
	case c.Section == "":
		return c.Scope + " > " + c.Unit
	}
	return c.Scope + " > " + c.Unit + ", " + c.Section
}

// docMeta gives the chunks of a document their metadata.
type docMeta struct {
	s      *splitter
	levels []int // of the i-th heading
	total  int   // number of chunks without summaries
	index  int   // of the next chunk
}

func newDocMeta(s *splitter) docMeta {
	m := docMeta{s: s}
	if s.o.Doc == nil {
		return m
	}
	for _, b := range s.o.Doc.Blocks {
		if b.Kind == languages.BlockHeading {
			m.levels = append(m.levels, b.Level)
		}
	}
	for i := range s.pieces {
		if !s.pieces[i].summary {
			m.total++
		}
	}
	return m
}

// of returns the metadata of the next piece, nil for a text that has none.
func (m *docMeta) of(p *piece) *record.DocMeta {
	doc := m.s.o.Doc
	if doc == nil || doc.Title == "" && len(m.s.o.Decls)+len(doc.Links)+len(doc.CodeRefs)+len(doc.Tags) == 0 {
		return nil
	}
	d := &record.DocMeta{Title: doc.Title, Tags: doc.Tags, Layer: doc.Layer, UpdatedAt: doc.UpdatedAt, Index: m.index, Total: m.total}
	if !p.summary {
		m.index++
	}
	if d.Layer == "" {
		if dir, _, nested := strings.Cut(path.Clean(string(m.s.o.Path)), "/"); nested {
			d.Layer = dir
		}
	}
	if p.decl >= 0 {
		d.Headings, d.Level = m.s.headings(p.decl), m.levels[p.decl]
	}
	first, _ := slices.BinarySearchFunc(doc.CodeRefs, p.span.Start, func(r languages.CodeRef, at int) int { return r.Start - at })
	for _, r := range doc.CodeRefs[first:] {
		if r.Start >= p.span.End {
			break
		}
		d.CodeRefs = append(d.CodeRefs, r.Text)
	}
	first, _ = slices.BinarySearchFunc(doc.Links, p.span.Start, func(l languages.Link, at int) int { return l.Start - at })
	for _, l := range doc.Links[first:] {
		if l.Start >= p.span.End {
			break
		}
		if l.Path != "" {
			d.Links = append(d.Links, linkTarget(l))
		}
	}
	slices.Sort(d.Links)
	d.Links = slices.Compact(d.Links)
	return d
}

func linkTarget(l languages.Link) string {
	if l.Anchor == "" {
		return string(l.Path)
	}
	return string(l.Path) + "#" + l.Anchor
}
