package deps

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"ambit/vectors/record"
)

// maxWorkModules bounds the modules of a go.work.
const maxWorkModules = 200

// goProject is a module of the workspace with what its build uses, as go.mod, go.sum and go.work
// say. It does not change.
type goProject struct {
	env       *goEnv
	root      string // of the workspace
	dir       string // of the module, relative to root, "." for root itself
	own       []string
	versions  map[string]string
	direct    []string // the required modules that are not indirect, in order
	replaced  []replacement
	vendor    string            // the directory vendor, relative to root
	vendored  map[string]string // the versions of the modules in it, nil when it is not used
	toolchain toolchain
	refused   []Refused
	files     []stamp
}

// replacement is a replace directive.
type replacement struct {
	old, oldVersion string // oldVersion is "" for all versions
	path, version   string // of another module
	dir             string // absolute, in place of path
}

// project returns the module of a file. The caller holds the mutex.
func (g *golang) project(file record.Path) *goProject {
	if g.env == nil {
		g.env, g.projects = newGoEnv(g.getenv), map[string]*goProject{}
	}
	root, err := os.OpenRoot(g.root)
	if err != nil {
		return &goProject{env: g.env, root: g.root, dir: ".", toolchain: g.env.local}
	}
	defer func() { _ = root.Close() }() // nothing is written
	dir := above(root, path.Dir(string(file)), "go.mod")
	if p := g.projects[dir]; p != nil && isCurrent(root, p.files) {
		return p
	}
	p := &goProject{env: g.env, root: g.root, dir: dir, versions: map[string]string{}}
	p.load(root)
	g.projects[dir] = p
	return p
}

// above returns the nearest directory with a file of a name, from dir up to the root; "." when
// there is none.
func above(root *os.Root, dir, name string) string {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if _, err := root.Stat(path.Join(dir, name)); err == nil {
			return dir
		}
	}
	return "."
}

// read returns a file of the workspace, nil when it cannot be read, and remembers its state.
func (p *goProject) read(root *os.Root, name string) []byte {
	text, s := readStamped(root, name)
	p.files = append(p.files, s)
	return text
}

// load reads the manifests of the project.
func (p *goProject) load(root *os.Root) {
	wanted := p.addModule(root, p.dir)
	p.addSums(p.read(root, path.Join(p.dir, "go.sum")))
	if p.env.get("GOWORK") != "off" {
		wanted = append(wanted, p.loadWork(root)...)
	}
	p.toolchain = p.env.toolchainFor(wanted...)
	p.loadVendor(root, p.dir)
	slices.SortFunc(p.own, func(a, b string) int { return len(b) - len(a) })
}

// addModule adds what a go.mod says, and returns the versions of Go that it asks for.
func (p *goProject) addModule(root *os.Root, dir string) (wanted []string) {
	name := path.Join(dir, "go.mod")
	text := p.read(root, name)
	m, err := modfile.Parse(name, text, nil)
	if err != nil {
		if m, err = modfile.ParseLax(name, text, nil); err != nil {
			return nil
		}
	}
	if m.Module != nil {
		p.own = append(p.own, m.Module.Mod.Path)
	}
	for _, r := range m.Require {
		p.atLeast(r.Mod.Path, r.Mod.Version)
		if !r.Indirect && !slices.Contains(p.direct, r.Mod.Path) {
			p.direct = append(p.direct, r.Mod.Path)
		}
	}
	for _, r := range m.Replace {
		p.replace(dir, r)
	}
	if m.Go != nil {
		wanted = append(wanted, "go"+m.Go.Version)
	}
	if m.Toolchain != nil {
		wanted = append(wanted, m.Toolchain.Name)
	}
	return wanted
}

// atLeast raises the version of a module.
func (p *goProject) atLeast(name, version string) {
	if old, ok := p.versions[name]; !ok || semver.Compare(version, old) > 0 {
		p.versions[name] = version
	}
}

// replace adds a replace directive of a file in a directory of the workspace.
func (p *goProject) replace(dir string, r *modfile.Replace) {
	n := replacement{old: r.Old.Path, oldVersion: r.Old.Version, path: r.New.Path, version: r.New.Version}
	if modfile.IsDirectoryPath(r.New.Path) {
		if n.dir = filepath.FromSlash(r.New.Path); !filepath.IsAbs(n.dir) {
			n.dir = filepath.Join(p.root, filepath.FromSlash(dir), n.dir)
		}
	}
	p.replaced = append(p.replaced, n)
}

// replacement returns what replaces a version of a module. Those of go.work come last and count
// first.
func (p *goProject) replacement(name, version string) (replacement, bool) {
	for _, r := range slices.Backward(p.replaced) {
		if r.old == name && (r.oldVersion == "" || r.oldVersion == version) {
			return r, true
		}
	}
	return replacement{}, false
}

// addSums adds the modules of a go.sum that no go.mod requires: before Go 1.17 a go.mod does not
// list what its dependencies require. The sum of the code of a module is there for the version
// that the build uses.
func (p *goProject) addSums(text []byte) {
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && semver.IsValid(fields[1]) && semver.Compare(fields[1], sums[fields[0]]) > 0 {
			sums[fields[0]] = fields[1]
		}
	}
	for name, version := range sums {
		if _, ok := p.versions[name]; !ok {
			p.versions[name] = version
		}
	}
}

// loadWork adds the modules of the go.work above the module, and returns the versions of Go that
// they ask for. A module outside of the workspace is left out.
func (p *goProject) loadWork(root *os.Root) (wanted []string) {
	dir := above(root, p.dir, "go.work")
	name := path.Join(dir, "go.work")
	w, err := modfile.ParseWork(name, p.read(root, name), nil)
	if err != nil || len(w.Use) == 0 || len(w.Use) > maxWorkModules {
		return nil
	}
	for _, u := range w.Use {
		use := path.Join(dir, filepath.ToSlash(u.Path))
		if use == p.dir {
			continue
		}
		if !fs.ValidPath(use) || filepath.IsAbs(u.Path) {
			p.refused = append(p.refused, Refused{name + ": use " + u.Path, "it is outside of the workspace"})
			continue
		}
		direct := p.direct
		wanted = append(wanted, p.addModule(root, use)...)
		p.direct = direct
	}
	p.addSums(p.read(root, path.Join(dir, "go.work.sum")))
	for _, r := range w.Replace {
		p.replace(dir, r)
	}
	if w.Toolchain != nil {
		wanted = append(wanted, w.Toolchain.Name)
	}
	p.loadVendor(root, dir)
	return wanted
}

// loadVendor reads the list of the modules in the directory vendor below dir.
func (p *goProject) loadVendor(root *os.Root, dir string) {
	if p.env.mod == "mod" || p.vendored != nil {
		return
	}
	p.vendor = path.Join(dir, "vendor")
	text := p.read(root, path.Join(p.vendor, "modules.txt"))
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 3 && fields[0] == "#" && semver.IsValid(fields[2]) {
			if p.vendored == nil {
				p.vendored = map[string]string{}
			}
			p.vendored[fields[1]] = vendoredVersion(fields[2:])
		}
	}
}

// vendoredVersion returns the version of a module from its line in modules.txt, after its path:
// "v1.0.0", "v1.0.0 => example.com/fork v1.2.0", or "v1.0.0 => ../directory", which has none.
func vendoredVersion(fields []string) string {
	if len(fields) < 2 || fields[1] != "=>" {
		return fields[0]
	}
	if version := fields[len(fields)-1]; semver.IsValid(version) {
		return version
	}
	return ""
}
