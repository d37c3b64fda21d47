package graph

import (
	"path"
	"strings"

	"ambit/vectors/record"
)

// script is JavaScript and TypeScript.
var script = &language{
	names:     []string{"javascript", "typescript", "tsx", "svelte", "html"},
	reexports: markedReexports, importsHide: true, undeclared: true, gathers: true, rules: scriptRules{},
}

type scriptRules struct{ defaultRules }

var scriptExtensions = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"}

// module finds a module by Node's rules for relative paths. It looks for a bare path below
// the directories of the workspace, as aliases of bundlers ("@/x", "src/x") and workspace
// packages do.
func (scriptRules) module(v *View, from *fileEntry, name string) module {
	if strings.HasPrefix(name, ".") {
		return module{files: v.scriptFiles(path.Join(dirOf(string(from.path)), name))}
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

// imported finds the default export of a module: the declaration with the local name of the
// import, else the one with "export default" in its header, else an object without a name
// whose members are the names of the module.
func (scriptRules) imported(q *Query, at place, imp *record.Import, m module, depth int) answer {
	if imp.Name != "default" || len(m.files) == 0 {
		return answer{outside: m.outside}
	}
	if a := q.inModule(m.files, imp.Local, depth+1); len(a.things) > 0 {
		return a
	}
	r := m.files[0]
	symbols := q.place(r).Symbols
	for i := range symbols {
		if strings.HasPrefix(symbols[i].Signature, "export default") {
			return answer{things: []thing{{at: r, symbol: i, prob: sureProbability}}}
		}
	}
	return answer{things: []thing{{symbol: -1, module: []ref{r}, prob: guessProbability}}}
}

// exported finds a value assigned to an object: module.exports = app; app.use = function.
func (scriptRules) exported(at place, name string) answer {
	for i, s := range at.named(name) {
		if s.Parent < 0 && s.Container != "" {
			return answer{things: []thing{{at: at.ref, symbol: i, prob: basedProbability}}}
		}
	}
	return answer{}
}
