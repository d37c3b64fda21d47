package graph

import (
	"strings"

	"ambit/vectors/record"
)

// elixir: a module has its full name everywhere, whatever file holds it. An alias shortens the
// name in one file, import and use add the functions of a module to one.
var elixir = &language{names: []string{"elixir"}, reexports: noReexports, rules: elixirRules{}}

type elixirRules struct{ defaultRules }

// module finds the files that define a module.
func (elixirRules) module(v *View, _ *fileEntry, name string) module {
	if files := v.elixirModule(name); len(files) > 0 {
		return module{files: files}
	}
	return module{outside: true}
}

// modulePath finds the longest start of an expression that is the full name of a module.
func (elixirRules) modulePath(v *View, _ record.Path, name string) (files []ref, rest string, ok bool) {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		if files := v.elixirModule(name[:end]); len(files) > 0 {
			return files, strings.TrimPrefix(name[end:], "."), true
		}
	}
	return nil, "", false
}

// unscoped resolves the full name of a module. A function without a module is one of the file
// or comes from an import, so no other file has it.
func (elixirRules) unscoped(q *Query, at place, name string, outside bool) answer {
	a := answer{outside: outside}
	q.v.eachDef(name, func(r ref, d def) bool {
		if at.sees(q.v.file(r)) && isElixirModule(d) {
			a.things = append(a.things, thing{at: r, symbol: int(d.symbol), prob: sureProbability})
		}
		return len(a.things) < maxTargets
	})
	return a
}

// elixirModule returns the files that define a module, without its implementations of
// protocols.
func (v *View) elixirModule(name string) []ref {
	var files []ref
	v.eachDef(name, func(r ref, d def) bool {
		if v.file(r).language == "elixir" && isElixirModule(d) && (len(files) == 0 || files[len(files)-1] != r) {
			files = append(files, r)
		}
		return len(files) < maxTargets
	})
	return files
}

func isElixirModule(d def) bool {
	return kinds[d.kind] == record.KindModule || kinds[d.kind] == record.KindInterface
}
