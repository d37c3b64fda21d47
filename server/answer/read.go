package answer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/snapshot"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

// unit is a run of lines of a file with the name of what stands there.
type unit struct {
	id         record.ChunkID
	identifier string
	kind       record.Kind
	path       record.Path
	lines      record.Lines
	nameLine   int
	offset     int // of its name in the text of the file, in bytes
}

// Read returns the text of a unit, whole lines within the budget.
func (a *Answerer) Read(ctx context.Context, s *snapshot.Snapshot, q api.ReadQuestion, fresh api.Freshness) (*api.UnitText, error) {
	counter, err := tokens.New(q.Encoding)
	if err != nil {
		return nil, err
	}
	u, candidates, err := a.unit(ctx, s, q.ID, &api.Question{Symbol: q.Symbol, Path: q.Path, Line: q.Line, Agent: q.Agent})
	if err != nil {
		return nil, err
	}
	if u == nil {
		return &api.UnitText{Candidates: a.links(candidates), Freshness: fresh}, nil
	}
	content, err := s.Content(ctx, u.path)
	if err != nil {
		return nil, err
	}
	f, _ := s.File(u.path)
	r := &api.UnitText{
		Link: api.Link{Identifier: u.identifier, Kind: u.kind, Path: u.path, URI: location.URI(a.o.Root, u.path), Line: u.nameLine},
		ID:   u.id, Language: f.Language, StartLine: u.lines.First, EndLine: u.lines.Last, FirstLine: max(q.From, u.lines.First), Freshness: fresh,
	}
	if r.FirstLine > r.EndLine {
		return nil, fmt.Errorf("%w: %s has the lines %d to %d, so it does not go on in line %d", api.ErrQuestion, u.identifier, r.StartLine, r.EndLine, q.From)
	}
	lines := bytes.SplitAfter(content[lineStart(content, r.FirstLine):lineStart(content, r.EndLine+1)], []byte("\n"))
	text := func(n int) string { return string(bytes.Join(lines[:n], nil)) }
	budget := cmp.Or(q.Budget, api.DefaultReadBudget)
	n := sort.Search(len(lines), func(n int) bool { return counter.Count(text(n+1)) > budget })
	if n == 0 {
		return nil, fmt.Errorf("%w: line %d of %s alone takes more than %d tokens; ask with a larger budget", api.ErrQuestion, r.FirstLine, u.path, budget)
	}
	if r.Text = text(n); n < len(lines) && len(bytes.Join(lines[n:], nil)) > 0 {
		r.NextLine = r.FirstLine + n
	}
	r.Tokens = counter.Count(r.Text)
	return r, nil
}

// SourceText returns the text of a file of a dependency.
func (a *Answerer) SourceText(s *snapshot.Snapshot, q api.SourceTextQuestion) (*api.SourceText, error) {
	if a.o.Dependencies == nil {
		return nil, &api.FieldError{Field: "name", Reason: "the settings leave dependencies out"}
	}
	text, err := a.o.Dependencies.Text(paths(s), q.Name)
	if err != nil {
		return nil, &api.FieldError{Field: "name", Reason: err.Error()}
	}
	return &api.SourceText{Text: string(text)}, nil
}

// unit returns the unit that an id names, or the declaration or line that q names, or else
// the declarations that q may mean.
func (a *Answerer) unit(ctx context.Context, s *snapshot.Snapshot, id record.ChunkID, q *api.Question) (*unit, []declaration, error) {
	if id != (record.ChunkID{}) {
		u, err := a.unitOfID(ctx, s, id, q)
		return u, nil, err
	}
	if q.Symbol == "" && q.Path == "" {
		return nil, nil, &api.FieldError{Field: "symbol", Reason: "give it, or an id, or a path with a line"}
	}
	if err := cleanPath(s, q); err != nil {
		return nil, nil, err
	}
	if q.Symbol == "" {
		u, err := unitOfLine(ctx, s, q)
		return u, nil, err
	}
	d, candidates, err := declaredBy(ctx, s, q)
	if d == nil {
		return nil, candidates, err
	}
	return unitOfSymbol(d.path, d.Symbol), nil, nil
}

