package graph

import (
	"cmp"
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// plain resolves a name without a receiver: by scope, import and package, then among all
// definitions of the workspace.
func (q *Query) plain(at place, from int, name string, depth int) answer {
	if depth > q.deepest() {
		return answer{}
	}
	lang := at.lang()
	if i := declared(at, from, name); i >= 0 {
		things := overloads(at, i)
		if lang.prototypes {
			things = q.redefined(at, q.linked(at, things, name), name)
		}
		return answer{things: things}
	}
	for i := range at.Imports {
		imp := &at.Imports[i]
		if imp.Path != "" && imp.Name == "" && imp.Local == name {
			if a := lang.moduleValue(q, at, imp, depth+1); len(a.things) > 0 {
				return a
			}
		}
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
			m := q.module(at.ref, imp.Path, name)
			if a := q.within(at, m, name, depth); len(a.things) > 0 {
				return a
			}
			if a := q.opened(at, imp.Path, name, depth+1); len(a.things) > 0 {
				return a
			}
			outside = outside || m.outside
		}
	}
	if lang.implicitSelf {
		a := q.inherited(at, from, name, depth)
		if at.typed { // a base is meant, not its constructor
			a.things = slices.DeleteFunc(a.things, func(t thing) bool {
				s := q.symbol(t)
				return s != nil && languages.IsCallable(s.Kind) && s.Kind != record.KindMacro
			})
		}
		if len(a.things) > 0 {
			return a
		}
	}
	return lang.unscoped(q, at, name, outside)
}

// declared is inScope without the declarations in whose place an import of the name is meant.
func declared(at place, from int, name string) int {
	i, lang := inScope(at, from, name), at.lang()
	if i < 0 || !imports(at, name) {
		return i
	}
	s := &at.Symbols[i]
	if lang.importsHide && s.Parent < 0 || lang.aliases && s.Kind == record.KindModule {
		return -1
	}
	return i
}

// imports reports whether an import of a file has a local name.
func imports(at place, name string) bool {
	return slices.ContainsFunc(at.Imports, func(imp record.Import) bool { return imp.Local == name && imp.Path != "" && imp.Name != "*" })
}

// inScope returns the index of a declaration of a name in the scopes around a symbol, from
// the inside out, or -1.
func inScope(at place, from int, name string) int {
	if len(at.v.defsIn(at.ref, name)) == 0 {
		return -1
	}
	members := at.lang().implicitSelf
	for scope := from; ; {
		best := -1
		for i, s := range at.named(name) {
			if s.Parent != scope || s.Kind == record.KindImpl || isConstructor(at, s) || at.typed && s.Parent >= 0 && !languages.IsType(s.Kind) && rooted(s.Type, name) {
				continue
			}
			if s.Container != "" && scope < 0 && !(members && from >= 0 && s.Container == containerOf(at, from)) {
				continue // a method written at the top of the file
			}
			if at.lang().prototypes && isOutside(at, scope, s) && s.Container != containerOf(at, from) {
				continue // a method of another class, written in a name space
			}
			if scope >= 0 && !members && languages.IsType(at.Symbols[scope].Kind) && s.Kind != record.KindTest && !languages.IsType(s.Kind) && scope != from {
				continue // members are not in scope without a receiver
			}
			if scope >= 0 && at.lang().qualified && languages.IsType(at.Symbols[scope].Kind) {
				continue
			}
			if best < 0 || overrides(at, from, best, s) {
				best = i
			}
		}
		if best >= 0 || scope < 0 {
			return best
		}
		scope = at.Symbols[scope].Parent
	}
}

// isOutside reports whether a method of a class is written in the name space scope, outside of its class.
func isOutside(at place, scope int, s *record.Symbol) bool {
	return scope >= 0 && at.Symbols[scope].Kind == record.KindModule && languages.IsCallable(s.Kind) && s.Container != "" && s.Container != at.Symbols[scope].Qualified
}

// overrides reports whether a declaration is meant rather than an earlier one of the same
// name: one with a body rather than one without, and in a language with conditionals the
// last one before the symbol that uses the name.
func overrides(at place, from, earlier int, s *record.Symbol) bool {
	e := &at.Symbols[earlier]
	if has, had := s.Body.End > s.Body.Start, e.Body.End > e.Body.Start; has != had {
		return has
	}
	return at.lang().prototypes && from >= 0 && s.Span.End <= at.Symbols[from].Span.Start
}

// isConstructor reports whether a method has the name of its type. The name alone then means
// the type.
func isConstructor(at place, s *record.Symbol) bool {
	return s.Container != "" && languages.IsCallable(s.Kind) && sameLast(s.Container, s.Name)
}

// Constructors returns the constructors of a type, at most maxConstructors of them.
func Constructors(g *record.FileGraph, typ int) []int {
	const maxConstructors = 16
	var out []int
	for i := typ + 1; i < len(g.Symbols) && len(out) < maxConstructors; i++ {
		s := &g.Symbols[i]
		if s.Span.Start >= g.Symbols[typ].Span.End {
			break
		}
		if s.Parent == typ && languages.IsCallable(s.Kind) && (s.Name == g.Symbols[typ].Name || constructorNames[s.Name]) {
			out = append(out, i)
		}
	}
	return out
}

// constructorNames are the names of constructors in languages in which they do not have the
// name of their type.
var constructorNames = map[string]bool{"constructor": true, "__init__": true, "initialize": true, "__construct": true, "init": true}

// containerOf returns the type whose member a symbol is, as the file writes it.
func containerOf(at place, i int) string {
	for ; i >= 0; i = at.Symbols[i].Parent {
		if at.Symbols[i].Container != "" {
			return at.Symbols[i].Container
		}
	}
	return ""
}

// overloads returns a symbol and its overloads: for a macro, the definitions in all branches of
// the file, as a macro has no scope.
func overloads(at place, i int) []thing {
	out := []thing{{at: at.ref, symbol: i, prob: sureProbability}}
	s := &at.Symbols[i]
	most, prob := maxTargets, basedProbability
	if at.lang().calls != nil {
		most, prob = maxOverloads, sureProbability // the arguments of the call tell more
	}
	for j, o := range at.named(s.Name) {
		if len(out) < most && j != i && (o.Parent == s.Parent && o.Qualified == s.Qualified && o.Kind != record.KindImpl || s.Kind == record.KindMacro && o.Kind == s.Kind) {
			out = append(out, thing{at: at.ref, symbol: j, prob: prob})
		}
	}
	return out
}

// packageLevel finds a name in the other files of the package, in languages whose packages
// are directories or name spaces.
func (q *Query) packageLevel(at place, name string) answer {
	var a answer
	reach := at.lang().packages
	if reach == ownFile {
		return a
	}
	own := q.v.file(at.ref)
	q.wantName(at.ref, name)
	q.v.eachReached(reach, own, name, func(r ref, d def) bool {
		if f := q.v.file(r); d.container != 0 || kinds[d.kind] == record.KindImpl || f.pkg != own.pkg || !at.sees(f) {
			return true
		}
		a.things = append(a.things, thing{at: r, symbol: int(d.symbol), prob: sureProbability})
		return len(a.things) < maxTargets
	})
	if len(a.things) > 1 { // such as a name with a definition for each platform
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
		for i := from; i >= 0 && len(t.things) == 0; i = at.Symbols[i].Parent {
			if at.Symbols[i].Kind == record.KindImpl { // of a type outside of the workspace
				t.things = []thing{{at: at.ref, symbol: i, prob: sureProbability}}
			}
		}
	}
	return q.members(at, t, name, depth+1)
}
