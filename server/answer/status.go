package answer

import (
	"context"

	"ambit/server/api"
	"ambit/server/snapshot"
)

// Status describes the index of a snapshot. The caller adds its place and its state.
func Status(ctx context.Context, s *snapshot.Snapshot) (*api.Status, error) {
	stats, err := s.Stats(ctx)
	if err != nil {
		return nil, err
	}
	commits, cut := s.History().Commits()
	st := &api.Status{
		History: api.History{Commits: commits, Cut: cut},
		Head:    s.History().Head(), IndexBytes: stats.Bytes, Model: stats.Model, Chunks: stats.Chunks, Languages: map[string]int{}, Layers: map[string]int{}, LeftOut: []api.LeftOut{},
		Memory: api.Memory{Embedded: stats.Embedded, Kept: stats.Kept, Recalled: stats.Recalled,
			Revisions: stats.Revisions, RevisionBytes: stats.RevisionBytes, ClonedFrom: stats.ClonedFrom},
	}
	for _, row := range s.Indexed() {
		f := row.Bare()
		if f.LeftOut != "" {
			st.LeftOut = append(st.LeftOut, api.LeftOut{Path: f.Path, Reason: f.LeftOut})
			continue
		}
		if f.Partial != "" {
			st.Partial = append(st.Partial, api.LeftOut{Path: f.Path, Reason: f.Partial})
		}
		st.Bytes += f.Size
		st.Masked += f.Masked
		st.Languages[f.Language]++
		if doc := row.Doc(); doc != nil && doc.Layer != "" {
			st.Layers[doc.Layer]++
		}
	}
	return st, nil
}
