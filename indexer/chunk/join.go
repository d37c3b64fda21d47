package chunk

import (
	"bytes"
	"math"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// join joins small pieces with the neighbours that they belong to: first neighbours that are
// all small, then each scrap with the unit before or after it.
func (s *splitter) join() {
	out := s.pieces[:0]
	for _, p := range s.pieces {
		p.tokens = s.rows.tokens(p.span) // ownText may have added blanks
		if n := len(out); n > 0 && s.mergeable(&out[n-1], &p) {
			s.joinTo(&out[n-1], &p)
			continue
		}
		out = append(out, p)
	}
	s.pieces = out
	s.joinScraps()
}

// mergeable reports whether q and its successor p become one chunk, because both are small.
// A merged q can grow, although it is no longer small. A small summary takes small members.
func (s *splitter) mergeable(q, p *piece) bool {
	if q.alone || p.alone || q.title != "" || p.part > 0 || q.tokens+p.tokens > maxMerged {
		return false
	}
	if q.isSummary() && q.decl == p.parent {
		return (q.merged || q.tokens < small) && p.tokens < small
	}
	return q.parent == p.parent && q.part == 0 && (q.merged || q.tokens < small) && p.tokens < small
}

// isSummary reports whether p is the summary of a unit with members.
func (p *piece) isSummary() bool { return p.decl >= 0 && p.section == summarySection }

// joinScraps joins each scrap with the piece before or after it.
func (s *splitter) joinScraps() {
	out := s.pieces[:0]
	for i := range s.pieces {
		p := s.pieces[i]
		if !s.isScrap(&p) {
			out = append(out, p)
			continue
		}
		var before, after *piece
		for _, limit := range []int{maxUnit, math.MaxInt} { // text joins a large unit when there is no other
			if n := len(out); n > 0 && s.joinable(&out[n-1], &p, &p, limit) {
				before = &out[n-1]
			}
			if i+1 < len(s.pieces) && s.joinable(&p, &s.pieces[i+1], &p, limit) {
				after = &s.pieces[i+1]
			}
			if before != nil || after != nil || p.decl >= 0 || p.merged {
				break
			}
		}
		switch {
		case before == nil && after == nil:
			out = append(out, p)
		case after == nil || before != nil && !s.belongsBelow(&p, before, after):
			s.joinTo(before, &p)
		default:
			s.joinTo(&p, after)
			*after = p
		}
	}
	s.pieces = out
}

// isScrap reports whether a piece is too small to stand alone.
func (s *splitter) isScrap(p *piece) bool {
	switch {
	case p.alone || p.title != "" || p.isSummary() && languages.IsType(s.o.Decls[p.decl].Kind) && s.o.Decls[p.decl].Kind != record.KindImpl:
		return false
	case p.decl < 0 && !p.merged:
		return p.tokens < small || p.tokens <= maxMerged && !hasWord(s.o.Content[p.span.Start:p.span.End])
	}
	return p.tokens < scrap
}

// joinable reports whether a and its successor b can become one chunk. One of them is the
// scrap: text joins any unit, a declaration joins its siblings and the summary of its parent.
func (s *splitter) joinable(a, b, scrap *piece, limit int) bool {
	if a.tokens+b.tokens > limit {
		return false
	}
	if scrap.decl < 0 && !scrap.merged {
		return true
	}
	for _, p := range []*piece{a, b} { // a member is mostly no part of a section by purpose
		if p.title != "" && (p.decl < 0 || !layouts[s.o.Decls[p.decl].Role].members) {
			return false
		}
	}
	return !a.alone && !b.alone && (a.parent == b.parent || a.decl >= 0 && a.decl == b.parent || b.decl >= 0 && b.decl == a.parent)
}

// belongsBelow reports whether a scrap belongs to the piece after it and not to the one
// before it.
func (s *splitter) belongsBelow(p, before, after *piece) bool {
	if (before.parent == p.parent) != (after.parent == p.parent) {
		return after.parent == p.parent
	}
	text := s.o.Content[p.span.Start:p.span.End]
	above, below := s.endsBlank(p.span.Start), s.endsBlank(p.span.End)
	if above != below {
		return above
	}
	return p.decl < 0 && (s.isLead(text) || before.parent != p.parent)
}

// endsBlank reports whether the line before an offset is blank.
func (s *splitter) endsBlank(at int) bool {
	text := bytes.TrimRight(s.o.Content[:at], " \t\r")
	if !bytes.HasSuffix(text, []byte("\n")) {
		return false
	}
	return bytes.HasSuffix(bytes.TrimRight(text[:len(text)-1], " \t\r"), []byte("\n"))
}

// isLead reports whether text says something about what follows: it is one word, such as
// private, or a comment.
func (s *splitter) isLead(text []byte) bool {
	text = bytes.TrimSpace(text)
	return !bytes.ContainsAny(text, " \t\n=(.") || isComment(text)
}

// joinTo joins q and its successor p in q. The unit of the chunk is that of the piece which
// holds most of it.
func (s *splitter) joinTo(q, p *piece) {
	unit, other := q, p
	switch {
	case q.title != "":
	case p.title != "", q.decl < 0 && p.decl >= 0 || q.decl >= 0 && p.decl >= 0 && p.tokens > q.tokens && !(q.isSummary() && p.tokens < small):
		unit, other = p, q
	}
	joined := *unit
	joined.span = record.Span{Start: q.span.Start, End: p.span.End}
	joined.tokens = q.tokens + p.tokens
	switch {
	case unit.decl < 0 || unit.merged || unit.part > 0:
	case other.merged || other.decl >= 0 && unit.tokens < 2*other.tokens, unit.tokens < small && 2*unit.tokens < other.tokens:
		joined.decl, joined.merged = -1, true
	}
	if joined.decl < 0 && q.decl < 0 && p.decl < 0 {
		joined.merged = q.merged || p.merged
	}
	*q = joined
}
