package graph

import (
	"path"
	"strings"

	"ambit/vectors/record"
)

var python = &language{names: []string{"python"}, classOf: "type", gathers: true, interfaces: []string{"ABC", "Protocol"}, rules: pythonRules{}}

type pythonRules struct{ defaultRules }

// module finds a module relative to its importer ("..core"), or by its dotted path
// below any directory of the workspace.
func (pythonRules) module(v *View, from *fileEntry, name string) module {
	if rest := strings.TrimLeft(name, "."); len(rest) < len(name) {
		dir := dirOf(string(from.path))
		for range len(name) - len(rest) - 1 {
			dir = dirOf(dir)
		}
		return module{files: v.pythonFiles(path.Join(dir, strings.ReplaceAll(rest, ".", "/")))}
	}
	file := strings.ReplaceAll(name, ".", "/")
	if files := v.pythonFiles(file); len(files) > 0 {
		return module{files: files}
	}
	// With source roots such as src/, the path of the file ends with the whole module.
	for _, stem := range []string{file, file + "/__init__"} {
		if files := v.suffixed(stem, ".py", ".pyi"); len(files) > 0 {
			return module{files: files}
		}
	}
	// The workspace can be the package itself: the paths then lack the name of the package.
	if _, rest, ok := strings.Cut(file, "/"); ok && v.Has("__init__.py") {
		if files := v.pythonFiles(rest); len(files) > 0 {
			return module{files: files}
		}
	}
	return module{outside: true}
}

// submodule finds `package.module`.
func (pythonRules) submodule(v *View, pkg *fileEntry, name string) []ref {
	if path.Base(string(pkg.path)) != "__init__.py" {
		return nil
	}
	return v.pythonFiles(path.Join(dirOf(string(pkg.path)), name))
}

// imported reads the name as a module: `from . import core`.
func (pythonRules) imported(q *Query, at place, imp *record.Import, m module, _ int) answer {
	if sub := q.module(at.ref, memberPath(imp), ""); len(sub.files) > 0 {
		return moduleAnswer(sub.files)
	}
	return answer{outside: m.outside}
}

// pythonFiles returns the file of a module, or the __init__ file of a package.
func (v *View) pythonFiles(base string) []ref {
	return v.first(base+".py", base+".pyi", path.Join(base, "__init__.py"), path.Join(base, "__init__.pyi"))
}
