package retrieve

import (
	"math"
	"path"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// uses adds the symbols that a symbol uses, and the type that it is a member of.
func (l *lookup) uses(s subject) {
	self := &l.q.Graph(s.path).Symbols[s.symbol]
	l.eachUse(s.place, func(e *record.Edge, t graph.Target, part float64) {
		g := l.q.Graph(t.Path)
		worth := s.sure * worthOfUse(e.Kind, g, t.Symbol) * t.Probability * (1 - 0.5/float64(1+e.Count)) * l.novelty(s.path, t.Path, e.Name)
		if isBrief(&g.Symbols[shown(g, t.Symbol)]) {
			worth += (1 - worth) * worthBrief * t.Probability
		}
		worth *= part
		lines := declaring(g, t.Symbol)
		if e.Kind == record.EdgeCreates {
			for _, i := range l.q.Constructors(l.q.Graph(s.path), e, t) {
				lines = append(lines, g.Symbols[i].NameLine)
			}
		}
		unit := shown(g, t.Symbol)
		if unit != t.Symbol && languages.IsCallable(g.Symbols[unit].Kind) {
			l.addSymbol(t.Path, unit, RoleUses, signal("sets", worth), lines...) // no arrow: the method is not used
			return
		}
		own := l.q.Graph(s.path)
		c := l.addSymbol(t.Path, unit, RoleUses, signal(string(implementing(own, e.From, e.Kind, g, t.Symbol)), worth), lines...)
		l.depend(self.Qualified, c.Unit.Identifier, implementing(own, e.From, graph.KindOf(g, e, t), g, t.Symbol), e.Count, t.Probability)
	})
	if p, ok := l.owner(s.place); ok {
		var lines []int
		if p.path == s.path {
			lines = append(l.filtered(p, s.place), self.NameLine)
		}
		l.routed(s, p)
		l.addSymbol(p.path, p.symbol, RoleUses, signal("member of", s.sure*worthContainer), lines...)
	}
}

// eachUse calls fn, at most maxUses times, with each use by a symbol, or by a symbol in
// it, of a symbol outside. What the symbol inherits in a framework comes last. Part is
// the share of the worth of such a use that this one has.
func (c *candidates) eachUse(p place, fn func(e *record.Edge, t graph.Target, part float64)) {
	edges := c.q.Edges(p.path)
	g := c.q.Graph(p.path)
	n := 0
	use := func(from *record.FileGraph, e *record.Edge, part float64) {
		for _, t := range c.resolve(from, e) {
			if n < maxUses && c.wants(t.Path) && (t.Path != p.path || !inside(g, t.Symbol, p.symbol)) {
				n++
				fn(e, t, part)
			}
		}
	}
	for i := range edges {
		if n < maxUses && inside(g, edges[i].From, p.symbol) {
			use(g, &edges[i], 1)
		}
	}
	for _, in := range c.q.InheritedFilters(g, p.symbol) {
		use(in.Graph, &in.Edge, aroundPart)
	}
	for _, in := range c.q.InheritedAssociations(g, p.symbol) {
		use(in.Graph, &in.Edge, 1)
	}
}

// novelty returns a factor in [0.75, 1]: how much a dependency tells a reader that knows
// the workspace. Symbols that many files use are known; those of the same directory are
// parts of the unit.
func (l *lookup) novelty(from, to record.Path, name string) float64 {
	const known = 0.25
	if path.Dir(string(from)) == path.Dir(string(to)) {
		return 1
	}
	return 1 - known*math.Log1p(float64(l.q.UserCount(name)))/math.Log1p(float64(l.q.FileCount()))
}

// isBrief reports whether a symbol is declared in a line or two, with its comment in
// three: a constant, an alias of a type.
func isBrief(s *record.Symbol) bool {
	return s.Lines.Last-s.Lines.First < briefLines && (s.Kind == record.KindMacro || !languages.IsCallable(s.Kind))
}

// worthOfUse returns the worth of a use of a symbol.
func worthOfUse(k record.EdgeKind, g *record.FileGraph, symbol int) float64 {
	if k == record.EdgeReads && g.Symbols[symbol].Kind == record.KindField && !isVariant(g, symbol) {
		return worthField
	}
	return worthOf(k)
}

func worthOf(k record.EdgeKind) float64 {
	switch k {
	case record.EdgeCalls, record.EdgeCreates, record.EdgeExtends, record.EdgeImplements, record.EdgeAssociates:
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

// owner is container, but for a member of a block that implements a type it is the type.
func (c *candidates) owner(p place) (place, bool) {
	t, ok := c.container(p)
	if !ok {
		return t, false
	}
	if g := c.q.Graph(t.path); g.Symbols[t.symbol].Kind == record.KindImpl {
		for _, target := range c.resolve(g, &record.Edge{From: g.Symbols[t.symbol].Parent, Name: g.Symbols[t.symbol].Name, Kind: record.EdgeType, Count: 1}) {
			return place{target.Path, target.Symbol}, true
		}
	}
	return t, true
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
