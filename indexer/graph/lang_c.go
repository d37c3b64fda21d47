package graph

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// c is C and C++.
var c = &language{names: []string{"c", "cpp"}, overloads: true, implicitSelf: true, members: workspace, reexports: noReexports, prototypes: true, namespaces: true, rules: cRules{}}

type cRules struct{ defaultRules }

// module finds the included file: beside the file that includes it, else the nearest of the
// files whose path ends with the included one.
func (cRules) module(v *View, from *fileEntry, include string) module {
	name := strings.Trim(include, "<>\"")
	notItself := func(files []ref) []ref { // uv/errno.h includes <errno.h>
		return slices.DeleteFunc(files, func(r ref) bool { return v.file(r).path == from.path })
	}
	if files := notItself(v.first(path.Join(dirOf(string(from.path)), name))); len(files) > 0 {
		return module{files: files}
	}
	ext := path.Ext(name)
	files := notItself(v.suffixed(strings.TrimSuffix(name, ext), ext))
	slices.SortStableFunc(files, func(a, b ref) int {
		return cmp.Compare(nearness(from.path, v.file(b).path), nearness(from.path, v.file(a).path))
	})
	return module{files: files}
}

// unscoped resolves a name as a compiler and a linker do. A declaration in a header that the
// file includes, directly or not, is meant before all others; a prototype leads to its
// definition. What no other file can see is skipped: a name that is static in another source file,
// and a macro there; so is a field, which only stands behind a value.
func (cRules) unscoped(q *Query, at place, name string, _ bool) answer {
	own := q.v.file(at.ref)
	included := q.inclusions(at.ref)
	q.wantIncluded(at.ref, included, name)
	var all []option
	visible := false
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		steps, isIncluded := included[r]
		elsewhere := !isHeader(f.path) && !isIncluded && r != at.ref
		if !at.sees(f) || f.test && !own.test || elsewhere && (d.flags&flagExported == 0 || kinds[d.kind] == record.KindMacro) || kinds[d.kind] == record.KindField {
			return true
		}
		near := nearness(own.path, f.path)
		if isIncluded {
			near += includedNear - steps
			visible = true
		}
		switch {
		case kinds[d.kind] == record.KindMacro: // the preprocessor comes before the compiler
			near += 2
		case d.flags&flagBodiless == 0:
			near++
		}
		all = append(all, option{thing{at: r, symbol: int(d.symbol)}, near, len(all)})
		return len(all) < maxDefinitions
	})
	all = q.atNamespace(all)
	if visible {
		if seen := all[:slices.IndexFunc(append(all, option{}), func(o option) bool { return o.near < includedNear/2 })]; len(seen) > 0 {
			return answer{things: q.linked(at, q.sure(seen), name)}
		}
	}
	var first []option
	for _, o := range all {
		first = insert(first, o)
	}
	a := shared(first, len(all), false)
	if q.oneThing(all) {
		for i := range a.things {
			a.things[i].prob = basedProbability
		}
	}
	return a
}

// wantIncluded notes that a name may be in the headers which a file and those of the workspace that
// it includes name and the view does not have.
func (q *Query) wantIncluded(from ref, included map[ref]int, name string) {
	if q.wanted == nil {
		return
	}
	missing, known := q.missing[from]
	if !known {
		missing = q.missingIncludes(from, included)
		q.missing[from] = missing
	}
	for _, w := range missing {
		w.Name = name
		q.wanted.Modules[w] = true
	}
}

// missingIncludes returns the headers that the view does not have, each for the nearest file that
// includes it. What a header of a dependency includes is found with that header.
func (q *Query) missingIncludes(from ref, included map[ref]int) (out []WantedModule) {
	near := append(slices.Collect(maps.Keys(included)), from)
	slices.SortFunc(near, func(a, b ref) int {
		return cmp.Or(cmp.Compare(included[a], included[b]), cmp.Compare(q.v.file(a).path, q.v.file(b).path))
	})
	seen := map[string]bool{}
	for _, r := range near {
		if q.v.led[q.v.file(r).path] {
			continue
		}
		imports := q.place(r).Imports
		for i := range imports {
			if path := imports[i].Path; !seen[path] && len(q.v.module(r, path).files) == 0 {
				seen[path] = true
				out = append(out, WantedModule{From: q.v.file(r).path, Path: path})
			}
		}
	}
	return out
}

