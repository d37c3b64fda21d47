package graph

import (
	"slices"

	"ambit/vectors/record"
)

// maxBases bounds the length of a chain of bases.
const maxBases = 16

// climbing identifies a search for a name in the bases of a type.
type climbing struct {
	ref
	symbol int
	name   string
}

// climb looks a name up in the bases of a type that does not declare it. Many paths can lead
// from a type to a base: a search enters each type once.
func (q *Query) climb(at place, t thing, name string, depth int) answer {
	key := climbing{t.at, t.symbol, name}
	if outside, ok := q.climbed[key]; ok {
		return answer{outside: outside}
	}
	if len(q.climbed) == 0 {
		defer clear(q.climbed)
	}
	q.climbed[key] = false
	bases := q.bases(answer{things: []thing{t}})
	out := answer{outside: bases.outside}
	for _, b := range bases.things {
		a := q.members(at, answer{things: []thing{b}}, name, depth+1)
		out.outside = out.outside || a.outside
		if len(a.things) > 0 {
			delete(q.climbed, key)
			return a
		}
	}
	if out.things = at.lang().extensions(q, at, t, name); len(out.things) > 0 {
		delete(q.climbed, key)
		return out
	}
	q.climbed[key] = out.outside
	return out
}

// bases returns the base types of some types, in their order.
func (q *Query) bases(of answer) answer {
	out := answer{outside: of.outside}
	for _, t := range of.things {
		if q.symbol(t) == nil {
			continue
		}
		b := q.basesOfType(t.at, t.symbol)
		out.outside = out.outside || b.outside
		for _, n := range b.things {
			n.prob *= t.prob
			out.things = append(out.things, n)
		}
	}
	return out
}

// maxNested bounds the types whose bases a query looks up to find the bases of one.
const maxNested = 32

// basesOfType returns the base types of one type. The query remembers them, because most
// searches for members ask for them.
func (q *Query) basesOfType(r ref, symbol int) answer {
	key := typeKey{r, symbol}
	if a, ok := q.based[key]; ok || q.nested == maxNested {
		q.wanted.add(q.basesWant[key])
		return a
	}
	q.based[key] = answer{} // for a type that is its own base
	if outer := q.wanted; outer != nil {
		q.basesWant[key] = q.Wants()
		defer func() {
			q.wanted = outer
			outer.add(q.basesWant[key])
		}()
	}
	entered, climbed := q.entered, q.climbed
	q.entered, q.climbed = map[passing]bool{}, map[climbing]bool{}
	q.nested++
	t := thing{at: r, symbol: symbol, prob: sureProbability}
	var out answer
	for _, part := range append([]thing{t}, q.parts(t)...) {
		q.basesOf(&out, t, part, 0)
	}
	q.nested--
	q.entered, q.climbed = entered, climbed
	q.based[key] = out
	return out
}

// typeKey identifies a type.
type typeKey struct {
	ref
	symbol int
}

// basesOf adds the bases of one part of a type.
func (q *Query) basesOf(out *answer, t, part thing, depth int) {
	at, s := q.place(part.at), q.symbol(part)
	if at.lang().mixesLate && isGem(q.v.file(part.at)) {
		return
	}
	bases := s.Bases
	if s.Kind == record.KindType && s.Type != "" {
		bases = append(slices.Clone(bases), s.Type)
	}
	for _, base := range bases {
		if base == s.Name {
			continue
		}
		b := q.path(at, s.Parent, base, depth+1)
		out.outside = out.outside || b.outside || len(b.things) == 0
		for _, n := range b.things {
			if n.symbol == t.symbol && n.at == t.at {
				continue
			}
			n.prob *= t.prob * basedProbability
			out.things = append(out.things, n)
		}
	}
}

// maxParts bounds the declarations of one type.
const maxParts = 32

// parts returns the other declarations of a type, in languages in which a type can have
// several.
func (q *Query) parts(t thing) []thing {
	at := q.place(t.at)
	isPart := at.lang().isPart
	if isPart == nil {
		return nil
	}
	var out []thing
	s, own := &at.Symbols[t.symbol], q.v.file(at.ref)
	q.v.eachReached(at.lang().members, own, s.Name, func(r ref, d def) bool {
		part := thing{at: r, symbol: int(d.symbol), prob: t.prob}
		other := r != t.at || part.symbol != t.symbol
		if other && isPart(kinds[d.kind], s.Kind) && at.sees(q.v.file(r)) && q.symbol(part) != nil {
			out = append(out, part)
		}
		return len(out) < maxParts
	})
	return out
}
