package graph

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Reader reads the records of one file. *store.DB satisfies it.
type Reader interface {
	// Graph returns what a file defines and uses. A file that is gone is an error.
	Graph(ctx context.Context, path record.Path) (record.FileGraph, error)
	// GraphTo returns the same, but may return only the edges to name: edges are most of
	// a file, and to find the users of a name hundreds of files are read.
	GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error)
}

// Target is what a name can mean.
type Target struct {
	Path        record.Path
	Symbol      int     // index into FileGraph.Symbols
	Probability float64 // in (0, 1]; those of one name add up to at most 1
}

// Probabilities of what names resolve to, by the rule that found it.
const (
	sureProbability   = 1.0  // scope, import or package rule
	basedProbability  = 0.9  // a member found in a base type
	uniqueProbability = 0.6  // the only definition of a name in reach
	guessProbability  = 0.5  // shared by the likeliest few of several
	leastProbability  = 0.04 // below, a guess is noise
	maxTargets        = 4    // likeliest few that an ambiguous name keeps
	maxDepth          = 6    // bases, aliases, re-exports followed one after the other
)

// Query answers questions over one view. It caches the records it reads and is
// for one goroutine, for the time of one request.
type Query struct {
	ctx     context.Context // of the request that the query lives for
	v       *View
	reader  Reader
	files   map[record.Path]known
	keep    func(record.Path) bool // of Users; nil for all
	failed  bool                   // a file could not be read
	guessed map[guessKey]answer
	sought  map[seekKey]*options
}

// known is a file that a query has read.
type known struct {
	*record.FileGraph
	whole bool   // all edges are there
	to    string // else those to this name
}

// Query starts a query.
func (v *View) Query(ctx context.Context, r Reader) *Query {
	return &Query{ctx: ctx, v: v, reader: r, files: map[record.Path]known{},
		guessed: map[guessKey]answer{}, sought: map[seekKey]*options{}}
}

// Context returns the context of the request.
func (q *Query) Context() context.Context { return q.ctx }

// Graph returns the symbols and imports of a file. The edges may be missing, see
// [Query.Edges]. A file that cannot be read is empty.
func (q *Query) Graph(p record.Path) *record.FileGraph {
	if k, ok := q.files[p]; ok {
		return k.FileGraph
	}
	return q.graphTo(p, "")
}

// graphTo is Graph with the edges to a name.
func (q *Query) graphTo(p record.Path, name string) *record.FileGraph {
	k, ok := q.files[p]
	if !ok || !k.whole && k.to != name {
		g, err := q.reader.GraphTo(q.ctx, p, name)
		k = q.put(p, &g, err, known{to: name})
	}
	return k.FileGraph
}

// Edges returns all edges of a file.
func (q *Query) Edges(p record.Path) []record.Edge {
	k, ok := q.files[p]
	if !ok || !k.whole {
		g, err := q.reader.Graph(q.ctx, p)
		k = q.put(p, &g, err, known{whole: true})
	}
	return k.FileGraph.Edges
}

// put remembers a file as it was read.
func (q *Query) put(p record.Path, g *record.FileGraph, err error, k known) known {
	if err != nil {
		q.failed = true
		g, k.whole = &record.FileGraph{Path: p}, true
	}
	k.FileGraph = g
	q.files[p] = k
	return k
}

// Put makes a query see a file as it stands in a buffer, which the view has too.
func (q *Query) Put(g *record.FileGraph) { q.files[g.Path] = known{g, true, ""} }

// putNew is Put for a file that the query has not seen yet.
func (q *Query) putNew(g *record.FileGraph) {
	if _, ok := q.files[g.Path]; !ok {
		q.Put(g)
	}
}

// UserCount returns in how many files of the view a name is used.
func (q *Query) UserCount(name string) int { return q.v.UserCount(name) }

// FileCount returns the number of files of the view.
func (q *Query) FileCount() int { return q.v.fileCount() }

// thing is what an expression can be: a symbol, or a module.
type thing struct {
	at     ref
	symbol int // -1 for a module
	module []ref
	prob   float64
}

// answer is what a path evaluates to. Outside means that the path leaves the
// workspace: then no guess is made.
type answer struct {
	things  []thing
	outside bool
}

