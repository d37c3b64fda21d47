package retrieve

import (
	"cmp"
	"context"
	"slices"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// maxMembers bounds the members of a type that are shown one by one.
const maxMembers = 200

// unitOf makes a unit of a symbol.
func unitOf(g *record.FileGraph, i int) Unit {
	s := &g.Symbols[i]
	u := Unit{Path: g.Path, Language: g.Language, Kind: s.Kind, Identifier: s.Qualified, ID: record.NewChunkID(g.Path, s.Qualified, "", 0), Span: s.Span, Header: s.Header,
		Doc: s.Doc, Body: s.Body, Lines: s.Lines, NameLine: s.NameLine}
	if s.Parent >= 0 {
		u.Parent = g.Symbols[s.Parent].Qualified
	}
	if graph.IsType(s.Kind) || s.Kind == record.KindModule {
		for j := i + 1; j < len(g.Symbols) && g.Symbols[j].Span.Start < s.Span.End && len(u.Members) < maxMembers; j++ {
			if m := &g.Symbols[j]; m.Parent == i {
				u.Members = append(u.Members, Member{Name: m.Name, Kind: m.Kind, Span: m.Span, Header: m.Header})
			}
		}
	}
	return u
}

// fileUnit makes a unit of a whole file: its members are its top-level symbols.
func fileUnit(g *record.FileGraph, content []byte) Unit {
	u := Unit{Path: g.Path, Language: g.Language, Kind: record.KindFile, Identifier: string(g.Path), ID: record.NewChunkID(g.Path, "", "", 0),
		Span: record.Span{End: len(content)}, Body: record.Span{End: len(content)}, Lines: record.Lines{First: 1, Last: max(1, countLines(content))}, NameLine: 1}
	for i := range g.Symbols {
		if s := &g.Symbols[i]; s.Parent < 0 && len(u.Members) < maxMembers {
			u.Members = append(u.Members, Member{Name: s.Name, Kind: s.Kind, Span: s.Span, Header: s.Header})
		}
	}
	return u
}

// textUnit makes a unit of a chunk that stands between the symbols.
func textUnit(c *record.Chunk) Unit {
	return Unit{Path: c.Path, Language: c.Language, Kind: c.Kind, Identifier: cmp.Or(c.Unit, string(c.Path)), ID: c.ID, Span: c.Span, Header: record.Span{Start: c.Span.Start, End: c.Span.Start},
		Body: c.Span, Lines: c.Lines, NameLine: c.Lines.First}
}

// countLines returns the number of lines of content; a last line without its end
// counts.
func countLines(content []byte) int {
	n := 0
	for _, c := range content {
		if c == '\n' {
			n++
		}
	}
	if len(content) > 0 && content[len(content)-1] != '\n' {
		n++
	}
	return n
}

// candidates gathers units, each once, with what speaks for it.
type candidates struct {
	ix   Index
	q    *graph.Query
	list []*Candidate
	at   map[unitKey]*Candidate
}

// unitKey identifies a unit of one state of the workspace.
type unitKey struct {
	path  record.Path
	start int
	end   int
}

func newCandidates(ctx context.Context, ix Index) *candidates {
	return &candidates{ix: ix, q: ix.Names.Query(ctx, ix.Files), at: map[unitKey]*Candidate{}}
}

// add takes a unit in under a role, or adds to what is known of it: the first role
// stays, the terms of the score add up below 1.
func (c *candidates) add(u Unit, role Role, why Signal, focus ...int) *Candidate {
	key := unitKey{u.Path, u.Span.Start, u.Span.End}
	known := c.at[key]
	if known == nil {
		known = &Candidate{Unit: u, Role: role, Frequency: c.ix.History.Frequency(u.Path)}
		c.at[key] = known
		c.list = append(c.list, known)
	}
	for i := range known.Why {
		if known.Why[i].Name == why.Name {
			known.Why[i].Score = max(known.Why[i].Score, why.Score)
			why.Score = 0
		}
	}
	if why.Score > 0 {
		known.Why = append(known.Why, why)
	}
	known.Focus = append(known.Focus, focus...)
	return known
}

// addSymbol takes in a symbol of a file, or the whole file for -1. Parts too small
// to be read alone stand for the unit around them.
func (c *candidates) addSymbol(p record.Path, symbol int, role Role, why Signal, focus ...int) *Candidate {
	g := c.q.Graph(p)
	if symbol >= len(g.Symbols) {
		return nil
	}
	if symbol < 0 {
		content, err := c.ix.Files.Content(c.q.Context(), p)
		if err != nil {
			return nil
		}
		return c.add(fileUnit(g, content), role, why, focus...)
	}
	return c.add(unitOf(g, symbol), role, why, focus...)
}

// ranked returns the candidates, best first, with relevance relative to the best.
func (c *candidates) ranked() []Candidate {
	out := make([]Candidate, 0, len(c.list))
	for _, x := range c.list {
		// Independent reasons add up as probabilities do: 1 - ∏(1 - p).
		rest := 1.0
		for _, s := range x.Why {
			rest *= 1 - min(max(s.Score, 0), 0.999)
		}
		x.Relevance = 1 - rest
		slices.SortStableFunc(x.Why, func(a, b Signal) int { return cmp.Compare(b.Score, a.Score) })
		slices.Sort(x.Focus)
		x.Focus = slices.Compact(x.Focus)
		out = append(out, *x)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(boolRank(a.Role), boolRank(b.Role)), cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(a.Unit.Path, b.Unit.Path), cmp.Compare(a.Unit.Span.Start, b.Unit.Span.Start))
	})
	return out
}

// boolRank puts what was asked for before what was brought.
func boolRank(r Role) int {
	if r == RoleDefinition || r == RoleEnclosing || r == RoleMatch {
		return 0
	}
	return 1
}
