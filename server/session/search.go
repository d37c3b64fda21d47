package session

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"ambit/indexer/gitignore"
	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Search is a question in words for places.
type Search struct {
	Query    string
	Limit    int    // results at most; 0 means retrieve.DefaultLimit
	Path     string // only this file, below this directory or in files of this pattern; "" means all, as the others
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

// Found is what was found, best first, and how new that is.
type Found struct {
	Results   []Result
	Freshness assemble.Freshness
}

// Search returns the places that answer a question in words. As with
// [Session.Context], no place is one of a file as it was.
func (s *Session) Search(ctx context.Context, q Search) (Found, error) {
	return sound(s.shared, func() (Found, error) { return s.search(ctx, q) })
}

func (s *Session) search(ctx context.Context, q Search) (Found, error) {
	defer s.gate.enter()()
	limit := cmp.Or(max(q.Limit, 0), retrieve.DefaultLimit)
	asked := retrieve.Question{
		Query: q.Query, Limit: limit, Keep: keepPath(q.Path), Language: q.Language, Kind: record.Kind(q.Kind), Layer: q.Layer, Tags: q.Tags,
	}
	matches, view, err := settled(s.current(ctx, nil), func(view *snapshot) ([]retrieve.Match, []record.Path, error) {
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
		return Found{}, err
	}
	results := make([]Result, 0, len(matches))
	for _, m := range matches {
		r := Result{ID: m.ID, Path: string(m.Path), Lines: m.Lines, Identifier: m.Identifier, Kind: string(m.Kind), Score: m.Score, Why: m.Why}
		view.place(ctx, &r)
		results = append(results, r)
	}
	s.recallResults(results)
	return Found{results, view.freshness()}, nil
}

// keepPath returns which files a path or a pattern names, nil for "", which names all.
// A path is one of the workspace's root, while a pattern without "/" is for names in
// any directory, as in an ignore file.
func keepPath(path string) func(record.Path) bool {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "./"), "/")
	if path == "" || path == "." {
		return nil
	}
	if !strings.ContainsAny(path, `*?[\`) {
		path = "/" + path
	}
	patterns := gitignore.ParsePatterns([]string{path})
	return func(p record.Path) bool { return patterns.Match(string(p)) }
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
