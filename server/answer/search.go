package answer

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"ambit/indexer/gitignore"
	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/retrieve"
	"ambit/server/snapshot"
	"ambit/vectors/record"
)

// Search returns the best matches for a query.
func (a *Answerer) Search(ctx context.Context, s *snapshot.Snapshot, q api.SearchQuestion, fresh api.Freshness) (*api.Matches, error) {
	if q.Deps {
		return a.searchDependencies(ctx, s, &q, fresh)
	}
	matches, err := retrieve.Search(ctx, s.Index(a.o.Embed), retrieve.Question{
		Query:  q.Query,
		Limit:  q.Limit,
		Filter: retrieve.Filter{Path: both(below(q.Path), listed(s, q.Agent)), Language: q.Language, Kind: q.Kind, Layer: q.Layer, Tags: q.Tags},
	})
	if err != nil {
		return nil, err
	}
	found := a.matches(ctx, s, matches, q.PositionEncoding, fresh)
	for i := range found.Results {
		found.Results[i].Snippet = snippet(ctx, s, &found.Results[i], q.Query, q.Snippet)
	}
	return found, nil
}

// searchDependencies returns the declarations of direct dependencies that a query is about.
func (a *Answerer) searchDependencies(ctx context.Context, s *snapshot.Snapshot, q *api.SearchQuestion, fresh api.Freshness) (*api.Matches, error) {
	switch {
	case a.o.Dependencies == nil:
		return nil, &api.FieldError{Field: "deps", Reason: "the settings leave dependencies out"}
	case q.Path != "" || q.Layer != "" || len(q.Tags) > 0:
		return nil, &api.FieldError{Field: "deps", Reason: "path, layer and tags are of the workspace; leave them out"}
	}
	found := &api.Matches{Results: []api.Match{}, Freshness: fresh}
	for _, x := range retrieve.Declarations(ctx, a.o.Dependencies, paths(s), q.Query, q.Kind, q.Limit) {
		if q.Language != "" && !strings.EqualFold(x.Unit.Language, q.Language) {
			continue
		}
		m := matchOutside(&x, q.PositionEncoding)
		m.Role, m.Reason, m.Why = "", "declared by "+x.Package, []api.Signal{{Name: "words", Score: x.Relevance}}
		if q.Snippet > 0 {
			m.Snippet = snippetOutside(&x, q.Snippet)
		}
		found.Results = append(found.Results, m)
	}
	return found, ctx.Err()
}

// snippetOutside returns the first lines of a declaration of a dependency.
func snippetOutside(x *retrieve.External, most int) *api.Snippet {
	lines := strings.SplitAfterN(string(x.Text[x.Unit.Span.Start:x.Unit.Span.End]), "\n", most+1)
	lines = lines[:min(len(lines), most)]
	return &api.Snippet{StartLine: x.Unit.Lines.First, Text: strings.TrimRight(strings.Join(lines, ""), "\n")}
}

// Related returns the units related to a place, without the unit at the place.
func (a *Answerer) Related(ctx context.Context, s *snapshot.Snapshot, q api.RelatedQuestion, fresh api.Freshness) (*api.Matches, error) {
	r, offset, err := a.at(ctx, s, q.Place, retrieve.Cursor{})
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(r.Candidates, func(c retrieve.Candidate) bool {
		return c.Unit.Path == q.TextDocument.Path && c.Unit.Span.Start <= offset && offset < c.Unit.Span.End
	})
	slices.SortStableFunc(found, func(a, b retrieve.Candidate) int { return cmp.Compare(b.Relevance, a.Relevance) })
	found = found[:min(len(found), cmp.Or(q.Limit, api.DefaultRelatedLimit))]
	matches := make([]api.Match, 0, len(found))
	for i := range found {
		matches = append(matches, matchOf(&found[i]))
	}
	return a.matches(ctx, s, matches, q.PositionEncoding, fresh), nil
}

