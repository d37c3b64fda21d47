package retrieve

import (
	"context"
	"slices"
	"strings"

	"ambit/vectors/record"
)

const (
	maxAskedFiles = 12 // files that a question in words brings
	maxAskedSpots = 4  // places of one file
	maxExpanded   = 5  // best units whose dependencies are brought too
	worthExpanded = 0.4
)

// Ask returns what answers a question in words: the units that match, and what
// the best of them use.
func Ask(ctx context.Context, ix Index, q Question) (Result, error) {
	r, err := rank(ctx, ix, q)
	if err != nil {
		return Result{}, err
	}
	c := newCandidates(ctx, ix)
	out := Result{Query: q.Query, Scope: r.q.scope}
	a := asking{candidates: c}
	var best []place
	for i, f := range r.files[:min(len(r.files), maxAskedFiles)] {
		g := c.q.Graph(f.path)
		for j, s := range f.spots[:min(len(f.spots), maxAskedSpots)] {
			score := f.score / r.files[0].score
			if top := f.spots[0].score; top > 0 {
				score *= max(0.1, s.score/top)
			}
			symbol := symbolOf(g, &s.chunk)
			why := Signal{r.reason(f, s), score * 0.99}
			if symbol < 0 {
				c.add(textUnit(&s.chunk), RoleMatch, why)
				continue
			}
			symbol = shown(g, symbol)
			c.addSymbol(f.path, symbol, RoleMatch, why, r.focus(ctx, ix, &s.chunk)...)
			if p := (place{f.path, symbol}); i+j < maxExpanded && !slices.Contains(best, p) {
				best = append(best, p)
			}
		}
		if len(f.spots) == 0 {
			c.addSymbol(f.path, -1, RoleMatch, Signal{"file name", f.score / r.files[0].score * 0.99})
		}
	}
	for _, p := range best {
		a.expand(p)
	}
	out.Candidates = c.ranked()
	out.Dependencies = a.deps
	out.Documents = documentsOnly(out.Candidates)
	c.finish(&out)
	return out, nil
}

// reason names the signal that says most for a place.
func (r *ranking) reason(f *fileHit, s *spot) string {
	switch {
	case s.definition > 0:
		return "definition"
	case s.lexical > 0 && s.lexical >= s.vector:
		return "lexical"
	case s.vector > 0:
		return "vector"
	}
	return f.why[0].Name
}

// focus returns the lines of a chunk that hold the words of the question, the ones
// with most of them first, a few.
func (r *ranking) focus(ctx context.Context, ix Index, c *record.Chunk) []int {
	const maxFocus = 6
	content, err := ix.Files.Content(ctx, c.Path)
	if err != nil || c.Span.End > len(content) {
		return nil
	}
	type hit struct{ line, n int }
	var hits []hit
	line := c.Lines.First
	for text := range strings.Lines(string(content[c.Span.Start:c.Span.End])) {
		n := 0
		lower := strings.ToLower(text)
		for _, t := range r.q.terms {
			if strings.Contains(lower, t) {
				n++
			}
		}
		if n > 0 {
			hits = append(hits, hit{line, n})
		}
		line++
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.n - a.n })
	var out []int
	for _, h := range hits[:min(len(hits), maxFocus)] {
		out = append(out, h.line)
	}
	return out
}

// expand brings what a unit that answers a question uses.
func (a *asking) expand(p place) {
	g := a.q.Graph(p.path)
	from := g.Symbols[p.symbol].Qualified
	for i := range g.Edges {
		e := &g.Edges[i]
		if !inside(g, e.From, p.symbol) || e.Kind == record.EdgeReads {
			continue
		}
		for _, t := range a.q.Resolve(g, e) {
			if t.Probability < 0.5 || t.Path == p.path && inside(g, t.Symbol, p.symbol) {
				continue
			}
			tg := a.q.Graph(t.Path)
			c := a.addSymbol(t.Path, shown(tg, t.Symbol), RoleUses, Signal{string(e.Kind), worthExpanded * worthOf(e.Kind) * t.Probability})
			a.depend(from, c.Unit.Identifier, e.Kind, t.Probability)
		}
	}
}

// documentsOnly reports whether all that was found is prose.
func documentsOnly(cs []Candidate) bool {
	for i := range cs {
		if l := cs[i].Unit.Language; l != "markdown" && l != "text" {
			return false
		}
	}
	return len(cs) > 0
}
