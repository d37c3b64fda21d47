package answer

import (
	"context"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/snapshot"
)

// Chunks returns the chunks of a file, in the order of the file. The error of a file that
// is not indexed says why, and wraps [api.ErrQuestion].
func (a *Answerer) Chunks(ctx context.Context, s *snapshot.Snapshot, q api.ChunksQuestion) (*api.Chunks, error) {
	path := q.TextDocument.Path
	if err := s.Check(path); err != nil {
		return nil, err
	}
	list, err := s.FileChunks(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := s.Content(ctx, path)
	if err != nil {
		return nil, err
	}
	f, _ := s.File(path)
	out := &api.Chunks{Path: path, URI: location.URI(a.o.Root, path), Language: f.Language, Chunks: []api.Chunk{}}
	for i := range list {
		c := &list[i]
		chunk := api.Chunk{
			ID: c.ID, Identifier: c.Unit, Kind: c.Kind, Section: c.Section, Scope: c.Scope, Signature: c.Signature, Summary: c.IsSummary,
			StartLine: c.Lines.First, EndLine: c.Lines.Last, Range: location.Range(text, c.Span, q.PositionEncoding), Start: c.Span.Start, End: c.Span.End,
			Tokens: c.Tokens, Hash: c.Hash, Defines: orEmpty(c.Defines), Imports: orEmpty(c.Imports), Siblings: orEmpty(c.Siblings),
			Prefix: c.Prefix, Suffix: c.Suffix, Content: string(text[c.Span.Start:c.Span.End]),
		}
		if c.Doc != nil {
			chunk.Headings = c.Doc.Headings
		}
		out.Chunks = append(out.Chunks, chunk)
	}
	return out, nil
}

// orEmpty returns an empty list for nil, so that JSON has [] instead of null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// Status describes the index of a snapshot. The caller adds its place and its state.
func Status(ctx context.Context, s *snapshot.Snapshot) (*api.Status, error) {
	stats, err := s.Stats(ctx)
	if err != nil {
		return nil, err
	}
	st := &api.Status{
		Head: s.History().Head(), IndexBytes: stats.Bytes, Model: stats.Model, Chunks: stats.Chunks, Languages: map[string]int{}, LeftOut: []api.LeftOut{},
		Memory: api.Memory{Embedded: stats.Embedded, Kept: stats.Kept, Recalled: stats.Recalled,
			Revisions: stats.Revisions, RevisionBytes: stats.RevisionBytes, ClonedFrom: stats.ClonedFrom},
	}
	for _, f := range s.Indexed() {
		if f.LeftOut != "" {
			st.LeftOut = append(st.LeftOut, api.LeftOut{Path: f.Path, Reason: f.LeftOut})
			continue
		}
		st.Bytes += f.Size
		st.Masked += f.Masked
		st.Languages[f.Language]++
	}
	return st, nil
}
