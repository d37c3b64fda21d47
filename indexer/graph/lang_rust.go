package graph

import (
	"path"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

var rust = &language{
	names: []string{"rust"}, selfModule: true, members: workspace, rules: rustRules{},
	isPart: func(part, _ record.Kind) bool { return part == record.KindImpl },
}

type rustRules struct{ defaultRules }

// module finds the file of a path: below the crate for "crate", beside the importer for
// "self" and "super", else below a crate of the workspace. The last segments can name items
// of the file.
func (rustRules) module(v *View, from *fileEntry, name string) module {
	dir, segments, known := v.rustRoot(string(from.path), strings.Split(name, "."))
	for n := len(segments); n > 0; n-- {
		if files := v.rustFile(dir, segments[:n]); len(files) > 0 {
			return module{files: files}
		}
	}
	if !known {
		return module{outside: true}
	}
	return module{files: v.rustRootFile(dir)}
}

func (rustRules) modulePath(v *View, from record.Path, name string) (files []ref, rest string, ok bool) {
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
	files = v.rustRootFile(dir)
	return files, strings.Join(segments, "."), len(files) > 0
}

// imported reads the name as a module, as in `use crate::core`, else as a variant or an
// associated item of the type at the end of the path.
func (rustRules) imported(q *Query, at place, imp *record.Import, m module, depth int) answer {
	if sub := q.v.module(at.ref, memberPath(imp)); len(sub.files) > 0 && (len(m.files) == 0 || sub.files[0] != m.files[0]) {
		return moduleAnswer(sub.files)
	}
	if len(m.files) > 0 {
		before, owner := languages.CutLast(imp.Path)
		if a := q.inModule(q.v.module(at.ref, before).files, owner, depth+1); len(a.things) > 0 {
			return q.members(at, a, imp.Name, depth+1)
		}
	}
	return answer{outside: m.outside}
}

// rustRoot returns the directory of the modules of a path, and the segments that are left.
// known is false when the directory is a guess: that of the modules of the file itself.
func (v *View) rustRoot(from string, segments []string) (dir string, left []string, known bool) {
	dir = dirOf(from)
	stem := strings.TrimSuffix(path.Base(from), ".rs")
	own := dir // the directory of the modules of this file
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

// rustRootFile returns the file of the module whose submodules lie in a directory.
func (v *View) rustRootFile(dir string) []ref {
	return v.first(path.Join(dir, "lib.rs"), path.Join(dir, "main.rs"), path.Join(dir, "mod.rs"), dir+".rs")
}
