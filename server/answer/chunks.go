package answer

import (
	"context"
	"crypto/sha256"

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
		content := c.Text(text)
		chunk := api.Chunk{
			ID: c.ID, Identifier: c.Unit, Kind: c.Kind, Section: c.Section, Scope: c.Scope, Signature: c.Signature, Summary: c.IsSummary,
			StartLine: c.Lines.First, EndLine: c.Lines.Last, Range: location.Range(text, c.Span, q.PositionEncoding), Start: c.Span.Start, End: c.Span.End,
			Tokens: c.Tokens, Hash: sha256.Sum256(content), Defines: orEmpty(c.Defines), Imports: orEmpty(c.Imports), Siblings: orEmpty(c.Siblings),
			Prefix: c.Prefix, Suffix: c.Suffix, Content: string(content),
		}
		for _, p := range c.Also {
			chunk.Also = append(chunk.Also, api.Part{StartLine: p.Lines.First, EndLine: p.Lines.Last,
				Range: location.Range(text, p.Span, q.PositionEncoding), Start: p.Span.Start, End: p.Span.End})
		}
		if d := c.Doc; d != nil {
			chunk.Document = &api.DocumentChunk{
				Title: d.Title, Headings: orEmpty(d.Headings), Level: d.Level, Tags: orEmpty(d.Tags), Layer: d.Layer, UpdatedAt: d.UpdatedAt,
				CodeRefs: orEmpty(d.CodeRefs), Links: orEmpty(d.Links), Index: d.Index, Total: d.Total,
			}
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
