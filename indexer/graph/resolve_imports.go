package graph

import (
	"math"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// module is the module that an import path names: files of the workspace, or a module
// outside of it.
type module struct {
	files   []ref
	rest    string // the path of a type or module inside the files, "" for the files themselves
	outside bool   // the module is certainly not in the workspace
}

// module returns the module that an import path of a file names, by the rule of its
// language.
func (v *View) module(r ref, path string) module {
	f := v.file(r)
	if to, ok := v.leads[Lead{f.path, path}]; ok {
		if files := v.first(string(to)); len(files) > 0 {
			return module{files: files}
		}
	}
	return languageOf(f.language).module(v, f, path)
}

func moduleAnswer(files []ref) answer {
	return answer{things: []thing{{symbol: -1, module: files, prob: sureProbability}}}
}

// Modules returns the files of the module that an edge of kind EdgeImports names, at most
// maxModuleFiles of them. The edge has the path of the module, the first components of a
// longer path, or the name of an imported module. Modules leaves out tests, unless all files
// are tests.
func (q *Query) Modules(g *record.FileGraph, e *record.Edge) []record.Path {
	r, ok := q.v.find(g.Path)
	if !ok || e.Kind != record.EdgeImports {
		return nil
	}
	q.putNew(g)
	var files []ref
	for i := range g.Imports {
		switch imp := &g.Imports[i]; {
		case imp.Path == e.Name || imp.Name == "" && imp.Local == e.Name:
			files = q.v.module(r, imp.Path).files
		case imp.Name == e.Name || imp.Local == e.Name:
			for _, t := range q.imported(place{ref: r, FileGraph: g, v: q.v}, imp, 0).things {
				if t.symbol < 0 {
					files = t.module
				}
			}
		case strings.HasPrefix(imp.Path+"."+imp.Name+".", e.Name+"."):
			files = q.v.module(r, e.Name).files
		}
		if len(files) > 0 {
			break
		}
	}
	isTest := func(r ref) bool { return q.v.file(r).test }
	others := slices.ContainsFunc(files, func(r ref) bool { return !isTest(r) })
	var out []record.Path
	for _, r := range files {
		if len(out) < maxModuleFiles && !(others && isTest(r)) {
			out = append(out, q.v.file(r).path)
		}
	}
	return out
}

// maxModuleFiles bounds the files of one module: the largest packages of Go have some
// hundreds.
const maxModuleFiles = 500

// imported resolves an import that names one thing.
func (q *Query) imported(at place, imp *record.Import, depth int) answer {
	m := q.module(at.ref, imp.Path, imp.Name)
	if a := q.within(at, m, imp.Name, depth); len(a.things) > 0 {
		return a
	}
	return at.lang().imported(q, at, imp, m, depth)
}

// within finds a name in a module, or among the members of the type that the path of the
// module ends with.
func (q *Query) within(at place, m module, name string, depth int) answer {
	if m.rest == "" {
		return q.inModule(m.files, name, depth+1)
	}
	first, rest, more := strings.Cut(m.rest, ".")
	a := q.inModule(m.files, first, depth+1)
	for more && len(a.things) > 0 {
		first, rest, more = strings.Cut(rest, ".")
		a = q.members(at, a, first, depth+1)
	}
	return q.members(at, a, name, depth+1)
}

// memberPath returns the path of the name of an import, read as a module.
func memberPath(imp *record.Import) string {
	if strings.HasSuffix(imp.Path, ".") { // from . import name
		return imp.Path + imp.Name
	}
	return imp.Path + "." + imp.Name
}

// importedName resolves a name that stands in an import.
func (q *Query) importedName(at place, name string) answer {
	for i := range at.Imports {
		if imp := &at.Imports[i]; imp.Name != "" && imp.Name != "*" && (imp.Name == name || imp.Local == name) {
			if a := q.imported(at, imp, 0); len(a.things) > 0 {
				return a
			}
		}
	}
	return answer{}
}

// maxPassed bounds the depth of a chain of re-exports, each of which adds up to two: facades
// of libraries have six.
const maxPassed = 16

// inModule finds a top-level name in the files of a module, through re-exports.
func (q *Query) inModule(files []ref, name string, depth int) answer {
	if depth > maxDepth+maxPassed {
		return answer{}
	}
	var out answer
	if len(files) > 0 {
		q.wantName(files[0], name)
	}
	for _, r := range files {
		if len(q.v.defsIn(r, name)) == 0 {
			continue // without reading the file
		}
		at := q.place(r)
		for i, s := range at.named(name) {
			if s.Kind != record.KindImpl && (s.Parent < 0 && s.Container == "" || s.Parent >= 0 && at.Symbols[s.Parent].Kind == record.KindModule) {
				out.things = append(out.things, thing{at: r, symbol: i, prob: sureProbability})
			}
		}
	}
	if len(out.things) > 0 || len(files) > maxReexporters {
		return out
	}
	for _, r := range files {
		if a := q.passedOn(r, -1, name, depth); len(a.things) > 0 {
			return a
		}
	}
	return out
}

// passing identifies a search for a name in the re-exports of a module.
type passing struct {
	ref
	symbol int
	name   string
}

// passedOn finds a name that a module offers without declaring it. The module is a file, or a
// symbol of it unless symbol is -1. Modules that re-export one another can form circles, and
// many paths lead from one to another: a search enters each module once.
func (q *Query) passedOn(r ref, symbol int, name string, depth int) answer {
	lang := languageOf(q.v.file(r).language)
	key := passing{r, symbol, name}
	if lang.reexports == noReexports || q.entered[key] {
		return answer{}
	}
	outermost := len(q.entered) == 0
	q.entered[key] = true
	if outermost {
		defer clear(q.entered)
	}
	at := q.place(r)
	if a := lang.exported(q, at, name, depth); len(a.things) > 0 {
		return a
	}
	lines := record.Lines{Last: math.MaxInt}
	if symbol >= 0 {
		lines = at.Symbols[symbol].Lines
	}
	for i := range at.Imports {
		imp := &at.Imports[i]
		if imp.Local == name && lines.First <= imp.Line && imp.Line <= lines.Last {
			if a := q.reexported(at, imp, depth); len(a.things) > 0 {
				return a
			}
		}
	}
	for i := range at.Imports {
		imp := &at.Imports[i]
		if imp.Name != "*" || imp.Local != "" || !imp.Exported && lang.reexports != allReexports || imp.Line < lines.First || imp.Line > lines.Last {
			continue
		}
		a := q.within(at, q.module(r, imp.Path, name), name, depth)
		if symbol < 0 && len(a.things) > 0 && len(lang.submodule(q.v, q.v.file(r), name)) > 0 { // a module of its own hides that of a glob
			a.things = slices.DeleteFunc(a.things, q.isModule)
		}
		if len(a.things) > 0 {
			return a
		}
	}
	return answer{}
}

// isModule reports whether a thing is a module: files, or a symbol of one.
func (q *Query) isModule(t thing) bool {
	s := q.symbol(t)
	return s == nil || s.Kind == record.KindModule
}

// reexported resolves a name that a module re-exports by an import.
func (q *Query) reexported(at place, imp *record.Import, depth int) answer {
	if imp.Path == "" { // export default name; export { name as other }
		if a := q.plain(at, -1, imp.Name, depth+1); len(a.things) > 0 {
			return a
		}
		return q.importedModule(at, imp.Name)
	}
	if imp.Name != "" && imp.Name != "*" {
		return q.imported(at, imp, depth+1)
	}
	if imp.Name == "" {
		if a := at.lang().moduleValue(q, at, imp, depth+1); len(a.things) > 0 {
			return a
		}
	}
	if m := q.module(at.ref, imp.Path, ""); len(m.files) > 0 {
		return moduleAnswer(m.files)
	}
	return answer{}
}

// importedModule finds the module that an import gives a name: import * as name.
func (q *Query) importedModule(at place, name string) answer {
	for i := range at.Imports {
		if imp := &at.Imports[i]; imp.Path != "" && imp.Name == "" && imp.Local == name {
			if m := q.module(at.ref, imp.Path, ""); len(m.files) > 0 {
				return moduleAnswer(m.files)
			}
		}
	}
	return answer{}
}

// maxReexporters bounds the files that inModule searches for re-exports: packages of many
// files (Go, Java, C#) have none.
const maxReexporters = 16
