package graph

import (
	"path"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

var rust = &language{
	names: []string{"rust"}, selfModule: true, plainThis: true, qualified: true, splitsByUse: true, boundTypes: true, members: workspace, rules: rustRules{},
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
			return module{files: files, rest: strings.Join(segments[n:], ".")}
		}
	}
	if !known { // a crate outside of the workspace, or a name of the file itself: `use Kind::*`
		return module{files: v.first(string(from.path)), rest: name, outside: true}
	}
	return module{files: v.rustRootFile(dir), rest: strings.Join(segments, ".")}
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

// submodule finds the file of a module that another file declares: `pub mod name;`.
func (rustRules) submodule(v *View, parent *fileEntry, name string) []ref {
	return v.rustFile(rustDir(string(parent.path)), []string{name})
}

// imported reads the name as a module, as in `use crate::core`.
func (rustRules) imported(q *Query, at place, imp *record.Import, m module, depth int) answer {
	if sub := q.module(at.ref, memberPath(imp), ""); len(sub.files) > 0 && sub.rest == "" {
		return moduleAnswer(sub.files)
	}
	return answer{outside: m.outside}
}

// exported finds the macros that any module of a crate exports: they are at the root of the crate.
func (rustRules) exported(q *Query, at place, name string, _ int) answer {
	if path.Base(string(at.Path)) != "lib.rs" {
		return answer{}
	}
	var out answer
	dir := dirOf(string(at.Path)) + "/"
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if kinds[d.kind] == record.KindMacro && at.sees(f) && strings.HasPrefix(string(f.path), dir) {
			out.things = append(out.things, thing{at: r, symbol: int(d.symbol), prob: sureProbability})
		}
		return len(out.things) < maxTargets
	})
	return out
}

// inTraits finds a method among those of the traits that a file imports, which they add to types
// that have no method of the name.
func (q *Query) inTraits(at place, name string) answer {
	for i := range at.Imports {
		imp := &at.Imports[i]
		if imp.Path == "" || !startsUpper(imp.Name) {
			continue
		}
		wanted := q.wanted
		if imp.Local != "_" && !strings.HasSuffix(imp.Name, "Ext") { // by custom the name of a trait for this
			q.wanted = nil // files are not read for it
		}
		traits := q.imported(at, imp, 0)
		q.wanted = wanted
		traits.things = slices.DeleteFunc(traits.things, func(t thing) bool {
			s := q.symbol(t)
			return s == nil || s.Kind != record.KindInterface
		})
		var found answer
		for _, t := range traits.things {
			t.prob = basedProbability
			found.things = append(found.things, q.ownMembers(t, name)...)
		}
		if len(found.things) > 0 {
			return found
		}
	}
	return answer{}
}

// passesOn reports whether a method of a trait that a file imports, which is declared for a Result or an
// Option, yields what that holds: its result is of the type parameter of the trait.
func (q *Query) passesOn(at place, name string) bool {
	if !at.lang().boundTypes {
		return false
	}
	for _, t := range q.inTraits(at, name).things {
		s := q.symbol(t)
		if s == nil || s.Parent < 0 {
			continue
		}
		trait := &q.place(t.at).Symbols[s.Parent]
		if languages.YieldsOneOf(s.Signature, s.Name, languages.TypeParameterNames(trait.Signature, trait.Name)) {
			return true
		}
	}
	return false
}

// extensions finds the members of what the values of a type lead to: the elements of an
// iterator, the target of a smart pointer.
func (rustRules) extensions(q *Query, at place, of thing, name string) []thing {
	for _, associated := range []string{"Target", "Item"} {
		if name == associated {
			continue
		}
		var to answer
		for _, t := range q.associates(of, associated) {
			to.things = append(to.things, q.valueOf(answer{things: []thing{t}}, component{}, maxDepth).things...)
		}
		if a := q.members(at, to, name, maxDepth); len(a.things) > 0 {
			for i := range a.things {
				a.things[i].prob *= basedProbability
			}
			return a.things
		}
	}
	return nil
}