// sure returns the options that a file includes as the meanings of a name. The nearest file
// with a definition hides the others; it can have one for each branch of a conditional. A struct
// hides no function: the two can share a name. A macro that has the name of a type stands for
// another one under a condition.
func (q *Query) sure(seen []option) []thing {
	if n := len(seen); n > maxTargets && seen[0].at == seen[n-1].at { // the branch for all other systems comes last
		seen = append(slices.Clip(seen[:maxTargets-1]), seen[n-1])
	}
	var out []thing
	typed := slices.ContainsFunc(seen, func(o option) bool { s := q.symbol(o.thing); return s != nil && languages.IsType(s.Kind) })
	nearest := map[bool]ref{} // of the types and of the others
	for _, o := range seen {
		s := q.symbol(o.thing)
		isType := s != nil && languages.IsType(s.Kind)
		if _, ok := nearest[isType]; !ok {
			nearest[isType] = o.at
		}
		if prob := basedProbability; len(out) < maxTargets {
			if o.at != nearest[isType] || typed && s != nil && s.Kind == record.KindMacro {
				prob = guessProbability
			}
			o.prob = prob
			out = append(out, o.thing)
		}
	}
	return out
}

const (
	// includedNear is the nearness of an included file, less one for each file between.
	includedNear = 500
	// prototypeShare is the probability of a prototype, relative to that of its definition.
	prototypeShare = 0.6
	// maxInclusions bounds the files that inclusions follows from one file.
	maxInclusions = 400
	// maxIncluders bounds the files that include one source file: one, or one for each variant.
	maxIncluders = 8
)

// inclusions returns the files that a file includes, directly or not, with the number of
// inclusions that lead there. A source file that others include is one text with them and with what
// they include: their static functions and macros are in reach.
func (q *Query) inclusions(from ref) map[ref]int {
	if reached, ok := q.reached[from]; ok {
		return reached
	}
	reached := map[ref]int{}
	list := []ref{from}
	for i := 0; i < len(list) && len(list) < maxInclusions; i++ {
		reach := func(to ref) {
			if _, ok := reached[to]; !ok && to != from {
				reached[to] = reached[list[i]] + 1
				list = append(list, to)
			}
		}
		imports := q.place(list[i]).Imports
		for j := range imports {
			if m := q.v.module(list[i], imports[j].Path); len(m.files) > 0 {
				reach(m.files[0])
			}
		}
		for _, r := range q.includers(list[i]) {
			reach(r)
		}
	}
	q.reached[from] = reached
	return reached
}

// includers returns the files that include a source file, at most maxIncluders of them. A header has
// none: it is written to be read by itself. Nor has a file those among the tests, unless it is one.
func (q *Query) includers(of ref) (out []ref) {
	f := q.v.file(of)
	if isHeader(f.path) {
		return nil
	}
	for r := range q.v.eachUser(path.Base(string(f.path))) {
		if r != of && (f.test || !q.v.file(r).test) && q.includes(r, of) {
			if out = append(out, r); len(out) == maxIncluders {
				break
			}
		}
	}
	return out
}

// includedSources returns the names of the source files that a file includes. A view files them with
// the names that the file uses, so that those who include a source are found; no identifier has a dot.
func includedSources(g *record.FileGraph) (names []string) {
	if !languageOf(g.Language).prototypes {
		return nil
	}
	for i := range g.Imports {
		name := path.Base(strings.Trim(g.Imports[i].Path, "<>\""))
		if path.Ext(name) != "" && !isHeader(record.Path(name)) {
			names = append(names, name)
		}
	}
	return names
}

