package graph

import (
	"path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

var python = &language{names: []string{"python"}, deepValues: true, classOf: "type", gathers: true, interfaces: []string{"ABC", "Protocol"}, rules: pythonRules{}}

type pythonRules struct{ defaultRules }

// pythonOutside is the directory of the modules that are installed, outside of the workspace.
const pythonOutside = "site-packages/"

// module finds a module relative to its importer ("..core"), or by its dotted path
// below any directory of the workspace. An installed one imports other installed ones.
func (pythonRules) module(v *View, from *fileEntry, name string) module {
	if rest := strings.TrimLeft(name, "."); len(rest) < len(name) {
		dir := dirOf(string(from.path))
		for range len(name) - len(rest) - 1 {
			dir = dirOf(dir)
		}
		return module{files: v.pythonFiles(path.Join(dir, strings.ReplaceAll(rest, ".", "/")))}
	}
	file := strings.ReplaceAll(name, ".", "/")
	if strings.HasPrefix(string(from.path), pythonOutside) {
		return v.pythonOutside(file)
	}
	if files := v.pythonFiles(file); len(files) > 0 {
		return module{files: files}
	}
	// With source roots such as src/, the path of the file ends with the whole module. A package is
	// no source root: flask/json.py is not the module json.
	for _, stem := range []string{file, file + "/__init__"} {
		files := slices.DeleteFunc(v.suffixed(stem, ".py", ".pyi"), func(r ref) bool {
			p := string(v.file(r).path)
			root := strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), stem)
			return strings.HasPrefix(p, pythonOutside) || v.Has(record.Path(root+"__init__.py"))
		})
		if len(files) > 0 {
			return module{files: files}
		}
	}
	// The workspace can be the package itself: the paths then lack the name of the package.
	if _, rest, ok := strings.Cut(file, "/"); ok && v.Has("__init__.py") {
		if files := v.pythonFiles(rest); len(files) > 0 {
			return module{files: files}
		}
	}
	return v.pythonOutside(file)
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

// pythonOutside returns an installed module.
func (v *View) pythonOutside(file string) module {
	files := v.pythonFiles(pythonOutside + file)
	return module{files: files, outside: len(files) == 0}
}

// pythonFiles returns the file of a module, or the __init__ file of a package.
func (v *View) pythonFiles(base string) []ref {
	return v.first(base+".py", base+".pyi", path.Join(base, "__init__.py"), path.Join(base, "__init__.pyi"))
}