// associates returns the types that the impls of a type declare for a type of a trait.
func (q *Query) associates(of thing, name string) []thing {
	s := q.symbol(of)
	if s == nil || s.Kind != record.KindStruct && s.Kind != record.KindEnum {
		return nil
	}
	var out []thing
	hash := containerHash(s.Name)
	q.v.eachDef(name, func(r ref, d def) bool {
		if t := (thing{at: r, symbol: int(d.symbol), prob: of.prob}); d.container == hash && kinds[d.kind] == record.KindType && q.symbol(t) != nil && (r == of.at || !q.declaresType(r, s.Name)) {
			at := q.place(r)
			if p := q.symbol(t).Parent; p >= 0 && at.Symbols[p].Kind == record.KindImpl {
				a := q.path(at, at.Symbols[p].Parent, q.symbol(t).Type, maxDepth-2)
				for _, v := range a.things {
					v.prob *= of.prob
					out = append(out, v)
				}
			}
		}
		return len(out) < maxTargets
	})
	return out
}

// unscoped guesses no name of the standard prelude, which every file sees.
func (rustRules) unscoped(q *Query, at place, name string, outside bool) answer {
	if rustPrelude[name] {
		return answer{}
	}
	return (defaultRules{}).unscoped(q, at, name, outside)
}

// rustPrelude are the types and traits of the standard prelude that crates declare for
// themselves, too, and then import.
var rustPrelude = map[string]bool{"Result": true, "Option": true, "Vec": true, "String": true, "Box": true, "Iterator": true, "Into": true, "From": true, "Default": true, "Clone": true}

// rustRoot returns the directory of the modules of a path, and the segments that are left.
// known is false when the directory is a guess: that of the modules of the file itself.
func (v *View) rustRoot(from string, segments []string) (dir string, left []string, known bool) {
	dir, own := dirOf(from), rustDir(from)
	switch segments[0] {
	case "crate":
		return v.rustCrateRoot(dir), segments[1:], true
	case "self":
		return own, segments[1:], true
	case "super":
		for len(segments) > 0 && segments[0] == "super" {
			own, segments = dirOf(own), segments[1:]
		}
		return own, segments, true
	}
	if root, ok := v.crate(segments[0]); ok && len(v.rustFile(own, segments[:1])) == 0 {
		return root, segments[1:], true
	}
	return own, segments, false
}

// rustCrateRoot returns the directory of the modules of the crate that has a directory: "src",
// or, where a manifest names another one, the nearest with the root of a crate.
func (v *View) rustCrateRoot(dir string) string {
	for root := dir; root != ""; root = dirOf(root) {
		if path.Base(root) == "src" || len(v.first(path.Join(root, "lib.rs"), path.Join(root, "main.rs"))) > 0 {
			return root
		}
	}
	return ""
}

// crate returns the directory of the modules of a crate of the workspace. Without the manifest
// of the crate, the directory around the modules has its name.
func (v *View) crate(name string) (root string, ok bool) {
	for _, r := range v.inPackage(name) {
		if f := v.file(r); path.Base(string(f.path)) == "Cargo.toml" {
			dir := dirOf(string(f.path))
			if len(v.first(path.Join(dir, "src/lib.rs"))) > 0 {
				return path.Join(dir, "src"), true
			}
			return dir, true
		}
	}
	for _, r := range v.withBase("lib") {
		root := dirOf(string(v.file(r).path))
		if len(v.first(path.Join(dirOf(root), "Cargo.toml"))) > 0 {
			continue
		}
		if strings.ReplaceAll(path.Base(dirOf(root)), "-", "_") == name {
			return root, true
		}
	}
	return "", false
}

// rustDir returns the directory of the modules of a file.
func rustDir(file string) string {
	switch stem := strings.TrimSuffix(path.Base(file), ".rs"); stem {
	case "mod", "lib", "main":
		return dirOf(file)
	default:
		return path.Join(dirOf(file), stem)
	}
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
