package answer

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"unicode"
	"unicode/utf8"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/retrieve"
	"ambit/server/snapshot"
	"ambit/vectors/record"
)

const (
	// maxHoverRelated bounds the related units of a hover.
	maxHoverRelated = 8
	// maxHoverFiles bounds the files that a hover reads. A name such as String is used
	// in hundreds, of which a hover shows the nearest few. It is a number of files and
	// not of milliseconds, so that a hover says the same every time.
	maxHoverFiles = 100
)

// Hover describes the symbol at a place. It returns nil when the place is not on a name and
// when the workspace does not define the name. It shows units related by name and does not
// search.
func (a *Answerer) Hover(ctx context.Context, s *snapshot.Snapshot, q api.HoverQuestion) (*api.Hover, error) {
	path := q.TextDocument.Path
	if _, shown := s.File(path); !shown {
		return nil, nil
	}
	text, offset, err := locate(ctx, s, q.Place)
	if err != nil {
		return nil, err
	}
	name := nameAround(text, offset)
	if name.Start == name.End {
		return nil, nil
	}
	ix := s.Index(nil)
	ix.Files = &limitedReader{Reading: s.Reading(), own: path, seen: map[record.Path]bool{}}
	r, err := retrieve.At(ctx, ix, retrieve.Cursor{Path: path, Offset: offset, Brief: true})
	if err != nil {
		return nil, err
	}
	g, err := s.Graph(ctx, path)
	if err != nil {
		return nil, err
	}
	h := &api.Hover{Range: location.Range(text, name, q.PositionEncoding)}
	subject := subjectOf(&r, path, &g, name)
	switch symbol := r.Symbol; {
	case subject >= 0:
		c := &r.Candidates[subject]
		h.Unit, h.Dependents, h.ChangeFrequency = a.link(c), c.Dependents, c.Frequency
		h.Unit.Role = ""
		if symbol != nil && symbol.Path == c.Unit.Path && symbol.Identifier != c.Unit.Identifier { // a field is shown with its type
			h.Unit.Identifier, h.Unit.Kind, h.Unit.Line = symbol.Identifier, symbol.Kind, symbol.NameLine
		}
	case symbol != nil && symbol.Kind == record.KindModule && symbol.Path != path: // that is imported
		h.Unit = api.Link{Identifier: symbol.Identifier, Kind: symbol.Kind, Path: symbol.Path, URI: location.URI(a.o.Root, symbol.Path), Line: 1}
	default:
		return nil, nil
	}
	a.relate(h, &r, subject)
	return h, nil
}

// relate adds the candidates that go with the subject.
func (a *Answerer) relate(h *api.Hover, r *retrieve.Result, subject int) {
	h.Related, h.Tests, h.Documents = []api.Link{}, []api.Link{}, []api.Link{}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		switch {
		case i == subject || c.Role == retrieve.RoleEnclosing || c.Role == retrieve.RoleSimilar || c.Role == retrieve.RoleSibling:
		case c.Role == retrieve.RoleTest:
			h.Tests = append(h.Tests, a.link(c))
		case c.Role == retrieve.RoleDoc:
			h.Documents = append(h.Documents, a.link(c))
		case len(h.Related) < maxHoverRelated:
			h.Related = append(h.Related, a.link(c))
		}
	}
}

func (a *Answerer) link(c *retrieve.Candidate) api.Link {
	u := &c.Unit
	return api.Link{Identifier: u.Identifier, Kind: u.Kind, Path: u.Path, URI: location.URI(a.o.Root, u.Path), Line: max(1, u.NameLine), Role: string(c.Role)}
}

// subjectOf returns the candidate of a name, or -1: the unit that the name declares, or
// the definition that it refers to.
func subjectOf(r *retrieve.Result, path record.Path, g *record.FileGraph, name record.Span) int {
	declares := slices.ContainsFunc(g.Symbols, func(s record.Symbol) bool { return s.NameSpan == name })
	return slices.IndexFunc(r.Candidates, func(c retrieve.Candidate) bool {
		if c.Role != retrieve.RoleDefinition {
			return false
		}
		leads := slices.ContainsFunc(c.Why, func(s api.Signal) bool { return s.Name == "definition" })
		return leads || declares && c.Unit.Path == path
	})
}

// nameAround returns the name that a cursor is in or right behind; an empty span when
// there is none, or it is a number.
func nameAround(text []byte, offset int) record.Span {
	start, end := offset, offset
	for start > 0 {
		r, size := utf8.DecodeLastRune(text[:start])
		if !isWord(r) {
			break
		}
		start -= size
	}
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if !isWord(r) {
			break
		}
		end += size
	}
	if first, _ := utf8.DecodeRune(text[start:]); unicode.IsDigit(first) {
		return record.Span{Start: offset, End: offset}
	}
	return record.Span{Start: start, End: end}
}

// isWord reports whether a character can be part of a name.
func isWord(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// limitedReader is a snapshot that has no further files after some were read.
type limitedReader struct {
	*snapshot.Reading
	own  record.Path // the file of the question, which does not count
	seen map[record.Path]bool
}

// errLimit is returned for the files beyond the limit. For retrieve they are not there.
var errLimit = fmt.Errorf("enough files were read: %w", fs.ErrNotExist)

// more counts a file and returns errLimit when it is one too many.
func (r *limitedReader) more(path record.Path) error {
	if path == r.own || r.seen[path] {
		return nil
	}
	if len(r.seen) == maxHoverFiles {
		return errLimit
	}
	r.seen[path] = true
	return nil
}

// Graph implements [retrieve.Reader].
func (r *limitedReader) Graph(ctx context.Context, path record.Path) (record.FileGraph, error) {
	if err := r.more(path); err != nil {
		return record.FileGraph{}, err
	}
	return r.Reading.Graph(ctx, path)
}

// GraphTo implements [retrieve.Reader].
func (r *limitedReader) GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error) {
	if err := r.more(path); err != nil {
		return record.FileGraph{}, err
	}
	return r.Reading.GraphTo(ctx, path, name)
}
