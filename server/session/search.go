package session

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Search is a question in words for places.
type Search struct {
	Query    string
	Limit    int    // results at most; 0 means retrieve.DefaultLimit
	Path     string // only below this directory or this file; "" means all, as the others
	Language string
	Kind     string
	Layer    string   // of documents
	Tags     []string // of documents, all of them
}

// Result is one place that was found.
type Result struct {
	ID         record.ChunkID
	Path       string
	Lines      record.Lines
	Start, End assemble.Position // of whole lines, half-open
	Identifier string
	Kind       string
	Language   string
	Role       string // how it belongs with the place, "uses"; "" in a search
	Score      float64
	Why        []retrieve.Signal
}

// filteredDepth is how many times more places are found than asked for when they are
// filtered afterwards.
const filteredDepth = 10

// Search returns the places that answer a question in words, best first. As with
// [Session.Context], no place is one of a file as it was.
func (s *Session) Search(ctx context.Context, q Search) ([]Result, error) {
	defer s.gate.enter()()
	limit := cmp.Or(max(q.Limit, 0), retrieve.DefaultLimit)
	asked := retrieve.Question{Query: q.Query, Limit: limit, Path: q.Path, Language: q.Language, Kind: record.Kind(q.Kind)}
	ofDocuments := q.Layer != "" || len(q.Tags) > 0
	if ofDocuments {
		asked.Limit *= filteredDepth
	}
	matches, view, err := settled(s.snapshot(nil), func(view *snapshot) ([]retrieve.Match, []record.Path, error) {
		ix, err := s.index(view)
		if err != nil {
			return nil, nil, err
		}
		matches, err := retrieve.Search(ctx, ix, asked)
		var paths []record.Path
		for i := range matches {
			paths = append(paths, matches[i].Path)
		}
		return matches, paths, err
	})
	if err != nil {
		return nil, err
	}
	results := make([]Result, 0, min(len(matches), limit))
	for _, m := range matches {
		if len(results) == limit {
			break
		}
		if ofDocuments && !view.hasDocument(ctx, m, q) {
			continue
		}
		r := Result{ID: m.ID, Path: string(m.Path), Lines: m.Lines, Identifier: m.Identifier, Kind: string(m.Kind), Score: m.Score, Why: m.Why}
		view.place(ctx, &r)
		results = append(results, r)
	}
	s.recallResults(results)
	return results, nil
}

// hasDocument reports whether a match is in a document with the layer and the tags of
// a search.
func (v *snapshot) hasDocument(ctx context.Context, m retrieve.Match, q Search) bool {
	chunks, err := v.FileChunks(ctx, m.Path)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(chunks, func(c record.Chunk) bool { return c.ID == m.ID })
	if i < 0 || chunks[i].Doc == nil || q.Layer != "" && chunks[i].Doc.Layer != q.Layer {
		return false
	}
	return !slices.ContainsFunc(q.Tags, func(tag string) bool { return !slices.Contains(chunks[i].Doc.Tags, tag) })
}

// place fills in where the lines of a result start and end, and their language. The
// last line ends where its text does.
func (v *snapshot) place(ctx context.Context, r *Result) {
	if f, ok := v.file(record.Path(r.Path)); ok {
		r.Language = f.Language
	}
	r.Start, r.End = assemble.Position{Line: r.Lines.First}, assemble.Position{Line: r.Lines.Last}
	content, err := v.Content(ctx, record.Path(r.Path))
	if err != nil {
		return
	}
	for n := 1; n < r.Lines.Last; n++ {
		_, after, found := bytes.Cut(content, []byte{'\n'})
		if !found {
			return
		}
		content = after
	}
	line, _, _ := bytes.Cut(content, []byte{'\n'})
	r.End.Before = string(line)
}
