package graph

import "ambit/vectors/record"

// kotlin shares the packages of Java; its functions can extend types of other files.
var kotlin = &language{
	names: []string{"kotlin"}, overloads: true, joins: "java", implicitSelf: true, packages: workspace, reexports: noReexports, opensTypes: true, rules: kotlinRules{},
}

type kotlinRules struct{ javaRules }

// extensions finds the functions and properties that are declared with the type as receiver,
// and the members of its companion.
func (kotlinRules) extensions(q *Query, at place, of thing, name string) []thing {
	s := q.symbol(of)
	if s == nil {
		return nil
	}
	hash := containerHash(s.Name)
	var out []thing
	q.v.eachDef(name, func(r ref, d def) bool {
		if d.container != hash || !at.sees(q.v.file(r)) {
			return true
		}
		t := thing{at: r, symbol: int(d.symbol), prob: of.prob * basedProbability}
		if m := q.symbol(t); m != nil && m.Container == s.Name && (m.Parent < 0 || q.place(r).Symbols[m.Parent].Name != s.Name) {
			out = append(out, t)
		}
		return len(out) < maxTargets
	})
	return out
}

// imported finds a member of an object or a nested class that the path of an import leads to.
func (kotlinRules) imported(q *Query, at place, imp *record.Import, _ module, depth int) answer {
	return q.absolute(at, memberPath(imp), depth)
}
