package retrieve

import (
	"math"
	"path"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// uses adds what a symbol uses, and the type that it is a member of.
func (a *asking) uses(s subject) {
	self := &a.q.Graph(s.path).Symbols[s.symbol]
	a.eachUse(s.place, func(e *record.Edge, t graph.Target) {
		g := a.q.Graph(t.Path)
		worth := s.sure * worthOf(e.Kind) * t.Probability * (1 - 0.5/float64(1+e.Count)) * a.novelty(s.path, t.Path, e.Name)
		c := a.addSymbol(t.Path, shown(g, t.Symbol), RoleUses, signal(string(e.Kind), worth), declaring(g, t.Symbol)...)
		a.depend(self.Qualified, c.Unit.Identifier, e.Kind, e.Count, t.Probability)
	})
	if p, ok := a.container(s.place); ok {
		a.addSymbol(p.path, p.symbol, RoleUses, signal("member of", s.sure*worthContainer), self.NameLine)
	}
}

// eachUse calls fn with what a symbol and the symbols in it use outside of it, at most
// maxUses times.
func (c *candidates) eachUse(p place, fn func(*record.Edge, graph.Target)) {
	edges := c.q.Edges(p.path)
	g := c.q.Graph(p.path)
	n := 0
	for i := range edges {
		e := &edges[i]
		if !inside(g, e.From, p.symbol) {
			continue
		}
		for _, t := range c.resolve(g, e) {
			if n == maxUses {
				return
			}
			if c.wants(t.Path) && (t.Path != p.path || !inside(g, t.Symbol, p.symbol)) {
				n++
				fn(e, t)
			}
		}
	}
}

// novelty returns how much a dependency tells a reader who knows the workspace, in
// [0.6, 1]: readers know what every file uses; the same file or directory holds the parts
// of the unit.
func (a *asking) novelty(from, to record.Path, name string) float64 {
	const known = 0.4
	if path.Dir(string(from)) == path.Dir(string(to)) {
		return 1
	}
	return 1 - known*math.Log1p(float64(a.q.UserCount(name)))/math.Log1p(float64(a.q.FileCount()))
}

func worthOf(k record.EdgeKind) float64 {
	switch k {
	case record.EdgeCalls, record.EdgeCreates, record.EdgeExtends, record.EdgeAssociates:
		return worthCall
	case record.EdgeType:
		return worthType
	}
	return worthRead
}

// container returns the type that a symbol is a member of.
func (c *candidates) container(p place) (place, bool) {
	g := c.q.Graph(p.path)
	s := &g.Symbols[p.symbol]
	for i := s.Parent; i >= 0; i = g.Symbols[i].Parent {
		if languages.IsType(g.Symbols[i].Kind) {
			return place{p.path, i}, true
		}
	}
	if s.Container != "" {
		for _, t := range c.resolve(g, &record.Edge{From: -1, Name: s.Container, Kind: record.EdgeType, Count: 1}) {
			return place{t.Path, t.Symbol}, true
		}
	}
	return place{}, false
}

// resolve returns the symbols that an edge can mean, the likeliest first. It drops those
// of files that have changed since their names were indexed.
func (c *candidates) resolve(g *record.FileGraph, e *record.Edge) []graph.Target {
	targets := c.q.Resolve(g, e)
	kept := targets[:0]
	for _, t := range targets {
		if t.Symbol < len(c.q.Graph(t.Path).Symbols) {
			kept = append(kept, t)
		}
	}
	return kept
}

// inside reports whether symbol i is symbol s or lies in it.
func inside(g *record.FileGraph, i, s int) bool {
	for ; i >= 0; i = g.Symbols[i].Parent {
		if i == s {
			return true
		}
	}
	return false
}