// linked adds to the prototypes among the meanings of a name their definitions, which other
// files have. The definition is what a reader needs first. A macro defines no function: one of
// another source file takes its place there alone.
func (q *Query) linked(at place, things []thing, name string) []thing {
	var found, prototypes, macros []thing // a branch can have a macro in place of the function
	for _, t := range things {
		switch s := q.symbol(t); {
		case s == nil || !isPrototype(s) && !languages.IsCallable(s.Kind) && s.Kind != record.KindMacro:
			return things
		case s.Kind == record.KindMacro:
			macros = append(macros, t)
		case isPrototype(s):
			prototypes = append(prototypes, t)
		default:
			found = append(found, t)
		}
	}
	if n := len(prototypes); n == 0 || n <= q.defining(found, prototypes[0]) { // each has its definition
		for _, t := range prototypes {
			t.prob *= prototypeShare
			found = append(found, t)
		}
		return append(found, macros...)
	}
	first := prototypes[0]
	from := q.v.file(first.at)
	container, types := containerHash(q.symbol(first).Container), languages.IsType(q.symbol(first).Kind)
	var defined []option
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if d.container != container || r == first.at || !at.sees(f) || f.test && !at.Test || d.flags&flagExported == 0 && !isHeader(f.path) {
			return true
		}
		near := nearness(q.v.file(at.ref).path, f.path)
		switch {
		case stem(f.path) == stem(from.path):
			near += includedNear
		case len(defined) < maxLinked && q.includes(r, first.at):
			near += includedNear / 2
		}
		t := thing{at: r, symbol: int(d.symbol), prob: first.prob}
		if s := q.symbol(t); s != nil && !isPrototype(s) && languages.IsType(s.Kind) == types && (types || languages.IsCallable(s.Kind) && s.Kind != record.KindMacro || s.Kind == record.KindVariable) {
			defined = append(defined, option{t, near, len(defined)})
		}
		return len(defined) < maxLinked
	})
	defined = slices.DeleteFunc(defined, func(o option) bool {
		return slices.ContainsFunc(found, func(t thing) bool { return t.at == o.at && t.symbol == o.symbol })
	})
	if len(defined) == 0 {
		return things
	}
	slices.SortStableFunc(defined, func(x, y option) int { return cmp.Compare(y.near, x.near) })
	out := found
	for _, o := range defined {
		if len(out) < maxTargets-1 && (o.near == defined[0].near || o.at == defined[0].at) {
			out = append(out, o.thing)
		}
	}
	for _, t := range prototypes {
		t.prob *= prototypeShare
		out = append(out, t)
	}
	return append(out, macros...)
}

// defining returns how many functions can be the definition of a prototype: a static one is none of
// a prototype that is not static, it is that of another branch of a conditional.
func (q *Query) defining(found []thing, prototype thing) int {
	isStatic := func(t thing) bool { return strings.HasPrefix(q.symbol(t).Signature, "static ") }
	if isStatic(prototype) || q.symbol(prototype).Parent >= 0 {
		return len(found)
	}
	n := 0
	for _, t := range found {
		if t.at != prototype.at || !isHeader(q.v.file(t.at).path) || !isStatic(t) {
			n++
		}
	}
	return n
}

// redefined adds to the macros of a file what the included files declare by their name: such a macro
// often stands in a branch of a conditional, for another version of those files.
func (q *Query) redefined(at place, things []thing, name string) []thing {
	isMacro := func(t thing) bool { s := q.symbol(t); return s != nil && s.Kind == record.KindMacro && t.at == at.ref }
	if slices.ContainsFunc(things, func(t thing) bool { return !isMacro(t) }) {
		return things
	}
	included := q.inclusions(at.ref)
	for _, t := range at.lang().unscoped(q, at, name, false).things {
		if s := q.symbol(t); s == nil || s.Kind == record.KindMacro || included[t.at] == 0 {
			continue
		}
		t.prob *= guessProbability
		things = append(things, t)
	}
	return things
}

// tags drops the functions among the meanings of a name that stands for a type, as a struct
// and a function can share a name in C. When the file has no such type, and when it has the
// struct of a typedef, the included types are added.
func (q *Query) tags(at place, a answer, name string) answer {
	own := slices.DeleteFunc(slices.Clone(a.things), func(t thing) bool {
		s := q.symbol(t)
		return s == nil || languages.IsCallable(s.Kind) && s.Kind != record.KindMacro
	})
	if len(a.things) == 0 || a.things[0].at != at.ref {
		if len(own) == 0 {
			return a
		}
		return answer{things: own}
	}
	for _, t := range at.lang().unscoped(q, at, name, false).things {
		s := q.symbol(t)
		if s == nil || t.at == at.ref || !languages.IsType(s.Kind) || len(own) > 0 && !isForward(s) {
			continue
		}
		if t.prob = guessProbability; len(own) == 0 {
			t.prob = sureProbability
		}
		own = append(own, t)
	}
	if len(own) == 0 {
		return a
	}
	return answer{things: own}
}

