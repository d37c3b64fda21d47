package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

const (
	maxMatchedFiles = 12 // files that match
	maxMatchedSpots = 4  // spots of one file
	maxExpanded     = 5  // best units whose dependencies are added
	maxFocus        = 6  // focus lines of one spot
)

// Ask returns the units that match a question in words, and the units that the best
// matches use. The filter applies to the matches; the limit bounds the files.
func Ask(ctx context.Context, ix Index, q Question) (Result, error) {
	r, err := rank(ctx, ix, q)
	if err != nil {
		return Result{}, err
	}
	broad := r.broad()
	if broad != nil && len(broad.area) == 0 {
		broad.sources()
		r.files = nil
	}
	var best []place
	for i, f := range r.files[:min(len(r.files), cmp.Or(max(q.Limit, 0), maxMatchedFiles))] {
		share := worthMatch * f.score / r.files[0].score
		if len(f.spots) == 0 {
			r.addSymbol(f.path, -1, RoleMatch, signal("file name", share))
		}
		for j, s := range f.spots[:min(len(f.spots), maxMatchedSpots)] {
			p, ok := r.match(f, s, share)
			if ok && i+j < maxExpanded && !slices.Contains(best, p) {
				best = append(best, p)
			}
		}
	}
	r.name()
	r.declare(r.question.terms)
	for _, p := range best {
		r.expand(p)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	documents := documentsOnly(r.list)
	r.pinAll(q.Pinned)
	out := Result{Query: q.Query, Scope: r.question.scope, Documents: documents && broad == nil, Candidates: r.ranked(), Dependencies: r.dependencies()}
	r.finish(&out, broad == nil || len(broad.area) > 0)
	if broad != nil {
		out.Overview = broad.picture()
	}
	return out, nil
}

// name marks the best match when all content words of the question are its name: "tell me
// about X".
func (r *ranking) name() {
	if len(r.list) == 0 || len(r.question.terms) == 0 {
		return
	}
	u := &r.list[0].Unit
	_, last := languages.CutLast(u.Identifier)
	words := nameStems(last)
	if (languages.IsType(u.Kind) || languages.IsCallable(u.Kind)) && !slices.ContainsFunc(r.question.terms, func(t string) bool { return !slices.Contains(words, t) }) &&
		len(words) == len(r.question.terms) {
		r.list[0].Named, r.list[0].Focus = NamedUnit, nil
	}
}

// match adds the unit of a spot of a file. It returns the symbol of the unit, and false
// when the unit is text.
func (r *ranking) match(f *fileHit, s *spot, share float64) (place, bool) {
	const least = 0.1
	if top := f.spots[0].score; top > 0 {
		share *= max(least, s.score/top)
	}
	why := signal(r.reason(f, s), share)
	focus := r.focus(r.text(f.path), &s.chunk)
	if s.chunk.IsSummary {
		r.addSymbol(f.path, -1, RoleMatch, why, focus...)
		return place{}, false
	}
	g := r.q.Graph(f.path)
	symbol := symbolOf(g, &s.chunk)
	if s.symbol != nil {
		symbol = slices.IndexFunc(g.Symbols, func(x record.Symbol) bool { return x.NameSpan == s.symbol.NameSpan && x.Name == s.symbol.Name })
	}
	if symbol < 0 {
		r.add(textUnit(&s.chunk), RoleMatch, why, focus...)
		return place{}, false
	}
	symbol = shown(g, symbol)
	r.addSymbol(f.path, symbol, RoleMatch, why, focus...)
	return place{f.path, symbol}, true
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
	return f.why[0].Name
}

// focus returns the lines of a chunk that hold most words of the question.
func (r *ranking) focus(content []byte, c *record.Chunk) []int {
	type hit struct {
		line int
		n    float64
	}
	var hits []hit
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
				hits = append(hits, hit{line, n})
			}
			line++
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.n, a.n) })
	var out []int
	for _, h := range hits[:min(len(hits), maxFocus)] {
		out = append(out, h.line)
	}
	return out
}

// expand adds the units that a matching unit certainly uses.
func (c *candidates) expand(p place) {
	const sure = 0.5
	from := c.q.Graph(p.path).Symbols[p.symbol].Qualified
	c.eachUse(p, func(e *record.Edge, t graph.Target) {
		if e.Kind == record.EdgeReads || t.Probability < sure {
			return
		}
		used := c.addSymbol(t.Path, shown(c.q.Graph(t.Path), t.Symbol), RoleUses, signal(string(e.Kind), worthExpanded*worthOf(e.Kind)*t.Probability))
		c.depend(from, used.Unit.Identifier, graph.KindOf(c.q.Graph(t.Path), e, t), e.Count, t.Probability)
	})
}

// documentsOnly reports whether all candidates are prose.
func documentsOnly(cs []*Candidate) bool {
	return len(cs) > 0 && !slices.ContainsFunc(cs, func(c *Candidate) bool { return !languages.IsProse(c.Unit.Language) })
}
