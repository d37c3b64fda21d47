package session

import (
	"bytes"
	"context"
	"fmt"

	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/server/tokens"
	"ambit/vectors/embed"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

// Who satisfies what retrieve and assemble ask for.
var (
	_ retrieve.Reader         = (*snapshot)(nil)
	_ assemble.Texts          = (*snapshot)(nil)
	_ retrieve.Historian      = (*past)(nil)
	_ retrieve.TextSearcher   = (*lexical.Index)(nil)
	_ retrieve.VectorSearcher = (*flat.Index)(nil)
	_ retrieve.Embedder       = (*embed.Builtin)(nil)
	_ assemble.Counter        = (*tokens.Counter)(nil)
)

// maxRefreshes bounds how often an answer is made again because a file changed while
// it was made: somebody who saves faster than that gets what is newest.
const maxRefreshes = 3

// Question is what [Session.Context] answers: a place in a file, or words.
type Question struct {
	File         string // inside the workspace, see [Session.Path]; "" for words
	Line, Column int    // 1-based, the column in bytes
	Query        string // "" for a place
	Budget       int    // tokens; 0 means what suits the question
	Encoding     string // "" means tokens.O200k
	Cost         assemble.Cost
}

// Context assembles what belongs with a place or a question. No file of the answer
// is shown as it was: each is looked at, and the answer made again when one has
// changed. Errors of the question wrap [ErrQuestion]; a budget below 1 is
// [assemble.ErrBudget].
func (s *Session) Context(ctx context.Context, q Question) (*assemble.Bundle, error) {
	counter, err := tokens.New(q.Encoding)
	if err != nil {
		return nil, err
	}
	result, view, err := settled(s, func(view *snapshot) (retrieve.Result, []record.Path, error) {
		r, err := s.retrieve(ctx, view, q)
		if err != nil {
			return r, []record.Path{record.Path(q.File)}, err
		}
		return r, paths(&r), nil
	})
	if err != nil {
		return nil, err
	}
	if q.Budget == 0 {
		q.Budget = s.set.Budget
		if result.Documents {
			q.Budget = s.set.DocumentsBudget
		}
	}
	return assemble.Assemble(ctx, view, counter, assemble.Request{
		Result:    result,
		Root:      s.root,
		Budget:    q.Budget,
		Encoding:  counter.Encoding(),
		Cost:      q.Cost,
		Freshness: assemble.Freshness{Generation: s.db.Generation(), State: "ready"},
	})
}

// retrieve asks one snapshot.
func (s *Session) retrieve(ctx context.Context, view *snapshot, q Question) (retrieve.Result, error) {
	if q.File == "" {
		return retrieve.Ask(ctx, s.index(view), retrieve.Question{Query: q.Query})
	}
	path := record.Path(q.File)
	if _, ok := view.file(path); !ok {
		return retrieve.Result{}, s.check(path)
	}
	content, err := view.Content(ctx, path)
	if err != nil {
		return retrieve.Result{}, err
	}
	offset, err := offset(content, q.Line, q.Column)
	if err != nil {
		return retrieve.Result{}, fmt.Errorf("%w: %s %w", ErrQuestion, path, err)
	}
	return retrieve.At(ctx, s.index(view), retrieve.Cursor{Path: path, Offset: offset})
}

// index is what retrieve asks.
func (s *Session) index(view *snapshot) retrieve.Index {
	return retrieve.Index{
		Files:   view,
		Names:   view.names,
		Text:    s.words,
		Vectors: s.vectors,
		Embed:   s.embed,
		History: s.history.view.Load(),
	}
}

// offset returns the byte that a place names. The end of a line and the end of the
// text are places too, as a cursor can stand there.
func offset(content []byte, line, column int) (int, error) {
	start := 0
	for n := 1; n < line; n++ {
		next := bytes.IndexByte(content[start:], '\n')
		if next < 0 {
			return 0, fmt.Errorf("has %d lines, so there is no line %d; give one of them", n, line)
		}
		start += next + 1
	}
	length := bytes.IndexByte(content[start:], '\n')
	if length < 0 {
		length = len(content) - start
	}
	if column > length+1 {
		return 0, fmt.Errorf("has %d bytes in line %d, so there is no column %d; give one from 1 to %d", length, line, column, length+1)
	}
	return start + column - 1, nil
}

// paths returns the files that an answer may show, each once.
func paths(r *retrieve.Result) []record.Path {
	seen := map[record.Path]bool{}
	var list []record.Path
	add := func(path record.Path) {
		if !seen[path] {
			seen[path] = true
			list = append(list, path)
		}
	}
	if r.Symbol != nil {
		add(r.Symbol.Path)
	}
	for i := range r.Candidates {
		add(r.Candidates[i].Unit.Path)
	}
	for i := range r.Structure {
		add(r.Structure[i].Path)
	}
	return list
}

// Result is one place that a search found.
type Result struct {
	Path       string
	Lines      record.Lines
	Identifier string
	Kind       string
	Score      float64
	Why        []retrieve.Signal
}

// Search returns at most limit places that answer a question in words, best first.
// As with [Session.Context], no place is one of a file as it was.
func (s *Session) Search(ctx context.Context, query string, limit int) ([]Result, error) {
	matches, _, err := settled(s, func(view *snapshot) ([]retrieve.Match, []record.Path, error) {
		matches, err := retrieve.Search(ctx, s.index(view), retrieve.Question{Query: query, Limit: limit})
		var paths []record.Path
		for i := range matches {
			paths = append(paths, matches[i].Path)
		}
		return matches, paths, err
	})
	if err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(matches))
	for _, m := range matches {
		results = append(results, Result{string(m.Path), m.Lines, m.Identifier, string(m.Kind), m.Score, m.Why})
	}
	return results, nil
}

// settled asks until the files that the answer concerns hold what it was made of,
// and returns it with the snapshot that was asked. An error concerns files too: a
// place that is not in the file of the index may be in the file as it is.
func settled[T any](s *Session, ask func(*snapshot) (T, []record.Path, error)) (T, *snapshot, error) {
	view := s.snapshot()
	for range maxRefreshes {
		answer, paths, err := ask(view)
		next, again := view.refreshed(paths)
		if !again {
			return answer, view, err
		}
		view = next
	}
	answer, _, err := ask(view)
	return answer, view, err
}
