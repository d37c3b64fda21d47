package graph

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Reader reads the records of one file. *store.DB satisfies it.
type Reader interface {
	// Graph returns the definitions and uses of a file. A missing file is an error.
	Graph(ctx context.Context, path record.Path) (record.FileGraph, error)
	// GraphTo is like Graph, but may return only the edges to name. Edges are most of a
	// record, and finding the users of a name reads hundreds of files.
	GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error)
}

// Target is a possible meaning of a name.
type Target struct {
	Path   record.Path
	Symbol int // index into FileGraph.Symbols
	// Probability is how likely the name means this symbol, in (0, 1]. Those of one name may
	// add up to more than 1: all overloads, or a declaration and its definition, can be meant.
	Probability float64
}

// The probabilities of targets, by the rule that finds them.
const (
	sureProbability   = 1.0  // scope, import or package rule
	basedProbability  = 0.9  // a member found in a base type
	uniqueProbability = 0.6  // the only definition of a name in reach
	commonProbability = 0.5  // a factor of a guess at a member by a name that builtin classes have, too
	guessProbability  = 0.5  // shared by the most likely of several definitions
	leastProbability  = 0.04 // a guess below is noise
	maxTargets        = 4    // of an ambiguous name, the most likely
	maxDepth          = 6    // length of a chain of bases, aliases and re-exports
	outsideDepth      = 4    // what files of dependencies can add to it
)

// Query answers questions over one view. It caches the records it reads and is
// for one goroutine, for the time of one request.
type Query struct {
	ctx     context.Context // of the request that the query lives for
	v       *View
	reader  Reader
	files   map[record.Path]known
	keep    func(record.Path) bool // see Keep; nil keeps all files
	lacks   bool                   // a file of the view is not there
	modules map[moduleKey]module   // see module
	guessed map[guessKey]answer
	sought  map[seekKey]*options
	entered map[passing]bool    // of the running search, see passedOn
	reached map[ref]map[ref]int // see inclusions
	supers  map[string]supers   // see supertypes
	based   map[typeKey]answer  // see basesOfType
	nested  int                 // searches for bases inside one another
	climbed map[climbing]bool   // of the running search, see climb
	wanted  *Wants              // see Wants; nil when nobody asks
	deep    bool                // the language of the file in question has deepValues

	basesWant map[typeKey]*Wants     // what basesOfType looked up
	missing   map[ref][]WantedModule // see missingIncludes
}

// moduleKey is the path of an import in a file.
type moduleKey struct {
	file ref
	path string
}

// known is the record of a file that a query has read.
type known struct {
	*record.FileGraph
	whole bool   // the record has all edges
	to    string // else the record has the edges to this name
}

// Query starts a query. Its methods panic when a file cannot be read, see [Catch].
func (v *View) Query(ctx context.Context, r Reader) *Query {
	return &Query{ctx: ctx, v: v, reader: r, files: map[record.Path]known{},
		modules: map[moduleKey]module{}, guessed: map[guessKey]answer{}, sought: map[seekKey]*options{}, entered: map[passing]bool{}, reached: map[ref]map[ref]int{}, supers: map[string]supers{}, based: map[typeKey]answer{}, climbed: map[climbing]bool{}, basesWant: map[typeKey]*Wants{}, missing: map[ref][]WantedModule{}}
}

// Recall takes over the records of files that another query of the same reader has read, of those for
// which same returns true. It is called before the query reads any.
func (q *Query) Recall(of *Query, same func(record.Path) bool) {
	for p, k := range of.files {
		if same(p) {
			q.files[p] = k
		}
	}
	q.lacks = of.lacks
}

// Context returns the context of the request.
func (q *Query) Context() context.Context { return q.ctx }

// Graph returns the symbols and imports of a file. The edges may be missing, see
// [Query.Edges]. A file that is not there is empty.
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

// unread is the panic of a query that cannot read a file: what it goes on with would be
// wrong. [Catch] makes an error of it.
type unread struct{ err error }

// Catch, deferred by the caller of a query's methods, sets err when one of them could not
// read a file: when the index is damaged, or the context is done.
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case unread:
		*err = r.err
	default:
		panic(r)
	}
}

