package graph

import (
	"path"
	"strings"

	"ambit/vectors/record"
)

// ocaml: a file is a module with the name of the file, an .mli is the interface of the .ml
// beside it, and a library puts its modules in front of one name.
var ocaml = &language{names: []string{"ocaml", "ocaml_interface"}, reexports: markedReexports, aliases: true, rules: ocamlRules{}}

type ocamlRules struct{ defaultRules }

// module finds the file of a module.
func (ocamlRules) module(v *View, from *fileEntry, name string) module {
	files, _ := v.ocamlPath(from.path, name)
	return module{files: files, outside: len(files) == 0}
}

func (ocamlRules) modulePath(v *View, from record.Path, name string) (files []ref, rest string, ok bool) {
	files, rest = v.ocamlPath(from, name)
	return files, rest, len(files) > 0
}

// unscoped finds nothing: a name is one of the file or of a module that the file opens.
func (ocamlRules) unscoped(_ *Query, _ place, _ string, outside bool) answer {
	return answer{outside: outside}
}

// ocamlPath returns the files of the module that a path names, and the rest of the path. The
// first component can be the name of a library, which has no file.
func (v *View) ocamlPath(from record.Path, name string) (files []ref, rest string) {
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return nil, ""
	}
	first, rest, _ := strings.Cut(name, ".")
	files = v.ocamlFiles(first, dirOf(string(from)))
	for rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
		dir := ""
		if len(files) > 0 {
			dir = dirOf(string(v.file(files[0]).path))
		}
		next, after, _ := strings.Cut(rest, ".")
		found := v.ocamlFiles(next, dir)
		if len(found) == 0 || len(files) > 0 && dirOf(string(v.file(found[0]).path)) != dir || len(files) == 0 && !underDir(string(v.file(found[0]).path), first) {
			break
		}
		files, rest = found, after
	}
	return files, rest
}

// ocamlFiles returns the .ml and the .mli of a module, from one directory: the nearest to dir.
func (v *View) ocamlFiles(name, dir string) []ref {
	base := strings.ToLower(name[:1]) + name[1:]
	var files []ref
	for _, ext := range []string{".ml", ".mli"} {
		best := -1
		all := v.suffixed(base, ext)
		for i, r := range all {
			if best < 0 || dirNearness(dir, dirOf(string(v.file(r).path))) > dirNearness(dir, dirOf(string(v.file(all[best]).path))) {
				best = i
			}
		}
		if best >= 0 && (len(files) == 0 || dirOf(string(v.file(files[0]).path)) == dirOf(string(v.file(all[best]).path))) {
			files = append(files, all[best])
		}
	}
	return files
}

// underDir reports whether a directory of a path has a name, apart from case and separators.
func underDir(p, name string) bool {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(s)) }
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if plain(path.Base(dir)) == plain(name) {
			return true
		}
	}
	return false
}
