package graph

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// Reader reads the records of one file. *store.DB satisfies it.
type Reader interface {
	// Graph returns what a file defines and uses. A file that is gone is an error.
	Graph(ctx context.Context, path record.Path) (record.FileGraph, error)
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
	ctx    context.Context // of the request that the query lives for
	v      *View
	reader Reader
	graphs map[record.Path]*record.FileGraph
}

// Query starts a query.
func (v *View) Query(ctx context.Context, r Reader) *Query {
	v.places()
	return &Query{ctx: ctx, v: v, reader: r, graphs: map[record.Path]*record.FileGraph{}}
}

// Context returns the context of the request.
func (q *Query) Context() context.Context { return q.ctx }

// Graph returns the records of a file; a file that cannot be read is empty.
func (q *Query) Graph(p record.Path) *record.FileGraph {
	g, ok := q.graphs[p]
	if !ok {
		read, err := q.reader.Graph(q.ctx, p)
		if err != nil {
			read = record.FileGraph{Path: p}
		}
		g = &read
		q.graphs[p] = g
	}
	return g
}

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

// Resolve returns what an edge of a file can mean, the likeliest first. The file
// must be part of the view.
func (q *Query) Resolve(g *record.FileGraph, e *record.Edge) []Target {
	at, ok := q.v.places().byPath[g.Path]
	if !ok {
		return nil
	}
	q.graphs[g.Path] = g
	var a answer
	switch e.Receiver {
	case "":
		a = q.plain(at, g, e.From, e.Name, 0)
	case unknown:
		a = q.anyMember(at, e.Name, e.Kind)
	default:
		recv := q.path(at, g, e.From, e.Receiver, 0)
		a = q.members(at, recv, e.Name, 0)
		if len(a.things) == 0 && !recv.outside && !a.outside {
			a = q.anyMember(at, e.Name, e.Kind)
		}
	}
	return q.targets(a)
}

func (q *Query) targets(a answer) []Target {
	out := make([]Target, 0, min(len(a.things), maxTargets))
	slices.SortStableFunc(a.things, func(x, y thing) int { return cmp.Compare(y.prob, x.prob) })
	for _, t := range a.things {
		if t.symbol < 0 || t.prob < leastProbability || len(out) == maxTargets {
			continue
		}
		out = append(out, Target{q.v.file(t.at).path, t.symbol, t.prob})
	}
	return out
}

// plain resolves a name that stands alone: by scope, import, package, then by
// what the workspace has.
func (q *Query) plain(at ref, g *record.FileGraph, from int, name string, depth int) answer {
	if depth > maxDepth {
		return answer{}
	}
	if i := q.inScope(g, from, name); i >= 0 {
		return answer{things: q.overloads(at, g, i)}
	}
	lang := family(g.Language)
	for i := range g.Imports {
		imp := &g.Imports[i]
		if imp.Name == "" || imp.Name == "*" || imp.Local != name && imp.Name != name {
			continue
		}
		if a := q.imported(at, imp, depth); len(a.things) > 0 || a.outside {
			return a
		}
	}
	if a := q.packageLevel(at, g, name, lang); len(a.things) > 0 {
		return a
	}
	outside := false
	for i := range g.Imports {
		if imp := &g.Imports[i]; imp.Name == "*" {
			m := q.v.module(q.v.file(at), imp.Path)
			if a := q.inModule(m.files, name, depth+1); len(a.things) > 0 {
				return a
			}
			outside = outside || m.outside
		}
	}
	if implicitSelf(lang) {
		if a := q.inherited(at, g, from, name, depth); len(a.things) > 0 {
			return a
		}
	}
	return q.guess(at, name, lang, outside, func(d def) bool { return d.container == 0 || implicitSelf(lang) })
}

