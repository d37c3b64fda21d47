package graph

import (
	"strings"

	"ambit/vectors/record"
)

var ruby = &language{
	names: []string{"ruby"}, implicitSelf: true, members: workspace, loose: anyDef, undeclared: true, callsByName: true, commonNames: true, rules: rubyRules{},
	isPart: func(part, of record.Kind) bool { return part == of }, // classes and modules are reopened
}

type rubyRules struct{ defaultRules }

// module finds the files whose path ends with the required one.
func (rubyRules) module(v *View, _ *fileEntry, name string) module {
	return module{files: v.suffixed(strings.TrimPrefix(name, "./"), ".rb")}
}

// unscoped resolves a constant to the only class or module of its name, if there is one.
func (r rubyRules) unscoped(q *Query, at place, name string, outside bool) answer {
	if name != "" && name[0] >= 'A' && name[0] <= 'Z' {
		if a := q.constant(at, name); len(a.things) > 0 {
			return a
		}
	}
	return r.defaultRules.unscoped(q, at, name, outside)
}

// constant resolves a constant, if all classes and modules of its name are declarations of
// one class or module.
func (q *Query) constant(at place, name string) answer {
	var a answer
	container, one := uint32(0), true
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
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
