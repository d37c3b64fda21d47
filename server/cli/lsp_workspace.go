package cli

import (
	"sync"

	"ambit/server/attach"
	"ambit/server/format"
	"ambit/server/lsp"
	"ambit/server/retrieve"
	"ambit/server/session"
)

// Who satisfies what the language server asks for.
var (
	_ lsp.Opener    = opener{}
	_ lsp.Workspace = (*editorWorkspace)(nil)
)

// editorWorkspace is a client of an index as the language server asks it. It turns nouns into
// one another and decides nothing.
type editorWorkspace struct {
	s attach.Workspace

	mu      sync.Mutex            // guards all fields below
	buffers map[string]openBuffer // the open ones, by path
}

// openBuffer is a buffer under both of its types.
type openBuffer struct {
	theirs *lsp.Buffer
	ours   *session.Buffer
}

// SetBuffer puts b in the place of the file of its path.
func (w *editorWorkspace) SetBuffer(b *lsp.Buffer) {
	ours := session.NewBuffer(b.Path, b.Language, b.Text)
	w.mu.Lock()
	w.buffers[b.Path] = openBuffer{b, ours}
	w.mu.Unlock()
	w.s.SetBuffer(ours)
}

// CloseBuffer brings the file on disk back.
func (w *editorWorkspace) CloseBuffer(path string) {
	w.mu.Lock()
	delete(w.buffers, path)
	w.mu.Unlock()
	w.s.CloseBuffer(path)
}

// Changed says that files may have changed on disk.
func (w *editorWorkspace) Changed(paths []string) { w.s.Changed(paths) }

// buffer returns b as the session has it: the one that is open, or a new one for a
// question about a text that was edited since.
func (w *editorWorkspace) buffer(b *lsp.Buffer) *session.Buffer {
	if b == nil {
		return nil
	}
	w.mu.Lock()
	open := w.buffers[b.Path]
	w.mu.Unlock()
	if open.theirs == b {
		return open.ours
	}
	return session.NewBuffer(b.Path, b.Language, b.Text)
}

func (w *editorWorkspace) place(p lsp.Place) session.Place {
	return session.Place{File: p.Path, Offset: p.Offset, Buffer: w.buffer(p.Buffer)}
}

func (w *editorWorkspace) question(q lsp.Question) session.Question {
	out := session.Question{
		Query: q.Query, Budget: q.Budget, DocumentsBudget: q.DocumentsBudget, Encoding: q.Encoding,
		Scope: retrieve.Scope(q.Scope), Include: q.Include, Exclude: q.Exclude, Pin: q.Pin, Drop: q.Drop, Cost: q.Cost, Context: q.Context,
	}
	if q.At != nil {
		at := w.place(*q.At)
		out.At = &at
	}
	return out
}

func matchOf(r session.Result) lsp.Match {
	m := lsp.Match{
		ID: r.ID.String(), Path: r.Path, Identifier: r.Identifier, Kind: r.Kind, Language: r.Language,
		StartLine: r.Lines.First, EndLine: r.Lines.Last, Start: r.Start, End: r.End, Role: r.Role, Score: r.Score,
		Why: make([]format.Signal, 0, len(r.Why)),
	}
	for _, why := range r.Why {
		m.Why = append(m.Why, format.Signal{Signal: why.Name, Score: why.Score})
	}
	return m
}

func foundOf(found session.Found) lsp.Found {
	matches := make([]lsp.Match, 0, len(found.Results))
	for _, r := range found.Results {
		matches = append(matches, matchOf(r))
	}
	return lsp.Found{Matches: matches, Freshness: found.Freshness}
}

func statusOf(st session.State) lsp.Status {
	return lsp.Status{State: st.Name, Generation: st.Generation, Files: st.Files, Pending: st.Pending, Done: st.Done, Total: st.Total, Message: st.Message}
}

func linkOf(l session.Link) lsp.Link {
	return lsp.Link{Identifier: l.Identifier, Kind: l.Kind, Path: l.Path, Line: l.Line, Role: l.Role}
}

func linksOf(links []session.Link) []lsp.Link {
	out := make([]lsp.Link, 0, len(links))
	for _, l := range links {
		out = append(out, linkOf(l))
	}
	return out
}
