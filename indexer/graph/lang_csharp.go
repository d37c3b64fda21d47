package graph

import (
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

var csharp = &language{
	names: []string{"csharp"}, overloads: true, implicitSelf: true, packages: workspace, members: ownPackage, opensTypes: true, reexports: noReexports, lateModules: true, rules: csharpRules{},
	isPart: func(part, of record.Kind) bool { return part == of }, // partial types
}

type csharpRules struct{ defaultRules }

// module returns the files of a namespace, which an importer can name relative to its own.
func (csharpRules) module(v *View, from *fileEntry, path string) module {
	for outer := from.pkg; ; outer, _ = languages.CutLast(outer) {
		full := path
		if outer != "" {
			full = outer + "." + path
		}
		if files := v.inPackage(full); len(files) > 0 {
			return module{files: files}
		}
		if outer == "" {
			return module{outside: true}
		}
	}
}

// modulePath finds the longest namespace that a path starts with.
func (r csharpRules) modulePath(v *View, from record.Path, path string) (files []ref, rest string, ok bool) {
	own, found := v.find(from)
	if !found {
		return nil, "", false
	}
	for n := len(path); n > 0; n = strings.LastIndexByte(path[:n], '.') {
		if strings.HasSuffix(path[:n], ")") {
			continue
		}
		if m := r.module(v, v.file(own), strings.TrimPrefix(path[:n], "global.")); len(m.files) > 0 {
			return m.files, strings.TrimPrefix(path[n:], "."), true
		}
	}
	return nil, "", false
}

// imported resolves the type that an alias stands for.
func (csharpRules) imported(q *Query, at place, imp *record.Import, _ module, depth int) answer {
	return q.absolute(at, memberPath(imp), depth)
}

// globalUsings are the usual names of files whose usings hold in all files.
var globalUsings = []string{"GlobalUsings", "Usings", "GlobalUsing", "ImplicitUsings", "AssemblyInfo"}

// unscoped finds a name in the namespaces around that of the file, then in those of global
// usings, and then guesses that a type is the only one of its name.
func (csharpRules) unscoped(q *Query, at place, name string, outside bool) answer {
	own := q.v.file(at.ref)
	for outer, _ := languages.CutLast(own.pkg); outer != ""; outer, _ = languages.CutLast(outer) {
		if a := q.packaged(at, outer, name); len(a.things) > 0 {
			return a
		}
	}
	if a := q.packaged(at, "", name); len(a.things) > 0 && own.pkg != "" {
		return a
	}
	for _, base := range globalUsings {
		for _, r := range q.v.withBase(base) {
			g := q.place(r)
			for i := range g.Imports {
				if imp := &g.Imports[i]; imp.Exported && imp.Name == "*" && at.sees(q.v.file(r)) {
					if a := q.packaged(at, imp.Path, name); len(a.things) > 0 {
						return a
					}
				}
			}
		}
	}
	if attribute := name + "Attribute"; q.v.declares(attribute) { // [Name] stands for it
		return q.plain(at, -1, attribute, maxDepth)
	}
	return q.onlyType(at, name)
}

// onlyType guesses that a name means the only type of its name in the workspace.
func (q *Query) onlyType(at place, name string) answer {
	a := q.guess(at, name, true, topDef)
	if len(a.things) != 1 {
		return answer{outside: true}
	}
	if s := q.symbol(a.things[0]); s == nil || !languages.IsType(s.Kind) {
		return answer{outside: true}
	}
	return a
}

// extensions finds the methods whose first parameter, with the word this, has the type.
func (csharpRules) extensions(q *Query, at place, of thing, name string) []thing {
	s := q.symbol(of)
	if s == nil {
		return nil
	}
	var out []thing
	q.v.eachDef(name, func(r ref, d def) bool {
		if kinds[d.kind] != record.KindMethod || !at.sees(q.v.file(r)) {
			return true
		}
		t := thing{at: r, symbol: int(d.symbol), prob: of.prob * basedProbability}
		if m := q.symbol(t); m != nil && extends(m.Signature, s.Name) {
			out = append(out, t)
		}
		return len(out) < maxTargets
	})
	return out
}

// extends reports whether a signature of C# has a first parameter `this T`.
func extends(signature, typ string) bool {
	_, parameters, ok := strings.Cut(signature, "(this ")
	if !ok {
		return false
	}
	parameters = strings.TrimPrefix(strings.TrimPrefix(parameters, "ref "), "in ")
	rest, ok := strings.CutPrefix(parameters, typ)
	return ok && rest != "" && (rest[0] == ' ' || rest[0] == '<' || rest[0] == '?')
}