// Explain describes how a source got its rank in the answer to a question. It returns nil
// when the question does not find the source.
func (a *Answerer) Explain(ctx context.Context, s *snapshot.Snapshot, q api.ExplainQuestion) (*api.Explanation, error) {
	r, answer, err := a.context(ctx, s, q.Question, api.Freshness{})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(r.Candidates, func(c retrieve.Candidate) bool { return names(&q, &c.Unit) })
	var match api.Match
	if i >= 0 {
		match = matchOf(&r.Candidates[i])
		a.locateMatch(ctx, s, &match, q.PositionEncoding)
	} else if i = slices.IndexFunc(r.Externals, func(x retrieve.External) bool { return names(&q, &x.Unit) }); i >= 0 {
		match = matchOutside(&r.Externals[i], q.PositionEncoding)
		i += len(r.Candidates)
	} else {
		return nil, nil
	}
	e := &api.Explanation{Match: match, Rank: i + 1}
	if j := slices.IndexFunc(answer.Sources, func(x api.Source) bool { return x.Path == match.Path && x.Identifier == match.Identifier }); j >= 0 {
		e.Section = answer.Sources[j].Section
		return e, nil
	}
	e.Omitted = "it is part of another source"
	if j := slices.IndexFunc(answer.Omitted, func(x api.Omission) bool { return x.Path == match.Path && x.Identifier == match.Identifier }); j >= 0 {
		e.Omitted = answer.Omitted[j].Reason
	}
	return e, nil
}

// names reports whether a question to explain names a unit.
func names(q *api.ExplainQuestion, u *retrieve.Unit) bool {
	name := api.SourceName{ID: q.ID}
	if q.Source != nil {
		name = *q.Source
	}
	switch {
	case name.ID != record.ChunkID{}:
		return u.ID == name.ID
	case name.Path != "" && name.Path != u.Path, name.Line > 0 && (name.Line < u.Lines.First || name.Line > u.Lines.Last):
		return false
	}
	return name.Identifier == "" || name.Identifier == u.Identifier
}

// matchOf returns a candidate as a match, which is not located yet.
func matchOf(c *retrieve.Candidate) api.Match {
	return api.Match{ID: c.Unit.ID, Path: c.Unit.Path, StartLine: c.Unit.Lines.First, EndLine: c.Unit.Lines.Last,
		Identifier: c.Unit.Identifier, Kind: c.Unit.Kind, Role: string(c.Role), Reason: c.Reason(), Score: c.Relevance, Why: c.Why}
}

// matchOutside returns a declaration outside of the workspace as a match.
func matchOutside(x *retrieve.External, e api.PositionEncoding) api.Match {
	m := matchOf(&x.Candidate)
	m.Package = x.Package
	m.Language, m.URI, m.Range = x.Unit.Language, location.Outside(x.File, x.InArchive), location.Range(x.Text, x.Unit.Span, e)
	return m
}

// matches locates matches and remembers their ids.
func (a *Answerer) matches(ctx context.Context, s *snapshot.Snapshot, list []api.Match, e api.PositionEncoding, fresh api.Freshness) *api.Matches {
	for i := range list {
		m := &list[i]
		a.locateMatch(ctx, s, m, e)
		a.ids.keep(m.ID, named{m.Path, m.Identifier})
	}
	return &api.Matches{Results: list, Freshness: fresh}
}

// locateMatch fills in the language, the URI and the range of a match, which is that of
// its lines, without the end of the last one.
func (a *Answerer) locateMatch(ctx context.Context, s *snapshot.Snapshot, m *api.Match, e api.PositionEncoding) {
	f, _ := s.File(m.Path)
	m.Language, m.URI = f.Language, location.URI(a.o.Root, m.Path)
	text, err := s.Content(ctx, m.Path)
	if err != nil {
		m.Range = api.Range{Start: api.Position{Line: m.StartLine - 1}, End: api.Position{Line: m.EndLine - 1}}
		return
	}
	start := lineStart(text, m.StartLine)
	end := lineStart(text, m.EndLine)
	if n := bytes.IndexByte(text[end:], '\n'); n >= 0 {
		end += n
	} else {
		end = len(text)
	}
	m.Range = location.Range(text, record.Span{Start: start, End: end}, e)
}

// lineStart returns the offset of a line, counted from 1.
func lineStart(text []byte, line int) (offset int) {
	for range line - 1 {
		n := bytes.IndexByte(text[offset:], '\n')
		if n < 0 {
			return len(text)
		}
		offset += n + 1
	}
	return offset
}

// below returns a filter of files by a path or a pattern, nil for "", which means all
// files. A path starts at the root of the workspace. A pattern without "/" matches names
// in any directory, as in an ignore file.
func below(path string) func(record.Path) bool {
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