// unitOfID returns the unit with an id of an earlier answer.
func (a *Answerer) unitOfID(ctx context.Context, s *snapshot.Snapshot, id record.ChunkID, q *api.Question) (*unit, error) {
	name := a.ids.find(id)
	if name.path == "" {
		var err error
		if name, err = find(ctx, s, id); err != nil {
			return nil, err
		}
	}
	if name.path == "" || q.Agent && !s.Listed(name.path) {
		return nil, fmt.Errorf("%w: nothing in the index has the id %s; search again", api.ErrQuestion, id)
	}
	chunks, err := s.FileChunks(ctx, name.path)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(chunks, func(c record.Chunk) bool { return c.ID == id && !c.IsSummary }); i >= 0 {
		return unitOfChunk(ctx, s, &chunks[i])
	}
	g, err := s.Graph(ctx, name.path)
	if err != nil {
		return nil, err
	}
	for i := range g.Symbols {
		if d := &g.Symbols[i]; d.Qualified == name.identifier {
			u := unitOfSymbol(g.Path, d)
			u.id = id
			return u, nil
		}
	}
	return nil, fmt.Errorf("%w: %s is no longer in %s; search again", api.ErrQuestion, name.identifier, name.path)
}

// unitOfLine returns the innermost declaration around a line, or the chunk with it.
func unitOfLine(ctx context.Context, s *snapshot.Snapshot, q *api.Question) (*unit, error) {
	_, at, err := lineOf(ctx, s, q)
	if err != nil {
		return nil, err
	}
	p, line := record.Path(q.Path), max(q.Line, 1)
	if q.Agent {
		if err := s.CheckListed(p); err != nil {
			return nil, err
		}
	}
	g, err := s.Graph(ctx, p)
	if err != nil {
		return nil, err
	}
	var best *unit
	for i := range g.Symbols {
		d := &g.Symbols[i]
		if d.Lines.First <= line && line <= d.Lines.Last && (best == nil || d.Lines.Last-d.Lines.First <= best.lines.Last-best.lines.First) {
			best = unitOfSymbol(p, d)
		}
	}
	if best != nil {
		return best, nil
	}
	chunks, err := s.FileChunks(ctx, p)
	for i := range chunks {
		if c := &chunks[i]; !c.IsSummary && c.Lines.First <= line && line <= c.Lines.Last {
			return unitOfChunk(ctx, s, c)
		}
	}
	return &unit{identifier: string(p), kind: record.KindText, path: p, lines: record.Lines{First: line, Last: line}, nameLine: line, offset: at.Start}, err
}

// unitOfSymbol returns the unit of a symbol of a file.
func unitOfSymbol(p record.Path, d *record.Symbol) *unit {
	return &unit{identifier: d.Qualified, kind: d.Kind, path: p, lines: d.Lines, nameLine: d.NameLine, offset: d.NameSpan.Start}
}

// unitOfChunk returns the unit of a chunk. Its name is that of the declaration that the chunk
// is a part of, else its first text.
func unitOfChunk(ctx context.Context, s *snapshot.Snapshot, c *record.Chunk) (*unit, error) {
	u := &unit{c.ID, cmp.Or(c.Unit, string(c.Path)), c.Kind, c.Path, c.Lines, c.Lines.First, 0}
	text, err := s.Content(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	g, err := s.Graph(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(g.Symbols, func(d record.Symbol) bool {
		return d.Qualified == c.Unit && d.Span.Start < c.Span.End && c.Span.Start < d.Span.End
	})
	if at >= 0 {
		u.offset = g.Symbols[at].NameSpan.Start
		return u, nil
	}
	for u.offset = min(c.Span.Start, len(text)); u.offset < min(c.Span.End, len(text)) && strings.IndexByte(" \t\r\n", text[u.offset]) >= 0; {
		u.offset++
	}
	return u, nil
}

// snippet returns the n lines of a match in a row that have most words of the query, nil for
// n = 0.
func snippet(ctx context.Context, s *snapshot.Snapshot, m *api.Match, query string, n int) *api.Snippet {
	if n == 0 {
		return nil
	}
	text, err := s.Content(ctx, m.Path)
	if err != nil {
		return nil
	}
	lines := strings.SplitAfter(string(text[lineStart(text, m.StartLine):lineStart(text, m.EndLine+1)]), "\n")
	n = min(n, len(lines))
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !isWord(r) })
	found := make([]int, len(lines)+1) // words in the lines before
	for i, line := range lines {
		line = strings.ToLower(line)
		found[i+1] = found[i]
		for _, w := range words {
			if len(w) > 2 && strings.Contains(line, w) {
				found[i+1]++
			}
		}
	}
	best := 0
	for i := range len(lines) - n + 1 {
		if found[i+n]-found[i] > found[best+n]-found[best] {
			best = i
		}
	}
	return &api.Snippet{StartLine: m.StartLine + best, Text: strings.Join(lines[best:best+n], "")}
}