// inScope finds a name among the declarations around a symbol, from the inside out.
func (q *Query) inScope(g *record.FileGraph, from int, name string) int {
	members := implicitSelf(family(g.Language))
	for scope := from; ; {
		best := -1
		for i := range g.Symbols {
			s := &g.Symbols[i]
			if s.Name != name || s.Parent != scope || s.Kind == record.KindImpl {
				continue
			}
			if s.Container != "" && scope < 0 && !(members && from >= 0 && s.Container == q.containerOf(g, from)) {
				continue // a method written at the top of the file
			}
			if scope >= 0 && !members && IsType(g.Symbols[scope].Kind) && s.Kind != record.KindTest && !IsType(s.Kind) && scope != from {
				continue // members are not in scope without a receiver
			}
			if best < 0 || s.Body.End > s.Body.Start && g.Symbols[best].Body.End <= g.Symbols[best].Body.Start {
				best = i
			}
		}
		if best >= 0 || scope < 0 {
			return best
		}
		scope = g.Symbols[scope].Parent
	}
}

func (q *Query) containerOf(g *record.FileGraph, i int) string {
	for ; i >= 0; i = g.Symbols[i].Parent {
		if g.Symbols[i].Container != "" {
			return g.Symbols[i].Container
		}
	}
	return ""
}

// overloads returns a symbol with those of the same name and place.
func (q *Query) overloads(at ref, g *record.FileGraph, i int) []thing {
	out := []thing{{at: at, symbol: i, prob: sureProbability}}
	for j := range g.Symbols {
		if j != i && g.Symbols[j].Qualified == g.Symbols[i].Qualified && g.Symbols[j].Parent == g.Symbols[i].Parent && len(out) < maxTargets {
			out = append(out, thing{at: at, symbol: j, prob: basedProbability})
		}
	}
	return out
}

// implicitSelf reports whether members can be named without a receiver.
func implicitSelf(family string) bool {
	switch family {
	case "java", "c", "ruby", "csharp", "swift", "php":
		return true
	}
	return false
}

// imported resolves an import that names one thing.
func (q *Query) imported(at ref, imp *record.Import, depth int) answer {
	from := q.v.file(at)
	m := q.v.module(from, imp.Path)
	if a := q.inModule(m.files, imp.Name, depth+1); len(a.things) > 0 {
		return a
	}
	// The name can itself be a module: `from . import core`, `use crate::core`.
	sub := imp.Path + "." + imp.Name
	if strings.HasSuffix(imp.Path, ".") {
		sub = imp.Path + imp.Name
	}
	if lang := family(from.language); lang == "python" || lang == "rust" {
		if s := q.v.module(from, sub); len(s.files) > 0 && (lang == "python" || len(m.files) == 0 || s.files[0] != m.files[0]) {
			return answer{things: []thing{{symbol: -1, module: s.files, prob: sureProbability}}}
		}
	}
	if imp.Name == "default" && len(m.files) > 0 {
		if a := q.inModule(m.files, imp.Local, depth+1); len(a.things) > 0 {
			return a
		}
		return q.defaultExport(m.files[0])
	}
	return answer{outside: m.outside}
}

// defaultExport guesses what a module exports by default: what says so in its
// header, else its first exported declaration.
func (q *Query) defaultExport(at ref) answer {
	g := q.Graph(q.v.file(at).path)
	first := -1
	for i := range g.Symbols {
		s := &g.Symbols[i]
		if strings.HasPrefix(s.Signature, "export default") {
			return answer{things: []thing{{at: at, symbol: i, prob: sureProbability}}}
		}
		if first < 0 && s.Parent < 0 && s.Exported {
			first = i
		}
	}
	if first < 0 {
		return answer{}
	}
	return answer{things: []thing{{at: at, symbol: first, prob: guessProbability}}}
}

