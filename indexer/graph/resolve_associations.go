package graph

import (
	"slices"

	"ambit/vectors/record"
)

// Inherited is an edge of a symbol that a base of its class declares.
type Inherited struct {
	Graph *record.FileGraph // of the file in whose names the edge is resolved
	Edge  record.Edge
}

// maxAssociations bounds the associations that a query takes from the mixins of one model.
const maxAssociations = 64

// InheritedAssociations returns the associations that the mixins of a model declare for it.
func (q *Query) InheritedAssociations(g *record.FileGraph, model int) (out []Inherited) {
	at, ok := q.v.find(g.Path)
	if !ok || model >= len(g.Symbols) || g.Symbols[model].Role != record.KindModel {
		return nil
	}
	q.putNew(g)
	for _, b := range q.basesOfType(at, model).things {
		if s := q.symbol(b); s == nil || s.Role != record.KindMixin || b.prob < leastBase {
			continue
		}
		path := q.v.file(b.at).path
		edges := q.Edges(path)
		first, _ := slices.BinarySearchFunc(edges, b.symbol, func(e record.Edge, symbol int) int { return e.From - symbol })
		for i := first; i < len(edges) && edges[i].From == b.symbol && len(out) < maxAssociations; i++ {
			if edges[i].Kind == record.EdgeAssociates {
				out = append(out, Inherited{q.Graph(path), edges[i]})
			}
		}
	}
	return out
}
