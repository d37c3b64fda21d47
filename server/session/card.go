package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Card is what is worth knowing of a symbol at a glance.
type Card struct {
	Start, End int // bytes of the symbol in the text of the place, half-open
	Unit       Link
	Frequency  string // "hot", "active", "stable", "dormant"; "" when unknown
	Dependents int    // files that use its name
	Related    []Link // the most relevant first
	Tests      []Link
	Documents  []Link
}

// Link is a unit to go to.
type Link struct {
	Identifier string
	Kind       string
	Path       string
	Line       int    // 1-based
	Role       string // how it belongs with the symbol; "" for the symbol itself
}

// maxRelated bounds the related units of a card.
const maxRelated = 8

// Card describes the symbol at a place. It is nil when there is nothing useful to
// say: off a name, on a name that the workspace does not define, on one that nothing
// goes with.
func (s *Session) Card(ctx context.Context, at Place) (*Card, error) {
	return sound(s.shared, func() (*Card, error) { return s.card(ctx, at) })
}

func (s *Session) card(ctx context.Context, at Place) (*Card, error) {
	defer s.gate.enter()()
	path := record.Path(at.File)
	view := s.snapshot(at.Buffer).including(path)
	if _, ok := view.file(path); !ok {
		return nil, nil
	}
	content, err := view.Content(ctx, path)
	if err != nil || at.Offset < 0 || at.Offset > len(content) {
		return nil, err
	}
	start, end := nameAround(content, at.Offset)
	if start == end {
		return nil, nil
	}
	ix := retrieve.Index{Files: &hurried{snapshot: view, own: path}, Names: view.names, Text: noWords{}, Vectors: noVectors{}, Embed: noVectors{}, History: s.history.view.Load()}
	r, err := retrieve.At(ctx, ix, retrieve.Cursor{Path: path, Offset: at.Offset, Outline: view.outline(path), Brief: true})
	if err != nil {
		return nil, err
	}
	g, err := view.Graph(ctx, path)
	if err != nil {
		return nil, err
	}
	var c *Card
	if i := subjectOf(&r, path, &g, record.Span{Start: start, End: end}); i >= 0 {
		c = newCard(&r, i)
	} else if r.Symbol != nil && r.Symbol.Kind == record.KindModule && r.Symbol.Path != path { // that is imported
		c = &Card{Unit: Link{Identifier: r.Symbol.Identifier, Kind: string(r.Symbol.Kind), Path: string(r.Symbol.Path), Line: 1}}
		c.relate(&r, -1)
	} else {
		return nil, nil
	}
	c.Start, c.End = start, end
	if c.Dependents == 0 && len(c.Related)+len(c.Tests)+len(c.Documents) == 0 {
		return nil, nil
	}
	return c, nil
}

// maxCardFiles bounds the files that a card looks into for what goes with its symbol: a
// name such as String is used in hundreds, of which a card shows the nearest few. It is
// a number of files, not of milliseconds, so that a card says the same every time.
const maxCardFiles = 100

// hurried is a snapshot that after some files has no further ones.
type hurried struct {
	*snapshot
	own record.Path // the file of the card, which is always there

	mu   sync.Mutex // guards seen
	seen map[record.Path]bool
}

// errHurried is returned by hurried's methods; who asks does without the file.
var errHurried = errors.New("enough files for a card")

// further reports whether a file is one more than a card may look into.
func (h *hurried) further(path record.Path) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if path == h.own || h.seen[path] {
		return false
	}
	if len(h.seen) == maxCardFiles {
		return true
	}
	if h.seen == nil {
		h.seen = map[record.Path]bool{}
	}
	h.seen[path] = true
	return false
}

// Graph returns what a file defines and uses, unless there have been enough.
func (h *hurried) Graph(ctx context.Context, path record.Path) (record.FileGraph, error) {
	if h.further(path) {
		return record.FileGraph{}, errHurried
	}
	return h.snapshot.Graph(ctx, path)
}

