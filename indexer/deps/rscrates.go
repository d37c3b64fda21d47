package deps

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"ambit/vectors/record"
)

// rsCrate is the library of a package whose directory is known.
type rsCrate struct {
	name     string // by which code names it
	version  string // "" for one that is not of a registry
	base     string // absolute path of a directory that may be read
	dir      string // of the package, below base
	src      string // of lib.rs, below dir
	std      bool
	manifest *rsManifest
	locked   *rsLocked                      // nil without a Cargo.lock
	files    map[string]bool                // whether there is a file that can be read, by its name below src
	impls    map[string]map[string][]string // the files of a directory with a block impl, by its name below src and by the type
}

// view returns the directory of lib.rs in paths of records.
func (c *rsCrate) view() record.Path { return rsView + record.Path(c.name) + "/src" }

// label returns the name of the package with its version.
func (c *rsCrate) label() string {
	if c.std && c.version != "" {
		return "rust@" + c.version
	}
	if c.std {
		return "rust"
	}
	if c.version == "" {
		return c.manifest.name
	}
	return c.manifest.name + "@" + c.version
}

func (c *rsCrate) source() *source {
	shown := path.Join(c.label(), c.src)
	if c.std {
		shown = path.Join(c.label(), c.name, c.src)
	}
	return &source{base: c.base, dir: path.Join(c.dir, c.src), view: c.view(), shown: record.Path(shown), pkg: c.label(), std: c.std, extend: addMade}
}

// crateAt returns the library of the package in a directory below a base, when its manifest has
// the name and the version; "" stands for any version.
func (r *rust) crateAt(base, dir, pkg, version string) (*rsCrate, error) {
	root, err := open(base, dir)
	if err != nil {
		return nil, errAbsent
	}
	defer func() { _ = root.Close() }() // nothing is written
	m, err := r.manifest(root, filepath.Join(base, filepath.FromSlash(dir)))
	if err != nil {
		return nil, errors.New("it has no Cargo.toml")
	}
	if m.name != pkg {
		return nil, fmt.Errorf("its Cargo.toml declares the package %q", m.name)
	}
	if version != "" && m.version != version && m.version != "" {
		return nil, errAbsent
	}
	c := &rsCrate{name: crateName(pkg), version: version, base: base, dir: dir, src: "src", manifest: m, files: map[string]bool{}}
	if m.lib != "" && isCrateName(m.lib) {
		c.name = m.lib
	}
	if m.libPath != "" {
		if c.src = path.Dir(path.Clean(m.libPath)); path.Base(m.libPath) != "lib.rs" || !filepath.IsLocal(filepath.FromSlash(c.src)) {
			return nil, errors.New("its library is not in a file lib.rs of its own")
		}
	}
	return c, nil
}

// manifest returns the Cargo.toml of a directory. The caller holds the mutex.
func (r *rust) manifest(root *os.Root, dir string) (*rsManifest, error) {
	info, err := root.Stat("Cargo.toml")
	if err != nil {
		return nil, err
	}
	if s := r.manifests[dir]; s != nil && os.SameFile(s.state, info) && s.state.Size() == info.Size() && s.state.ModTime().Equal(info.ModTime()) {
		return s.manifest, nil
	}
	text, _, err := readFile(root, "Cargo.toml")
	if err != nil {
		return nil, err
	}
	m := parseCargo(text)
	r.manifests[dir] = &rsStamped{m, info}
	return m, nil
}

// dependency returns the crate that code of another one names, nil for none.
func (r *rust) dependency(l *rsLock, of *rsCrate, name string) *rsCrate {
	if of == nil || of.std || name == "std" || name == "core" || name == "alloc" {
		return l.std(name)
	}
	if !isCrateName(name) {
		return nil
	}
	key := rsName{of.base, of.dir, name}
	c, ok := l.named[key]
	if !ok {
		missing := false
		if c, missing = r.named(l, of, name); c != nil || !missing { // what is missing can come at any time
			l.named[key] = c
		}
	}
	return c
}

// rsName is a name in the code of a package.
type rsName struct{ base, dir, name string }

// named finds the dependency that code names, by its key in the manifest or by its library.
// missing says that a dependency is not there, whose library could have the name.
func (r *rust) named(l *rsLock, of *rsCrate, name string) (c *rsCrate, missing bool) {
	list := of.manifest.inherit(l.manifest)
	for _, d := range list {
		if crateName(d.key) != name {
			continue
		}
		c, err := r.resolve(l, of, d)
		if err != nil {
			return nil, err != errWorkspace
		}
		c.name = name
		return c, false
	}
	for _, d := range list {
		c, err := r.resolve(l, of, d)
		if err == nil && c.name == name {
			return c, false
		}
		missing = missing || err != nil && err != errWorkspace
	}
	return nil, missing
}

// resolve returns the crate of a dependency. One in the workspace is errWorkspace.
func (r *rust) resolve(l *rsLock, of *rsCrate, d rsDependency) (*rsCrate, error) {
	locked := l.locked(of, d)
	if d.path != "" {
		return r.beside(l, of, d, locked)
	}
	return r.fetched(l, d.pkg, locked)
}

