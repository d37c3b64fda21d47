package graph

import (
	"cmp"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// anyMember guesses what a member of an unknown receiver is: the members of that
// name in the workspace, the nearest first.
func (q *Query) anyMember(at place, name string, kind record.EdgeKind) answer {
	a := q.guess(at, name, false, func(_ *fileEntry, d def) bool {
		return d.container != 0 && (kind != record.EdgeCalls || languages.IsCallable(kinds[d.kind]) || kinds[d.kind] == record.KindField)
	})
	if lang := at.family(); len(a.things) == 0 && (lang == "javascript" || lang == "python") && kind == record.EdgeCalls {
		// Objects that gather the functions of modules: const z = {...schemas}.
		a = q.guess(at, name, false, func(_ *fileEntry, d def) bool {
			return languages.IsCallable(kinds[d.kind]) && d.flags&flagExported != 0
		})
	}
	return a
}

// option is a definition that a name may mean.
type option struct {
	thing
	near int
}

// guess returns the definitions of a name that accept likes, nearest first: one
// is likely, several share what is left.
func (q *Query) guess(at place, name string, outside bool, accept func(*fileEntry, def) bool) answer {
	own := q.v.file(at.ref)
	lang := at.family()
	anyLanguage := lang == "markdown" || lang == "text"
	var all []option
	q.v.eachDef(name, func(r ref, d def) bool {
		if f := q.v.file(r); (anyLanguage || family(f.language) == lang) && accept(f, d) && (!f.test || own.test) {
			all = append(all, option{thing{at: r, symbol: int(d.symbol)}, nearness(own.path, f.path)})
		}
		return len(all) < maxDefinitions
	})
	return shared(all, outside)
}

// shared gives options their probabilities, nearest first.
func shared(all []option, outside bool) answer {
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

// linked resolves a plain name of C or C++ as a linker would: what is static in
// another source file is not meant, what a header declares and another file
// defines is one thing. Files that are included come first.
func (q *Query) linked(at place, name string) answer {
	own := q.v.file(at.ref)
	included := map[ref]bool{}
	for i := range at.Imports {
		if m := q.v.module(own, at.Imports[i].Path); len(m.files) > 0 {
			included[m.files[0]] = true
		}
	}
	var all []option
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if family(f.language) != "c" || f.test && !own.test || d.flags&flagExported == 0 && !isHeader(f.path) && r != at.ref {
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
	a := shared(all, false)
	if q.oneThing(all) {
		for i := range a.things {
			a.things[i].prob = basedProbability
		}
	}
	return a
}

// constant resolves a constant of Ruby that the scopes around it do not have: when
// all classes and modules of the name are one, reopened, that is meant.
func (q *Query) constant(at place, name string) answer {
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return answer{}
	}
	var a answer
	container, one := uint32(0), true
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if k := kinds[d.kind]; f.language != "ruby" || k != record.KindClass && k != record.KindModule || f.test && !q.v.file(at.ref).test {
			return true
		}
		one = one && (len(a.things) == 0 || d.container == container)
		container = d.container
		a.things = append(a.things, thing{at: r, symbol: int(d.symbol), prob: basedProbability})
		return one && len(a.things) < maxTargets
	})
	if !one {
		return answer{}
	}
	return a
}

// maxLinked bounds the definitions of one name that linked looks at closely.
const maxLinked = 32

// atNamespace keeps, of the nearest options, those that are no members of a class,
// when there are any: members of the own class were found before.
func (q *Query) atNamespace(all []option) []option {
	if len(all) < 2 {
		return all
	}
	slices.SortStableFunc(all, func(x, y option) int { return cmp.Compare(y.near, x.near) })
	all = all[:min(len(all), maxLinked)]
	var out []option
	for _, o := range all {
		s := q.place(o.at).Symbols
		if o.symbol >= len(s) {
			continue
		}
		p := s[o.symbol].Parent
		if p < 0 && s[o.symbol].Kind != record.KindMethod || p >= 0 && (s[p].Kind == record.KindModule || s[p].Kind == record.KindEnum) {
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// oneThing reports whether options are the variants of one definition in one file,
// or one definition and its declarations.
func (q *Query) oneThing(all []option) bool {
	bodies, sameFile := 0, true
	for _, o := range all {
		if s := q.place(o.at).Symbols; o.symbol < len(s) && s[o.symbol].Body.End > s[o.symbol].Body.Start {
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
