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
	// GraphTo returns the same with, of the edges, at least those to a name: most of a
	// file are edges, and who asks for the users of a name reads hundreds of files.
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

// Graph returns what a file defines and imports. Of what it uses there may be
// nothing, see [Query.Edges]. A file that cannot be read is empty.
func (q *Query) Graph(p record.Path) *record.FileGraph {
	if k, ok := q.files[p]; ok {
		return k.FileGraph
	}
	return q.graphTo(p, "")
}

// graphTo returns what Graph does, with the edges to a name.
func (q *Query) graphTo(p record.Path, name string) *record.FileGraph {
	k, ok := q.files[p]
	if !ok || !k.whole && k.to != name {
		g, err := q.reader.GraphTo(q.ctx, p, name)
		k = q.put(p, &g, err, known{to: name})
	}
	return k.FileGraph
}

// Edges returns what a file uses.
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

// answer is what a path evaluates to. Outside means that it leaves the workspace:
// then no guess is made.
type answer struct {
	things  []thing
	outside bool
}

// module is what an import path names: files of the workspace, or something
// outside of it.
type module struct {
	files   []ref
	outside bool // certainly not of this workspace
}

// module returns what an import path of a file names, by the rule of its language.
func (v *View) module(r ref, path string) module {
	f := v.file(r)
	return languageOf(f.language).module(v, f, path)
}

