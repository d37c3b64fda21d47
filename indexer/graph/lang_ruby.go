package graph

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

var ruby = &language{
	names: []string{"ruby", "erb"}, implicitSelf: true, deepValues: true, members: workspace, loose: anyDef, undeclared: true, callsByName: true, commonNames: true, mixesLate: true, reopens: true, rules: rubyRules{},
	isPart: func(part, of record.Kind) bool { return part == of }, // classes and modules are reopened
}

type rubyRules struct{ defaultRules }

// rubyOutside is the directory of the gems, outside of the workspace.
const rubyOutside = "vendor/bundle/gems/"

// module finds the files whose path ends with the required one.
func (rubyRules) module(v *View, _ *fileEntry, name string) module {
	return module{files: v.suffixed(strings.TrimPrefix(name, "./"), ".rb")}
}

// unscoped resolves a constant to the only class or module of its name, if there is one, and
// the name of a template of Rails.
func (r rubyRules) unscoped(q *Query, at place, name string, outside bool) answer {
	if strings.Contains(name, "/") {
		return q.views(at, name)
	}
	if name != "" && name[0] >= 'A' && name[0] <= 'Z' {
		if a := q.constant(at, name); len(a.things) > 0 {
			return a
		}
		if !isGem(q.v.file(at.ref)) {
			q.wantConstant(at, name, "")
		}
	}
	return r.defaultRules.unscoped(q, at, name, outside)
}

// wantConstant notes that a constant is in no file of the view, or lacks a name.
func (q *Query) wantConstant(at place, constant, name string) {
	if q.wanted != nil {
		q.wanted.Modules[WantedModule{at.Path, constant, name}] = true
	}
}

// extensions finds a method of a class of a gem in the modules that the gems mix into it. They do
// so at run time, and the files that were asked for the method are those of such modules.
func (rubyRules) extensions(q *Query, _ place, of thing, name string) []thing {
	s := q.symbol(of)
	if q.wanted == nil || s == nil || !isGem(q.v.file(of.at)) {
		return nil
	}
	q.wantConstant(q.place(of.at), s.Qualified, name)
	var out []thing
	q.v.eachDef(name, func(r ref, d def) bool {
		t := thing{at: r, symbol: int(d.symbol), prob: basedProbability}
		if !isGem(q.v.file(r)) || !languages.IsCallable(kinds[d.kind]) {
			return true
		}
		if m := q.symbol(t); m != nil && m.Parent >= 0 && gives(&q.place(r).Symbols[m.Parent], s) {
			if m.Doc == (record.Span{}) {
				t.prob *= basedProbability // one that wraps the documented one
			}
			out = append(out, t)
		}
		return len(out) < maxTargets
	})
	return out
}

// gives reports whether a declaration of a gem can give its methods to a type of a gem: a module,
// or the superclass.
func gives(parent, to *record.Symbol) bool {
	return parent.Kind == record.KindModule || slices.ContainsFunc(to.Bases, func(base string) bool { return sameLast(base, parent.Name) })
}

func isGem(f *fileEntry) bool { return strings.HasPrefix(string(f.path), rubyOutside) }

// views resolves the name of a template, which has a file for each format.
func (q *Query) views(at place, name string) (a answer) {
	q.v.eachDef(name, func(r ref, d def) bool {
		if f := q.v.file(r); kinds[d.kind] == record.KindView && at.sees(f) {
			a.things = append(a.things, thing{at: r, symbol: int(d.symbol), prob: basedProbability})
		}
		return len(a.things) < maxTargets
	})
	return a
}

// constant resolves a constant, if all classes and modules of its name are declarations of
// one class or module.
func (q *Query) constant(at place, name string) answer {
	var a answer
	container, one := uint32(0), true
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if isGem(f) && !isGem(q.v.file(at.ref)) && d.container != 0 {
			return true // Nested::JSON is not JSON
		}
		if k := kinds[d.kind]; !at.sees(f) || k != record.KindClass && k != record.KindModule || f.test && !q.v.file(at.ref).test {
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

// fieldType returns the type of the instance variable behind an attribute.
func (rubyRules) fieldType(at place, field *record.Symbol) string {
	for _, f := range at.named("@" + field.Name) {
		if f.Type != "" && f.Container != "" && sameLast(field.Container, f.Container) {
			return f.Type
		}
	}
	return ""
}
