package graph

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The bounds of a search for members that override each other.
const (
	maxOverriding = 24 // bounds the result
	maxSubtypes   = 48 // bounds the types that the search goes through
	// sureBase is the least probability of a base: a guess between two types is none.
	sureBase = 0.55
)

// IsInterface reports whether a symbol of a file declares what its subtypes have to define: an
// interface, a trait, a protocol, or a class that serves as one.
func IsInterface(g *record.FileGraph, symbol int) bool {
	s := &g.Symbols[symbol]
	return s.Kind == record.KindInterface || slices.ContainsFunc(s.Bases, func(b string) bool {
		_, last := languages.CutLast(b)
		return slices.Contains(languageOf(g.Language).interfaces, last)
	})
}

// IsImplemented reports whether a member has to be defined by another type: it has no body, or
// an interface declares it.
func IsImplemented(g *record.FileGraph, symbol int) bool {
	s := &g.Symbols[symbol]
	return s.Body.End <= s.Body.Start || s.Parent >= 0 && IsInterface(g, s.Parent)
}

// Overridden returns the members of other types that a member overrides or implements, those
// of the nearest types first.
func (q *Query) Overridden(p record.Path, symbol int) []Target {
	self, types := q.overridable(p, symbol)
	var out []thing
	for i := 0; i < len(types) && i < maxBases; i++ {
		for _, b := range q.supertypesOf(types[i]) {
			if !contains(types, b) {
				types = append(types, b)
				out = append(out, q.likeMember(b, self)...)
			}
		}
	}
	return q.targetsOf(out)
}

// Overriding returns the members of other types that override or implement a member, those of
// the nearest types first, at most maxOverriding of them.
func (q *Query) Overriding(p record.Path, symbol int) []Target {
	self, types := q.overridable(p, symbol)
	var out []thing
	for i := 0; i < len(types) && len(types) < maxSubtypes; i++ {
		for _, t := range q.subtypesOf(types[i]) {
			if contains(types, t) || len(types) >= maxSubtypes {
				continue
			}
			types = append(types, t)
			for _, m := range q.likeMember(t, self) {
				if m.at != self.at || m.symbol != symbol {
					out = addOnce(out, m)
				}
			}
			if len(out) >= maxOverriding {
				return q.targetsOf(out)
			}
		}
	}
	return q.targetsOf(out)
}

// overridable returns a member that can override and be overridden, and the types that it
// is a member of; none for any other symbol.
func (q *Query) overridable(p record.Path, symbol int) (self thing, types []thing) {
	at, ok := q.placeOf(p, symbol)
	if !ok || !at.lang().overrides(&at.Symbols[symbol]) {
		return thing{}, nil
	}
	self = thing{at: at.ref, symbol: symbol, prob: sureProbability}
	return self, q.typesOf(self)
}

func contains(things []thing, t thing) bool {
	return slices.ContainsFunc(things, func(o thing) bool { return o.at == t.at && o.symbol == t.symbol })
}

// addOnce adds a thing, once.
func addOnce(things []thing, t thing) []thing {
	if contains(things, t) {
		return things
	}
	return append(things, t)
}

// typesOf returns the types that a symbol is a member of: the type around it, or the one
// that it names.
func (q *Query) typesOf(member thing) []thing {
	at, s := q.place(member.at), q.symbol(member)
	for i := s.Parent; i >= 0; i = at.Symbols[i].Parent {
		if isBase(at.Symbols[i].Kind) {
			return []thing{{at: member.at, symbol: i, prob: sureProbability}}
		}
		if languages.IsCallable(at.Symbols[i].Kind) {
			return nil // a function in a function
		}
	}
	if s.Container == "" {
		return nil
	}
	var out []thing
	for _, t := range q.path(at, s.Parent, s.Container, 0).things {
		if c := q.symbol(t); c != nil && isBase(c.Kind) && t.prob >= sureBase {
			out = append(out, t)
		}
	}
	return out
}

// isBase reports whether a symbol of a kind has members that others inherit.
func isBase(k record.Kind) bool { return languages.IsType(k) || k == record.KindModule }

// supertypesOf returns the direct bases of a type, and the interfaces that it implements
// without naming them.
func (q *Query) supertypesOf(t thing) (out []thing) {
	at, s := q.place(t.at), q.symbol(t)
	if at.lang().implicitTypes {
		return q.interfacesOf(t)
	}
	var bases answer
	switch {
	case s.Kind != record.KindImpl:
		bases = q.basesOfType(t.at, t.symbol)
	case len(s.Bases) > 0 || at.lang().boundTypes:
		q.basesOf(&bases, t, t, 0) // the block belongs to the interface that it names
	default:
		bases = q.bases(q.plain(at, s.Parent, s.Name, 0))
	}
	for _, b := range bases.things {
		if c := q.symbol(b); c != nil && isBase(c.Kind) && b.prob >= sureBase {
			out = append(out, b)
		}
	}
	return out
}

