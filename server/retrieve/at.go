package retrieve

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// What a reason is worth: the relevance of a unit that is certain to be in that
// relation to the symbol. Dependencies and dependents are measured by the yardstick
// of the bench; the rest stands below so that it never crowds them out.
const (
	worthSelf      = 1.0
	worthEnclosing = 0.95
	worthContainer = 0.8  // the type that a method belongs to
	worthCall      = 0.85 // what it calls, creates or extends
	worthType      = 0.75
	worthRead      = 0.65 // constants, variables, fields
	worthUser      = 0.8
	worthTest      = 0.55
	worthDoc       = 0.5
	worthCoChange  = 0.25
	worthSibling   = 0.2
	worthSimilar   = 0.25
)

// The most that each channel brings.
const (
	maxUsersShown   = 40
	maxTestsShown   = 6
	maxSiblings     = 6
	maxCoChanges    = 3
	maxSimilar      = 8
	maxStructure    = 8
	maxDependencies = 40
)

// At returns what belongs with the symbol under a cursor. An offset outside of the
// file is an error; a place without a symbol yields the text around it.
func At(ctx context.Context, ix Index, cur Cursor) (Result, error) {
	content, err := ix.Files.Content(ctx, cur.Path)
	if err != nil {
		return Result{}, err
	}
	if cur.Offset < 0 || cur.Offset > len(content) {
		return Result{}, fmt.Errorf("offset %d is outside of %s, which has %d bytes", cur.Offset, cur.Path, len(content))
	}
	o := languages.Parse(cur.Path, content)
	g := graph.Extract(&o)
	c := newCandidates(ctx, ix)
	c.q.Put(&g)
	a := asking{candidates: c, g: &g, o: &o, cur: cur, content: content}
	a.subjects()
	for _, s := range a.subject {
		a.uses(s)
		a.users(s)
		a.siblings(s)
		a.similar(ctx, s)
	}
	a.coChanged()
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
	subject []place // what is asked about, the surest first
	deps    []Dependency
}

// place is a symbol of a file.
type place struct {
	path   record.Path
	symbol int
}

// maxSubjects bounds the definitions that an ambiguous identifier is followed to.
const maxSubjects = 3

// subjects finds what the cursor is on: the definitions of the identifier, and the
// unit around it.
func (a *asking) subjects() {
	symbol, ref := graph.At(a.o, a.g, a.cur.Offset)
	if symbol >= 0 {
		s := &a.g.Symbols[symbol]
		if ref != nil && !(s.NameSpan.Start <= a.cur.Offset && a.cur.Offset <= s.NameSpan.End) {
			a.definitions(symbol, ref)
		}
		role, why := RoleEnclosing, Signal{"around the cursor", worthEnclosing}
		if len(a.subject) == 0 {
			role, why = RoleDefinition, Signal{"at the cursor", worthSelf}
		}
		symbol = shown(a.g, symbol)
		a.addSymbol(a.cur.Path, symbol, role, why, a.cursorLine())
		a.subject = append(a.subject, place{a.cur.Path, symbol})
		return
	}
	if ref != nil {
		a.definitions(-1, ref)
	}
	if len(a.subject) == 0 {
		a.add(a.around(), RoleEnclosing, Signal{"around the cursor", worthEnclosing})
	}
}

// shown returns the symbol that is shown for one: a field or constant of a small
// type is read with the type.
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

func (a *asking) definitions(symbol int, ref *languages.Ref) {
	e, ok := graph.Resolve(a.o, ref)
	if !ok {
		return
	}
	e.From = symbol
	for _, t := range a.q.Resolve(a.g, &e) {
		if len(a.subject) == maxSubjects {
			break
		}
		a.addSymbol(t.Path, t.Symbol, RoleDefinition, Signal{"definition", worthSelf * t.Probability})
		a.subject = append(a.subject, place{t.Path, t.Symbol})
	}
}