// Resolve returns what an edge of a file can mean, the likeliest first. The file
// must be part of the view.
func (q *Query) Resolve(g *record.FileGraph, e *record.Edge) []Target {
	at, ok := q.v.find(g.Path)
	if !ok || e.From >= len(g.Symbols) {
		return nil
	}
	q.putNew(g)
	return q.targets(q.edge(place{at, g, q.v}, e))
}

// place is the file that a name stands in.
type place struct {
	ref
	*record.FileGraph
	v *View
}

func (q *Query) place(r ref) place { return place{r, q.Graph(q.v.file(r).path), q.v} }

// symbol returns the symbol that a thing is, nil for a module and for a symbol that the
// file has lost since the view was made.
func (q *Query) symbol(t thing) *record.Symbol {
	if t.symbol < 0 {
		return nil
	}
	if symbols := q.place(t.at).Symbols; t.symbol < len(symbols) {
		return &symbols[t.symbol]
	}
	return nil
}

// named yields the symbols of the file that have a name, in order. It finds them by
// the index, which is as old as the view, and leaves out symbols that no longer fit.
func (p place) named(name string) iter.Seq2[int, *record.Symbol] {
	return func(yield func(int, *record.Symbol) bool) {
		for _, d := range p.v.defsIn(p.ref, name) {
			i := int(d.symbol)
			if i < len(p.Symbols) && p.Symbols[i].Name == name && !yield(i, &p.Symbols[i]) {
				return
			}
		}
	}
}

// lang returns the rules of the file's language.
func (p place) lang() *language { return languageOf(p.Language) }

// sees reports whether the names of a file are in reach by its language.
func (p place) sees(f *fileEntry) bool { return family(f.language) == family(p.Language) }

// edge resolves an edge of a file.
func (q *Query) edge(at place, e *record.Edge) answer {
	if e.Kind == record.EdgeImports {
		return q.importedName(at, e.Name)
	}
	switch e.Receiver {
	case "":
		a := q.plain(at, e.From, e.Name, 0)
		q.fit(at, &a, e.Kind)
		return a
	case unknown:
		return q.anyMember(at, e.Name, e.Kind)
	}
	recv := q.path(at, e.From, e.Receiver, 0)
	a := q.members(at, recv, e.Name, 0)
	q.fit(at, &a, e.Kind)
	if len(a.things) == 0 && !recv.outside && !a.outside && !q.closed(recv) && q.knows(at, e.Receiver) {
		a = q.anyMember(at, e.Name, e.Kind)
	}
	return a
}

// fit keeps, of methods and fields of one name, those that are used as the edge says,
// where a language tells them apart by their use.
func (q *Query) fit(at place, a *answer, kind record.EdgeKind) {
	if len(a.things) < 2 || !at.lang().splitsByUse || kind != record.EdgeCalls && kind != record.EdgeReads {
		return
	}
	fitting := slices.DeleteFunc(slices.Clone(a.things), func(t thing) bool {
		s := q.symbol(t)
		return s == nil || languages.IsCallable(s.Kind) != (kind == record.EdgeCalls)
	})
	if len(fitting) > 0 && !slices.ContainsFunc(a.things, func(t thing) bool { return t.symbol < 0 }) {
		a.things = fitting
	}
}

// knows reports whether the workspace declares the name that a path starts with; if not,
// the path leads outside. It is always true in a language whose names need no
// declaration.
func (q *Query) knows(at place, path string) bool {
	if at.lang().undeclared {
		return true
	}
	first, _, _ := strings.Cut(path, ".")
	found := false
	q.v.eachDef(componentOf(first).name, func(r ref, _ def) bool {
		found = at.sees(q.v.file(r))
		return !found
	})
	return found
}

// targets returns the likeliest symbols of an answer.
func (q *Query) targets(a answer) []Target {
	out := make([]Target, 0, min(len(a.things), maxTargets))
	slices.SortStableFunc(a.things, func(x, y thing) int { return cmp.Compare(y.prob, x.prob) })
	for _, t := range a.things {
		if t.prob < leastProbability || len(out) == maxTargets || q.symbol(t) == nil {
			continue
		}
		target := Target{q.v.file(t.at).path, t.symbol, t.prob}
		if !slices.ContainsFunc(out, func(o Target) bool { return o.Path == target.Path && o.Symbol == target.Symbol }) {
			out = append(out, target)
		}
	}
	return out
}
