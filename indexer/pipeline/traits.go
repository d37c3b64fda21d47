package pipeline

import (
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
	for i := range r.Graph.Symbols {
		s := &r.Graph.Symbols[i]
		for j := range r.Chunks { // one, and the summaries
			if r.Chunks[j].Covers(s.NameSpan.Start) {
				t.Kinds[j] |= record.KindSetOf(s.Kind)
			}
			if c := &r.Chunks[j]; s.Role != "" && c.Unit == s.Qualified && c.Kind == s.Kind {
				t.Kinds[j] |= record.KindSetOf(s.Role) // a section of it
			}
		}
	}
	t.IDs = make([]uint16, len(ids))
	for i := range ids {
		t.IDs[i] = binary.BigEndian.Uint16(ids[i][:])
	}
	slices.Sort(t.IDs)
	t.IDs = slices.Clip(slices.Compact(t.IDs))
	return t
}
