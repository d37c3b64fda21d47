package graph

import (
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

var php = &language{
	names: []string{"php"}, packages: workspace, reexports: noReexports, splitsByUse: true, lateModules: true, rules: phpRules{},
}

type phpRules struct{ defaultRules }

// module returns the files of a namespace, or the file that a script includes.
func (phpRules) module(v *View, _ *fileEntry, path string) module {
	if stem, ok := strings.CutSuffix(path, ".php"); ok {
		return module{files: v.suffixed(strings.TrimLeft(stem, "./"), ".php")}
	}
	files := v.inPackage(path)
	return module{files: files, outside: len(files) == 0}
}

// modulePath finds the longest namespace that a path starts with, from that of the file or
// from the top level.
func (phpRules) modulePath(v *View, from record.Path, path string) (files []ref, rest string, ok bool) {
	own, found := v.find(from)
	if !found {
		return nil, "", false
	}
	for n := len(path); n > 0; n = strings.LastIndexByte(path[:n], '.') {
		for _, pkg := range []string{v.file(own).pkg + "." + path[:n], path[:n]} {
			if files := v.inPackage(pkg); len(files) > 0 {
				return files, strings.TrimPrefix(path[n:], "."), true
			}
		}
	}
	return nil, "", false
}

// imported resolves a name that is itself a namespace.
func (phpRules) imported(q *Query, at place, imp *record.Import, m module, _ int) answer {
	if files := q.v.inPackage(memberPath(imp)); len(files) > 0 {
		return moduleAnswer(files)
	}
	return answer{outside: m.outside || !q.hasPackage(at, imp.Path)}
}

// submodule returns the files of a namespace inside of another.
func (phpRules) submodule(v *View, pkg *fileEntry, name string) []ref {
	return v.inPackage(pkg.pkg + "." + name)
}

// unscoped finds a function or constant without a namespace; a class has to be imported.
func (phpRules) unscoped(q *Query, at place, name string, _ bool) answer {
	if a := q.packaged(at, "", name); len(a.things) > 0 {
		for _, t := range a.things {
			if s := q.symbol(t); s == nil || languages.IsType(s.Kind) && q.v.file(at.ref).pkg != "" {
				return answer{outside: true}
			}
		}
		return a
	}
	return answer{outside: true}
}
