package graph

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

var golang = &language{
	names: []string{"go"}, packages: ownDirectory, members: ownDirectory, reexports: noReexports, implicitTypes: true, rules: goRules{},
}

type goRules struct{ defaultRules }

// unscoped finds nothing, because the package rule has searched the whole package.
func (goRules) unscoped(_ *Query, _ place, _ string, outside bool) answer {
	return answer{outside: outside}
}

// module finds the directory of a package: below a go.mod of the workspace, in vendor, or,
// without a go.mod, the directory with the path of the import.
func (goRules) module(v *View, _ *fileEntry, importPath string) module {
	for _, m := range v.goModules() {
		if rest, ok := strings.CutPrefix(importPath, m.path); ok && (rest == "" || rest[0] == '/') {
			files := v.inDir(path.Join(m.dir, strings.TrimPrefix(rest, "/")))
			return module{files: files, outside: len(files) == 0}
		}
	}
	for _, dir := range []string{importPath, "vendor/" + importPath} {
		if files := v.inDir(dir); len(files) > 0 {
			return module{files: files}
		}
	}
	if len(v.goModules()) > 0 || !strings.Contains(importPath, ".") {
		return module{outside: true}
	}
	// The workspace is a part of a module without its go.mod: find the directory that is the
	// longest suffix of the path.
	for rest := importPath; ; {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			return module{outside: true}
		}
		rest = after
		if files := v.inDir(rest); len(files) > 0 {
			return module{files: files}
		}
	}
}

// goModule is a go.mod of the workspace.
type goModule struct{ path, dir string }

// goModules returns the modules of the workspace, the longest path first.
func (v *View) goModules() []goModule {
	v.listed.Do(func() {
		for _, r := range v.withBase("go") {
			if f := v.file(r); path.Base(string(f.path)) == "go.mod" && f.pkg != "" {
				v.modules = append(v.modules, goModule{f.pkg, dirOf(string(f.path))})
			}
		}
		slices.SortFunc(v.modules, func(a, b goModule) int {
			return cmp.Or(cmp.Compare(len(b.path), len(a.path)), cmp.Compare(a.dir, b.dir))
		})
	})
	return v.modules
}