// put remembers the record of a file.
func (q *Query) put(p record.Path, g *record.FileGraph, err error, k known) known {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		q.lacks = true
		g, k.whole = &record.FileGraph{Path: p}, true
	case err != nil:
		panic(unread{err})
	}
	k.FileGraph = g
	q.files[p] = k
	return k
}

// Put replaces the record of a file by that of an unsaved buffer. The view must have the
// buffer, too.
func (q *Query) Put(g *record.FileGraph) { q.files[g.Path] = known{g, true, ""} }

// putNew is Put for a file that the query has not seen yet.
func (q *Query) putNew(g *record.FileGraph) {
	if _, ok := q.files[g.Path]; !ok {
		q.Put(g)
	}
}

// UserCount returns the number of files of the view that use a name.
func (q *Query) UserCount(name string) int { return q.v.UserCount(name) }

// FileCount returns the number of files of the view.
func (q *Query) FileCount() int { return q.v.fileCount() }

// thing is a possible value of an expression: a symbol or a module.
type thing struct {
	at     ref
	symbol int // -1 for a module
	module []ref
	prob   float64
}

// answer is the value of a path. outside says that the path leads outside of the workspace,
// so that no guess is made.
type answer struct {
	things  []thing
	outside bool
}

// Resolve returns the targets of an edge of a file, the most likely first. The view must have
// the file.
func (q *Query) Resolve(g *record.FileGraph, e *record.Edge) []Target {
	at, ok := q.v.find(g.Path)
	if !ok || e.From >= len(g.Symbols) {
		return nil
	}
	q.putNew(g)
	in := place{ref: at, FileGraph: g, v: q.v}
	q.deep = in.lang().deepValues
	out := q.targets(q.edge(in, e))
	if len(out) == 0 {
		q.wantPath(in, e)
	}
	return out
}

// place is the file in which a query resolves a name.
type place struct {
	ref
	*record.FileGraph
	v *View

	typed bool // the name is one of a type; a member that is named after its type hides it otherwise
}

func (q *Query) place(r ref) place {
	return place{ref: r, FileGraph: q.Graph(q.v.file(r).path), v: q.v}
}

// symbol returns the symbol of a thing; nil for a module, and for a symbol that the file has
// lost since the view was made.
func (q *Query) symbol(t thing) *record.Symbol {
	if t.symbol < 0 {
		return nil
	}
	if symbols := q.place(t.at).Symbols; t.symbol < len(symbols) {
		return &symbols[t.symbol]
	}
	return nil
}

// named yields the symbols of the file with a name, in order. It finds them by the view,
// which can be older than the record, and skips symbols with another name in the record.
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

// sees reports whether the language of a file is of the same family.
func (p place) sees(f *fileEntry) bool { return family(f.language) == family(p.Language) }

