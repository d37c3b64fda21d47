package graph

import (
	"path"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// script is JavaScript and TypeScript.
var script = &language{
	names:     []string{"javascript", "typescript", "tsx", "svelte", "vue", "html"},
	reexports: markedReexports, importsHide: true, undeclared: true, gathers: true, rules: scriptRules{},
}

type scriptRules struct{ defaultRules }

var scriptExtensions = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"}

// module finds a module by Node's rules for relative paths, and a bare path by the
// configurations and packages of the workspace. Else it looks for the path below the
// directories of the workspace, as aliases of bundlers ("@/x", "src/x") do. What a file of a
// dependency imports is known by leads only: an index of one re-exports hundreds of modules.
func (scriptRules) module(v *View, from *fileEntry, name string) module {
	if v.leads != nil && strings.Contains(string(from.path), "node_modules/") {
		return module{outside: !strings.HasPrefix(name, ".")}
	}
	if strings.HasPrefix(name, ".") {
		return module{files: v.scriptFiles(path.Join(dirOf(string(from.path)), name))}
	}
	if files := v.mappedFiles(from, name); len(files) > 0 {
		return module{files: files}
	}
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "@/"), "~/")
	if !strings.Contains(bare, "/") && bare == name {
		return module{outside: true}
	}
	if files := v.scriptFiles(bare); len(files) > 0 {
		return module{files: files}
	}
	if bare != name || strings.HasPrefix(name, "src/") {
		if files := v.suffixed(bare, scriptExtensions...); len(files) == 1 {
			return module{files: files}
		}
	}
	return module{outside: true}
}

func (v *View) scriptFiles(base string) []ref {
	names := []string{base}
	stem := base
	for _, ext := range []string{".js", ".jsx", ".mjs", ".cjs"} { // the import names the output of TypeScript
		stem = strings.TrimSuffix(stem, ext)
	}
	for _, b := range []string{stem, base, base + "/index"} {
		for _, ext := range scriptExtensions {
			names = append(names, b+ext)
		}
	}
	return v.first(names...)
}

// imported finds the default export of a module: what it exports as such, else the declaration
// with the local name of the import, else an object without a name whose members are the names
// of the module.
func (scriptRules) imported(q *Query, at place, imp *record.Import, m module, depth int) answer {
	if imp.Name != "default" || len(m.files) == 0 {
		return answer{outside: m.outside}
	}
	if a := q.exportedValue(m.files[0], true, depth+1); len(a.things) > 0 {
		return a
	}
	if a := q.inModule(m.files, imp.Local, depth+1); len(a.things) > 0 {
		return a
	}
	return answer{things: []thing{{symbol: -1, module: m.files[:1], prob: guessProbability}}}
}

// bound finds the type parameter among those of the symbol and of what it stands in.
func (scriptRules) bound(at place, symbol int, name string) string {
	for i := symbol; i >= 0 && i < len(at.Symbols); i = at.Symbols[i].Parent {
		s := &at.Symbols[i]
		if b, ok := languages.TypeParameters(s.Signature, s.Name)[name]; ok {
			b, _, _ = strings.Cut(b, "=") // what it is without an argument
			return strings.TrimSpace(b)
		}
	}
	return ""
}

// exported finds a value assigned to an object (module.exports = app; app.use = function), a
// member of the value that stands for the module, and what another module that stands for it
// exports.
func (scriptRules) exported(q *Query, at place, name string, depth int) answer {
	for i, s := range at.named(name) {
		if s.Parent < 0 && s.Container != "" {
			return answer{things: []thing{{at: at.ref, symbol: i, prob: basedProbability}}}
		}
	}
	for i := range at.Imports {
		imp := &at.Imports[i]
		if !imp.Exported || !isModuleValue(imp.Local) || depth > maxDepth {
			continue
		}
		if imp.Path != "" && imp.Name == "" {
			return q.inModule(q.module(at.ref, imp.Path, name).files, name, depth+1)
		}
		if imp.Path == "" && imp.Name != name {
			return q.members(at, q.valueOf(q.plain(at, -1, imp.Name, depth+1), component{name: imp.Name}, depth+1), name, depth+1)
		}
	}
	return answer{}
}

// isModuleValue reports whether what is exported by a name stands for the whole module:
// module.exports = a; export = a.
func isModuleValue(local string) bool { return local == "exports" || local == "=" }

// moduleValue finds the value that stands for a module.
func (scriptRules) moduleValue(q *Query, at place, imp *record.Import, depth int) answer {
	if m := q.module(at.ref, imp.Path, ""); len(m.files) > 0 {
		return q.exportedValue(m.files[0], false, depth)
	}
	return answer{}
}

// exportedValue finds the value that stands for the module of a file, or, with defaults, its
// default export.
func (q *Query) exportedValue(r ref, defaults bool, depth int) answer {
	if depth > maxDepth {
		return answer{}
	}
	at := q.place(r)
	for i := range at.Imports {
		imp := &at.Imports[i]
		if !imp.Exported || !(defaults && imp.Local == "default") && !isModuleValue(imp.Local) {
			continue
		}
		if a := q.reexported(at, imp, depth+1); len(a.things) > 0 {
			return a
		}
	}
	for i := range at.Symbols {
		s := &at.Symbols[i]
		isComponent := at.Language == "vue" && s.Role == record.KindComponent
		if s.Parent < 0 && (defaults && (isComponent || strings.HasPrefix(s.Signature, "export default")) || strings.HasPrefix(s.Signature, "module.exports =")) {
			return answer{things: []thing{{at: r, symbol: i, prob: sureProbability}}}
		}
	}
	return answer{}
}