// inModule finds a top-level name in the files of a module, through re-exports.
func (q *Query) inModule(files []ref, name string, depth int) answer {
	if depth > maxDepth {
		return answer{}
	}
	var out answer
	for _, at := range files {
		g := q.Graph(q.v.file(at).path)
		for i := range g.Symbols {
			if s := &g.Symbols[i]; s.Name == name && (s.Parent < 0 || g.Symbols[s.Parent].Kind == record.KindModule) && s.Kind != record.KindImpl && (s.Container == "" || s.Parent >= 0) {
				out.things = append(out.things, thing{at: at, symbol: i, prob: sureProbability})
			}
		}
	}
	if len(out.things) > 0 || len(files) > maxReexporters {
		return out
	}
	for _, at := range files {
		g := q.Graph(q.v.file(at).path)
		if lang := family(g.Language); lang == "go" || lang == "c" {
			continue
		}
		for i := range g.Imports {
			imp := &g.Imports[i]
			if imp.Name == "*" && imp.Local == "" && (imp.Exported || family(g.Language) != "javascript") {
				if a := q.inModule(q.v.module(q.v.file(at), imp.Path).files, name, depth+1); len(a.things) > 0 {
					return a
				}
			}
			if imp.Local == name {
				if a := q.imported(at, imp, depth+1); len(a.things) > 0 {
					return a
				}
			}
		}
	}
	return out
}

// maxReexporters bounds the files that are searched for re-exports: packages of
// many files (Go, Java, C#) have none.
const maxReexporters = 16

