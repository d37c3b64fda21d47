package graph

import (
	"cmp"
	"slices"
	"sync"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Use is one symbol that uses another.
type Use struct {
	Path        record.Path
	Symbol      int // index into FileGraph.Symbols, -1 for the top of the file
	Kind        record.EdgeKind
	Count       int
	Lines       []int
	Probability float64
}

const (
	// maxUserFiles bounds the files whose edges Users resolves for one symbol, the nearest
	// first. Reading one takes some 20 µs.
	maxUserFiles = 300
	// maxUses bounds the result of Users; an answer shows a few dozen at most.
	maxUses = 200
	// maxAsked bounds the symbols whose users a view remembers, some 10 KB each.
	maxAsked = 256
)

// Keep restricts [Query.Users] to the files for which keep returns true.
func (q *Query) Keep(keep func(record.Path) bool) { q.keep = keep }

// UserFiles returns the files that use a name, tests last, in the order of their paths.
func (q *Query) UserFiles(name string) []record.Path {
	files := q.nearestFirst(slices.Collect(q.v.eachUser(name)), "")
	out := make([]record.Path, 0, len(files))
	for _, f := range files {
		out = append(out, q.v.file(f).path)
	}
	return out
}

// Users returns the uses of a symbol, the most likely and nearest first, at most maxUses of
// them. The view remembers the result, because a hover, a context and a list of the same
// symbol often follow one another.
func (q *Query) Users(p record.Path, symbol int) []Use {
	if uses, ok := q.v.asked.find(p, symbol); ok && q.keep == nil {
		return uses
	}
	g := q.Graph(p)
	if symbol < 0 || symbol >= len(g.Symbols) {
		return nil
	}
	s := &g.Symbols[symbol]
	var out []Use
	files := q.nearestFirst(slices.Collect(q.v.eachUser(s.Name)), p)
	for _, f := range files[:min(len(files), maxUserFiles)] {
		if len(out) >= maxUses || q.ctx.Err() != nil {
			break
		}
		out = append(out, q.usersIn(q.graphTo(q.v.file(f).path, s.Name), p, symbol, s, s.Name)...)
	}
	out = q.defaultUsers(out, p, symbol, s)
	slices.SortStableFunc(out, func(a, b Use) int { return cmp.Compare(b.Probability, a.Probability) })
	if q.keep == nil && !q.lacks && q.ctx.Err() == nil {
		q.v.asked.keep(p, symbol, out)
	}
	return out
}

// asked remembers the uses of symbols. Callers share the slices and must not change them.
type asked struct {
	mu   sync.Mutex // guards all fields below
	uses map[askedKey][]Use
}

type askedKey struct {
	path   record.Path
	symbol int
}

func (a *asked) find(p record.Path, symbol int) ([]Use, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	uses, ok := a.uses[askedKey{p, symbol}]
	return uses, ok
}

// keep stores the uses of a symbol. When there are too many symbols, it drops some.
func (a *asked) keep(p record.Path, symbol int, uses []Use) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.uses == nil {
		a.uses = map[askedKey][]Use{}
	}
	for key := range a.uses {
		if len(a.uses) < maxAsked {
			break
		}
		delete(a.uses, key)
	}
	a.uses[askedKey{p, symbol}] = slices.Clip(uses)
}

// nearestFirst sorts files by their nearness to p, tests last.
func (q *Query) nearestFirst(files []ref, p record.Path) []ref {
	type ranked struct {
		ref
		key  int // the files sort by key, then by path
		path record.Path
	}
	list := make([]ranked, 0, len(files))
	for _, r := range files {
		f := q.v.file(r)
		if q.keep != nil && !q.keep(f.path) {
			continue
		}
		at := ranked{r, -nearness(p, f.path), f.path}
		if f.test {
			at.key += 2 * sameFile
		}
		list = append(list, at)
	}
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.path, b.path)) })
	for i := range list {
		files[i] = list[i].ref
	}
	return files[:len(list)]
}