// isForward reports whether a type names a struct of its own name: `typedef struct x x;`.
func isForward(s *record.Symbol) bool { return s.Kind == record.KindType && s.Type == s.Name }

// includes reports whether a file includes another one itself.
func (q *Query) includes(from, to ref) bool {
	imports := q.place(from).Imports
	for i := range imports {
		if m := q.v.module(from, imports[i].Path); len(m.files) > 0 && m.files[0] == to {
			return true
		}
	}
	return false
}

// extensions finds the constants of an enum without a scope: they belong to the name space or
// the class around the enum, too.
func (cRules) extensions(q *Query, at place, of thing, name string) []thing {
	var out []thing
	around := q.symbol(of)
	q.v.eachDef(name, func(r ref, d def) bool {
		if kinds[d.kind] != record.KindConstant || !at.sees(q.v.file(r)) {
			return true
		}
		t := thing{at: r, symbol: int(d.symbol), prob: of.prob}
		s := q.symbol(t)
		if s == nil || s.Parent < 0 {
			return true
		}
		if e := &q.place(r).Symbols[s.Parent]; e.Kind == record.KindEnum && e.Container != "" && sameLast(e.Container, around.Name) {
			out = append(out, t)
		}
		return len(out) < maxTargets
	})
	return out
}

// isPrototype reports whether a symbol declares what another place defines.
func isPrototype(s *record.Symbol) bool {
	switch s.Kind {
	case record.KindVariable:
		return strings.HasPrefix(s.Signature, "extern ")
	case record.KindType:
		return isForward(s)
	}
	return (s.Kind == record.KindFunction || s.Kind == record.KindMethod) && s.Body.End <= s.Body.Start
}

// stem returns the name of a file without its directory and extension.
func stem(p record.Path) string {
	base := path.Base(string(p))
	return strings.TrimSuffix(base, path.Ext(base))
}

// maxLinked bounds the definitions of one name whose records atNamespace reads.
const maxLinked = 32

// atNamespace returns the nearest options that are not members of a class, or all of the
// nearest when each is a member. The scope rules have found members of the own class before.
func (q *Query) atNamespace(all []option) []option {
	if len(all) < 2 {
		return all
	}
	slices.SortStableFunc(all, func(x, y option) int { return cmp.Compare(y.near, x.near) })
	all = all[:min(len(all), maxLinked)]
	var out []option
	for _, o := range all {
		s := q.symbol(o.thing)
		if s == nil || isConstructor(q.place(o.at), s) {
			continue
		}
		parent := q.symbol(thing{at: o.at, symbol: s.Parent})
		if s.Kind == record.KindMacro || parent == nil && s.Kind != record.KindMethod || parent != nil && (parent.Kind == record.KindModule || parent.Kind == record.KindEnum) {
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// oneThing reports whether the options are variants of one definition in one file, or one
// definition and its declarations.
func (q *Query) oneThing(all []option) bool {
	bodies, sameFile := 0, true
	for _, o := range all {
		if s := q.symbol(o.thing); s != nil && s.Body.End > s.Body.Start {
			bodies++
		}
		sameFile = sameFile && o.at == all[0].at
	}
	return sameFile || bodies == 1
}

func isHeader(p record.Path) bool {
	i := strings.LastIndexByte(string(p), '.')
	return i >= 0 && strings.HasPrefix(string(p[i:]), ".h")
}

// HasSource reports whether a file is a header with its source beside it.
func (v *View) HasSource(p record.Path) bool {
	stem, ok := strings.CutSuffix(string(p), ".h")
	return ok && len(v.first(stem+".c", stem+".cc", stem+".cpp")) > 0
}
