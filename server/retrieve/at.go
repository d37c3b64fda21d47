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

// At returns the candidates for the symbol under a cursor, or the text around a cursor
// that is in no symbol. It returns an error for an offset outside of the file.
func At(ctx context.Context, ix Index, cur Cursor) (out Result, err error) {
	defer graph.Catch(&err)
	if cur.In != nil {
		return atDependency(ctx, ix, cur)
	}
	content, err := ix.Files.Content(ctx, cur.Path)
	if err != nil {
		return Result{}, err
	}
	if cur.Offset < 0 || cur.Offset > len(content) {
		return Result{}, fmt.Errorf("offset %d is outside of %s, which has %d bytes", cur.Offset, cur.Path, len(content))
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
	l := lookup{candidates: c, g: &g, cur: cur, content: content}
	if err := l.subjects(ctx); err != nil {
		return Result{}, err
	}
	for _, s := range l.subject {
		l.uses(s)
		l.users(s)
		l.overrides(s)
		l.siblings(s)
	}
	if !cur.Brief {
		if l.o != nil {
			l.outlines = map[record.Path]*languages.Outline{l.cur.Path: l.o}
		}
		l.declare(nil)
		l.similar()
	}
	l.coChanged()
	l.pinAll(cur.Pinned)
	externals := l.externals()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r := l.result()
	r.Externals = externals
	return r, nil
}

// lookup is one question at a cursor.
type lookup struct {
	*candidates
	g       *record.FileGraph  // of the cursor's file
	o       *languages.Outline // nil when the cursor is on the name of a declaration
	cur     Cursor
	content []byte
	subject []subject // the symbols in question, the surest first
	module  *Unit     // that the import under the cursor names; nil outside of an import
	away    bool      // the subjects are in a dependency
}

// place is a symbol of a file.
type place struct {
	path   record.Path
	symbol int
}

// subject is a symbol in question.
type subject struct {
	place
	sure float64 // in (0, 1], a factor of every signal from the symbol
}

// maxSubjects bounds the definitions that an ambiguous identifier is followed to.
const maxSubjects = 3

// subjects finds the definitions of the identifier under the cursor and the unit around
// the cursor.
func (l *lookup) subjects(ctx context.Context) error {
	symbol := graph.SymbolAt(l.g, l.content, l.cur.Offset)
	var ref *languages.Ref
	if symbol < 0 || !touches(l.g.Symbols[symbol].NameSpan, l.cur.Offset) {
		var err error
		if l.o, err = l.ix.Files.Outline(ctx, l.cur.Path); err != nil {
			return err
		}
		if ref = graph.ReferenceAt(l.o, l.cur.Offset); ref != nil {
			l.definitions(symbol, ref)
		}
	}
	found := len(l.subject) > 0 || ref != nil && l.imported(ref)
	switch {
	case symbol >= 0 && found:
		unit := shown(l.g, symbol)
		l.addSymbol(l.cur.Path, unit, RoleEnclosing, signal("around the cursor", worthEnclosing), l.cursorLine())
		l.addSubject(place{l.cur.Path, unit}, sureEnclosing)
	case symbol >= 0:
		unit := shown(l.g, symbol)
		l.addSymbol(l.cur.Path, unit, RoleDefinition, signal("at the cursor", worthSelf), l.cursorLine())
		l.addSubject(place{l.cur.Path, symbol}, 1)
		l.addSubject(place{l.cur.Path, unit}, 1)
	case !found:
		l.add(l.around(), RoleEnclosing, signal("around the cursor", worthEnclosing))
	}
	return nil
}

// touches reports whether a cursor is in a name or at one of its ends.
func touches(name record.Span, offset int) bool { return name.Start <= offset && offset <= name.End }

// addSubject adds a subject, once.
func (l *lookup) addSubject(p place, sure float64) {
	if !slices.ContainsFunc(l.subject, func(s subject) bool { return s.place == p }) {
		l.subject = append(l.subject, subject{p, sure})
	}
}

// definitions follows the identifier under the cursor, which the symbol around it uses.
func (l *lookup) definitions(symbol int, ref *languages.Ref) {
	e, ok := graph.Resolve(l.o, ref)
	if !ok {
		return
	}
	e.From = symbol
	for _, t := range l.resolve(l.g, &e) {
		if len(l.subject) == maxSubjects {
			break
		}
		g := l.q.Graph(t.Path)
		l.addSymbol(t.Path, shown(g, t.Symbol), RoleDefinition, signal("definition", worthSelf*t.Probability), declaring(g, t.Symbol)...)
		l.addSubject(place{t.Path, t.Symbol}, t.Probability)
	}
}

// shown returns the symbol to show for a symbol: for a field or a constant of a small
// type, and for a variant of an enumeration of any size, it is the type, else the symbol
// itself. A name space is no type: it tells nothing of a variable in it.
func shown(g *record.FileGraph, i int) int {
	const small = 40 // lines
	s := &g.Symbols[i]
	if isVariant(g, i) {
		return s.Parent
	}
	if p := s.Parent; p >= 0 && (s.Kind == record.KindField || s.Kind == record.KindConstant || s.Kind == record.KindVariable) {
		if l := g.Symbols[p].Lines; l.Last-l.First < small && g.Symbols[p].Kind != record.KindModule {
			return p
		}
	}
	return i
}

// isVariant reports whether a symbol is one of the values of an enumeration.
func isVariant(g *record.FileGraph, i int) bool {
	p := g.Symbols[i].Parent
	return p >= 0 && g.Symbols[p].Kind == record.KindEnum && !languages.IsCallable(g.Symbols[i].Kind)
}

// declaring returns the line that declares a symbol when its type is shown instead.
func declaring(g *record.FileGraph, i int) []int {
	if shown(g, i) != i {
		return []int{g.Symbols[i].NameLine}
	}
	return nil
}

func (l *lookup) cursorLine() int { return 1 + bytes.Count(l.content[:l.cur.Offset], []byte{'\n'}) }

// around returns the text around a cursor that is in no symbol, up to aroundLines lines
// above and below.
func (l *lookup) around() Unit {
	const aroundLines = 30
	start, end := l.cur.Offset, l.cur.Offset
	for n := 0; n <= aroundLines && start > 0; n++ {
		start = max(0, bytes.LastIndexByte(l.content[:start], '\n'))
	}
	if start > 0 {
		start++ // after the line end
	}
	for n := 0; n <= aroundLines && end < len(l.content); n++ {
		if i := bytes.IndexByte(l.content[end:], '\n'); i >= 0 {
			end += i + 1
		} else {
			end = len(l.content)
		}
	}
	first := 1 + bytes.Count(l.content[:start], []byte{'\n'})
	span := record.Span{Start: start, End: end}
	return Unit{Path: l.cur.Path, Language: l.g.Language, Kind: record.KindText, Identifier: string(l.cur.Path), ID: graph.FileID(l.cur.Path), Span: span,
		Header: record.Span{Start: start, End: start}, Body: span, Lines: record.Lines{First: first, Last: max(first, first+countLines(l.content[start:end])-1)}, NameLine: first}
}

func (l *lookup) result() Result {
	r := Result{Scope: api.Focused, Candidates: l.ranked(), Dependencies: l.dependencies()}
	if l.module != nil {
		r.Symbol, r.Query = l.module, l.module.Identifier
	} else if len(l.subject) > 0 {
		s := l.subject[0]
		u := unitOf(l.q.Graph(s.path), s.symbol)
		r.Symbol, r.Query = &u, u.Identifier
	} else if len(r.Candidates) > 0 {
		r.Query = r.Candidates[0].Unit.Identifier
	}
	l.finish(&r, !l.cur.Brief)
	return r
}
