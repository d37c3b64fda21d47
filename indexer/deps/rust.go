package deps

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// rust is the ecosystem of Rust.
type rust struct {
	place

	mu        sync.Mutex            // guards all fields below
	home      string                // of cargo, "" when unknown
	workspace map[string]*rsLock    // by the directory of Cargo.lock
	manifests map[string]*rsStamped // by the absolute path of a Cargo.toml
	looked    time.Time             // when the files below began to be read
	files     map[rsModule]*File
	locks     map[record.Path]*rsLock  // by a file of the workspace
	members   map[record.Path]*rsCrate // likewise
}

// look begins to read files anew when those that are known are too old: one question comes to the same
// ones by each import.
func (r *rust) look() {
	if now := time.Now(); now.Sub(r.looked) > lookAgain {
		r.looked, r.files = now, map[rsModule]*File{}
		r.locks, r.members = map[record.Path]*rsLock{}, map[record.Path]*rsCrate{}
	}
}

// rsView is the directory in which package graph looks for crates that the workspace does not have.
const rsView = "cargo/"

func (r *rust) serves(ext string) bool { return ext == ".rs" }

func (r *rust) find(ctx context.Context, file, from record.Path, module string, names []string) Found {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()
	w := rsWalk{ctx: ctx, rust: r, lock: known(r.locks, file, r.lockOf), roots: map[*rsCrate]*os.Root{}, steps: map[string]bool{}, added: map[record.Path]bool{}}
	defer w.close()
	segments := strings.Split(module, ".")
	if first := segments[0]; first == "" || !strings.HasPrefix(string(from), rsView) && (first[0] >= 'A' && first[0] <= 'Z' || first == "crate" || first == "self" || first == "super") {
		return Found{} // a type or a module of the workspace
	}
	crate := w.crateOf(from)
	if crate == nil {
		crate = known(r.members, file, w.lock.member)
	}
	at, rest, ok := w.root(crate, from, segments)
	if !ok {
		return Found{}
	}
	if m, left, ok := w.walk(at, rest); ok {
		if len(left) == 0 {
			w.lead(from, module, m)
		}
		for _, name := range names {
			if len(left) > 0 {
				name = left[0] // the path goes on in a type
			}
			w.offers(m, name, 0)
		}
	}
	for _, t := range w.types {
		w.addMembers(t, names)
	}
	return w.found
}

// rsModule is a module that is a file of a crate.
type rsModule struct {
	crate *rsCrate
	file  string // below the root of the crate, with slashes: "routing/mod.rs"
	dir   string // of the files of its modules: "routing", "." for the crate itself
}

func (m rsModule) path() record.Path { return m.crate.view() + "/" + record.Path(m.file) }

// rsWalk follows the modules and the re-exports of crates.
type rsWalk struct {
	ctx   context.Context // of the request that the walk lives for
	rust  *rust
	lock  *rsLock
	roots map[*rsCrate]*os.Root
	steps map[string]bool // what was looked up
	added map[record.Path]bool
	types []rsType // of the names that were looked up
	found Found
}

// crateOf returns the crate that the file of a record is of, nil for a file of the workspace.
func (w *rsWalk) crateOf(from record.Path) *rsCrate {
	rest, ok := strings.CutPrefix(string(from), rsView)
	if !ok {
		return nil
	}
	name, _, _ := strings.Cut(rest, "/")
	return w.lock.used[name]
}

// root returns the module that a path starts from, and the segments that are left.
func (w *rsWalk) root(crate *rsCrate, from record.Path, segments []string) (rsModule, []string, bool) {
	inside := strings.HasPrefix(string(from), rsView)
	if crate == nil && segments[0] != "std" && segments[0] != "core" && segments[0] != "alloc" {
		return rsModule{}, nil, false
	}
	own := rsModule{}
	if inside && crate != nil {
		own = crate.moduleOf(strings.TrimPrefix(string(from), string(crate.view())+"/"))
	}
	switch segments[0] {
	case "crate":
		return crateRoot(crate), segments[1:], inside
	case "self":
		return own, segments[1:], inside
	case "super":
		for len(segments) > 0 && segments[0] == "super" {
			own, segments = w.parent(own), segments[1:]
		}
		return own, segments, inside && own.crate != nil
	}
	if inside {
		if m, ok := w.submodule(own, segments[0]); ok {
			return m, segments[1:], true
		}
	}
	name := segments[0]
	if inside {
		name = w.renamed(crate, name)
	}
	used := w.lock.used[name]
	if used == nil || !inside {
		c := w.rust.dependency(w.lock, crate, name)
		if c == nil {
			return own, segments, inside
		}
		if used == nil || used.base != c.base || used.dir != c.dir {
			used = c
		}
		w.lock.used[used.name] = used
	}
	return crateRoot(used), segments[1:], true
}