// usersIn returns the symbols of one file that use the given one by a name.
func (q *Query) usersIn(g *record.FileGraph, p record.Path, symbol int, s *record.Symbol, name string) []Use {
	var out []Use
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Name != name || g.Path == p && e.From == symbol {
			continue
		}
		prob := q.probability(g, e, p, symbol, s)
		if prob < leastProbability {
			continue
		}
		from := unitAround(g, e.From)
		out = addUse(out, Use{Path: g.Path, Symbol: from, Kind: e.Kind, Count: e.Count, Lines: e.Lines, Probability: prob})
		// A use by a closure, or by a type inside of a function, is a use by the function, too.
		for inner := from; from >= 0 && g.Symbols[from].Parent >= 0; {
			if from = g.Symbols[from].Parent; languages.IsCallable(g.Symbols[from].Kind) && !(g.Path == p && from == symbol) {
				lines := append([]int{g.Symbols[inner].NameLine}, e.Lines...)
				out = addUse(out, Use{Path: g.Path, Symbol: from, Kind: e.Kind, Count: e.Count, Lines: lines, Probability: prob * basedProbability})
				inner = from
			}
		}
	}
	return out
}

// KindOf returns how an edge uses its target, a symbol of g: in some languages the name of a
// method alone calls it.
func KindOf(g *record.FileGraph, e *record.Edge, t Target) record.EdgeKind {
	if e.Kind == record.EdgeReads && languageOf(g.Language).callsByName && languages.IsCallable(g.Symbols[t.Symbol].Kind) {
		return record.EdgeCalls
	}
	return e.Kind
}

// addUse adds a use, or folds it into the one by the same symbol.
func addUse(uses []Use, u Use) []Use {
	u.Lines = slices.Clone(u.Lines)
	j := slices.IndexFunc(uses, func(o Use) bool { return o.Symbol == u.Symbol })
	if j < 0 {
		return append(uses, u)
	}
	o := &uses[j]
	o.Count += u.Count
	o.Probability = max(o.Probability, u.Probability)
	o.Lines = append(o.Lines, u.Lines...)
	slices.Sort(o.Lines)
	o.Lines = slices.Compact(o.Lines)
	return uses
}

// probability returns the probability that an edge leads to a symbol, directly, by the type
// whose constructor the symbol is, or by a method that the symbol overrides.
func (q *Query) probability(g *record.FileGraph, e *record.Edge, p record.Path, symbol int, s *record.Symbol) float64 {
	const overrides = 0.4
	best := 0.0
	for _, t := range q.Resolve(g, e) {
		if t.Path == p && (t.Symbol == symbol || e.Kind == record.EdgeCreates && t.Symbol == s.Parent && s.Name == e.Name && slices.Contains(q.Constructors(g, e, t), symbol)) {
			return t.Probability
		}
		if q.isDeclaredBy(p, s, t) {
			best = max(best, t.Probability)
		}
		if tg := q.Graph(t.Path); s.Container != "" && t.Symbol < len(tg.Symbols) && tg.Symbols[t.Symbol].Container != "" && tg.Symbols[t.Symbol].Body.End <= tg.Symbols[t.Symbol].Body.Start {
			best = max(best, t.Probability*overrides)
		}
	}
	return best
}

// isDeclaredBy reports whether target t is the prototype of a function of file p, which includes it. A
// prototype can have a definition for each platform, more than [Query.Resolve] returns.
func (q *Query) isDeclaredBy(p record.Path, s *record.Symbol, t Target) bool {
	g := q.Graph(t.Path)
	if !languageOf(g.Language).prototypes || t.Symbol >= len(g.Symbols) || !s.Exported || !languages.IsCallable(s.Kind) || isPrototype(s) {
		return false
	}
	if o := &g.Symbols[t.Symbol]; o.Name != s.Name || o.Container != s.Container || !languages.IsCallable(o.Kind) || !isPrototype(o) {
		return false
	}
	own, found := q.v.find(p)
	header, ok := q.v.find(t.Path)
	if !found || !ok {
		return false
	}
	_, included := q.inclusions(own)[header]
	return included
}

// unitAround returns the symbol that answers show for a symbol: the function for a field or
// a variable inside it, else the symbol itself.
func unitAround(g *record.FileGraph, i int) int {
	for i >= 0 && g.Symbols[i].Parent >= 0 && (g.Symbols[i].Kind == record.KindField || g.Symbols[i].Kind == record.KindVariable) && languages.IsCallable(g.Symbols[g.Symbols[i].Parent].Kind) {
		i = g.Symbols[i].Parent
	}
	return i
}