// GraphTo returns a part of that, unless there have been enough.
func (h *hurried) GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error) {
	if h.further(path) {
		return record.FileGraph{}, errHurried
	}
	return h.snapshot.GraphTo(ctx, path, name)
}

// noWords and noVectors are asked in the place of the indexes: a card shows what is
// related by name, and is wanted at once.
type (
	noWords   struct{}
	noVectors struct{}
)

func (noWords) Search(context.Context, string, int, func(record.Key) bool) ([]record.Hit, error) {
	return nil, nil
}

func (noVectors) Search(context.Context, []float32, int, func(record.Key) bool) ([]record.Hit, error) {
	return nil, nil
}

func (noVectors) EmbedQuery(context.Context, string) ([]float32, error) { return nil, nil }

// nameAround returns the name that a cursor is in or right behind; an empty range
// when there is none, or it is a number.
func nameAround(content []byte, offset int) (start, end int) {
	part := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for start = offset; start > 0; {
		r, size := utf8.DecodeLastRune(content[:start])
		if !part(r) {
			break
		}
		start -= size
	}
	for end = offset; end < len(content); {
		r, size := utf8.DecodeRune(content[end:])
		if !part(r) {
			break
		}
		end += size
	}
	if first, _ := utf8.DecodeRune(content[start:]); unicode.IsDigit(first) {
		return offset, offset
	}
	return start, end
}

// subjectOf returns the candidate that a name stands for, or -1: the unit that it
// declares, or the definition that it leads to.
func subjectOf(r *retrieve.Result, path record.Path, g *record.FileGraph, name record.Span) int {
	declares := slices.ContainsFunc(g.Symbols, func(s record.Symbol) bool { return s.NameSpan == name })
	return slices.IndexFunc(r.Candidates, func(c retrieve.Candidate) bool {
		if c.Role != retrieve.RoleDefinition {
			return false
		}
		leads := slices.ContainsFunc(c.Why, func(s retrieve.Signal) bool { return s.Name == "definition" })
		return leads || declares && c.Unit.Path == path
	})
}

// newCard makes a card of the candidate at i and those that go with it.
func newCard(r *retrieve.Result, i int) *Card {
	subject := &r.Candidates[i]
	c := &Card{Unit: linkTo(subject), Dependents: subject.Dependents}
	c.Unit.Role = ""
	if r.Symbol != nil && r.Symbol.Path == subject.Unit.Path && r.Symbol.Identifier != subject.Unit.Identifier {
		c.Unit.Identifier, c.Unit.Kind, c.Unit.Line = r.Symbol.Identifier, string(r.Symbol.Kind), r.Symbol.NameLine // a field is shown with its type
	}
	if subject.Frequency != record.Unknown {
		c.Frequency = string(subject.Frequency)
	}
	c.relate(r, i)
	return c
}

// relate adds the candidates that go with the one at i.
func (c *Card) relate(r *retrieve.Result, i int) {
	for j := range r.Candidates {
		x := &r.Candidates[j]
		switch {
		case j == i || x.Role == retrieve.RoleEnclosing || x.Role == retrieve.RoleSimilar || x.Role == retrieve.RoleSibling:
		case x.Role == retrieve.RoleTest:
			c.Tests = append(c.Tests, linkTo(x))
		case x.Role == retrieve.RoleDoc:
			c.Documents = append(c.Documents, linkTo(x))
		case len(c.Related) < maxRelated:
			c.Related = append(c.Related, linkTo(x))
		}
	}
}

func linkTo(c *retrieve.Candidate) Link {
	return Link{Identifier: c.Unit.Identifier, Kind: string(c.Unit.Kind), Path: string(c.Unit.Path), Line: max(1, c.Unit.NameLine), Role: string(c.Role)}
}

