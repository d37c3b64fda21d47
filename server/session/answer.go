package session

import (
	"bytes"
	"context"
	"fmt"

	"ambit/indexer/gitignore"
	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/server/tokens"
	"ambit/vectors/embed"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

// Who satisfies what retrieve and assemble ask for.
var (
	_ retrieve.Reader         = (*snapshot)(nil)
	_ assemble.Texts          = (*snapshot)(nil)
	_ retrieve.Historian      = (*past)(nil)
	_ retrieve.TextSearcher   = (*lexical.Index)(nil)
	_ retrieve.VectorSearcher = (*vectorOverlay)(nil)
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
	At           *Place // in the stead of File, Line and Column
	Query        string // "" for a place

	Budget          int            // tokens; 0 means what suits the question
	DocumentsBudget int            // in its stead for a question about documents only, unless 0
	Encoding        string         // "" means tokens.O200k
	Scope           retrieve.Scope // "" finds out
	Include         []string       // patterns of files to answer from; empty means all
	Exclude         []string       // patterns of files not to answer from
	Pin             []string       // ids of sources that are always shown, the first to be given room first
	Drop            []string       // ids of sources that are never shown; they count more than Pin
	Cost            assemble.Cost
	Context         assemble.ContextMode // what stands beside the code; "" means assemble.ContextFull
}

// Place is a position in a file or buffer.
type Place struct {
	File   string  // inside the workspace
	Offset int     // bytes, from 0 to the length of the text
	Buffer *Buffer // the text that Offset counts in; nil for the file on disk
}

// file returns the file of the place, and its buffer, nil for none.
func (q *Question) file() (record.Path, *Buffer) {
	if q.At != nil {
		return record.Path(q.At.File), q.At.Buffer
	}
	return record.Path(q.File), nil
}

// Context assembles what belongs with a place or a question. No file of the answer
// is shown as it was: each is looked at, and the answer made again when one has
// changed. Errors of the question wrap [ErrQuestion]; a budget below 1 is
// [assemble.ErrBudget].
func (s *Session) Context(ctx context.Context, q Question) (*assemble.Bundle, error) {
	return sound(s.shared, func() (*assemble.Bundle, error) {
		_, bundle, err := s.context(ctx, q)
		return bundle, err
	})
}

// context is Context with what the bundle was made of.
func (s *Session) context(ctx context.Context, q Question) (*retrieve.Result, *assemble.Bundle, error) {
	defer s.gate.enter()()
	counter, err := tokens.New(q.Encoding)
	if err != nil {
		return nil, nil, err
	}
	path, buffer := q.file()
	view := s.current(ctx, buffer)
	if path != "" {
		view = view.including(path)
	}
	wanted, err := s.wishes(ctx, view, q)
	if err != nil {
		return nil, nil, err
	}
	result, view, err := settled(view, func(view *snapshot) (retrieve.Result, []record.Path, error) {
		r, err := s.retrieve(ctx, view, q, wanted.pinned)
		if err != nil {
			return r, []record.Path{path}, err
		}
		return r, paths(&r), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if q.Scope != "" {
		result.Scope = q.Scope
	}
	if q.Budget == 0 {
		q.Budget, q.DocumentsBudget = s.set.Budget, s.set.DocumentsBudget
	}
	if result.Documents && q.DocumentsBudget > 0 {
		q.Budget = q.DocumentsBudget
	}
	bundle, err := assemble.Assemble(ctx, view, counter, assemble.Request{
		Result:    result,
		Root:      s.root,
		Budget:    q.Budget,
		Encoding:  counter.Encoding(),
		Cost:      q.Cost,
		Context:   q.Context,
		Freshness: view.freshness(),
		Dropped:   wanted.dropped,
		Omitted:   wanted.omitted(&result),
	})
	if err != nil {
		return nil, nil, err
	}
	s.recall(bundle)
	return &result, bundle, nil
}

// keep returns which files a question may be answered from, nil for all.
func (q *Question) keep() func(record.Path) bool {
	if len(q.Include)+len(q.Exclude) == 0 {
		return nil
	}
	include, exclude := gitignore.ParsePatterns(q.Include), gitignore.ParsePatterns(q.Exclude)
	known := map[record.Path]bool{}
	return func(path record.Path) bool {
		keep, ok := known[path]
		if !ok {
			keep = (len(q.Include) == 0 || include.Match(string(path))) && !exclude.Match(string(path))
			known[path] = keep
		}
		return keep
	}
}

// retrieve asks one snapshot.
func (s *Session) retrieve(ctx context.Context, view *snapshot, q Question, pinned []retrieve.Pin) (retrieve.Result, error) {
	path, _ := q.file()
	if path == "" {
		ix, err := s.index(view)
		if err != nil {
			return retrieve.Result{}, err
		}
		return retrieve.Ask(ctx, ix, retrieve.Question{Query: q.Query, Keep: q.keep(), Pinned: pinned})
	}
	if _, ok := view.file(path); !ok {
		return retrieve.Result{}, view.check(path)
	}
	if q.At != nil {
		return s.at(ctx, view, q, q.At.Offset, pinned)
	}
	content, err := view.Content(ctx, path)
	if err != nil {
		return retrieve.Result{}, err
	}
	offset, err := offset(content, q.Line, q.Column)
	if err != nil {
		return retrieve.Result{}, fmt.Errorf("%w: %s %w", ErrQuestion, path, err)
	}
	return s.at(ctx, view, q, offset, pinned)
}

// at asks one snapshot about a byte of the file of a question.
func (s *Session) at(ctx context.Context, view *snapshot, q Question, offset int, pinned []retrieve.Pin) (retrieve.Result, error) {
	ix, err := s.index(view)
	if err != nil {
		return retrieve.Result{}, err
	}
	path, _ := q.file()
	return retrieve.At(ctx, ix, retrieve.Cursor{Path: path, Offset: offset, Outline: view.outline(path), Keep: q.keep(), Pinned: pinned})
}

// index is what retrieve asks.
func (s *Session) index(view *snapshot) (retrieve.Index, error) {
	if err := view.over.search(); err != nil {
		return retrieve.Index{}, err
	}
	return retrieve.Index{
		Files:   view,
		Names:   view.names,
		Text:    view.over.words,
		Vectors: &view.over.vectors,
		Embed:   s.embed,
		History: s.history.view.Load(),
	}, nil
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
	for _, p := range r.Lost { // what is in none of the views may be on disk
		add(p.Path)
	}
	return list
}

// settled asks until the files that the answer concerns hold what it was made of,
// and returns it with the snapshot that was asked. An error concerns files too: a
// place that is not in the file of the index may be in the file as it is.
func settled[T any](view *snapshot, ask func(*snapshot) (T, []record.Path, error)) (T, *snapshot, error) {
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
