package graph

import (
	"path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// module is what an import path names: files of the workspace, or something
// outside of it.
type module struct {
	files   []ref
	outside bool // certainly not of this workspace
}

// module finds the files that an import of a file names, by the language's rule.
func (v *View) module(from *fileEntry, importPath string) module {
	dir := dirOf(string(from.path))
	switch family(from.language) {
	case "go":
		return v.goModule(importPath)
	case "python":
		return v.pythonModule(dir, importPath)
	case "javascript":
		return v.scriptModule(dir, importPath)
	case "rust":
		return v.rustModule(string(from.path), importPath)
	case "c":
		return module{files: v.bySuffix(strings.Trim(importPath, "<>\""))}
	case "ruby":
		return module{files: v.bySuffix(strings.TrimPrefix(importPath, "./") + ".rb")}
	}
	if files := v.inPackage(importPath); len(files) > 0 {
		return module{files: files}
	}
	return module{files: v.suffixed(strings.ReplaceAll(importPath, ".", "/"), ".java", ".kt", ".scala", ".cs")}
}

// family groups the languages that see each other's names.
func family(language string) string {
	switch language {
	case "typescript", "tsx", "javascript":
		return "javascript"
	case "c", "cpp":
		return "c"
	case "kotlin", "scala", "java":
		return "java"
	}
	return language
}

// goModule finds the directory of a package: below a go.mod of the workspace, in
// vendor, or, where there is no go.mod, a directory of that very path.
func (v *View) goModule(importPath string) module {
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
	// Part of a module without its go.mod: the longest directory that ends the path.
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

// pythonModule finds a module relative to its importer ("..core"), or by its
// dotted path below any directory of the workspace.
func (v *View) pythonModule(dir, name string) module {
	if rest := strings.TrimLeft(name, "."); len(rest) < len(name) {
		for range len(name) - len(rest) - 1 {
			dir = dirOf(dir)
		}
		return module{files: v.pythonFiles(path.Join(dir, strings.ReplaceAll(rest, ".", "/")))}
	}
	file := strings.ReplaceAll(name, ".", "/")
	if files := v.pythonFiles(file); len(files) > 0 {
		return module{files: files}
	}
	// Source roots such as src/: the path ends with the whole module.
	if files := v.suffixed(file, ".py", ".pyi"); len(files) > 0 {
		return module{files: files}
	}
	if files := v.suffixed(file+"/__init__", ".py", ".pyi"); len(files) > 0 {
		return module{files: files}
	}
	// The workspace can be the package itself: its own name is then not in the paths.
	if _, rest, ok := strings.Cut(file, "/"); ok && len(v.inDir("")) > 0 {
		if files := v.pythonFiles(rest); len(files) > 0 && v.hasFile("__init__.py") {
			return module{files: files}
		}
	}
	return module{outside: true}
}

func (v *View) hasFile(name string) bool {
	_, ok := v.find(record.Path(name))
	return ok
}

func (v *View) pythonFiles(base string) []ref {
	return v.first(base+".py", base+".pyi", path.Join(base, "__init__.py"), path.Join(base, "__init__.pyi"))
}

// first returns the first of some paths that exists.
func (v *View) first(names ...string) []ref {
	for _, n := range names {
		if r, ok := v.find(record.Path(strings.TrimPrefix(n, "/"))); ok {
			return []ref{r}
		}
	}
	return nil
}

var scriptExtensions = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"}

// scriptModule finds a JavaScript or TypeScript module by Node's rules for relative
// paths; a bare path is tried below the directories of the workspace, as bundlers'
// aliases ("@/x", "src/x") and workspace packages do.
func (v *View) scriptModule(dir, name string) module {
	if strings.HasPrefix(name, ".") {
		return module{files: v.scriptFiles(path.Join(dir, name))}
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
	for _, ext := range []string{".js", ".jsx", ".mjs", ".cjs"} { // written for the output, the source is TypeScript
		stem = strings.TrimSuffix(stem, ext)
	}
	for _, b := range []string{stem, base, base + "/index"} {
		for _, ext := range scriptExtensions {
			names = append(names, b+ext)
		}
	}
	return v.first(names...)
}

// rustModule finds the file of a path: below the crate for "crate", beside the
// importer for "self" and "super", else below a crate of the workspace. The last
// segments can be items of the file.
func (v *View) rustModule(from, name string) module {
	dir, segments, known := v.rustRoot(from, strings.Split(name, "."))
	for n := len(segments); n > 0; n-- {
		if files := v.rustFile(dir, segments[:n]); len(files) > 0 {
			return module{files: files}
		}
	}
	if !known {
		return module{outside: true}
	}
	return module{files: v.first(path.Join(dir, "lib.rs"), path.Join(dir, "main.rs"), path.Join(dir, "mod.rs"), dir+".rs")}
}

// rustPath finds the module that a path of an expression starts with, and what is
// left of the path.
func (v *View) rustPath(from record.Path, name string) (files []ref, left string, ok bool) {
	all := strings.Split(name, ".")
	dir, segments, known := v.rustRoot(string(from), all)
	n := len(segments)
	for i, s := range segments {
		if strings.HasSuffix(s, ")") {
			n = i
			break
		}
	}
	for ; n > 0; n-- {
		if files := v.rustFile(dir, segments[:n]); len(files) > 0 {
			return files, strings.Join(segments[n:], "."), true
		}
	}
	if !known || len(segments) == len(all) {
		return nil, "", false
	}
	m := v.rustModule(string(from), strings.Join(all[:len(all)-len(segments)], "."))
	return m.files, strings.Join(segments, "."), len(m.files) > 0
}

// rustRoot returns the directory below which the modules of a path lie, and the
// segments that are left to walk. It is not known when that is only a guess: the
// modules below the file itself.
func (v *View) rustRoot(from string, segments []string) (dir string, left []string, known bool) {
	dir = dirOf(from)
	stem := strings.TrimSuffix(path.Base(from), ".rs")
	own := dir // where the modules below this file lie
	if stem != "mod" && stem != "lib" && stem != "main" {
		own = path.Join(dir, stem)
	}
	switch segments[0] {
	case "crate":
		root := dir
		for root != "" && path.Base(root) != "src" {
			root = dirOf(root)
		}
		return root, segments[1:], true
	case "self":
		return own, segments[1:], true
	case "super":
		for len(segments) > 0 && segments[0] == "super" {
			own, segments = dirOf(own), segments[1:]
		}
		return own, segments, true
	}
	crate := strings.ReplaceAll(segments[0], "_", "-")
	for _, dir := range []string{crate, segments[0]} {
		for _, r := range v.withBase("lib") {
			if root := dirOf(string(v.file(r).path)); path.Base(dirOf(root)) == dir {
				return root, segments[1:], true
			}
		}
	}
	return own, segments, false
}

// rustFile returns the file of a module below a directory.
func (v *View) rustFile(dir string, segments []string) []ref {
	base := path.Join(append([]string{dir}, segments...)...)
	return v.first(base+".rs", base+"/mod.rs")
}

// bySuffix returns the files whose path ends with the given one, the shortest first.
func (v *View) bySuffix(name string) []ref {
	ext := path.Ext(name)
	return v.suffixed(strings.TrimSuffix(name, ext), ext)
}

func (v *View) suffixed(stem string, extensions ...string) []ref {
	var out []ref
	for _, r := range v.withBase(strings.TrimSuffix(path.Base(stem), path.Ext(path.Base(stem)))) {
		name := string(v.file(r).path)
		for _, ext := range extensions {
			if full := stem + ext; name == full || strings.HasSuffix(name, "/"+full) {
				out = append(out, r)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b ref) int { return len(v.file(a).path) - len(v.file(b).path) })
	return out
}
