package retrieve

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// At returns what belongs with the symbol under a cursor, or the text around a cursor
// that is in no symbol. An offset outside of the file is an error.
func At(ctx context.Context, ix Index, cur Cursor) (Result, error) {
	content, err := ix.Files.Content(ctx, cur.Path)
	if err != nil {
		return Result{}, err
	}
	if cur.Offset < 0 || cur.Offset > len(content) {
		return Result{}, fmt.Errorf("offset %d is outside of %s, which has %d bytes", cur.Offset, cur.Path, len(content))
	}
	o := cur.Outline
	if o == nil {
		parsed := languages.Parse(cur.Path, content)
		o = &parsed
	}
	g, err := ix.Files.Graph(ctx, cur.Path)
	if err != nil {
		return Result{}, err
	}
	c, err := newCandidates(ctx, ix, Filter{Path: cur.Keep})
	if err != nil {
		return Result{}, err
	}
	c.q.Put(&g)
	a := asking{candidates: c, g: &g, o: o, cur: cur, content: content}
	a.subjects()
	for _, s := range a.subject {
		a.uses(s)
		a.users(s)
		a.overrides(s)
		a.siblings(s)
	}
	if !cur.Brief {
		a.similar()
	}
	a.coChanged()
	a.pinAll(cur.Pinned)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return a.result(), nil
}

// asking is one question at a cursor.
type asking struct {
	*candidates
	g       *record.FileGraph // of the cursor's file
	o       *languages.Outline
	cur     Cursor
	content []byte
	subject []subject // the symbols in question, the surest first
	module  *Unit     // that the import under the cursor names, nil elsewhere
}

// place is a symbol of a file.
type place struct {
	path   record.Path
	symbol int
}

// subject is a symbol in question.
type subject struct {
	place
	sure float64 // in (0, 1], a factor of what the symbol adds
}

// maxSubjects bounds the definitions that an ambiguous identifier is followed to.
const maxSubjects = 3

// subjects finds the definitions of the identifier under the cursor and the unit around
// the cursor.
func (a *asking) subjects() {
	symbol, ref := graph.At(a.o, a.g, a.cur.Offset)
	if ref != nil && !(symbol >= 0 && touches(a.g.Symbols[symbol].NameSpan, a.cur.Offset)) {
		a.definitions(symbol, ref)
	}
	found := len(a.subject) > 0 || ref != nil && a.imported(ref)
	switch {
	case symbol >= 0 && found:
		unit := shown(a.g, symbol)
		a.addSymbol(a.cur.Path, unit, RoleEnclosing, signal("around the cursor", worthEnclosing), a.cursorLine())
		a.ask(place{a.cur.Path, unit}, sureEnclosing)
	case symbol >= 0:
		unit := shown(a.g, symbol)
		a.addSymbol(a.cur.Path, unit, RoleDefinition, signal("at the cursor", worthSelf), a.cursorLine())
		a.ask(place{a.cur.Path, symbol}, 1)
		a.ask(place{a.cur.Path, unit}, 1)
	case !found:
		a.add(a.around(), RoleEnclosing, signal("around the cursor", worthEnclosing))
	}
}

// touches reports whether a cursor stands in a name or at one of its ends.
func touches(name record.Span, offset int) bool { return name.Start <= offset && offset <= name.End }

// ask adds a subject, once.
func (a *asking) ask(p place, sure float64) {
	if !slices.ContainsFunc(a.subject, func(s subject) bool { return s.place == p }) {
		a.subject = append(a.subject, subject{p, sure})
	}
}

// definitions follows the identifier under the cursor, which the symbol around it uses.
func (a *asking) definitions(symbol int, ref *languages.Ref) {
	e, ok := graph.Resolve(a.o, ref)
	if !ok {
		return
	}
	e.From = symbol
	for _, t := range a.resolve(a.g, &e) {
		if len(a.subject) == maxSubjects {
			break
		}
		g := a.q.Graph(t.Path)
		a.addSymbol(t.Path, shown(g, t.Symbol), RoleDefinition, signal("definition", worthSelf*t.Probability), declaring(g, t.Symbol)...)
		a.ask(place{t.Path, t.Symbol}, t.Probability)
	}
}

// shown returns the symbol that is shown for another: for a field or a constant of a
// small type the type.
func shown(g *record.FileGraph, i int) int {
	const small = 40 // lines
	s := &g.Symbols[i]
	if p := s.Parent; p >= 0 && (s.Kind == record.KindField || s.Kind == record.KindConstant || s.Kind == record.KindVariable) {
		if l := g.Symbols[p].Lines; l.Last-l.First < small {
			return p
		}
	}
	return i
}

// declaring returns the line of a symbol that is shown with the type around it.
func declaring(g *record.FileGraph, i int) []int {
	if shown(g, i) != i {
		return []int{g.Symbols[i].NameLine}
	}
	return nil
}

func (a *asking) cursorLine() int { return 1 + bytes.Count(a.content[:a.cur.Offset], []byte{'\n'}) }

// around returns the text around a cursor that is in no symbol, up to aroundLines lines
// above and below.
func (a *asking) around() Unit {
	const aroundLines = 30
	start, end := a.cur.Offset, a.cur.Offset
	for n := 0; n <= aroundLines && start > 0; n++ {
		start = max(0, bytes.LastIndexByte(a.content[:start], '\n'))
	}
	if start > 0 {
		start++ // behind the line end that was found
	}
	for n := 0; n <= aroundLines && end < len(a.content); n++ {
		if i := bytes.IndexByte(a.content[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(a.content)
		}
	}
	first := 1 + bytes.Count(a.content[:start], []byte{'\n'})
	span := record.Span{Start: start, End: end}
	return Unit{Path: a.cur.Path, Language: a.o.Language, Kind: record.KindText, Identifier: string(a.cur.Path), ID: graph.FileID(a.cur.Path), Span: span,
		Header: record.Span{Start: start, End: start}, Body: span, Lines: record.Lines{First: first, Last: max(first, first+countLines(a.content[start:end])-1)}, NameLine: first}
}

func (a *asking) result() Result {
	r := Result{Scope: api.Focused, Candidates: a.ranked(), Dependencies: a.dependencies()}
	if a.module != nil {
		r.Symbol, r.Query = a.module, a.module.Identifier
	} else if len(a.subject) > 0 {
		s := a.subject[0]
		u := unitOf(a.q.Graph(s.path), s.symbol)
		r.Symbol, r.Query = &u, u.Identifier
	} else if len(r.Candidates) > 0 {
		r.Query = r.Candidates[0].Unit.Identifier
	}
	a.finish(&r, !a.cur.Brief)
	return r
}
