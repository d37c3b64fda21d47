package graph

import (
	"path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// The importer of a default export chooses the name for it. A view therefore files each importer also
// with the users of a name that is made of the last name of the module.

// defaultImports returns these names for the imports of a file.
func defaultImports(g *record.FileGraph) (names []string) {
	for i := range g.Imports {
		if imp := &g.Imports[i]; isDefaultImport(imp) {
			names = append(names, defaultName(imp.Path))
		}
	}
	return names
}

func isDefaultImport(imp *record.Import) bool {
	return imp.Name == "default" && imp.Path != "" && !imp.Exported
}

// defaultName returns the name for the default export of a module by its path or by that of its file;
// no identifier has a blank. A directory stands for the file index in it.
func defaultName(module string) string {
	stem := func(p string) string {
		name, _, _ := strings.Cut(path.Base(p), ".")
		return name
	}
	name := stem(module)
	if name == "index" {
		name = stem(path.Dir(module))
	}
	return "default " + name
}

// defaultUsers adds to the uses of a symbol those by files that import it as the default export of its
// file, by other names than its own.
func (q *Query) defaultUsers(uses []Use, p record.Path, symbol int, s *record.Symbol) []Use {
	r, ok := q.v.find(p)
	if !ok || languageOf(q.v.file(r).language) != script {
		return uses
	}
	if !slices.ContainsFunc(q.exportedValue(r, true, 0).things, func(t thing) bool { return t.at == r && t.symbol == symbol }) {
		return uses
	}
	name := defaultName(string(p))
	files := q.nearestFirst(slices.Collect(q.v.eachUser(name)), p)
	for _, f := range files[:min(len(files), maxUserFiles)] {
		at := q.v.file(f).path
		for _, imp := range q.Graph(at).Imports {
			if len(uses) >= maxUses || q.ctx.Err() != nil {
				return uses
			}
			if imp.Local == s.Name || !isDefaultImport(&imp) || defaultName(imp.Path) != name {
				continue
			}
			for _, u := range q.usersIn(q.graphTo(at, imp.Local), p, symbol, s, imp.Local) {
				if !slices.ContainsFunc(uses, func(o Use) bool { return o.Path == u.Path && o.Symbol == u.Symbol }) {
					uses = append(uses, u)
				}
			}
		}
	}
	return uses
}
