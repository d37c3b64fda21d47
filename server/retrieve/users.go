package retrieve

import (
	"slices"

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
	if graph.ImplicitInterfaces(g.Language) && self.Kind == record.KindInterface {
		for _, t := range l.implementers(s.place) {
			l.addSymbol(t.path, t.symbol, RoleUsedBy, signal("implements", s.sure*worthOverride))
		}
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

// subtypes returns the types that name one as their base. In languages with implicit
// interfaces it returns the types that have the methods of an interface.
func (l *lookup) subtypes(p place) []place {
	g := l.q.Graph(p.path)
	self := &g.Symbols[p.symbol]
	if graph.ImplicitInterfaces(g.Language) {
		if self.Kind == record.KindInterface {
			return l.implementers(p)
		}
		return nil
	}
	var out []place
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

// bases returns the types that a type extends or implements by name.
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

// maxImplementing bounds the definitions of the rarest method of an interface: types
// have a method as common as String by chance.
const maxImplementing = 48

// implementers returns the types that have every method of an implicit interface. It
// starts from the definitions of the rarest method.
func (l *lookup) implementers(p place) []place {
	g := l.q.Graph(p.path)
	var methods []string
	var rarest []graph.Definition
	for i := range g.Symbols {
		if m := &g.Symbols[i]; m.Parent == p.symbol && languages.IsCallable(m.Kind) {
			methods = append(methods, m.Name)
			if defs := l.ix.Names.Definitions(m.Name); rarest == nil || len(defs) < len(rarest) {
				rarest = defs
			}
		}
	}
	if len(rarest) > maxImplementing {
		return nil
	}
	var out []place
	for _, d := range rarest {
		dg := l.q.Graph(d.Path)
		if d.Test || d.Symbol >= len(dg.Symbols) || d.Path == p.path && dg.Symbols[d.Symbol].Parent == p.symbol {
			continue
		}
		t, ok := l.container(place{d.Path, d.Symbol})
		if !ok || !l.wants(t.path) || len(out) == maxOverrides || l.q.Graph(t.path).Symbols[t.symbol].Kind == record.KindInterface {
			continue
		}
		lacks := func(method string) bool {
			_, ok := l.member(t, method)
			return !ok
		}
		if !slices.ContainsFunc(methods, lacks) {
			out = append(out, t)
		}
	}
	return out
}