func moduleAnswer(files []ref) answer {
	return answer{things: []thing{{symbol: -1, module: files, prob: sureProbability}}}
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

// named yields the symbols of the file that have a name, in order. It finds them by
// the index, which is as the file was when the view was made; what no longer fits is
// left out.
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

// lang returns what is known of the language of the file.
func (p place) lang() *language { return languageOf(p.Language) }

// sees reports whether the names of a file are in reach by its language.
func (p place) sees(f *fileEntry) bool { return family(f.language) == family(p.Language) }

// Modules returns the files that an edge of kind EdgeImports names as a whole, at
// most maxModuleFiles of them: those of its path, of the first components of one that
// leads further, or of the module that is imported by its name. Its tests are left out,
// unless it has nothing else.
func (q *Query) Modules(g *record.FileGraph, e *record.Edge) []record.Path {
	r, ok := q.v.find(g.Path)
	if !ok || e.Kind != record.EdgeImports {
		return nil
	}
	q.putNew(g)
	var files []ref
	for i := range g.Imports {
		switch imp := &g.Imports[i]; {
		case imp.Path == e.Name || imp.Name == "" && imp.Local == e.Name:
			files = q.v.module(r, imp.Path).files
		case imp.Name == e.Name || imp.Local == e.Name:
			for _, t := range q.imported(place{r, g, q.v}, imp, 0).things {
				if t.symbol < 0 {
					files = t.module
				}
			}
		case strings.HasPrefix(imp.Path+"."+imp.Name+".", e.Name+"."):
			files = q.v.module(r, e.Name).files
		}
		if len(files) > 0 {
			break
		}
	}
	isTest := func(r ref) bool { return q.v.file(r).test }
	others := slices.ContainsFunc(files, func(r ref) bool { return !isTest(r) })
	var out []record.Path
	for _, r := range files {
		if len(out) < maxModuleFiles && !(others && isTest(r)) {
			out = append(out, q.v.file(r).path)
		}
	}
	return out
}

// maxModuleFiles bounds the files of one module: the largest packages of Go have some
// hundreds.
const maxModuleFiles = 500

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

// fit keeps, of methods and fields of one name, what is used as the edge says,
// where a language tells them apart by their use.
func (q *Query) fit(at place, a *answer, kind record.EdgeKind) {
	if len(a.things) < 2 || !at.lang().splitsByUse || kind != record.EdgeCalls && kind != record.EdgeReads {
		return
	}
	fits := make([]bool, len(a.things))
	for i, t := range a.things {
		if t.symbol < 0 {
			return
		}
		if s := q.place(t.at).Symbols; t.symbol < len(s) {
			fits[i] = languages.IsCallable(s[t.symbol].Kind) == (kind == record.EdgeCalls)
		}
	}
	if !slices.Contains(fits, true) {
		return
	}
	kept := a.things[:0]
	for i, t := range a.things {
		if fits[i] {
			kept = append(kept, t)
		}
	}
	a.things = kept
}

// knows reports whether the workspace has something of the name that a path
// starts with: else the path leads out of it. Where names come into being without
// a declaration it always may.
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

func (q *Query) targets(a answer) []Target {
	out := make([]Target, 0, min(len(a.things), maxTargets))
	slices.SortStableFunc(a.things, func(x, y thing) int { return cmp.Compare(y.prob, x.prob) })
	for _, t := range a.things {
		if t.symbol < 0 || t.prob < leastProbability || len(out) == maxTargets {
			continue
		}
		if t.symbol >= len(q.place(t.at).Symbols) {
			continue // the file changed after the view
		}
		target := Target{q.v.file(t.at).path, t.symbol, t.prob}
		if !slices.ContainsFunc(out, func(o Target) bool { return o.Path == target.Path && o.Symbol == target.Symbol }) {
			out = append(out, target)
		}
	}
	return out
}

// plain resolves a name that stands alone: by scope, import, package, then by
// what the workspace has.
func (q *Query) plain(at place, from int, name string, depth int) answer {
	if depth > maxDepth {
		return answer{}
	}
	lang := at.lang()
	if i := inScope(at, from, name); i >= 0 && !(lang.importsHide && at.Symbols[i].Parent < 0 && imports(at, name)) {
		return answer{things: overloads(at, i)}
	}
	for i := range at.Imports {
		imp := &at.Imports[i]
		if imp.Path == "" || imp.Name == "" || imp.Name == "*" || imp.Local != name && imp.Name != name {
			continue
		}
		if a := q.imported(at, imp, depth); len(a.things) > 0 || a.outside {
			return a
		}
	}
	if a := q.packageLevel(at, name); len(a.things) > 0 {
		return a
	}
	outside := false
	for i := range at.Imports {
		if imp := &at.Imports[i]; imp.Name == "*" {
			m := q.v.module(at.ref, imp.Path)
			if a := q.inModule(m.files, name, depth+1); len(a.things) > 0 {
				return a
			}
			outside = outside || m.outside
		}
	}
	if lang.implicitSelf {
		if a := q.inherited(at, from, name, depth); len(a.things) > 0 {
			return a
		}
	}
	return lang.unscoped(q, at, name, outside)
}

// imports reports whether a file imports something under a name: a function of the
// same name then stands in a closure.
func imports(at place, name string) bool {
	return slices.ContainsFunc(at.Imports, func(imp record.Import) bool { return imp.Local == name && imp.Path != "" && imp.Name != "*" })
}

// inScope finds a name among the declarations around a symbol, from the inside out.
func inScope(at place, from int, name string) int {
	if len(at.v.defsIn(at.ref, name)) == 0 {
		return -1
	}
	members := at.lang().implicitSelf
	for scope := from; ; {
		best := -1
		for i, s := range at.named(name) {
			if s.Parent != scope || s.Kind == record.KindImpl || isConstructor(at, s) {
				continue
			}
			if s.Container != "" && scope < 0 && !(members && from >= 0 && s.Container == containerOf(at, from)) {
				continue // a method written at the top of the file
			}
			if scope >= 0 && !members && languages.IsType(at.Symbols[scope].Kind) && s.Kind != record.KindTest && !languages.IsType(s.Kind) && scope != from {
				continue // members are not in scope without a receiver
			}
			if best < 0 || s.Body.End > s.Body.Start && at.Symbols[best].Body.End <= at.Symbols[best].Body.Start {
				best = i
			}
		}
		if best >= 0 || scope < 0 {
			return best
		}
		scope = at.Symbols[scope].Parent
	}
}

// isConstructor reports whether a method carries the name of its type, which is
// then what the name means.
func isConstructor(at place, s *record.Symbol) bool {
	return s.Container != "" && languages.IsCallable(s.Kind) && sameLast(s.Container, s.Name)
}

// containerOf returns the type that a symbol is a member of, as qualified as it is
// written.
func containerOf(at place, i int) string {
	for ; i >= 0; i = at.Symbols[i].Parent {
		if at.Symbols[i].Container != "" {
			return at.Symbols[i].Container
		}
	}
	return ""
}

// overloads returns a symbol with those of the same name and place.
func overloads(at place, i int) []thing {
	out := []thing{{at: at.ref, symbol: i, prob: sureProbability}}
	s := &at.Symbols[i]
	for j, o := range at.named(s.Name) {
		if len(out) < maxTargets && j != i && o.Parent == s.Parent && o.Qualified == s.Qualified && o.Kind != record.KindImpl {
			out = append(out, thing{at: at.ref, symbol: j, prob: basedProbability})
		}
	}
	return out
}

// imported resolves an import that names one thing.
func (q *Query) imported(at place, imp *record.Import, depth int) answer {
	m := q.v.module(at.ref, imp.Path)
	if a := q.inModule(m.files, imp.Name, depth+1); len(a.things) > 0 {
		return a
	}
	return at.lang().imported(q, at, imp, m, depth)
}

// memberPath returns the path of what an import names, as a module.
func memberPath(imp *record.Import) string {
	if strings.HasSuffix(imp.Path, ".") { // from . import name
		return imp.Path + imp.Name
	}
	return imp.Path + "." + imp.Name
}

// importedName resolves a name that stands in an import.
func (q *Query) importedName(at place, name string) answer {
	for i := range at.Imports {
		if imp := &at.Imports[i]; imp.Name != "" && imp.Name != "*" && (imp.Name == name || imp.Local == name) {
			if a := q.imported(at, imp, 0); len(a.things) > 0 {
				return a
			}
		}
	}
	return answer{}
}

// inModule finds a top-level name in the files of a module, through re-exports.
func (q *Query) inModule(files []ref, name string, depth int) answer {
	if depth > maxDepth {
		return answer{}
	}
	var out answer
	for _, r := range files {
		if len(q.v.defsIn(r, name)) == 0 {
			continue // and need not be read
		}
		at := q.place(r)
		for i, s := range at.named(name) {
			if s.Kind != record.KindImpl && (s.Parent < 0 && s.Container == "" || s.Parent >= 0 && at.Symbols[s.Parent].Kind == record.KindModule) {
				out.things = append(out.things, thing{at: r, symbol: i, prob: sureProbability})
			}
		}
	}
	if len(out.things) > 0 || len(files) > maxReexporters {
		return out
	}
	for _, r := range files {
		lang := languageOf(q.v.file(r).language)
		if lang.reexports == noReexports {
			continue
		}
		at := q.place(r)
		if a := lang.exported(at, name); len(a.things) > 0 {
			return a
		}
		for i := range at.Imports {
			imp := &at.Imports[i]
			if imp.Name == "*" && imp.Local == "" && (imp.Exported || lang.reexports == allReexports) {
				if a := q.inModule(q.v.module(r, imp.Path).files, name, depth+1); len(a.things) > 0 {
					return a
				}
			}
			if imp.Local != name {
				continue
			}
			if a := q.reexported(at, imp, depth); len(a.things) > 0 {
				return a
			}
		}
	}
	return out
}

// reexported resolves an import by which another module offers a name.
func (q *Query) reexported(at place, imp *record.Import, depth int) answer {
	if imp.Path == "" { // export default name; export { name as other }
		return q.plain(at, -1, imp.Name, depth+1)
	}
	if imp.Name != "" && imp.Name != "*" {
		return q.imported(at, imp, depth+1)
	}
	if m := q.v.module(at.ref, imp.Path); len(m.files) > 0 {
		return moduleAnswer(m.files)
	}
	return answer{}
}

// maxReexporters bounds the files that are searched for re-exports: packages of
// many files (Go, Java, C#) have none.
const maxReexporters = 16

// packageLevel finds a name in the other files of the package, in the languages
// whose packages are directories or name spaces.
func (q *Query) packageLevel(at place, name string) answer {
	var a answer
	reach := at.lang().packages
	if reach == ownFile {
		return a
	}
	own := q.v.file(at.ref)
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if d.container != 0 || f.pkg != own.pkg || !at.sees(f) || !reach.covers(own.path, f.path) {
			return true
		}
		a.things = append(a.things, thing{at: r, symbol: int(d.symbol), prob: sureProbability})
		return len(a.things) < maxTargets
	})
	if len(a.things) > 1 { // the same name for several platforms
		slices.SortStableFunc(a.things, func(x, y thing) int {
			return cmp.Compare(nearness(own.path, q.v.file(y.at).path), nearness(own.path, q.v.file(x.at).path))
		})
	}
	return a
}

// inherited finds a name among the members of the type around a symbol and its bases.
func (q *Query) inherited(at place, from int, name string, depth int) answer {
	var t answer
	for i := from; i >= 0 && len(t.things) == 0; i = at.Symbols[i].Parent {
		if languages.IsType(at.Symbols[i].Kind) && at.Symbols[i].Kind != record.KindImpl {
			t.things = []thing{{at: at.ref, symbol: i, prob: sureProbability}}
		}
	}
	if len(t.things) == 0 {
		c := containerOf(at, from)
		if c == "" {
			return answer{}
		}
		_, last := languages.CutLast(c)
		t = q.plain(at, -1, last, depth+1)
	}
	return q.members(at, t, name, depth+1)
}