func (a *asking) cursorLine() int {
	return 1 + countLines(a.content[:a.cur.Offset]) - boolInt(a.cur.Offset > 0 && a.content[a.cur.Offset-1] != '\n')
}

// around returns the text around a cursor that is in no symbol: the paragraphs up
// to aroundLines lines above and below.
func (a *asking) around() Unit {
	const aroundLines = 30
	start, end := a.cur.Offset, a.cur.Offset
	for n := 0; start > 0; start-- {
		if a.content[start-1] == '\n' {
			if n++; n > aroundLines {
				break
			}
		}
	}
	for n := 0; end < len(a.content); end++ {
		if a.content[end] == '\n' {
			if n++; n > aroundLines {
				end++
				break
			}
		}
	}
	first := 1
	for _, c := range a.content[:start] {
		if c == '\n' {
			first++
		}
	}
	span := record.Span{Start: start, End: end}
	return Unit{Path: a.cur.Path, Language: a.o.Language, Kind: record.KindText, Identifier: string(a.cur.Path), ID: record.NewChunkID(a.cur.Path, "", "", 0), Span: span,
		Header: record.Span{Start: start, End: start}, Body: span, Lines: record.Lines{First: first, Last: max(first, first+countLines(a.content[start:end])-1)}, NameLine: first}
}

// uses brings what a symbol uses, itself or in what it holds.
func (a *asking) uses(s place) {
	g := a.q.Graph(s.path)
	from := g.Symbols[s.symbol].Qualified
	for i := range g.Edges {
		e := &g.Edges[i]
		if !inside(g, e.From, s.symbol) {
			continue
		}
		for _, t := range a.q.Resolve(g, e) {
			if t.Path == s.path && inside(g, t.Symbol, s.symbol) {
				continue
			}
			tg := a.q.Graph(t.Path)
			worth := worthOf(e.Kind) * t.Probability * (1 - 0.5/float64(1+e.Count)) * a.telling(s.path, t.Path, e.Name)
			c := a.addSymbol(t.Path, shown(tg, t.Symbol), RoleUses, Signal{string(e.Kind), worth}, declaring(tg, t.Symbol)...)
			a.depend(from, c.Unit.Identifier, e.Kind, t.Probability)
		}
	}
	if p := container(a.q, s); p.symbol >= 0 {
		a.addSymbol(p.path, p.symbol, RoleUses, Signal{"member of", worthContainer}, g.Symbols[s.symbol].NameLine)
	}
}

// telling returns how much a dependency tells a reader who knows the workspace, in
// [0.6, 1]: what every file uses is known, what stands in the same file or
// directory is what the unit is made of.
func (a *asking) telling(from, to record.Path, name string) float64 {
	const known = 0.4
	if path.Dir(string(from)) == path.Dir(string(to)) {
		return 1
	}
	return 1 - known*math.Log1p(float64(a.q.UserCount(name)))/math.Log1p(float64(a.q.FileCount()))
}

// declaring returns the lines that must be seen of a symbol that is shown with the
// type around it.
func declaring(g *record.FileGraph, i int) []int {
	if shown(g, i) != i {
		return []int{g.Symbols[i].NameLine}
	}
	return nil
}

func worthOf(k record.EdgeKind) float64 {
	switch k {
	case record.EdgeCalls, record.EdgeCreates, record.EdgeExtends:
		return worthCall
	case record.EdgeType:
		return worthType
	}
	return worthRead
}

// container returns the type that a symbol is a member of.
func container(q *graph.Query, s place) place {
	g := q.Graph(s.path)
	for i := g.Symbols[s.symbol].Parent; i >= 0; i = g.Symbols[i].Parent {
		if graph.IsType(g.Symbols[i].Kind) {
			return place{s.path, i}
		}
	}
	if name := g.Symbols[s.symbol].Container; name != "" {
		e := record.Edge{From: -1, Name: name, Kind: record.EdgeType, Count: 1}
		for _, t := range q.Resolve(g, &e) {
			return place{t.Path, t.Symbol}
		}
	}
	return place{symbol: -1}
}

