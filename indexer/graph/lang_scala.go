package graph

import "ambit/indexer/languages"

// scala shares the packages of Java. A package sees the names of those around it, and what its
// package object declares.
var scala = &language{
	names: []string{"scala"}, overloads: true, joins: "java", implicitSelf: true, packages: workspace, reexports: markedReexports, opensTypes: true, rules: scalaRules{},
}

type scalaRules struct{ kotlinRules }

// module finds a package or an object, whose path can start in a package around the importer.
func (r scalaRules) module(v *View, from *fileEntry, name string) module {
	for outer := from.pkg; outer != ""; outer, _ = languages.CutLast(outer) {
		if files := v.inPackage(outer + "." + name); len(files) > 0 {
			return module{files: files}
		}
	}
	return r.kotlinRules.module(v, from, name)
}

// unscoped finds a name in the packages around that of the file and in package objects.
func (scalaRules) unscoped(q *Query, at place, name string, outside bool) answer {
	for pkg := q.v.file(at.ref).pkg; pkg != ""; pkg, _ = languages.CutLast(pkg) {
		if a := q.inModule(q.v.inPackage(pkg), name, maxDepth); len(a.things) > 0 {
			return a
		}
	}
	return q.guess(at, name, outside, topDef)
}
