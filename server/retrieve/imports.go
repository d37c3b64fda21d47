package retrieve

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// imported adds the module that an import names, if the workspace has it: the symbols
// that the file uses, the most used first, and the other exports. It reports whether
// there is such a module.
func (l *lookup) imported(ref *languages.Ref) bool {
	name, files := l.modules(ref)
	if len(files) == 0 {
		return false
	}
	used, of := l.usedOf(name, files)
	for p, n := range used {
		g := l.q.Graph(p.path)
		l.addSymbol(p.path, shown(g, p.symbol), RoleDefinition, signal("imported", worthSelf*(1-worthOnce/float64(n))), declaring(g, p.symbol)...)
	}
	slices.SortStableFunc(files, func(x, y record.Path) int {
		return cmp.Or(cmp.Compare(of[y], of[x]), cmp.Compare(l.ix.Names.Centrality(y), l.ix.Names.Centrality(x)))
	})
	files = files[:min(len(files), maxModuleFiles)]
	l.exports(files, used)
	content := l.text(files[0])
	if content == nil {
		return false
	}
	u := fileUnit(l.q.Graph(files[0]), content)
	u.Kind, u.Identifier, u.Members = record.KindModule, name, nil
	l.module = &u
	return true
}

// modules returns the files of the module that a reference in an import names, and its
// name in the notation of the language.
func (l *lookup) modules(ref *languages.Ref) (name string, files []record.Path) {
	e, ok := graph.Resolve(l.o, ref)
	if !ok || ref.Decl >= 0 && e.Kind != record.EdgeImports {
		return "", nil
	}
	if e.Kind != record.EdgeImports { // part of a path: crate::a in `use crate::a::B`
		e = record.Edge{From: -1, Name: strings.TrimPrefix(e.Receiver+"."+e.Name, "."), Kind: record.EdgeImports, Count: 1}
	}
	files = slices.DeleteFunc(l.q.Modules(l.g, &e), func(p record.Path) bool { return p == l.cur.Path || !l.wants(p) })
	return strings.ReplaceAll(e.Name, ".", languages.PathSeparator(l.g.Language)), files
}

// exports adds the exports of a module that the cursor's file does not use, those with
// most users first. They are definitions when the file uses nothing of the module.
func (l *lookup) exports(files []record.Path, used map[place]int) {
	type export struct {
		place
		users int
	}
	var all []export
	for _, p := range files {
		g := l.q.Graph(p)
		none := len(all)
		explicit := slices.ContainsFunc(g.Symbols, func(s record.Symbol) bool { return exporting(&s) })
		for i := range g.Symbols {
			s := &g.Symbols[i]
			if s.Exported && !s.Test && s.Parent < 0 && s.Container == "" && used[place{p, i}] == 0 && (!explicit || exporting(s)) {
				all = append(all, export{place{p, i}, l.q.UserCount(s.Name)})
			}
		}
		if len(all) == none && len(g.Symbols) == 0 { // a data file, or one that only imports
			all = append(all, export{place{p, -1}, 0})
		}
	}
	slices.SortStableFunc(all, func(x, y export) int { return cmp.Compare(y.users, x.users) })
	role := RoleUses
	if len(used) == 0 {
		role = RoleDefinition
	}
	for _, o := range all[:min(len(all), maxExports)] {
		l.addSymbol(o.path, o.symbol, role, signal("offered", worthExport*(1-1/float64(2+o.users))))
	}
}

// exporting reports whether a symbol is declared with "export". A module of JavaScript
// with such a symbol exports no other.
func exporting(s *record.Symbol) bool { return strings.HasPrefix(s.Signature, "export ") }

// usedOf returns how often the cursor's file uses each symbol of a module, and the sums
// for each file of the module. An imported name counts once more.
func (l *lookup) usedOf(module string, files []record.Path) (used map[place]int, of map[record.Path]int) {
	used, of = map[place]int{}, map[record.Path]int{}
	in := map[record.Path]bool{}
	for _, p := range files {
		in[p] = true
	}
	take := func(e *record.Edge, anywhere bool) {
		for _, t := range l.resolve(l.g, e) {
			if t.Probability >= leastImported && t.Path != l.cur.Path && (anywhere || in[t.Path]) && l.wants(t.Path) {
				used[place{t.Path, t.Symbol}] += e.Count
			}
		}
	}
	locals := map[string]bool{}
	for i := range l.g.Imports {
		imp := &l.g.Imports[i]
		if imp.Path != strings.ReplaceAll(module, "::", ".") {
			continue
		}
		if imp.Name != "" && imp.Name != "*" && imp.Name != "default" {
			take(&record.Edge{From: -1, Name: imp.Name, Kind: record.EdgeImports, Count: 1}, true)
		} else if imp.Local != "" {
			locals[imp.Local] = true
		}
	}
	edges := l.q.Edges(l.cur.Path)
	for i := range edges {
		e := &edges[i]
		first, _, _ := strings.Cut(e.Receiver, ".")
		through := locals[first]
		if through || slices.ContainsFunc(l.ix.Names.Definitions(e.Name), func(d graph.Definition) bool { return in[d.Path] }) {
			take(e, through && e.Receiver == first)
		}
	}
	most := slices.SortedFunc(maps.Keys(used), func(x, y place) int {
		return cmp.Or(cmp.Compare(used[y], used[x]), cmp.Compare(x.path, y.path), cmp.Compare(x.symbol, y.symbol))
	})
	for i, p := range most {
		if i >= maxImported {
			delete(used, p)
			continue
		}
		of[p.path] += used[p]
	}
	return used, of
}
