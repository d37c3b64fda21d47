package deps

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ambit/vectors/record"
)

// rsLock is a workspace of cargo in the workspace, as its Cargo.lock, Cargo.toml and settings say.
type rsLock struct {
	rust     *rust
	dir      string                 // of Cargo.lock, below the workspace
	packages map[string][]*rsLocked // nil without a Cargo.lock
	manifest *rsManifest            // beside Cargo.lock; nil for none
	vendors  []rsVendor
	used     map[string]*rsCrate // by rsCrate.name: package graph knows one crate of a name
	named    map[rsName]*rsCrate // nil for a name that no dependency has
	stds     map[string]*rsCrate // nil for a crate that is not there
	refused  []Refused
	files    []stamp
}

// rsVendor is a directory with the sources of packages.
type rsVendor struct{ base, dir string }

// lockOf returns the workspace of cargo that a file is in. The caller holds the mutex.
func (r *rust) lockOf(file record.Path) *rsLock {
	if r.workspace == nil {
		r.workspace, r.manifests = map[string]*rsLock{}, map[string]*rsStamped{}
		r.home = r.getenv("CARGO_HOME")
		if home := homeOf(r.getenv); r.home == "" && home != "" {
			r.home = filepath.Join(home, ".cargo")
		}
		if !filepath.IsAbs(r.home) {
			r.home = ""
		}
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return &rsLock{rust: r, dir: ".", used: map[string]*rsCrate{}, named: map[rsName]*rsCrate{}, stds: map[string]*rsCrate{}}
	}
	defer func() { _ = root.Close() }() // nothing is written
	dir := above(root, path.Dir(string(file)), "Cargo.lock")
	if l := r.workspace[dir]; l != nil && isCurrent(root, l.files) {
		return l
	}
	l := &rsLock{rust: r, dir: dir, used: map[string]*rsCrate{}, named: map[rsName]*rsCrate{}, stds: map[string]*rsCrate{}}
	l.packages = parseLock(l.read(root, path.Join(dir, "Cargo.lock")))
	if text := l.read(root, path.Join(dir, "Cargo.toml")); text != nil {
		l.manifest = parseCargo(text)
	}
	for at := dir; ; at = path.Dir(at) {
		for _, name := range []string{"config.toml", "config"} {
			name = path.Join(at, ".cargo", name)
			l.addVendors(root, name, at, l.read(root, name))
		}
		if at == "." {
			break
		}
	}
	if r.home != "" {
		for _, name := range []string{"config.toml", "config"} {
			for _, v := range sourceDirectories([]byte(smallFile(filepath.Join(r.home, name)))) {
				if filepath.IsAbs(v) { // the user's own
					l.vendors = append(l.vendors, rsVendor{v, "."})
				}
			}
		}
	}
	r.workspace[dir] = l
	return l
}

// read returns a file of the workspace, nil when it cannot be read, and remembers its state.
func (l *rsLock) read(root *os.Root, name string) []byte {
	text, s := readStamped(root, name)
	l.files = append(l.files, s)
	return text
}

// addVendors adds the directories of packages that the settings of cargo in a directory name.
func (l *rsLock) addVendors(root *os.Root, name, at string, text []byte) {
	for _, v := range sourceDirectories(text) {
		dir := path.Join(at, filepath.ToSlash(v))
		if filepath.IsAbs(v) || !filepath.IsLocal(filepath.FromSlash(dir)) {
			l.refused = append(l.refused, Refused{name + ": directory = " + v, "it is outside of the workspace"})
			continue
		}
		if _, err := root.Stat(dir); err == nil {
			l.vendors = append(l.vendors, rsVendor{l.rust.root, dir})
		}
	}
}

// sourceDirectories returns the directories of the sources that settings of cargo name.
func sourceDirectories(text []byte) (dirs []string) {
	var t struct {
		Source map[string]struct{ Directory string }
	}
	if err := toml.Unmarshal(text, &t); err != nil {
		return nil
	}
	for _, s := range t.Source {
		if s.Directory != "" {
			dirs = append(dirs, s.Directory)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// std returns a crate of the standard library, nil for none.
func (l *rsLock) std(name string) *rsCrate {
	if name != "std" && name != "core" && name != "alloc" {
		return nil
	}
	c, ok := l.stds[name]
	if !ok {
		c = l.rust.std(name)
		l.stds[name] = c
	}
	return c
}

// member returns the package of the workspace that a file is in, nil for none.
func (l *rsLock) member(file record.Path) *rsCrate {
	root, err := os.OpenRoot(l.rust.root)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // nothing is written
	dir := above(root, path.Dir(string(file)), "Cargo.toml")
	in, err := open(l.rust.root, dir)
	if err != nil {
		return nil
	}
	defer func() { _ = in.Close() }() // nothing is written
	m, err := l.rust.manifest(in, filepath.Join(l.rust.root, filepath.FromSlash(dir)))
	if err != nil {
		return nil
	}
	c := &rsCrate{base: l.rust.root, dir: dir, manifest: m}
	if list := l.packages[m.name]; len(list) > 0 {
		c.locked = list[0]
	}
	return c
}

// locked returns the package of Cargo.lock that a dependency of a crate is, nil for none.
func (l *rsLock) locked(of *rsCrate, d rsDependency) *rsLocked {
	list := l.packages[d.pkg]
	if len(list) == 0 {
		return nil
	}
	var wanted []string
	if of.locked != nil {
		for _, name := range of.locked.Dependencies {
			fields := strings.Fields(name)
			if len(fields) > 1 && fields[0] == d.pkg {
				wanted = append(wanted, fields[1])
			}
		}
	}
	best := slices.IndexFunc(list, func(p *rsLocked) bool {
		return slices.Contains(wanted, p.Version) && (len(wanted) == 1 || strings.HasPrefix(p.Version, strings.TrimLeft(cmp.Or(d.requirement, p.Version), "^~= ")))
	})
	return list[max(best, 0)]
}
