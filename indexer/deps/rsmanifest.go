package deps

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// rsManifest is what a Cargo.toml says.
type rsManifest struct {
	name, version   string // of the package
	lib, libPath    string // [lib]
	dependencies    []rsDependency
	common          []rsDependency // of [workspace.dependencies]
	inheritsVersion bool
	commonVersion   string // of [workspace.package]
}

// rsDependency is a dependency of a package.
type rsDependency struct {
	key         string // by which code names it, with "-" for "_" perhaps
	pkg         string
	path        string // relative to the manifest; "" for none
	requirement string
	inherits    bool // [workspace.dependencies] says more
}

// crateName returns the name by which code names a package.
func crateName(pkg string) string { return strings.ReplaceAll(pkg, "-", "_") }

// isCrateName reports whether a text can be the name of a package, a crate or a module: it has no
// separators and no dots.
func isCrateName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// parseCargo reads a Cargo.toml. What cannot be read is left out.
func parseCargo(text []byte) *rsManifest {
	var t map[string]any
	if err := toml.Unmarshal(text, &t); err != nil {
		return &rsManifest{}
	}
	pkg, lib, workspace := table(t["package"]), table(t["lib"]), table(t["workspace"])
	m := &rsManifest{name: stringOf(pkg["name"]), version: stringOf(pkg["version"]), lib: stringOf(lib["name"]), libPath: stringOf(lib["path"])}
	m.inheritsVersion = table(pkg["version"])["workspace"] == true
	m.commonVersion = stringOf(table(workspace["package"])["version"])
	m.common = rsDependencies(workspace["dependencies"])
	sections := []map[string]any{t}
	for _, target := range table(t["target"]) {
		sections = append(sections, table(target))
	}
	for _, section := range sections {
		for _, key := range []string{"dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies"} {
			m.dependencies = append(m.dependencies, rsDependencies(section[key])...)
		}
	}
	slices.SortStableFunc(m.dependencies, func(a, b rsDependency) int { return strings.Compare(a.key, b.key) })
	return m
}

// table returns a value that is a table, an empty one for another value.
func table(value any) map[string]any {
	t, _ := value.(map[string]any)
	return t
}

func rsDependencies(value any) (out []rsDependency) {
	for key, v := range table(value) {
		d := rsDependency{key: key, pkg: key, requirement: stringOf(v)}
		if t := table(v); t != nil {
			d.pkg, d.path, d.requirement = cmp.Or(stringOf(t["package"]), key), stringOf(t["path"]), stringOf(t["version"])
			d.inherits = t["workspace"] == true
		}
		if isCrateName(d.key) && isCrateName(d.pkg) {
			out = append(out, d)
		}
	}
	return out
}

// inherit returns the dependencies with what the manifest of the workspace says of them.
func (m *rsManifest) inherit(root *rsManifest) []rsDependency {
	out := slices.Clone(m.dependencies)
	for i := range out {
		if !out[i].inherits || root == nil {
			continue
		}
		if at := slices.IndexFunc(root.common, func(d rsDependency) bool { return d.key == out[i].key }); at >= 0 {
			out[i] = root.common[at]
		}
	}
	return out
}

// rsLocked is a package of a Cargo.lock.
type rsLocked struct {
	Name, Version, Source string
	Dependencies          []string // "name", "name version" or "name version (source)"
}

// parseLock reads the packages of a Cargo.lock whose names and versions are valid.
func parseLock(text []byte) map[string][]*rsLocked {
	var t struct{ Package []*rsLocked }
	if err := toml.Unmarshal(text, &t); err != nil {
		return nil
	}
	out := map[string][]*rsLocked{}
	for _, p := range t.Package {
		if p != nil && isCrateName(p.Name) && isVersion(p.Version) {
			out[p.Name] = append(out[p.Name], p)
		}
	}
	return out
}

// rsStamped is a manifest in a state of its file.
type rsStamped struct {
	manifest *rsManifest
	state    fs.FileInfo
}
