package retrieve

import (
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// users adds the users of a symbol: callers, subclasses, tests, documents.
func (l *lookup) users(s subject) {
	name := l.q.Graph(s.path).Symbols[s.symbol].Qualified
	uses := l.q.Users(s.path, s.symbol)
	inUnit := map[record.Path]bool{}
	for _, u := range uses {
		inUnit[u.Path] = inUnit[u.Path] || u.Symbol >= 0
	}
	n := map[Role]int{}
	for _, u := range uses {
		g := l.q.Graph(u.Path)
		if u.Symbol >= len(g.Symbols) {
			continue // the file has changed since
		}
		if u.Symbol < 0 && inUnit[u.Path] || u.Path == s.path && u.Symbol >= 0 && inside(g, u.Symbol, s.symbol) {
			continue // an import for a unit of the same file, or the symbol itself
		}
		role, worth := roleOf(g, u)
		if n[role]++; n[role] > mostOf(role) {
			continue
		}
		if u.Symbol < 0 && role == RoleUsedBy {
			worth *= topOfFile
		}
		// Users after the tenth count less and less: candidates of other roles help more.
		worth *= s.sure * u.Probability / (1 + max(0, float64(n[role]-10))/4)
		c := l.addSymbol(u.Path, u.Symbol, role, signal(string(role), worth), u.Lines...)
		if c != nil && (c.UsedBy == "" || worthOf(u.Kind) > worthOf(c.UsedBy)) {
			c.UsedBy = u.Kind
		}
		if c != nil && role == RoleUsedBy {
			l.depend(c.Unit.Identifier, name, u.Kind, u.Count, u.Probability)
		}
	}
}

// roleOf returns the role and the worth of a user.
func roleOf(g *record.FileGraph, u graph.Use) (Role, float64) {
	switch {
	case languages.IsProse(g.Language):
		return RoleDoc, worthDoc
	case g.Test || u.Symbol >= 0 && g.Symbols[u.Symbol].Test:
		return RoleTest, worthTest
	}
	return RoleUsedBy, worthUser
}

func mostOf(r Role) int {
	switch r {
	case RoleDoc:
		return maxDocs
	case RoleTest:
		return maxTests
	}
	return maxUsers
}

// overrides adds the implementers of an interface, the members that override a member,
// and the members that it overrides.
func (l *lookup) overrides(s subject) {
	g := l.q.Graph(s.path)
	self := &g.Symbols[s.symbol]
	for _, t := range l.q.Implementers(s.path, s.symbol) {
		l.implements(place{t.Path, t.Symbol}, s.place, RoleUsedBy, s.sure)
	}
	for _, t := range l.q.Interfaces(s.path, s.symbol) {
		l.implements(s.place, place{t.Path, t.Symbol}, RoleUses, s.sure)
	}
	c, ok := l.container(s.place)
	if !ok || !languages.IsCallable(self.Kind) {
		return
	}
	for _, t := range l.subtypes(c) {
		if m, ok := l.member(t, self.Name); ok && m != s.place {
			l.addSymbol(m.path, m.symbol, RoleUsedBy, signal("overrides", s.sure*worthOverride))
		}
	}
	for _, t := range l.bases(c) {
		if m, ok := l.member(t, self.Name); ok && m != s.place {
			l.addSymbol(m.path, m.symbol, RoleUses, signal("overridden", s.sure*worthOverride))
		}
	}
}

// implements adds an interface or a type that implements it, whichever the role is that of.
func (l *lookup) implements(typ, iface place, role Role, sure float64) {
	added := typ
	if role == RoleUses {
		added = iface
	}
	if l.wants(added.path) {
		l.addSymbol(added.path, added.symbol, role, signal("implements", sure*worthOverride))
		l.depend(l.q.Graph(typ.path).Symbols[typ.symbol].Qualified, l.q.Graph(iface.path).Symbols[iface.symbol].Qualified, record.EdgeImplements, 1, 1)
	}
}

// subtypes returns the types that name one as their base, or that have the methods of an
// interface that they need not name.
func (l *lookup) subtypes(p place) []place {
	g := l.q.Graph(p.path)
	self := &g.Symbols[p.symbol]
	var out []place
	for _, t := range l.q.Implementers(p.path, p.symbol) {
		if len(out) < maxOverrides {
			out = append(out, place{t.Path, t.Symbol})
		}
	}
	if graph.ImplicitInterfaces(g.Language) {
		return out // a type that embeds another one overrides nothing
	}
	for _, u := range l.q.Users(p.path, p.symbol) {
		ug := l.q.Graph(u.Path)
		if u.Symbol < 0 || u.Symbol >= len(ug.Symbols) || len(out) == maxOverrides {
			continue
		}
		for _, b := range ug.Symbols[u.Symbol].Bases {
			if _, last := languages.CutLast(b); last == self.Name {
				out = append(out, place{u.Path, u.Symbol})
				break
			}
		}
	}
	return out
}

// bases returns the types that a type extends or implements, by name or by its methods.
func (l *lookup) bases(p place) []place {
	edges := l.q.Edges(p.path)
	g := l.q.Graph(p.path)
	var out []place
	for i := range edges {
		e := &edges[i]
		if e.From != p.symbol || e.Kind != record.EdgeExtends {
			continue
		}
		for _, t := range l.resolve(g, e) {
			if t.Probability >= 0.5 && (t.Path != p.path || t.Symbol != p.symbol) && len(out) < maxOverrides {
				out = append(out, place{t.Path, t.Symbol})
			}
		}
	}
	for _, t := range l.q.Interfaces(p.path, p.symbol) {
		if len(out) < maxOverrides {
			out = append(out, place{t.Path, t.Symbol})
		}
	}
	return out
}

// member returns the member of a type that has a name, in the file of the type or
// as the language finds it.
func (c *candidates) member(t place, name string) (place, bool) {
	g := c.q.Graph(t.path)
	if t.symbol >= len(g.Symbols) {
		return place{}, false
	}
	for i := range g.Symbols {
		if s := &g.Symbols[i]; s.Name == name && s.Parent == t.symbol {
			return place{t.path, i}, true
		}
	}
	for _, m := range c.resolve(g, &record.Edge{From: -1, Name: name, Receiver: g.Symbols[t.symbol].Name, Kind: record.EdgeCalls, Count: 1}) {
		if m.Probability >= sureMember && c.q.Graph(m.Path).Symbols[m.Symbol].Container != "" {
			return place{m.Path, m.Symbol}, true
		}
	}
	return place{}, false
}

// sureMember is the least probability of a member that a rule of the language finds, such
// as in an embedded type; lower ones are guesses.
const sureMember = 0.8
