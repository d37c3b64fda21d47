package graph

import (
	"slices"

	"ambit/vectors/record"
)

const (
	maxFiltered  = 64  // classes and mixins whose filters a query looks up for one action
	leastBase    = 0.4 // the probability of a base whose filters count: two equally likely ones do not
	maxInherited = 32  // filters of one action
)

// InheritedFilters returns a call from an action to each method that a base of its class, or a
// mixin of one, runs around it. The edges of the file have the filters of the class itself.
func (q *Query) InheritedFilters(g *record.FileGraph, action int) (out []Inherited) {
	at, ok := q.v.find(g.Path)
	if !ok || action >= len(g.Symbols) || g.Symbols[action].Role != record.KindAction || g.Symbols[action].Parent < 0 {
		return nil
	}
	q.putNew(g)
	s := &g.Symbols[action]
	w := filterWalk{q: q, member: s.Name, class: typeKey{at, s.Parent}, seen: map[typeKey]bool{}}
	w.walk(thing{at: at, symbol: s.Parent, prob: sureProbability})
	for _, r := range w.running {
		if r.own {
			continue
		}
		for _, name := range r.Methods {
			known := slices.ContainsFunc(out, func(i Inherited) bool { return i.Edge.Name == name })
			if !known && name != s.Name && len(out) < maxInherited {
				out = append(out, Inherited{g, record.Edge{From: action, Name: name, Receiver: s.Container, Kind: record.EdgeCalls, Count: 1, Lines: []int{s.NameLine}}})
			}
		}
	}
	return out
}

// filterWalk collects the filters that run around a member of a class, those of the bases
// first.
type filterWalk struct {
	q       *Query
	member  string
	class   typeKey
	seen    map[typeKey]bool
	running []runningFilter
}

// runningFilter is a filter that no class has skipped so far.
type runningFilter struct {
	record.Filter
	own bool // the class of the member declares it
}

// walk applies the filters of the bases of a type, then its own.
func (w *filterWalk) walk(t thing) {
	key := typeKey{t.at, t.symbol}
	if w.seen[key] || len(w.seen) == maxFiltered {
		return
	}
	w.seen[key] = true
	for _, b := range w.q.basesOfType(t.at, t.symbol).things {
		if b.symbol >= 0 && b.prob >= leastBase {
			w.walk(b)
		}
	}
	for _, part := range append([]thing{t}, w.q.parts(t)...) {
		filters := w.q.place(part.at).Filters
		for i := range filters {
			if f := &filters[i]; f.Class == part.symbol && f.Covers(w.member) {
				w.apply(f, key == w.class)
			}
		}
	}
}

// apply adds a filter, or removes the methods that it skips from the filters before it.
func (w *filterWalk) apply(f *record.Filter, own bool) {
	if !f.Skip {
		w.running = append(w.running, runningFilter{*f, own})
		return
	}
	skipped := func(name string) bool { return slices.Contains(f.Names, name) }
	kept := w.running[:0]
	for _, r := range w.running {
		if slices.ContainsFunc(r.Names, skipped) {
			r.Names = slices.DeleteFunc(slices.Clone(r.Names), skipped)
			r.Methods = slices.DeleteFunc(slices.Clone(r.Methods), skipped)
			if len(r.Names) == 0 { // its conditions alone run nothing
				continue
			}
		}
		kept = append(kept, r)
	}
	w.running = kept
}
