package chunk

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The bounds of a summary. With the prefixes, the embedding texts are less than 30 % longer
// than the files.
const (
	summaryShare    = 16  // a summary quotes 1/16 of the text
	signaturesShare = 64  // and lists the signatures of members up to 1/64
	listedShare     = 16  // the names in a line of a prefix take up to 1/16 of the text
	maxSummaryLines = 100 // quoted lines
	minQuotedBytes  = 120 // quoted bytes of a document
	maxListedBytes  = 2000
	minListedBytes  = 120
	maxNamesBytes   = 300 // of the line Defines
)

// embedding sets the prefix and the suffix of a chunk.
func (s *splitter) embedding(p *piece, c *record.Chunk) {
	if s.opt.ContextMode == ContextNone {
		return
	}
	var b strings.Builder
	b.Grow(256 + len(p.overlap))
	line := func(key, value string) {
		if slices.Contains(s.opt.Without, key) {
			return
		}
		b.WriteString("# ")
		b.WriteString(key)
		b.WriteString(": ")
		b.WriteString(value)
		b.WriteByte('\n')
	}
	line("Unit", s.identifier(p, c)+" ("+string(c.Kind)+")")
	line("File", string(c.Path))
	if s.opt.ContextMode == ContextFull {
		if section := s.sectionLine(p, c); section != "" {
			line("Section", section)
		}
		if s.o.Doc == nil && len(s.usage.top) > 0 && !s.opt.TextOnly {
			if list := upToShare(s.usage.top, p.span); len(list) > 0 {
				line("Dependencies", strings.Join(list, ", "))
			}
		}
		s.purposeLines(p, line)
		if c.Section == summarySection {
			s.summaryLines(c, line)
			c.Suffix = s.summarySuffix(p, c)
		}
	}
	b.WriteString(p.overlap)
	c.Prefix = b.String()
}

// upToShare returns the first items of a list, as many as take listedShare of the text of a
// span.
func upToShare(list []string, span record.Span) []string {
	left := (span.End - span.Start) / listedShare
	for i, v := range list {
		if left -= len(v); left < 0 {
			return list[:i]
		}
	}
	return list
}

// summaryLines writes the lines that only a summary has.
func (s *splitter) summaryLines(c *record.Chunk, line func(key, value string)) {
	if c.Scope != "" {
		line("Scope", c.Scope)
	}
	if c.Kind == record.KindFile && len(c.Defines) > 0 {
		line("Defines", JoinUpTo(c.Defines, ", ", maxNamesBytes))
	}
}

// summarySuffix lists the signatures of a unit's members, of a file's units, or
// the headings of a document.
func (s *splitter) summarySuffix(p *piece, c *record.Chunk) string {
	size := len(s.o.Content)
	if p.decl >= 0 {
		size = s.o.Decls[p.decl].Span.End - s.o.Decls[p.decl].Span.Start
	}
	if c.Kind == record.KindFile || s.opt.TextOnly || slices.Contains(s.opt.Without, "Signatures") {
		return "" // the line Defines of a file has its names
	}
	limit := min(max(size/signaturesShare, minListedBytes), maxListedBytes)
	var list []string
	if c.Kind == record.KindDocument {
		for k := range s.o.Decls {
			if list = append(list, s.signature(k)); len(list) == maxDefines {
				break
			}
		}
		return JoinUpTo(list, "\n", limit) + "\n"
	}
	for _, k := range s.children(p.decl) {
		if d := &s.o.Decls[k]; isMember(d.Kind) && !within(d.Span, c.Span) {
			list = append(list, s.signature(k))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return JoinUpTo(list, "\n", limit) + "\n"
}

func within(inner, outer record.Span) bool {
	return inner.Start >= outer.Start && inner.End <= outer.End
}

// JoinUpTo joins the first items of list that fit in limit bytes, at least one. "…" replaces
// the others.
func JoinUpTo(list []string, sep string, limit int) string {
	n := 0
	for i, v := range list {
		if n += len(v) + len(sep); n > limit && i > 0 {
			return strings.Join(list[:i], sep) + sep + "…"
		}
	}
	return strings.Join(list, sep)
}

// addSummaries adds summaries of a file, a document and the units that are cut at statements:
// their first lines, for broad questions.
func (s *splitter) addSummaries() {
	if len(s.pieces) < 2 {
		return
	}
	out := slices.Grow(s.spare.summed, len(s.pieces)+2)
	out = append(out, s.summaryOf(piece{span: record.Span{End: len(s.o.Content)}, decl: -1, parent: -1}))
	for i, p := range s.pieces {
		if p.part == 1 && p.decl >= 0 && p.section != summarySection && s.o.Doc == nil && i+1 < len(s.pieces) {
			end := i + 1
			for end < len(s.pieces) && s.pieces[end].decl == p.decl && s.pieces[end].part > 1 {
				end++
			}
			whole := p
			whole.span.End = s.pieces[end-1].span.End
			out = append(out, s.summaryOf(whole))
		}
		out = append(out, p)
	}
	s.pieces, s.spare.summed = out, out
}

// summaryOf returns the summary of a piece: the lines that it quotes.
func (s *splitter) summaryOf(p piece) piece {
	r := s.rows
	first, end := r.at(p.span.Start), p.span.Start
	limit := (p.span.End - p.span.Start) / summaryShare
	if doc := s.o.Doc; doc != nil {
		limit = max(limit, minQuotedBytes)
		if b := doc.Blocks; len(b) > 1 && b[0].Kind == languages.BlockFrontMatter {
			p.span.Start = b[0].Span.End // the metadata has the front matter
			first, end = r.at(p.span.Start), p.span.Start
		}
	}
	if s.o.Doc == nil && p.decl < 0 && !s.opt.TextOnly {
		p.span.Start = s.headEnd()
		if len(s.children(-1)) == 1 { // the summary of the unit says the same
			limit = 0
		}
		limit = max(limit, minQuotedBytes/2)
		first, end = r.at(p.span.Start), p.span.Start
	}
	for i := first; i < min(first+maxSummaryLines, r.n()); i++ {
		next := min(int(r.starts[i+1]), p.span.End)
		if i > first && (next-p.span.Start > limit || s.o.Doc == nil && p.decl < 0 && importWords.Match(r.row(i))) {
			break
		}
		end = next
	}
	p.span.End = end
	p.section, p.summary, p.part, p.merged, p.overlap = summarySection, true, 0, false, ""
	p.tokens = r.tokens(p.span)
	return p
}
