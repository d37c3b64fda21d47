package retrieve

import (
	"math"
	"slices"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// maxSharedName bounds the definitions of one name: a name with more does not lead to the
// answer.
const maxSharedName = 64

// defined is a definition of a name of the question, with how much it counts.
type defined struct {
	place
	worth float64
}

// lookForDefinitions returns the definitions of the names of the question.
func (r *ranking) lookForDefinitions() (found []defined) {
	add := func(p place, worth float64) {
		g := r.q.Graph(p.path)
		if p.symbol < len(g.Symbols) && (r.filter.Kind == "" || g.Symbols[p.symbol].Is(r.filter.Kind)) {
			found = append(found, defined{p, worth})
		}
	}
	for _, m := range r.question.members {
		for _, d := range r.definitions(m.of) {
			if p, ok := r.member(place{d.Path, d.Symbol}, m.name); ok && r.wantsFile(p.path) {
				r.question.one = r.question.one || len(r.question.words) == 2
				add(p, m.sure)
			}
		}
	}
	for _, n := range r.question.names {
		defs := r.definitions(n.text)
		for _, d := range defs {
			if !r.wantsFile(d.Path) {
				continue
			}
			w := n.sure * kindWeight(d.Kind) / (1 + math.Log2(float64(len(defs)))/4)
			if !d.Exported {
				w *= r.weights.Hidden
			}
			add(place{d.Path, d.Symbol}, w)
		}
	}
	return found
}

// byDefinition scores the files that define a name of the question.
func (r *ranking) byDefinition(lists *hitLists) {
	for _, d := range lists.definitions {
		r.define(d)
	}
}

// definitions returns the definitions of a name in the files that the filter keeps.
func (r *ranking) definitions(name string) []graph.Definition {
	defs := r.ix.Names.Definitions(name)
	if r.filter.Path != nil {
		defs = slices.DeleteFunc(slices.Clone(defs), func(d graph.Definition) bool { return !r.filter.Path(d.Path) })
	}
	return defs[:min(len(defs), maxSharedName)]
}

// define scores the chunk of a definition, or adds a spot for the symbol.
func (r *ranking) define(d defined) {
	g, w := r.q.Graph(d.path), d.worth
	s := &g.Symbols[d.symbol]
	f := r.hits[d.path]
	if f == nil {
		if r.filter.documents() {
			return // without its chunks the front matter of the document is unknown
		}
		f = r.file(d.path)
	}
	f.definition = max(f.definition, w)
	for _, sp := range f.spots {
		if !sp.chunk.IsSummary && sp.chunk.Covers(s.NameSpan.Start) {
			if w > sp.definition {
				sp.definition, sp.symbol = w, s
			}
			return
		}
	}
	if r.filter.documents() {
		return
	}
	f.spots = append(f.spots, &spot{definition: w, symbol: s, chunk: record.Chunk{ID: graph.ID(g, d.symbol), Path: d.path, Language: g.Language, Kind: s.Kind,
		Name: s.Name, Unit: s.Qualified, Signature: s.Signature, Span: s.Span, Lines: s.Lines}})
}

// kindWeight returns how likely users look for a definition of a kind.
func kindWeight(k record.Kind) float64 {
	switch k {
	case record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindModule, record.KindType:
		return 1
	case record.KindFunction, record.KindMacro, record.KindMethod:
		return 0.85
	case record.KindConstant, record.KindVariable:
		return 0.6
	case record.KindField, record.KindTest, record.KindSection:
		return 0.3
	}
	return 0.5
}
