package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// What a question asks for is mostly in the first of the files that match, and less and less
// in those behind it: see "What a line of an answer is worth" in docs/benchmarks.md. The
// figures here are chosen on it.
const (
	maxMatchedFiles = 12  // files that match
	maxMatchedSpots = 4   // spots of one file
	searchedFiles   = 2   // of them, each searched for further spots
	maxFoundSpots   = 12  // of the first of these; the second has half of them
	maxSpotUnits    = 4   // units of one spot
	maxFocus        = 6   // focus lines of one unit of a spot
	leastSpot       = 0.1 // the least relevance of a spot, relative to the best of its file
	// The relevance of the units of a file falls with a power of the score of the file,
	// and that of what a match uses with another one.
	fileFall     = 2
	expandedFall = 3
)

// search finds further spots in the best files. It changes the order of their spots, not that
// of the files.
func (r *ranking) search(ctx context.Context) error {
	files := r.files[:min(len(r.files), searchedFiles)]
	in := map[record.Key]bool{}
	for _, f := range files {
		chunks, err := r.ix.Files.FileChunks(ctx, f.path)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			if r.keys != nil && !r.keys(c.Key) {
				continue
			}
			in[c.Key] = true
			if r.byKey[c.Key] == nil {
				r.byKey[c.Key] = &spot{}
			}
			s := r.byKey[c.Key]
			if s.chunk = c; !slices.Contains(f.spots, s) {
				f.spots = append(f.spots, s)
			}
		}
	}
	if err := r.lines(ctx, func(k record.Key) bool { return in[k] }); err != nil {
		return err
	}
	for _, f := range files {
		r.order(f)
		f.spots = slices.DeleteFunc(f.spots, func(s *spot) bool { return s.score <= 0 })
	}
	return nil
}

// lines scores by words the chunks for which keep is true, relative to the best chunk of all.
func (r *ranking) lines(ctx context.Context, keep func(record.Key) bool) error {
	found, err := r.ix.Text.Search(ctx, r.question.query, textDepth, keep)
	if err != nil {
		return err
	}
	for _, h := range found {
		r.byKey[h.Key].lexical = h.Score / max(r.bestWords, h.Score)
	}
	if !r.question.report {
		return nil
	}
	if found, err = r.ix.Text.Search(ctx, r.question.titleWords(), textDepth, keep); err != nil {
		return err
	}
	for _, h := range found {
		r.byKey[h.Key].title = h.Score / max(r.bestTitle, h.Score)
	}
	return nil
}

// matched adds the units of the files that match, at most limit files. It returns those
// whose dependencies are worth showing, with their shares of the relevance.
func (r *ranking) matched(ctx context.Context, limit int) (best []expansion, err error) {
	beside := 0
	for i, f := range r.files[:min(len(r.files), limit)] {
		share := worthMatch * math.Pow(f.score/r.files[0].score, fileFall)
		if len(f.spots) == 0 {
			r.addSymbol(f.path, -1, RoleMatch, signal("file name", share))
		}
		n := maxMatchedSpots
		if i < searchedFiles {
			n = maxFoundSpots / (i + 1)
		}
		for j, s := range f.spots[:min(len(f.spots), n)] {
			for _, p := range r.match(f, s, share) {
				if i+j < maxExpanded && !slices.ContainsFunc(best, func(e expansion) bool { return e.place == p }) {
					best = append(best, expansion{p, math.Pow(share, expandedFall)})
				}
			}
			if s.chunk.Doc != nil && i+j < maxExpanded && beside < maxBeside {
				beside++
				if err := r.beside(ctx, &s.chunk, math.Pow(share, expandedFall)); err != nil {
					return nil, err
				}
			}
		}
	}
	return best, nil
}

