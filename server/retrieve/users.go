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
	uses := l.testsInOrder(s, l.q.Users(s.path, s.symbol))
	if l.away {
		uses = slices.DeleteFunc(uses, func(u graph.Use) bool { return u.Probability < leastExternal })
	}
	inUnit := map[record.Path]bool{}
	for _, u := range uses {
		inUnit[u.Path] = inUnit[u.Path] || u.Symbol >= 0
	}
	n := map[Role]int{}
	for _, u := range uses {
		g := l.q.Graph(u.Path)
		if u.Symbol < 0 && inUnit[u.Path] || u.Path == s.path && u.Symbol >= 0 && inside(g, u.Symbol, s.symbol) {
			continue // an import for a unit of the same file, or the symbol itself
		}
		role, worth := roleOf(g, u)
		kind := implementing(g, u.Symbol, u.Kind, l.q.Graph(s.path), s.symbol)
		if n[role]++; n[role] > mostOf(role) {
			continue
		}
		if u.Symbol < 0 && role == RoleUsedBy {
			worth *= topOfFile
		}
		// Users after the tenth count less and less: candidates of other roles help more.
		worth *= s.sure * u.Probability / (1 + max(0, float64(n[role]-10))/4)
		if role == RoleTest {
			worth *= 1 - nextTest*float64(n[role]-1)
		}
		c := l.addSymbol(u.Path, u.Symbol, role, signal(string(role), worth), u.Lines...)
		if c != nil && (c.UsedBy == "" || worthOf(kind) > worthOf(c.UsedBy)) {
			c.UsedBy = kind
		}
		if c != nil && role == RoleUsedBy {
			l.depend(c.Unit.Identifier, name, kind, u.Count, u.Probability)
		}
	}
	if n[RoleTest] == 0 && !l.away {
		l.namedTests(s)
	}
}

// implementing returns the kind of an edge: a type that names an interface as its base
// implements it, but an interface extends another one.
func implementing(from *record.FileGraph, user int, k record.EdgeKind, to *record.FileGraph, used int) record.EdgeKind {
	if k == record.EdgeExtends && user >= 0 && graph.IsInterface(to, used) && from.Symbols[user].Kind != record.KindInterface {
		return record.EdgeImplements
	}
	return k
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

// overrides adds the implementers of an interface, the interfaces of a type, the blocks with
// members of a type, the members that override a member, those that it overrides, and those
// that override the same ones.
func (l *lookup) overrides(s subject) {
	for _, t := range l.q.Implementers(s.path, s.symbol) {
		l.implements(place{t.Path, t.Symbol}, s.place, RoleUsedBy, s.sure)
	}
	for _, t := range l.q.Interfaces(s.path, s.symbol) {
		l.implements(s.place, place{t.Path, t.Symbol}, RoleUses, s.sure)
	}
	for i, t := range l.q.Blocks(s.path, s.symbol) {
		if i < maxBlocks {
			l.addSymbol(t.Path, t.Symbol, RoleUses, signal("adds members", s.sure*worthBlock))
		}
	}
	below := "overrides"
	if graph.IsImplemented(l.q.Graph(s.path), s.symbol) {
		below = "implements"
	}
	for _, m := range l.others(l.q.Overriding(s.path, s.symbol), s) {
		role := RoleUsedBy
		if mg := l.q.Graph(m.path); mg.Test || mg.Symbols[m.symbol].Test {
			role = RoleTest
		}
		l.addSymbol(m.path, m.symbol, role, signal(below, s.sure*worthOverride))
	}
	for _, base := range l.others(l.q.Overridden(s.path, s.symbol), s) {
		above := "overridden"
		if graph.IsImplemented(l.q.Graph(base.path), base.symbol) {
			above = "implements"
		}
		l.addSymbol(base.path, base.symbol, RoleUses, signal(above, s.sure*worthOverride))
		l.peers(s, base)
	}
}

// peers adds the members of other types that override the same member as the subject, outside
// of tests. A constructor has none: each makes another type.
func (l *lookup) peers(s subject, base place) {
	g := l.q.Graph(s.path)
	if p := g.Symbols[s.symbol].Parent; p >= 0 && slices.Contains(graph.Constructors(g, p), s.symbol) {
		return
	}
	n := 0
	for _, m := range l.others(l.q.Overriding(base.path, base.symbol), s) {
		if mg := l.q.Graph(m.path); n == maxPeers || mg.Test || mg.Symbols[m.symbol].Test {
			continue
		}
		n++
		if c := l.addSymbol(m.path, m.symbol, RoleSibling, signal("same interface", s.sure*worthPeer)); c != nil && c.Role == RoleSibling {
			c.Glance = true
		}
	}
}

// others returns the places of targets that are not the subject, at most maxOverrides.
func (l *lookup) others(targets []graph.Target, s subject) (out []place) {
	for _, t := range targets {
		p := place{t.Path, t.Symbol}
		if p != s.place && t.Symbol < len(l.q.Graph(t.Path).Symbols) && len(out) < maxOverrides {
			out = append(out, p)
		}
	}
	return out
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
