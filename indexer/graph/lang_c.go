package graph

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// c is C and C++.
var c = &language{names: []string{"c", "cpp"}, implicitSelf: true, members: workspace, reexports: noReexports, rules: cRules{}}

type cRules struct{ defaultRules }

// module finds the files whose path ends with the included one.
func (cRules) module(v *View, _ *fileEntry, include string) module {
	name := strings.Trim(include, "<>\"")
	ext := path.Ext(name)
	return module{files: v.suffixed(strings.TrimSuffix(name, ext), ext)}
}

// unscoped resolves a name as a linker does: it skips names that are static in another
// source file, and identifies a declaration in a header with its definition. It prefers
// included files.
func (cRules) unscoped(q *Query, at place, name string, _ bool) answer {
	own := q.v.file(at.ref)
	included := map[ref]bool{}
	for i := range at.Imports {
		if m := q.v.module(at.ref, at.Imports[i].Path); len(m.files) > 0 {
			included[m.files[0]] = true
		}
	}
	var all []option
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if !at.sees(f) || f.test && !own.test || d.flags&flagExported == 0 && !isHeader(f.path) && r != at.ref {
			return true
		}
		near := nearness(own.path, f.path)
		if included[r] {
			near += 500
		}
		if d.flags&flagBodiless == 0 {
			near++
		}
		all = append(all, option{thing{at: r, symbol: int(d.symbol)}, near})
		return len(all) < maxDefinitions
	})
	all = q.atNamespace(all)
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
		if s == nil {
			continue
		}
		parent := q.symbol(thing{at: o.at, symbol: s.Parent})
		if parent == nil && s.Kind != record.KindMethod || parent != nil && (parent.Kind == record.KindModule || parent.Kind == record.KindEnum) {
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
