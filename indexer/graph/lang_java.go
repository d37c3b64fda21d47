package graph

import (
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// java is the languages of the Java virtual machine: their packages are one.
var java = &language{names: []string{"java", "kotlin", "scala"}, implicitSelf: true, packages: workspace, splitsByUse: true, rules: javaRules{}}

type javaRules struct{ defaultRules }

// imported finds a static member, or a nested class, of the class that the path ends with.
func (javaRules) imported(q *Query, at place, imp *record.Import, m module, depth int) answer {
	if len(m.files) == 0 {
		return answer{outside: m.outside}
	}
	_, class := languages.CutLast(imp.Path)
	return q.members(at, q.inModule(m.files, class, depth+1), imp.Name, depth+1)
}