// renamed returns the crate that the code of a crate names otherwise: `extern crate alloc as alloc_crate`.
func (w *rsWalk) renamed(crate *rsCrate, name string) string {
	f := w.parsed(crateRoot(crate))
	if f == nil {
		return name
	}
	for i := range f.Record.Graph.Imports {
		if imp := &f.Record.Graph.Imports[i]; imp.Local == name && imp.Path == "" && imp.Name != "" && imp.Name != "*" {
			return imp.Name
		}
	}
	return name
}

func crateRoot(c *rsCrate) rsModule { return rsModule{crate: c, file: "lib.rs", dir: "."} }

// moduleOf returns the module of a file of a crate.
func (c *rsCrate) moduleOf(file string) rsModule {
	dir := strings.TrimSuffix(file, ".rs")
	switch path.Base(file) {
	case "mod.rs", "lib.rs", "main.rs":
		dir = path.Dir(file)
	}
	return rsModule{crate: c, file: file, dir: dir}
}

// parent returns the module that a module is in.
func (w *rsWalk) parent(m rsModule) rsModule {
	if m.crate == nil || m.dir == "." {
		return rsModule{}
	}
	dir := path.Dir(m.dir)
	if dir == "." {
		return crateRoot(m.crate)
	}
	for _, file := range []string{dir + ".rs", dir + "/mod.rs"} {
		if w.has(m.crate, file) {
			return rsModule{m.crate, file, dir}
		}
	}
	return rsModule{}
}

// submodule returns the module of a name in a module that is a file of its own.
func (w *rsWalk) submodule(m rsModule, name string) (rsModule, bool) {
	if m.crate == nil || !isCrateName(name) || m.dir == "." && name == "lib" {
		return rsModule{}, false
	}
	dir := path.Join(m.dir, name)
	for _, file := range []string{dir + ".rs", dir + "/mod.rs"} {
		if w.has(m.crate, file) {
			return rsModule{m.crate, file, dir}, true
		}
	}
	return rsModule{}, false
}

// walk follows a path through modules, and adds them. left is what remains where the path goes on
// in a type.
func (w *rsWalk) walk(m rsModule, segments []string) (at rsModule, left []string, ok bool) {
	for i, s := range segments {
		if w.add(m) == nil {
			return rsModule{}, nil, false
		}
		next, ok := w.submodule(m, s)
		if !ok {
			if next, ok = w.reexported(m, s, 0); !ok {
				return m, segments[i:], true
			}
		}
		m = next
	}
	return m, nil, w.add(m) != nil
}

const (
	// maxCrateHops bounds a chain of re-exports.
	maxCrateHops = 8
	// maxCrateSteps bounds what is looked up for one import: the prelude of a crate re-exports
	// some fifty modules.
	maxCrateSteps = 200
)

// enter reports whether a step of the walk is a new one within the bounds.
func (w *rsWalk) enter(kind string, m rsModule, name string, hops int) bool {
	key := kind + "\x00" + string(m.path()) + "\x00" + name
	if w.steps[key] || hops > maxCrateHops || len(w.steps) >= maxCrateSteps || w.ctx.Err() != nil {
		return false
	}
	w.steps[key] = true
	return true
}

// reexported returns the module that a module passes on under a name.
func (w *rsWalk) reexported(m rsModule, name string, hops int) (rsModule, bool) {
	f := w.parsed(m)
	if f == nil || !w.enter("module", m, name, hops) {
		return rsModule{}, false
	}
	for i := range f.Record.Graph.Imports {
		imp := &f.Record.Graph.Imports[i]
		if imp.Local != name || imp.Name == "*" {
			continue
		}
		segments := strings.Split(strings.TrimPrefix(imp.Path+"."+imp.Name, "."), ".")
		at, rest, ok := w.root(m.crate, m.path(), segments)
		if !ok {
			continue
		}
		if to, left, ok := w.walk(at, rest); ok && len(left) == 0 {
			return to, true
		}
	}
	return rsModule{}, false
}