// Related returns at most limit units that belong with a place, the most relevant
// first, without what the place itself is in.
func (s *Session) Related(ctx context.Context, at Place, limit int) (Found, error) {
	return sound(s.shared, func() (Found, error) { return s.related(ctx, at, limit) })
}

func (s *Session) related(ctx context.Context, at Place, limit int) (Found, error) {
	defer s.gate.enter()()
	path := record.Path(at.File)
	r, view, err := settled(s.current(ctx, at.Buffer).including(path), func(view *snapshot) (retrieve.Result, []record.Path, error) {
		r, err := s.retrieve(ctx, view, Question{At: &at}, nil)
		if err != nil {
			return r, []record.Path{path}, err
		}
		return r, paths(&r), nil
	})
	if err != nil {
		return Found{}, err
	}
	found := slices.DeleteFunc(slices.Clone(r.Candidates), func(c retrieve.Candidate) bool {
		return c.Unit.Path == path && c.Unit.Span.Start <= at.Offset && at.Offset < c.Unit.Span.End
	})
	slices.SortStableFunc(found, func(a, b retrieve.Candidate) int { return cmp.Compare(b.Relevance, a.Relevance) })
	results := make([]Result, 0, min(len(found), limit))
	for i := range found[:min(len(found), limit)] {
		results = append(results, view.result(ctx, &found[i]))
	}
	s.recallResults(results)
	return Found{results, view.freshness()}, nil
}

// result makes a result of a candidate.
func (v *snapshot) result(ctx context.Context, c *retrieve.Candidate) Result {
	r := Result{ID: c.Unit.ID, Path: string(c.Unit.Path), Lines: c.Unit.Lines, Identifier: c.Unit.Identifier, Kind: string(c.Unit.Kind),
		Role: string(c.Role), Score: c.Relevance, Why: c.Why}
	v.place(ctx, &r)
	return r
}

// Target names a source of an answer: by ID, or by path and line, or by identifier.
type Target struct {
	ID         string
	Path       string
	Line       int // 1-based; 0 means anywhere
	Identifier string
}

// Explanation says how a source came by its place in an answer.
type Explanation struct {
	Result
	Rank    int    // from 1
	Section string // "" when it is not shown
	Omitted string // why it is not shown, "" when it is
}

// Explain returns how a source came by its place in the answer to q, nil when the
// question does not find it.
func (s *Session) Explain(ctx context.Context, q Question, t Target) (*Explanation, error) {
	return sound(s.shared, func() (*Explanation, error) { return s.explain(ctx, q, t) })
}

func (s *Session) explain(ctx context.Context, q Question, t Target) (*Explanation, error) {
	r, bundle, err := s.context(ctx, q)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(r.Candidates, func(c retrieve.Candidate) bool { return t.names(&c.Unit) })
	if i < 0 {
		return nil, nil
	}
	c := &r.Candidates[i]
	_, buffer := q.file()
	e := &Explanation{Result: s.snapshot(buffer).result(ctx, c), Rank: i + 1}
	if j := slices.IndexFunc(bundle.Sources, func(x assemble.Source) bool { return x.Path == c.Unit.Path && x.Identifier == c.Unit.Identifier }); j >= 0 {
		e.Section = bundle.Sources[j].Section
		return e, nil
	}
	e.Omitted = "it is part of another source"
	if j := slices.IndexFunc(bundle.Omitted, func(x assemble.Omission) bool { return x.Path == c.Unit.Path && x.Identifier == c.Unit.Identifier }); j >= 0 {
		e.Omitted = bundle.Omitted[j].Reason
	}
	return e, nil
}

// names reports whether t names a unit.
func (t *Target) names(u *retrieve.Unit) bool {
	switch {
	case t.ID != "":
		return u.ID.String() == t.ID
	case t.Path != "" && t.Path != string(u.Path), t.Line > 0 && (t.Line < u.Lines.First || t.Line > u.Lines.Last):
		return false
	}
	return t.Identifier == "" || t.Identifier == u.Identifier
}
