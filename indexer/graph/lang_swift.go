package graph

import (
	"ambit/vectors/record"
)

// swift: the files of a module see each other's names, and an import brings those of another
// one. Extensions in any file add members and protocols to a type.
var swift = &language{
	names: []string{"swift"}, overloads: true, implicitSelf: true, packages: workspace, members: workspace, reexports: markedReexports, rules: swiftRules{},
	isPart: func(part, _ record.Kind) bool { return part == record.KindImpl },
}

type swiftRules struct{ defaultRules }

// module finds the files of a module.
func (swiftRules) module(v *View, _ *fileEntry, name string) module {
	files := v.inPackage(name)
	return module{files: files, outside: len(files) == 0}
}

// unscoped guesses that a name is one of the workspace, though an import of another module
// could have it: most programs import Foundation.
func (swiftRules) unscoped(q *Query, at place, name string, _ bool) answer {
	return q.guess(at, name, false, topDef)
}