// users brings what uses a symbol: callers, subclasses, tests, documents.
func (a *asking) users(s place) {
	name := a.q.Graph(s.path).Symbols[s.symbol].Qualified
	nUsers, nTests := 0, 0
	for _, u := range a.q.Users(s.path, s.symbol) {
		g := a.q.Graph(u.Path)
		if u.Path == s.path && u.Symbol >= 0 && inside(g, u.Symbol, s.symbol) {
			continue
		}
		role, worth := RoleUsedBy, worthUser
		switch {
		case g.Language == "markdown" || g.Language == "text":
			role, worth = RoleDoc, worthDoc
		case g.Test || u.Symbol >= 0 && g.Symbols[u.Symbol].Test:
			role, worth = RoleTest, worthTest
			nTests++
		default:
			nUsers++
		}
		if role == RoleTest && nTests > maxTestsShown || nUsers > maxUsersShown {
			continue
		}
		if u.Symbol < 0 && role == RoleUsedBy {
			worth *= 0.6 // top-level statements and imports
		}
		// The first users count more than the fortieth: past ten, others serve better.
		rank := nUsers
		if role == RoleTest {
			rank = nTests
		}
		worth *= u.Probability / (1 + math.Max(0, float64(rank-10))/20)
		c := a.addSymbol(u.Path, u.Symbol, role, Signal{string(role), worth}, u.Lines...)
		if c != nil && role == RoleUsedBy {
			a.depend(c.Unit.Identifier, name, u.Kind, u.Probability)
		}
	}
}

// depend notes an arrow for the section of dependencies.
func (a *asking) depend(from, to string, kind record.EdgeKind, probability float64) {
	d := Dependency{from, to, kind}
	if probability < 0.4 || from == to || len(a.deps) >= maxDependencies || slices.Contains(a.deps, d) {
		return
	}
	a.deps = append(a.deps, d)
}

// siblings brings the members next to a member, nearest first.
func (a *asking) siblings(s place) {
	g := a.q.Graph(s.path)
	self := &g.Symbols[s.symbol]
	if self.Container == "" && self.Parent < 0 {
		return
	}
	for d, n := 1, 0; d < len(g.Symbols) && n < maxSiblings; d++ {
		for _, i := range []int{s.symbol - d, s.symbol + d} {
			if i < 0 || i >= len(g.Symbols) || !graph.IsCallable(g.Symbols[i].Kind) || g.Symbols[i].Parent != self.Parent || g.Symbols[i].Container != self.Container {
				continue
			}
			n++
			a.addSymbol(s.path, i, RoleSibling, Signal{"sibling", worthSibling / float64(d)})
		}
	}
}

// similar brings neighbours by vector and by words.
func (a *asking) similar(ctx context.Context, s place) {
	g := a.q.Graph(s.path)
	sym := &g.Symbols[s.symbol]
	content, err := a.ix.Files.Content(ctx, s.path)
	if err != nil || sym.Span.End > len(content) {
		return
	}
	const maxText = 4000 // of a unit: its beginning says what it is about
	text := content[sym.Span.Start:min(sym.Span.End, sym.Span.Start+maxText)]
	v, err := a.ix.Embed.EmbedQuery(ctx, string(text))
	if err != nil {
		return
	}
	hits, err := a.ix.Vectors.Search(ctx, v, 3*maxSimilar)
	if err == nil {
		a.near(ctx, s, hits, "similar")
	}
	if hits, err = a.ix.Text.Search(ctx, sym.Name, maxSimilar); err == nil {
		a.near(ctx, s, hits, "shares words")
	}
}

