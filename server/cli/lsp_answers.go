package cli

import (
	"context"

	"ambit/server/assemble"
	"ambit/server/attach"
	"ambit/server/lsp"
	"ambit/server/session"
)

// Context assembles the context of a place or a question.
func (w *editorWorkspace) Context(ctx context.Context, q lsp.Question) (*assemble.Bundle, error) {
	return w.s.Context(ctx, w.question(q))
}

// Search returns the best matches first.
func (w *editorWorkspace) Search(ctx context.Context, q lsp.Search) (lsp.Found, error) {
	found, err := w.s.Search(ctx, session.Search(q))
	return foundOf(found), err
}

// Related returns what belongs with a place.
func (w *editorWorkspace) Related(ctx context.Context, at lsp.Place, limit int) (lsp.Found, error) {
	found, err := w.s.Related(ctx, w.place(at), limit)
	return foundOf(found), err
}

// Explain returns how a source came by its place in the answer to q.
func (w *editorWorkspace) Explain(ctx context.Context, q lsp.Question, t lsp.Target) (*lsp.Explanation, error) {
	e, err := w.s.Explain(ctx, w.question(q), session.Target(t))
	if e == nil || err != nil {
		return nil, err
	}
	return &lsp.Explanation{Match: matchOf(e.Result), Rank: e.Rank, Section: e.Section, Omitted: e.Omitted}, nil
}

// Chunks returns how a file is cut.
func (w *editorWorkspace) Chunks(ctx context.Context, path string) ([]lsp.Chunk, error) {
	chunks, err := w.s.Pieces(ctx, path)
	if err != nil {
		return nil, err
	}
	out := make([]lsp.Chunk, 0, len(chunks))
	for _, p := range chunks {
		c := p.Chunk
		out = append(out, lsp.Chunk{
			ID: c.ID.String(), Identifier: c.Unit, Kind: string(c.Kind), Section: c.Section, Signature: c.Signature, Summary: c.IsSummary,
			StartLine: c.Lines.First, EndLine: c.Lines.Last, Start: p.Start, End: p.End, Tokens: c.Tokens, Prefix: c.Prefix,
		})
	}
	return out, nil
}

// Card describes the symbol at a place.
func (w *editorWorkspace) Card(ctx context.Context, at lsp.Place) (*lsp.Card, error) {
	c, err := w.s.Card(ctx, w.place(at))
	if c == nil || err != nil {
		return nil, err
	}
	return &lsp.Card{
		Start: c.Start, End: c.End, Unit: linkOf(c.Unit), Frequency: c.Frequency, Dependents: c.Dependents,
		Related: linksOf(c.Related), Tests: linksOf(c.Tests), Documents: linksOf(c.Documents),
	}, nil
}

// Text returns a file as the workspace sees it.
func (w *editorWorkspace) Text(ctx context.Context, path string) ([]byte, error) {
	return w.s.Text(ctx, path)
}

// Report describes the index.
func (w *editorWorkspace) Report(ctx context.Context) (*lsp.Report, error) {
	st, err := w.s.Stored(ctx)
	if err != nil {
		return nil, err
	}
	var owner attach.Owner // of documents without a folder nobody
	if c, ok := w.s.(*attach.Client); ok {
		if owner, err = c.Owner(ctx); err != nil {
			return nil, err
		}
	}
	return &lsp.Report{Status: statusOf(st.State), Generation: st.Generation, About: aboutOf(&st, owner)}, nil
}

// aboutOf says what an index holds.
func aboutOf(st *session.Status, owner attach.Owner) lsp.About {
	about := lsp.About{
		Root: st.Root, Index: st.Index, IndexBytes: st.IndexBytes, OwnerPID: owner.PID, Clients: owner.Clients, Model: st.Model,
		Chunks: st.Chunks, Bytes: st.Bytes, Masked: st.Masked, Languages: st.Languages, LeftOut: make([]lsp.LeftOut, 0, len(st.LeftOut)),
		Memory: lsp.Memory(st.Memory),
	}
	for _, l := range st.LeftOut {
		about.LeftOut = append(about.LeftOut, lsp.LeftOut(l))
	}
	return about
}

// Run keeps the index up to date.
func (w *editorWorkspace) Run(ctx context.Context, observe func(lsp.Status)) error {
	return w.s.Run(ctx, func(st session.State) { observe(statusOf(st)) })
}

// Reindex reads files anew.
func (w *editorWorkspace) Reindex(ctx context.Context, path string, progress func(lsp.Status)) (int, error) {
	return w.s.Reindex(ctx, path, func(st session.State) { progress(statusOf(st)) })
}

// Pause stops indexing.
func (w *editorWorkspace) Pause() { w.s.Pause() }

// Resume goes on with it.
func (w *editorWorkspace) Resume() { w.s.Resume() }

// Close gives everything back.
func (w *editorWorkspace) Close() error { return w.s.Close() }
