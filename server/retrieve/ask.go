package retrieve

import (
	"cmp"
	"context"
	"slices"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxExpanded bounds the best units whose dependencies are added.
const maxExpanded = 5

// Ask returns the units that match a question in words, and the units that the best
// matches use. The filter applies to the matches; the limit bounds the files.
func Ask(ctx context.Context, ix Index, q Question) (out Result, err error) {
	defer graph.Catch(&err)
	r, err := rank(ctx, ix, q)
	if err != nil {
		return Result{}, err
	}
	broad := r.broad()
	if broad != nil && len(broad.area) == 0 {
		broad.sources()
		r.files = nil
	}
	if err := r.search(ctx); err != nil {
		return Result{}, err
	}
	best, err := r.matched(ctx, cmp.Or(max(q.Limit, 0), maxMatchedFiles))
	if err != nil {
		return Result{}, err
	}
	r.name()
	r.declare(r.question.terms)
	for _, e := range best {
		r.expand(e)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if broad == nil || len(broad.area) > 0 {
		r.curve, r.sure = matchCurve, r.answered()
	} else {
		r.curve = overviewCurve
	}
	documents := documentsOnly(r.list)
	r.pinAll(q.Pinned)
	out = Result{Query: q.Query, Scope: r.question.scope, Documents: documents && broad == nil, Candidates: r.ranked(), Dependencies: r.dependencies()}
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

// expansion is a match whose dependencies are added.
type expansion struct {
	place
	share float64 // of the relevance of what it uses, in (0, 1]
}

// expand adds the units that a matching unit certainly uses.
func (c *candidates) expand(p expansion) {
	const sure = 0.5
	from := c.q.Graph(p.path).Symbols[p.symbol].Qualified
	c.eachUse(p.place, func(e *record.Edge, t graph.Target, part float64) {
		if e.Kind == record.EdgeReads || t.Probability < sure {
			return
		}
		worth := p.share * worthExpanded * worthOf(e.Kind) * t.Probability * part
		used := c.addSymbol(t.Path, shown(c.q.Graph(t.Path), t.Symbol), RoleUses, signal(string(e.Kind), worth))
		c.depend(from, used.Unit.Identifier, graph.KindOf(c.q.Graph(t.Path), e, t), e.Count, t.Probability)
	})
}

// documentsOnly reports whether all candidates are prose.
func documentsOnly(cs []*Candidate) bool {
	return len(cs) > 0 && !slices.ContainsFunc(cs, func(c *Candidate) bool { return !languages.IsProse(c.Unit.Language) })
}