// subtypesOf returns the types that name a type as a base, the nearest first, or that have all
// methods of an interface that they need not name.
func (q *Query) subtypesOf(t thing) (out []thing) {
	s, own := q.symbol(t), q.v.file(t.at)
	if languageOf(own.language).implicitTypes {
		return q.implementersOf(t)
	}
	files := q.nearestFirst(slices.Collect(q.v.eachUser(s.Name)), own.path)
	for _, r := range files[:min(len(files), maxUserFiles)] {
		symbols := q.graphTo(q.v.file(r).path, s.Name).Symbols
		for i := range symbols {
			sub := thing{at: r, symbol: i, prob: sureProbability}
			names := slices.ContainsFunc(symbols[i].Bases, func(b string) bool { return sameLast(b, s.Name) })
			if names && isBase(symbols[i].Kind) && contains(q.supertypesOf(sub), t) {
				out = append(out, sub)
			}
		}
		if len(out) >= maxSubtypes || q.ctx.Err() != nil {
			break
		}
	}
	return out
}

// Blocks returns the blocks that add members to a type from outside of it, such as the impls of
// a struct, those of its own file first.
func (q *Query) Blocks(p record.Path, symbol int) []Target {
	at, ok := q.placeOf(p, symbol)
	if !ok || at.lang().isPart == nil || !languages.IsType(at.Symbols[symbol].Kind) || at.Symbols[symbol].Kind == record.KindImpl {
		return nil
	}
	self := thing{at: at.ref, symbol: symbol, prob: sureProbability}
	var own, others []thing
	for _, b := range q.parts(self) {
		s, in := q.symbol(b), q.place(b.at)
		if s.Kind != record.KindImpl || !contains(q.plain(in, s.Parent, s.Name, 0).things, self) {
			continue
		}
		if b.at == at.ref {
			own = append(own, b)
		} else {
			others = append(others, b)
		}
	}
	return q.targetsOf(append(own, others...))
}

// likeMember returns the members of a type, without those that it inherits, that can override
// a member or be overridden by it.
func (q *Query) likeMember(t, member thing) (out []thing) {
	at, m := q.place(t.at), q.symbol(member)
	things := q.declaredMembers(t, m.Name)
	if at.lang().implicitTypes {
		things = q.member(t, m.Name, 0).things // an embedded type implements an interface, too
	}
	for _, o := range things {
		s := q.symbol(o)
		if s == nil || !at.lang().overrides(s) || q.symbol(t).Kind == record.KindImpl && s.Parent != t.symbol {
			continue
		}
		if lang := at.lang(); lang.sameShape(s, m) && (!lang.overloads || q.sameParameters(o, member)) {
			out = append(out, o)
		}
	}
	return out
}

// overrides reports whether a symbol can override others and be overridden: a method that is
// neither private nor, where methods differ by their parameters, static.
func (l *language) overrides(s *record.Symbol) bool {
	modifiers, _, _ := strings.Cut(s.Signature, s.Name)
	words := strings.Fields(modifiers)
	return languages.IsCallable(s.Kind) && !slices.Contains(words, "private") && !(l.overloads && slices.Contains(words, "static"))
}

// sameParameters reports whether two methods have the same parameters, as far as their
// signatures say: as many of them and, where calls tell methods apart by types, of the same
// types. A type parameter is any type.
func (q *Query) sameParameters(a, b thing) bool {
	x, y := q.symbol(a), q.symbol(b)
	n, m := languages.ParameterCount(x.Signature, x.Name), languages.ParameterCount(y.Signature, y.Name)
	if n < 0 || m < 0 || n != m {
		return n < 0 || m < 0
	}
	types, ok := languages.Parameters(x.Signature, x.Name)
	others, known := languages.Parameters(y.Signature, y.Name)
	if q.place(a.at).lang().calls == nil || !ok || !known {
		return true
	}
	variables, of := q.typeVariables(q.place(a.at), a.symbol), q.typeVariables(q.place(b.at), b.symbol)
	for i := range types {
		_, anyType := variables[strings.TrimRight(types[i], "[].")]
		_, anyOther := of[strings.TrimRight(others[i], "[].")]
		if types[i] != others[i] && !anyType && !anyOther {
			return false
		}
	}
	return true
}
