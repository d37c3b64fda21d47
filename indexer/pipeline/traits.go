package pipeline

import (
	"cmp"
	"encoding/binary"
	"slices"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// traitsOf returns the traits that searches filter the chunks of a record by, nil when it
// has no chunks.
func traitsOf(r *record.FileRecord) *record.Traits {
	if len(r.Chunks) == 0 {
		return nil
	}
	t := &record.Traits{Kinds: make([]record.KindSet, len(r.Chunks))}
	ids := append(graph.IDs(&r.Graph), graph.FileID(r.File.Path))
	for i := range r.Chunks {
		c := &r.Chunks[i]
		t.Kinds[i] = record.KindSetOf(c.Kind)
		ids = append(ids, c.ID)
		if c.Doc != nil && (c.Doc.Layer != "" || len(c.Doc.Tags) > 0) {
			t.Doc = &record.DocTraits{Layer: c.Doc.Layer, Tags: c.Doc.Tags}
		}
	}
	addSymbols(t.Kinds, r)
	t.IDs = make([]uint16, len(ids))
	for i := range ids {
		t.IDs[i] = binary.BigEndian.Uint16(ids[i][:])
	}
	slices.Sort(t.IDs)
	t.IDs = slices.Clip(slices.Compact(t.IDs))
	return t
}

// addSymbols adds the kinds of the symbols in a chunk, and the role of a symbol to its sections.
func addSymbols(kinds []record.KindSet, r *record.FileRecord) {
	symbols := make([]*record.Symbol, len(r.Graph.Symbols))
	for i := range r.Graph.Symbols {
		s := &r.Graph.Symbols[i]
		symbols[i] = s
		if s.Role == "" {
			continue
		}
		for j := range r.Chunks {
			if c := &r.Chunks[j]; c.Unit == s.Qualified && c.Kind == s.Kind {
				kinds[j] |= record.KindSetOf(s.Role)
			}
		}
	}
	slices.SortFunc(symbols, func(a, b *record.Symbol) int { return cmp.Compare(a.NameSpan.Start, b.NameSpan.Start) })
	for j := range r.Chunks {
		for p := range r.Chunks[j].Places() {
			first, _ := slices.BinarySearchFunc(symbols, p.Span.Start, func(s *record.Symbol, at int) int { return cmp.Compare(s.NameSpan.Start, at) })
			for _, s := range symbols[first:] {
				if s.NameSpan.Start >= p.Span.End {
					break
				}
				kinds[j] |= record.KindSetOf(s.Kind)
			}
		}
	}
}