// edge resolves an edge of a file.
func (q *Query) edge(at place, e *record.Edge) answer {
	if e.Kind == record.EdgeImports {
		return q.importedName(at, e.Name)
	}
	if value, ok := strings.CutPrefix(e.Receiver, languages.ValueArgument); ok {
		if a := q.caseOf(at, e, value); len(a.things) > 0 {
			return a
		}
		plain := *e
		plain.Receiver = ""
		return q.edge(at, &plain)
	}
	if path, ok := strings.CutPrefix(e.Receiver, languages.Library); ok {
		return q.inLibrary(at, e, path)
	}
	switch {
	case e.Receiver == "":
		at.typed = e.Kind == record.EdgeType || e.Kind == record.EdgeCreates || e.Kind == record.EdgeExtends
		a := q.plain(at, e.From, e.Name, 0)
		if l := at.lang(); l.namespaces || l.reopens && e.Kind == record.EdgeType && len(a.things) > 1 {
			a.things = slices.DeleteFunc(a.things, func(t thing) bool { s := q.symbol(t); return s != nil && s.Kind == record.KindModule })
		}
		a.things = q.usedParts(a.things, e.Kind)
		if e.Kind == record.EdgeType && at.lang().prototypes {
			a = q.tags(at, a, e.Name)
		}
		q.fit(at, &a, e.Kind)
		return q.overloaded(at, e, a)
	case isUnknown(e.Receiver):
		names := e.Receiver[len(unknown):]
		if told, path, ok := strings.Cut(names, unknown); ok {
			_, rest, _ := strings.Cut(path, ".")
			a := q.members(at, q.path(at, e.From, withRest(told, rest), 0), e.Name, 0)
			if q.fit(at, &a, e.Kind); len(a.things) > 0 {
				return q.overloaded(at, e, a)
			}
			names = path
		}
		if a := q.memberByName(at, names, e.Name); len(a.things) > 0 {
			return q.overloaded(at, e, a)
		}
		a := q.ofTraits(at, e)
		if len(a.things) == 0 || q.wanted == nil { // what is outside has no guess
			a.things = append(a.things, q.anyMember(at, e.Name, e.Kind).things...)
		}
		return q.overloaded(at, e, a)
	}
	recv := q.path(at, e.From, e.Receiver, 0)
	a := q.members(at, recv, e.Name, 0)
	q.fit(at, &a, e.Kind)
	var traits answer
	if len(a.things) == 0 {
		if traits = q.ofTraits(at, e); len(traits.things) > 0 && q.wanted != nil {
			return traits
		}
	}
	if len(a.things) == 0 && !recv.outside && !a.outside && !q.closed(recv) && q.knows(at, e.Receiver) {
		a = q.anyMember(at, e.Name, e.Kind)
	}
	if len(traits.things) > 0 {
		a.things = append(traits.things, a.things...)
		return a
	}
	if len(a.things) == 0 && !recv.outside && !q.knows(at, e.Receiver) {
		if a = q.memberByField(at, e.Receiver, e.Name); len(a.things) == 0 && at.lang().prototypes {
			a = q.included(at, e.Name)
		}
	}
	return q.overloaded(at, e, a)
}

// ofTraits is inTraits for a call: nothing else tells which traits a type outside of the workspace
// implements, and a value in a Result or an Option has the methods of these, too.
func (q *Query) ofTraits(at place, e *record.Edge) answer {
	if !at.lang().boundTypes || e.Kind != record.EdgeCalls {
		return answer{}
	}
	return q.inTraits(at, e.Name)
}

// inLibrary resolves a name in a standard library. Only a view with files outside of the workspace
// can have it, and no guess is made.
func (q *Query) inLibrary(at place, e *record.Edge, path string) answer {
	if q.wanted == nil {
		return answer{outside: true}
	}
	a := q.members(at, q.path(at, e.From, path, 0), e.Name, 0)
	if len(a.things) == 0 && at.lang().prototypes && !strings.Contains(path, ".") { // std::memcpy, by `using ::memcpy`
		a = q.topIncluded(at, e.Name)
		a.things = slices.DeleteFunc(a.things, func(t thing) bool { return !q.v.led[q.v.file(t.at).path] })
	}
	a.outside = true
	q.fit(at, &a, e.Kind)
	return q.overloaded(at, e, a)
}

// included finds a name behind a name space that no file declares, as a macro opens it, at the
// top of the files that the file includes.
func (q *Query) included(at place, name string) answer {
	a := q.topIncluded(at, name)
	for i := range a.things {
		a.things[i].prob *= uniqueProbability
	}
	return a
}

// topIncluded finds a name at the top of the files that the file includes.
func (q *Query) topIncluded(at place, name string) answer {
	a := at.lang().unscoped(q, at, name, false)
	a.things = slices.DeleteFunc(a.things, func(t thing) bool {
		_, ok := q.inclusions(at.ref)[t.at]
		s := q.symbol(t)
		return !ok && t.at != at.ref || s == nil || s.Container != "" && s.Parent >= 0 && q.place(t.at).Symbols[s.Parent].Kind != record.KindModule
	})
	return a
}

// caseOf finds the constant of an enum that a name means where a value of the enum is
// compared with it.
func (q *Query) caseOf(at place, e *record.Edge, value string) answer {
	recv := q.path(at, e.From, value, 0)
	recv.things = slices.DeleteFunc(recv.things, func(t thing) bool {
		s := q.symbol(t)
		return s == nil || s.Kind != record.KindEnum
	})
	return q.members(at, recv, e.Name, 0)
}

// fit drops methods from a read and fields from a call, in languages that distinguish them
// by their use.
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

// knows reports whether the workspace declares the first name of a path; if not, the path
// leads outside. It returns true for a language whose names need no declaration.
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

// targets returns the most likely symbols of an answer.
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