// offers reports whether a module declares a name or passes it on, and adds the files on the way.
func (w *rsWalk) offers(m rsModule, name string, hops int) bool {
	f := w.parsed(m)
	if f == nil || name == "" || !w.enter("name", m, name, hops) {
		return false
	}
	found := w.declares(m, f, name)
	if sub, ok := w.submodule(m, name); ok {
		found = w.add(sub) != nil || found
	}
	found = found || w.exportsMacro(m, name)
	imports := f.Record.Graph.Imports
	for pass := range 2 { // names come before wildcards
		for i := range imports {
			imp := &imports[i]
			wild := imp.Name == "*"
			if found || wild != (pass == 1) || !wild && imp.Local != name {
				continue
			}
			wanted := imp.Name
			if wild {
				wanted = name
			}
			at, rest, ok := w.root(m.crate, m.path(), strings.Split(imp.Path, "."))
			if !ok || at.crate == nil {
				continue
			}
			before := len(w.found.Files)
			if to, left, ok := w.walk(at, rest); ok && (len(left) == 0 && w.offers(to, wanted, hops+1) || len(left) > 0 && w.offers(to, left[0], hops+1)) {
				found = true
				if len(left) == 0 {
					w.lead(m.path(), imp.Path, to)
				}
			} else if wild { // the module does not have the name
				w.drop(before)
			}
		}
	}
	if found {
		w.add(m)
	}
	return found
}

// exportsMacro reports whether a crate exports a macro, and adds the file with it. The root of the
// crate has such a macro whatever module declares it: by custom that is one called macros.
func (w *rsWalk) exportsMacro(m rsModule, name string) bool {
	if m.crate == nil || m != crateRoot(m.crate) {
		return false
	}
	for _, file := range []string{"macros.rs", "macros/mod.rs", "macros/" + name + ".rs"} {
		of := m.crate.moduleOf(file)
		f := w.parsed(of)
		if f != nil && slices.ContainsFunc(f.Record.Graph.Symbols, func(s record.Symbol) bool { return s.Name == name && s.Kind == record.KindMacro }) {
			return w.add(of) != nil
		}
	}
	return false
}

// lead notes that an import means a module.
func (w *rsWalk) lead(from record.Path, module string, to rsModule) {
	if w.found.Leads == nil {
		w.found.Leads = map[graph.Lead]record.Path{}
	}
	w.found.Leads[graph.Lead{From: from, Module: module}] = to.path()
}

// add adds the file of a module to what is found. It returns nil when it cannot be read.
func (w *rsWalk) add(m rsModule) *File {
	f := w.parsed(m)
	if f == nil || w.added[m.path()] || len(w.found.Files) >= maxFiles {
		return f
	}
	w.added[m.path()] = true
	w.found.Files = append(w.found.Files, f)
	return f
}

// drop takes back the files that were added since there were n of them.
func (w *rsWalk) drop(n int) {
	for _, f := range w.found.Files[n:] {
		delete(w.added, f.Record.File.Path)
	}
	w.found.Files = w.found.Files[:n]
}

func (w *rsWalk) close() {
	for _, r := range w.roots {
		_ = r.Close() // nothing is written
	}
}

// in returns the directory of the modules of a crate, nil when it cannot be opened.
func (w *rsWalk) in(c *rsCrate) *os.Root {
	if r := w.roots[c]; r != nil {
		return r
	}
	r, err := open(c.base, path.Join(c.dir, c.src))
	if err != nil {
		return nil
	}
	w.roots[c] = r
	return r
}

// has reports whether a crate has a file that can be read. What package managers have put there
// stays as it is.
func (w *rsWalk) has(c *rsCrate, file string) bool {
	there, ok := c.files[file]
	if ok && c.version != "" {
		return there
	}
	if root := w.in(c); root != nil {
		info, err := root.Stat(file)
		there = err == nil && info.Mode().IsRegular() && info.Size() <= maxFileBytes
	}
	if len(c.files) >= maxKnown {
		clear(c.files)
	}
	c.files[file] = there
	return there
}

// parsed returns the file of a module, nil when it cannot be read.
func (w *rsWalk) parsed(m rsModule) *File {
	if m.crate == nil {
		return nil
	}
	return known(w.rust.files, m, w.read)
}

// known returns the value of a key, which make makes the first time.
func known[K comparable, V any](of map[K]V, key K, make func(K) V) V {
	v, ok := of[key]
	if !ok {
		v = make(key)
		of[key] = v
	}
	return v
}

func (w *rsWalk) read(m rsModule) *File {
	if !w.has(m.crate, m.file) {
		return nil
	}
	s := m.crate.source()
	info, err := os.Stat(s.absolute(m.file)) // what is read is opened below base
	if err != nil {
		return nil
	}
	return w.rust.cache.remembered(s, m.file, stateOf(info), func() *File {
		root := w.in(m.crate)
		if root == nil {
			return nil
		}
		return w.rust.cache.parse(root, s, m.file)
	})
}
