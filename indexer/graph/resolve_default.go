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

// defaultUsers returns the uses of a symbol by files that import it as the default export of its file,
// by other names than its own.
func (q *Query) defaultUsers(p record.Path, symbol int, s *record.Symbol) (out []Use) {
	r, ok := q.v.find(p)
	if !ok || languageOf(q.v.file(r).language) != script {
		return nil
	}
	if !slices.ContainsFunc(q.exportedValue(r, true, 0).things, func(t thing) bool { return t.at == r && t.symbol == symbol }) {
		return nil
	}
	name := defaultName(string(p))
	files := q.nearestFirst(slices.Collect(q.v.eachUser(name)), p)
	for _, f := range files[:min(len(files), maxUserFiles)] {
		if len(out) >= maxUses || q.ctx.Err() != nil {
			break
		}
		at := q.v.file(f).path
		q.Edges(at)
		g := q.Graph(at)
		out = append(out, q.usersIn(g, p, symbol, s, func(used string) bool {
			return used != s.Name && slices.ContainsFunc(g.Imports, func(imp record.Import) bool {
				return isDefaultImport(&imp) && imp.Local == used && defaultName(imp.Path) == name
			})
		})...)
	}
	return out
}
