package deps

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// maxManifests bounds the manifests of a report.
const maxManifests = 200

func (s *script) report(files []record.Path) (r Report, ok bool) {
	r = Report{Ecosystem: "JavaScript and TypeScript", Remedy: "npm install, or that of another package manager,"}
	t := s.tree()
	defer t.close()
	root := t.root()
	if root == nil {
		return r, false
	}
	n := 0
	for _, file := range files {
		if path.Base(string(file)) != "package.json" || n == maxManifests {
			continue
		}
		n++
		text, _, err := readFile(root, path.Join(t.prefix, string(file)))
		if err != nil {
			continue
		}
		ok = true
		t.addTo(&r, path.Join(t.prefix, path.Dir(string(file))), parseManifest(text))
	}
	if ok {
		t.addPlugAndPlay(&r)
	}
	return r, ok
}

// addTo adds the direct dependencies of a package of the workspace.
func (t *jsTree) addTo(r *Report, dir string, m *jsManifest) {
	for _, name := range slices.Sorted(maps.Keys(m.dependencies)) {
		wanted := m.dependencies[name]
		own, _, ok := splitSpecifier(name)
		if !ok || own != name {
			r.Refused = append(r.Refused, Refused{name, "it is no name of a package"})
			continue
		}
		p, err := t.above(dir, name)
		switch {
		case err == nil:
			found := Package{Name: name, Version: p.version, Dir: filepath.Join(t.base, filepath.FromSlash(p.dir))}
			r.Found = append(r.Found, found)
			if _, ok := t.regular(p, "lib/lib.es5.d.ts"); ok && name == "typescript" && r.Std == nil {
				r.Std = &Package{name, p.version, filepath.Join(found.Dir, "lib")}
			}
		case err == errWorkspace || err == errAbsent && strings.HasPrefix(wanted, "workspace:"):
		case err == errAbsent:
			r.Missing = append(r.Missing, Package{Name: name, Version: wanted})
		default:
			r.Refused = append(r.Refused, Refused{name, err.Error()})
		}
	}
}

// above returns the package with a name in the nearest directory node_modules that has it.
func (t *jsTree) above(dir, name string) (*jsPackage, error) {
	for at := dir; ; at = path.Dir(at) {
		p, err := t.at(path.Join(at, nodeModules), name)
		if err != errAbsent || at == "." || at == "/" {
			return p, err
		}
	}
}

// addPlugAndPlay says that the packages are in archives, and what makes directories of them.
func (t *jsTree) addPlugAndPlay(r *Report) {
	for _, dir := range []string{".", t.prefix} {
		if _, err := t.root().Lstat(path.Join(dir, ".pnp.cjs")); err == nil {
			r.Refused = append(r.Refused, Refused{".pnp.cjs", "archives of Yarn Plug'n'Play are not read"})
			r.Remedy = "yarn install with nodeLinker: node-modules in .yarnrc.yml"
		}
	}
}