// match adds the units of a spot of a file. It returns their symbols.
func (r *ranking) match(f *fileHit, s *spot, share float64) (places []place) {
	if top := f.spots[0].score; top > 0 {
		share *= max(leastSpot, s.score/top)
	}
	reason := r.reason(f, s)
	lines := r.wordLines(r.text(f.path), &s.chunk)
	if s.chunk.IsSummary {
		r.addSymbol(f.path, -1, RoleMatch, signal(reason, share), focus(lines)...)
		return nil
	}
	g := r.q.Graph(f.path)
	for _, u := range r.spotUnits(g, s, lines) {
		why := signal(reason, share*u.share)
		var c *Candidate
		if u.symbol < 0 {
			c = r.add(textUnit(&s.chunk), RoleMatch, why, focus(u.lines)...)
		} else {
			c = r.addSymbol(f.path, u.symbol, RoleMatch, why, focus(u.lines)...)
			places = append(places, place{f.path, u.symbol})
		}
		for p := range s.chunk.Places() {
			c.Found = append(c.Found, p.Lines)
		}
	}
	return places
}

// spotUnit is a unit that a spot is about.
type spotUnit struct {
	symbol int        // -1 for text
	share  float64    // of the relevance of the spot, 1 for the best
	lines  []wordLine // best first
}

// spotUnits returns the units that a spot is about, best first: the one that the question
// names, or the function around it, or those that hold the words of the question: of a large
// type its members, of several small units each.
func (r *ranking) spotUnits(g *record.FileGraph, s *spot, lines []wordLine) []spotUnit {
	c := &s.chunk
	unit := symbolOf(g, c)
	if s.symbol != nil {
		unit = slices.IndexFunc(g.Symbols, func(x record.Symbol) bool { return x.NameSpan == s.symbol.NameSpan && x.Name == s.symbol.Name })
	}
	if unit < 0 {
		return []spotUnit{{-1, 1, lines}}
	}
	span := g.Symbols[unit].Span
	if s.symbol != nil || len(lines) == 0 || r.filter.Kind != "" || languages.IsCallable(g.Symbols[unit].Kind) && span.Start <= c.Span.Start && c.Span.End <= span.End {
		return []spotUnit{{shown(g, unit), 1, lines}}
	}
	var out []spotUnit
	for _, l := range lines {
		at := unitAt(g, c, l.line)
		if at < 0 {
			at = unit
		}
		at = shown(g, at)
		i := slices.IndexFunc(out, func(u spotUnit) bool { return u.symbol == at })
		if i < 0 {
			i = len(out)
			out = append(out, spotUnit{symbol: at, share: l.words / lines[0].words})
		}
		out[i].lines = append(out[i].lines, l)
	}
	return out[:min(len(out), maxSpotUnits)]
}

// unitAt returns the symbol around a line of a chunk: the outermost one that is a function or
// lies in the chunk, else the innermost of all, -1 for none.
func unitAt(g *record.FileGraph, c *record.Chunk, line int) int {
	at := -1
	for i := range g.Symbols { // outer before inner
		if s := &g.Symbols[i]; s.Lines.First <= line && line <= s.Lines.Last {
			at = i
			if languages.IsCallable(s.Kind) || c.Span.Start <= s.Span.Start && s.Span.End <= c.Span.End {
				break
			}
		}
	}
	return at
}

// reason names the strongest signal of a spot.
func (r *ranking) reason(f *fileHit, s *spot) string {
	switch {
	case s.definition > 0:
		return "definition"
	case s.lexical > 0 && s.lexical >= s.vector:
		return "lexical"
	case s.vector > 0:
		return "vector"
	}
	return r.why(f)[0].Name
}

// wordLine is a line with the weight of the words of the question in it.
type wordLine struct {
	line  int
	words float64
}

// wordLines returns the lines of a chunk that hold words of the question, those with most
// first.
func (r *ranking) wordLines(content []byte, c *record.Chunk) []wordLine {
	var out []wordLine
	for p := range c.Places() {
		if p.Span.End > len(content) {
			return nil
		}
		line := p.Lines.First
		for text := range bytes.Lines(content[p.Span.Start:p.Span.End]) {
			n := 0.0
			lower := bytes.ToLower(text)
			for _, t := range r.question.terms {
				if bytes.Contains(lower, []byte(t)) {
					n += r.question.weight[t]
				}
			}
			if n > 0 {
				out = append(out, wordLine{line, n})
			}
			line++
		}
	}
	slices.SortStableFunc(out, func(a, b wordLine) int { return cmp.Compare(b.words, a.words) })
	return out
}

// focus returns the first of lines as focus lines.
func focus(lines []wordLine) []int {
	var out []int
	for _, l := range lines[:min(len(lines), maxFocus)] {
		out = append(out, l.line)
	}
	return out
}
