package retrieve

import (
	"context"
	"math"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// maxSharedName is the number of definitions above which a name says little of
// where the answer is: no more are looked at.
const maxSharedName = 64

// byDefinition gives weight to files that define a name of the question.
func (r *ranking) byDefinition(ctx context.Context) {
	for _, n := range r.q.names {
		defs := r.ix.Names.Definitions(n.text)
		if len(defs) > maxSharedName {
			defs = defs[:maxSharedName]
		}
		for _, d := range defs {
			if r.asked.Kind != "" && d.Kind != r.asked.Kind || !r.wantsFile(ctx, d.Path) {
				continue
			}
			w := n.sure * kindWeight(d.Kind) / (1 + math.Log2(float64(len(defs)))/4)
			if !d.Exported {
				w *= weights.Hidden
			}
			r.define(ctx, d, w)
		}
	}
}

// define gives weight to the chunk of a definition, or adds one made of the symbol.
func (r *ranking) define(ctx context.Context, d graph.Definition, w float64) {
	f := r.file(d.Path)
	f.definition = max(f.definition, w)
	g, err := r.ix.Files.Graph(ctx, d.Path)
	if err != nil || d.Symbol >= len(g.Symbols) {
		return
	}
	s := &g.Symbols[d.Symbol]
	for _, sp := range f.spots {
		if !sp.chunk.Beside && sp.chunk.Span.Start <= s.NameSpan.Start && s.NameSpan.Start < sp.chunk.Span.End {
			if w > sp.definition {
				sp.definition, sp.symbol = w, s
			}
			return
		}
	}
	f.spots = append(f.spots, &spot{definition: w, symbol: s, chunk: record.Chunk{ID: record.NewChunkID(d.Path, s.Qualified, "", 0), Path: d.Path, Language: g.Language, Kind: s.Kind,
		Name: s.Name, Unit: s.Qualified, Signature: s.Signature, Span: s.Span, Lines: s.Lines}})
}

// kindWeight tells how much a definition of a kind is what people look for.
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