// fetched returns the crate of a package that cargo has brought; without a version the newest.
func (r *rust) fetched(l *rsLock, pkg string, locked *rsLocked) (*rsCrate, error) {
	if locked != nil && strings.HasPrefix(locked.Source, "git+") {
		return r.checkedOut(locked)
	}
	version := ""
	if locked != nil {
		version = locked.Version
	}
	for _, v := range l.vendors {
		dirs := []string{pkg, pkg + "-" + version}
		if version == "" {
			dirs[1] = newest(v.base, v.dir, pkg)
		}
		for _, dir := range dirs {
			if c, err := r.crateAt(v.base, path.Join(v.dir, dir), pkg, version); err == nil {
				return c.of(locked), nil
			}
		}
	}
	return r.registered(pkg, version, locked)
}

// of returns the crate with its version of Cargo.lock.
func (c *rsCrate) of(locked *rsLocked) *rsCrate {
	if c.locked = locked; c.version == "" && isVersion(c.manifest.version) {
		c.version = c.manifest.version
	}
	return c
}

// registered returns a crate that cargo has put below registry/src; without a version the newest.
func (r *rust) registered(pkg, version string, locked *rsLocked) (*rsCrate, error) {
	base := filepath.Join(r.home, "registry", "src")
	if r.home == "" {
		return nil, errAbsent
	}
	for _, index := range directories(base, ".") {
		dir := pkg + "-" + version
		if version == "" {
			dir = newest(base, index, pkg)
		}
		if c, err := r.crateAt(base, path.Join(index, dir), pkg, version); err == nil {
			return c.of(locked), nil
		}
	}
	return nil, errAbsent
}

// newest returns the directory of the newest version of a package among those in a directory.
func newest(base, dir, pkg string) string {
	best := ""
	for _, name := range directories(base, dir) {
		if v, ok := strings.CutPrefix(name, pkg+"-"); ok && semver.IsValid("v"+v) && semver.Compare("v"+v, "v"+best) > 0 {
			best = v
		}
	}
	return pkg + "-" + best
}

// maxDirectories bounds the directories that are listed at one place.
const maxDirectories = 5000

// directories returns the names of the directories in one below a base. Links are left out.
func directories(base, dir string) (names []string) {
	root, err := open(base, dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // nothing is written
	f, err := root.Open(".")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()        // it is only read
	entries, _ := f.ReadDir(maxDirectories) // what was read is used
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// checkedOut returns a crate of a repository that cargo has checked out. The directory is named
// after the repository and a hash of its address, the one below after the commit.
func (r *rust) checkedOut(locked *rsLocked) (*rsCrate, error) {
	address, commit, _ := strings.Cut(strings.TrimPrefix(locked.Source, "git+"), "#")
	address, _, _ = strings.Cut(address, "?")
	repository := strings.TrimSuffix(path.Base(strings.TrimSuffix(address, "/")), ".git")
	if r.home == "" || len(commit) < 7 || !isCrateName(commit) {
		return nil, errAbsent
	}
	base := filepath.Join(r.home, "git", "checkouts")
	for _, dir := range directories(base, ".") {
		if !strings.HasPrefix(dir, repository+"-") {
			continue
		}
		for _, at := range directories(base, dir) {
			if !strings.HasPrefix(commit, at) || len(at) < 7 {
				continue
			}
			if c := r.inside(base, path.Join(dir, at), locked); c != nil {
				return c, nil
			}
		}
	}
	return nil, errAbsent
}

// maxSearched bounds the directories in which a package of a repository is looked for.
const maxSearched = 200

// inside returns the crate of a package in a directory or up to three directories below.
func (r *rust) inside(base, dir string, locked *rsLocked) *rsCrate {
	next := []string{dir}
	for i := 0; i < len(next) && i < maxSearched; i++ {
		if c, err := r.crateAt(base, next[i], locked.Name, locked.Version); err == nil {
			return c.of(locked)
		}
		if strings.Count(next[i], "/")-strings.Count(dir, "/") >= 3 {
			continue
		}
		for _, d := range directories(base, next[i]) {
			if !strings.HasPrefix(d, ".") && d != "target" {
				next = append(next, path.Join(next[i], d))
			}
		}
	}
	return nil
}

// beside returns the crate of a dependency that is a directory. One of the workspace is in a
// directory of the workspace; another one must be outside of every hidden directory and have the
// Cargo.toml of the package, as cargo demands.
func (r *rust) beside(l *rsLock, of *rsCrate, d rsDependency, locked *rsLocked) (*rsCrate, error) {
	at := of.dir
	if d.inherits || l.manifest != nil && slices.Contains(l.manifest.common, d) {
		at = l.dir
	}
	if of.base != r.root {
		dir := path.Join(of.dir, filepath.ToSlash(d.path))
		if filepath.IsAbs(d.path) || !filepath.IsLocal(filepath.FromSlash(dir)) {
			return nil, errors.New("it is outside of its repository")
		}
		c, err := r.crateAt(of.base, dir, d.pkg, "")
		if err != nil {
			return nil, err
		}
		return c.of(locked), nil
	}
	dir := filepath.FromSlash(d.path)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.root, filepath.FromSlash(at), dir)
	}
	if rel, err := filepath.Rel(r.root, dir); err == nil && filepath.IsLocal(rel) {
		return nil, errWorkspace
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, errAbsent
	}
	if hidden := hiddenPart(r.root, real); hidden != "" {
		return nil, fmt.Errorf("%s is a hidden directory", hidden)
	}
	c, err := r.crateAt(real, ".", d.pkg, "")
	if err != nil {
		return nil, err
	}
	return c.of(locked), nil
}
