package graph

import (
	"cmp"
	"maps"
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// The bounds of a search for types and interfaces that fit each other.
const (
	// maxImplementing bounds the definitions of the rarest method of an interface: types
	// have a method as common as String by chance.
	maxImplementing = 48
	// maxFitting bounds the result.
	maxFitting = 24
	// maxMethods bounds the methods of one type.
	maxMethods = 200
	// sureMember is the least probability of a member that a rule of the language finds, such
	// as in an embedded type; lower ones are guesses.
	sureMember = 0.8
)

// Implementers returns the types that have every method of an interface, in a language in
// which a type implements an interface without naming it. It starts from the definitions of
// the rarest method, and goes on to the types that embed such a type.
func (q *Query) Implementers(p record.Path, symbol int) []Target {
	at, ok := q.placeOf(p, symbol)
	if !ok {
		return nil
	}
	return q.targetsOf(q.implementersOf(thing{at: at.ref, symbol: symbol}))
}

func (q *Query) implementersOf(iface thing) []thing {
	if q.symbol(iface).Kind != record.KindInterface || !q.place(iface.at).lang().implicitTypes {
		return nil
	}
	methods := q.interfaceMethods(iface, 0)
	var rarest []Definition
	for i, m := range methods {
		if defs := q.v.Definitions(q.symbol(m).Name); i == 0 || len(defs) < len(rarest) {
			rarest = defs
		}
	}
	if len(rarest) > maxImplementing {
		return nil
	}
	var types []thing
	for _, d := range rarest {
		r, ok := q.v.find(d.Path)
		s := q.symbol(thing{at: r, symbol: d.Symbol})
		if !ok || d.Test || s == nil || s.Container == "" || !languages.IsCallable(s.Kind) {
			continue
		}
		for _, t := range q.plain(q.place(r), -1, s.Container, 0).things {
			types = q.addFitting(types, t, methods)
		}
	}
	for i := 0; i < len(types) && len(types) < maxFitting; i++ {
		for _, e := range q.embedders(types[i]) {
			types = q.addFitting(types, e, methods)
		}
	}
	return types
}

// addFitting adds a type that has all of the methods, once.
func (q *Query) addFitting(types []thing, t thing, methods []thing) []thing {
	s := q.symbol(t)
	if s == nil || s.Kind == record.KindInterface || !languages.IsType(s.Kind) || contains(types, t) || len(types) == maxFitting || !q.fits(t, methods) {
		return types
	}
	return append(types, t)
}

// fits reports whether a type has all of some methods of interfaces.
func (q *Query) fits(t thing, methods []thing) bool {
	t.prob = sureProbability
	for _, m := range methods {
		want := q.symbol(m)
		has := slices.ContainsFunc(q.member(t, want.Name, 0).things, func(o thing) bool {
			s := q.symbol(o)
			return s != nil && o.prob >= sureMember && languages.IsCallable(s.Kind) && q.place(o.at).lang().sameShape(s, want)
		})
		if !has {
			return false
		}
	}
	return len(methods) > 0
}

// interfaceMethods returns the methods of an interface and of those that it embeds. It is nil
// when another module declares an embedded one, whose methods are unknown.
func (q *Query) interfaceMethods(t thing, depth int) []thing {
	at := q.place(t.at)
	var out []thing
	for i := t.symbol + 1; i < len(at.Symbols) && at.Symbols[i].Span.Start < at.Symbols[t.symbol].Span.End && len(out) < maxMethods; i++ {
		if at.Symbols[i].Parent == t.symbol && languages.IsCallable(at.Symbols[i].Kind) {
			out = append(out, thing{at: t.at, symbol: i})
		}
	}
	bases := q.basesOfType(t.at, t.symbol)
	if bases.outside || depth > maxDepth {
		return nil
	}
	for _, b := range bases.things {
		more := q.interfaceMethods(b, depth+1)
		if more == nil {
			return nil
		}
		out = append(out, more...)
	}
	return out
}

// embedders returns the types that embed a type.
func (q *Query) embedders(t thing) []thing {
	s := q.symbol(t)
	var out []thing
	for _, u := range q.Users(q.v.file(t.at).path, t.symbol) {
		r, ok := q.v.find(u.Path)
		y := q.symbol(thing{at: r, symbol: u.Symbol})
		if ok && y != nil && slices.ContainsFunc(y.Bases, func(b string) bool { return sameLast(b, s.Name) }) {
			out = append(out, thing{at: r, symbol: u.Symbol})
		}
	}
	return out
}

// Interfaces returns the interfaces that a type implements without naming them, the ones with
// most methods first.
func (q *Query) Interfaces(p record.Path, symbol int) []Target {
	at, ok := q.placeOf(p, symbol)
	if !ok {
		return nil
	}
	return q.targetsOf(q.interfacesOf(thing{at: at.ref, symbol: symbol}))
}

func (q *Query) interfacesOf(t thing) (out []thing) {
	at, kind := q.place(t.at), q.symbol(t).Kind
	if !at.lang().implicitTypes || kind == record.KindInterface || !languages.IsType(kind) {
		return nil
	}
	type fitting struct {
		thing
		methods int
	}
	var found []fitting
	tried := map[typeKey]bool{}
	for _, name := range slices.Sorted(maps.Keys(q.methodNames(t, 0))) { // in one order, because of the bound
		q.v.eachDef(name, func(r ref, d def) bool {
			if d.flags&flagBodiless == 0 || d.container == 0 || kinds[d.kind] != record.KindMethod || q.v.file(r).test && !at.Test {
				return true
			}
			s := q.symbol(thing{at: r, symbol: int(d.symbol)})
			if s == nil || s.Parent < 0 || tried[typeKey{r, s.Parent}] {
				return true
			}
			tried[typeKey{r, s.Parent}] = true
			i := thing{at: r, symbol: s.Parent, prob: sureProbability}
			if methods := q.interfaceMethods(i, 0); q.symbol(i).Kind == record.KindInterface && q.fits(t, methods) {
				found = append(found, fitting{i, len(methods)})
			}
			return len(tried) < maxImplementing
		})
	}
	slices.SortFunc(found, func(a, b fitting) int {
		return cmp.Or(cmp.Compare(b.methods, a.methods), cmp.Compare(q.v.file(a.at).path, q.v.file(b.at).path), cmp.Compare(a.symbol, b.symbol))
	})
	for _, f := range found[:min(len(found), maxFitting)] {
		out = append(out, f.thing)
	}
	return out
}

// methodNames returns the names of the methods of a type, and of the types that it embeds.
func (q *Query) methodNames(t thing, depth int) map[string]bool {
	names := map[string]bool{}
	s, own := q.symbol(t), q.v.file(t.at)
	files := []ref{t.at}
	if q.place(t.at).lang().members == ownDirectory {
		files = q.v.inDir(dirOf(string(own.path)))
	}
	for _, r := range files[:min(len(files), maxModuleFiles)] {
		if q.v.file(r).test && !own.test {
			continue
		}
		for i := range q.place(r).Symbols {
			if m := &q.place(r).Symbols[i]; m.Container == s.Name && languages.IsCallable(m.Kind) && len(names) < maxMethods {
				names[m.Name] = true
			}
		}
	}
	for _, b := range q.basesOfType(t.at, t.symbol).things {
		if depth > maxDepth {
			break
		}
		for n := range q.methodNames(b, depth+1) {
			names[n] = true
		}
	}
	return names
}

// placeOf returns the file of a symbol.
func (q *Query) placeOf(p record.Path, symbol int) (place, bool) {
	r, ok := q.v.find(p)
	if !ok {
		return place{}, false
	}
	at := q.place(r)
	return at, symbol >= 0 && symbol < len(at.Symbols)
}

// targetsOf returns things as targets, in their order.
func (q *Query) targetsOf(things []thing) []Target {
	var out []Target
	for _, t := range things {
		if p := q.v.file(t.at).path; q.keep == nil || q.keep(p) {
			out = append(out, Target{p, t.symbol, sureProbability})
		}
	}
	return out
}