// packageLevel finds a name in the other files of the package, in the languages
// whose packages are directories or name spaces.
func (q *Query) packageLevel(at ref, g *record.FileGraph, name, lang string) answer {
	var a answer
	if lang != "go" && lang != "java" && lang != "csharp" {
		return a
	}
	own := q.v.file(at)
	dir := dirOf(string(own.path))
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if d.container != 0 || family(f.language) != lang || f.pkg != own.pkg || lang == "go" && dirOf(string(f.path)) != dir {
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
func (q *Query) inherited(at ref, g *record.FileGraph, from int, name string, depth int) answer {
	c := q.containerOf(g, from)
	if c == "" {
		return answer{}
	}
	_, last := cutLast(c)
	t := q.plain(at, g, -1, last, depth+1)
	return q.members(at, t, name, depth+1)
}

// path evaluates a receiver: what its members are looked up in.
func (q *Query) path(at ref, g *record.FileGraph, from int, path string, depth int) answer {
	if depth > maxDepth || path == "" || path == unknown {
		return answer{}
	}
	first, rest, more := strings.Cut(path, ".")
	name, called := strings.CutSuffix(first, "()")
	cur, rest, more := q.root(at, g, from, name, rest, more, depth)
	for {
		cur = q.valueOf(cur, called, depth+1)
		if !more || len(cur.things) == 0 {
			return cur
		}
		first, rest, more = strings.Cut(rest, ".")
		name, called = strings.CutSuffix(first, "()")
		next := q.members(at, cur, name, depth+1)
		if len(next.things) == 0 && name == "new" {
			continue // the constructor that every Ruby class has
		}
		cur = next
	}
}

// root evaluates the first name of a path: a module that is imported, possibly
// under a dotted name, or a plain name.
func (q *Query) root(at ref, g *record.FileGraph, from int, name, rest string, more bool, depth int) (answer, string, bool) {
	if q.inScope(g, from, name) < 0 {
		whole := name
		if more {
			whole += "." + rest
		}
		best := -1
		for i := range g.Imports {
			imp := &g.Imports[i]
			if imp.Name != "" && !(imp.Name == "*" && imp.Local != "") || imp.Local == "" || !hasPathPrefix(whole, imp.Local) {
				continue
			}
			if best < 0 || len(imp.Local) > len(g.Imports[best].Local) {
				best = i
			}
		}
		if best >= 0 {
			imp := &g.Imports[best]
			m := q.v.module(q.v.file(at), imp.Path)
			left := strings.TrimPrefix(strings.TrimPrefix(whole, imp.Local), ".")
			if len(m.files) == 0 {
				return answer{outside: m.outside}, left, left != ""
			}
			return answer{things: []thing{{symbol: -1, module: m.files, prob: sureProbability}}}, left, left != ""
		}
	}
	return q.plain(at, g, from, name, depth+1), rest, more
}

// hasPathPrefix reports whether a path starts with whole components of another.
func hasPathPrefix(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '.')
}

// valueOf turns symbols into what members are looked up in: a type into itself, a
// function that is called into its result, a variable or field into its type.
func (q *Query) valueOf(a answer, called bool, depth int) answer {
	if depth > maxDepth {
		return answer{}
	}
	out := answer{outside: a.outside}
	for _, t := range a.things {
		if t.symbol < 0 {
			out.things = append(out.things, t)
			continue
		}
		g := q.Graph(q.v.file(t.at).path)
		if t.symbol >= len(g.Symbols) {
			continue
		}
		s := &g.Symbols[t.symbol]
		switch {
		case IsType(s.Kind) || s.Kind == record.KindModule:
			out.things = append(out.things, t)
		case s.Type == "" || IsCallable(s.Kind) && !called && s.Kind != record.KindMethod:
		default:
			r := q.path(t.at, g, s.Parent, s.Type, depth+1)
			out.outside = out.outside || r.outside
			for _, n := range r.things {
				n.prob *= t.prob
				out.things = append(out.things, n)
			}
		}
		if len(out.things) >= maxTargets {
			break
		}
	}
	return out
}

// members looks a name up in modules and types, and in the bases of the types.
func (q *Query) members(at ref, recv answer, name string, depth int) answer {
	out := answer{outside: recv.outside}
	if depth > maxDepth {
		return out
	}
	for _, t := range recv.things {
		if t.symbol < 0 {
			a := q.inModule(t.module, name, depth+1)
			if len(a.things) == 0 {
				a = q.submodule(t.module, name)
			}
			out.things = append(out.things, a.things...)
			out.outside = out.outside || len(a.things) == 0 // a module is known in full
			continue
		}
		a := q.member(t, name, depth)
		out.things = append(out.things, a.things...)
		out.outside = out.outside || a.outside
	}
	return out
}

// submodule finds a module inside a package: Python's `package.module`.
func (q *Query) submodule(files []ref, name string) answer {
	for _, r := range files {
		p := string(q.v.file(r).path)
		if strings.HasSuffix(p, "/__init__.py") || p == "__init__.py" {
			if sub := q.v.pythonFiles(q.v.place, strings.TrimPrefix(dirOf(p)+"/"+name, "/")); len(sub) > 0 {
				return answer{things: []thing{{symbol: -1, module: sub, prob: sureProbability}}}
			}
		}
	}
	return answer{}
}

// member looks a name up in a type and its bases, breadth last.
func (q *Query) member(t thing, name string, depth int) answer {
	home := q.v.file(t.at)
	g := q.Graph(home.path)
	if depth > maxDepth || t.symbol >= len(g.Symbols) {
		return answer{}
	}
	s := &g.Symbols[t.symbol]
	var out answer
	for i := range g.Symbols {
		m := &g.Symbols[i]
		if m.Name == name && i != t.symbol && (m.Parent == t.symbol || m.Container != "" && sameLast(m.Container, s.Name)) {
			out.things = append(out.things, thing{at: t.at, symbol: i, prob: t.prob})
		}
	}
	if len(out.things) == 0 && membersElsewhere(family(home.language)) {
		hash := containerHash(s.Name)
		dir := dirOf(string(home.path))
		q.v.eachDef(name, func(r ref, d def) bool {
			f := q.v.file(r)
			if d.container == hash && family(f.language) == family(home.language) && (family(home.language) != "go" || dirOf(string(f.path)) == dir) {
				out.things = append(out.things, thing{at: r, symbol: int(d.symbol), prob: t.prob})
			}
			return len(out.things) < maxTargets
		})
	}
	if len(out.things) > 0 {
		return out
	}
	bases := s.Bases
	if s.Kind == record.KindType && s.Type != "" {
		bases = append(slices.Clone(bases), s.Type)
	}
	for _, base := range bases {
		if base == s.Name {
			continue
		}
		b := q.path(t.at, g, s.Parent, base, depth+1)
		for i := range b.things {
			b.things[i].prob *= t.prob * basedProbability
		}
		a := q.members(t.at, b, name, depth+1)
		out.outside = out.outside || a.outside
		if len(a.things) > 0 {
			return a
		}
	}
	return out
}

// membersElsewhere reports whether members can stand in another file than their type.
func membersElsewhere(family string) bool {
	switch family {
	case "go", "rust", "c", "ruby", "csharp", "swift", "kotlin":
		return true
	}
	return false
}

func sameLast(container, name string) bool {
	_, last := cutLast(container)
	return last == name
}

// anyMember guesses what a member of an unknown receiver is: the members of that
// name in the workspace, the nearest first.
func (q *Query) anyMember(at ref, name string, kind record.EdgeKind) answer {
	lang := family(q.v.file(at).language)
	a := q.guess(at, name, lang, false, func(d def) bool {
		return d.container != 0 && (kind != record.EdgeCalls || IsCallable(kinds[d.kind]) || kinds[d.kind] == record.KindField)
	})
	if len(a.things) == 0 && (lang == "javascript" || lang == "python") && kind == record.EdgeCalls {
		// Objects that gather the functions of modules: const z = {...schemas}.
		a = q.guess(at, name, lang, false, func(d def) bool { return IsCallable(kinds[d.kind]) && d.flags&flagExported != 0 })
	}
	return a
}

// guess returns the definitions of a name that accept likes, nearest first: one
// is likely, several share what is left.
func (q *Query) guess(at ref, name, lang string, outside bool, accept func(def) bool) answer {
	own := q.v.file(at)
	type option struct {
		thing
		near int
	}
	var all []option
	q.v.eachDef(name, func(r ref, d def) bool {
		if f := q.v.file(r); (family(f.language) == lang || lang == "markdown" || lang == "text") && accept(d) && (!f.test || own.test) {
			n := nearness(own.path, f.path)
			if d.flags&flagBodiless != 0 && IsCallable(kinds[d.kind]) {
				n-- // the definition rather than its prototype
			}
			all = append(all, option{thing{at: r, symbol: int(d.symbol)}, n})
		}
		return len(all) < maxDefinitions
	})
	slices.SortStableFunc(all, func(x, y option) int { return cmp.Compare(y.near, x.near) })
	var out answer
	for i := range all[:min(len(all), maxTargets)] {
		p := uniqueProbability
		if len(all) > 1 {
			p = guessProbability / float64(len(all))
			if all[i].near > all[min(len(all)-1, maxTargets)].near {
				p = guessProbability / float64(i+1)
			}
		}
		if outside {
			p /= 2
		}
		all[i].prob = p
		out.things = append(out.things, all[i].thing)
	}
	return out
}

// nearness tells how close two files are: 1,000 for the same file, else the number
// of directories they share, less those they do not.
func nearness(a, b record.Path) int {
	if a == b {
		return 1000
	}
	x, y := strings.Split(dirOf(string(a)), "/"), strings.Split(dirOf(string(b)), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return 4*n - (len(x) - n) - (len(y) - n)
}

// Put makes a query see a file as it stands in a buffer.
func (q *Query) Put(g *record.FileGraph) { q.graphs[g.Path] = g }

// UserCount returns in how many files of the view a name is used.
func (q *Query) UserCount(name string) int { return q.v.UserCount(name) }

// FileCount returns the number of files of the view.
func (q *Query) FileCount() int { return len(q.v.places().byPath) }