// near adds the units of chunks that a search found.
func (a *asking) near(ctx context.Context, s place, hits []record.Hit, reason string) {
	keys := make([]record.Key, len(hits))
	for i, h := range hits {
		keys[i] = h.Key
	}
	chunks, err := a.ix.Files.Chunks(ctx, keys)
	if err != nil {
		return
	}
	n := 0
	for i := range chunks {
		c := &chunks[i]
		if c.Key == 0 || c.Beside || hits[i].Score <= 0 || n == maxSimilar {
			continue
		}
		g := a.q.Graph(c.Path)
		symbol := symbolOf(g, c)
		if symbol < 0 || c.Path == s.path && (inside(g, symbol, s.symbol) || inside(g, s.symbol, symbol)) {
			continue
		}
		n++
		a.addSymbol(c.Path, shown(g, symbol), RoleSimilar, Signal{reason, worthSimilar * hits[i].Score / hits[0].Score})
	}
}

// symbolOf returns the symbol that a chunk is of, or -1: the innermost around the
// chunk, else the first in it.
func symbolOf(g *record.FileGraph, c *record.Chunk) int {
	best := -1
	for i := range g.Symbols {
		s := &g.Symbols[i]
		if s.Span.Start > c.Span.Start && best >= 0 {
			break
		}
		if s.Span.Start <= c.Span.Start && c.Span.Start < s.Span.End || s.Span.Start >= c.Span.Start && s.Span.Start < c.Span.End {
			if s.Qualified == c.Unit || best < 0 || s.Span.Start <= c.Span.Start {
				best = i
			}
		}
	}
	return best
}

// coChanged brings the files that are committed together with the cursor's.
func (a *asking) coChanged() {
	pairs := a.ix.History.CoChanged(a.cur.Path)
	for i, p := range pairs[:min(len(pairs), maxCoChanges)] {
		other := p.A
		if other == a.cur.Path {
			other = p.B
		}
		a.addSymbol(other, -1, RoleCoChange, Signal{"changed together", worthCoChange * math.Min(1, p.Weight) / float64(i+1)})
	}
}

func (a *asking) result() Result {
	r := Result{Scope: ScopeFocused, Candidates: a.ranked(), Dependencies: a.deps}
	if len(a.subject) > 0 {
		s := a.subject[0]
		u := unitOf(a.q.Graph(s.path), s.symbol)
		r.Symbol, r.Query = &u, u.Identifier
	} else if len(r.Candidates) > 0 {
		r.Query = r.Candidates[0].Unit.Identifier
	}
	a.finish(&r)
	return r
}

// finish adds what is said about every candidate and the files they are in.
func (c *candidates) finish(r *Result) {
	for i := range r.Candidates {
		u := &r.Candidates[i].Unit
		if u.Kind != record.KindFile && u.Kind != record.KindText {
			_, name := lastOf(u.Identifier)
			r.Candidates[i].Dependents = c.q.UserCount(name)
		}
	}
	seen := map[record.Path]bool{}
	for i := range r.Candidates {
		p := r.Candidates[i].Unit.Path
		if seen[p] || len(r.Structure) == maxStructure {
			continue
		}
		seen[p] = true
		r.Structure = append(r.Structure, c.outline(p))
	}
}

// outline lists the top-level units of a file.
func (c *candidates) outline(p record.Path) FileOutline {
	g := c.q.Graph(p)
	f := FileOutline{Path: p}
	if content, err := c.ix.Files.Content(c.q.Context(), p); err == nil {
		f.Lines = countLines(content)
	}
	for i := range g.Symbols {
		if s := &g.Symbols[i]; s.Parent < 0 {
			f.Units = append(f.Units, s.Signature)
		}
	}
	return f
}

// lastOf cuts the last component off a qualified name.
func lastOf(qualified string) (before, last string) {
	for i := len(qualified) - 1; i >= 0; i-- {
		if qualified[i] == '.' {
			return qualified[:i], qualified[i+1:]
		}
	}
	return "", qualified
}

// inside reports whether symbol i is symbol s or lies in it.
func inside(g *record.FileGraph, i, s int) bool {
	for ; i >= 0; i = g.Symbols[i].Parent {
		if i == s {
			return true
		}
	}
	return false
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
