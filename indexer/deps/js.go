package deps

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// script is the ecosystem of JavaScript and TypeScript.
type script struct {
	place

	mu       sync.Mutex // guards all fields below
	base     string     // the real path of the directory below which is read, see jsBase; "" before the first use
	prefix   string     // the workspace below base, "." for base itself
	packages map[string]*jsPackage
}

var scriptExtensions = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".html"}

func (s *script) serves(ext string) bool { return slices.Contains(scriptExtensions, ext) }

func (s *script) find(ctx context.Context, file, from record.Path, module string, names []string) Found {
	t := s.tree()
	defer t.close()
	if module == graph.Globals {
		return t.globals(ctx, file, names)
	}
	entry, ok := t.imported(from, module)
	if !ok {
		return Found{}
	}
	out := Found{Leads: map[graph.Lead]record.Path{}}
	add := func(at jsFile) {
		if f := t.parsed(at); f != nil && len(out.Files) < maxFiles && !slices.Contains(out.Files, f) {
			out.Files = append(out.Files, f)
		}
	}
	for _, name := range names {
		o := t.offered(ctx, entry, name)
		for _, at := range o.files {
			add(at)
		}
		maps.Copy(out.Leads, o.leads)
	}
	// The default export of a module without one is the module itself.
	if slices.Contains(names, "") || len(out.Files) == 0 && slices.Contains(names, "default") {
		add(entry)
	}
	if len(out.Files) > 0 {
		out.Leads[graph.Lead{From: from, Module: module}] = entry.view()
	}
	return out
}

const (
	// maxHops bounds a chain of re-exports.
	maxHops = 12
	// maxVisits bounds the files in which one name is looked for: an index of NestJS re-exports
	// some 200 files.
	maxVisits = 1000
)

// jsOffer says by which files a module offers a name.
type jsOffer struct {
	files    []jsFile // none when it does not offer the name
	leads    map[graph.Lead]record.Path
	packages []*jsPackage // whose files were looked at
}

// offered returns by which files a module offers a name. It remembers the answer, which counts as
// long as the packages are as they were.
func (t *jsTree) offered(ctx context.Context, entry jsFile, name string) *jsOffer {
	k := entry.pkg.known
	key := jsName{entry.name, name}
	k.mu.Lock()
	o := k.offers[key]
	k.mu.Unlock()
	if o != nil && !slices.ContainsFunc(o.packages, func(p *jsPackage) bool { return !t.isCurrent(p) }) {
		return o
	}
	w := jsWalk{ctx: ctx, tree: t, visited: map[jsVisit]bool{}, offer: &jsOffer{leads: map[graph.Lead]record.Path{}}}
	w.offers(entry, name, 0)
	if ctx.Err() != nil {
		return w.offer
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.offers) >= maxKnown {
		clear(k.offers)
	}
	k.offers[key] = w.offer
	return w.offer
}

// jsName is a name in a file of a package.
type jsName struct{ file, name string }

// jsWalk follows the re-exports of a module to the files that declare a name.
type jsWalk struct {
	ctx     context.Context // of the request that the walk lives for
	tree    *jsTree
	visited map[jsVisit]bool
	offer   *jsOffer
}

// jsVisit is a name that is looked for in a file.
type jsVisit struct {
	pkg *jsPackage
	jsName
}

// offers reports whether a file declares a name or passes it on, and adds the files on the way.
func (w *jsWalk) offers(at jsFile, name string, hops int) bool {
	key := jsVisit{at.pkg, jsName{at.name, name}}
	if known, ok := w.visited[key]; ok {
		return known
	}
	if hops > maxHops || len(w.visited) >= maxVisits || w.ctx.Err() != nil {
		return false
	}
	w.visited[key] = false // for files that re-export one another
	if !slices.Contains(w.offer.packages, at.pkg) {
		w.offer.packages = append(w.offer.packages, at.pkg)
	}
	e := w.tree.entry(at)
	if e == nil {
		return false
	}
	found := e.all || e.declares(name)
	for _, p := range e.passes {
		if p.local == name {
			w.follow(at, p.module, p.name, hops)
		}
	}
	for _, p := range e.passes {
		if p.local == "*" && !found {
			found = w.follow(at, p.module, name, hops)
		}
	}
	if found {
		w.offer.files = append(w.offer.files, at)
	}
	w.visited[key] = found
	return found
}

// follow looks a name up in a module that a file imports.
func (w *jsWalk) follow(at jsFile, module, name string, hops int) bool {
	next, ok := w.tree.imported(at.view(), module)
	if !ok || name == "*" || !w.offers(next, name, hops+1) {
		return false
	}
	w.offer.leads[graph.Lead{From: at.view(), Module: module}] = next.view()
	return true
}

// jsTree is the directories that one question reads. Nothing is opened before it is read.
type jsTree struct {
	*script
	opened *os.Root // of base
	roots  map[string]*os.Root
	looked map[string]jsLooked // what at returned, by the path of the package
}

// jsLooked is a package, or why there is none.
type jsLooked struct {
	pkg *jsPackage
	err error
}

// tree returns the directories below which everything is read.
func (s *script) tree() *jsTree {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == "" {
		s.base, s.prefix = jsBase(s.root)
		s.packages = map[string]*jsPackage{}
	}
	return &jsTree{script: s, roots: map[string]*os.Root{}, looked: map[string]jsLooked{}}
}

// root returns base, nil when it cannot be opened.
func (t *jsTree) root() *os.Root {
	if t.opened == nil {
		t.opened, _ = os.OpenRoot(t.base) // nil for an error
	}
	return t.opened
}

func (t *jsTree) close() {
	for _, r := range t.roots {
		_ = r.Close() // nothing is written
	}
	if t.opened != nil {
		_ = t.opened.Close() // as above
	}
}

// stat returns the state of what a path below base leads to. It opens nothing, and says nothing of
// where links lead: what is read is opened below base.
func (t *jsTree) stat(name string) (fs.FileInfo, error) {
	return os.Stat(filepath.Join(t.base, filepath.FromSlash(name)))
}

// jsFile is a file of a package.
type jsFile struct {
	pkg  *jsPackage
	name string // below the directory of the package, with slashes
}

// view returns the path of the record of the file.
func (f jsFile) view() record.Path { return record.Path(path.Join(f.pkg.dir, f.name)) }

// in returns the root of a package, nil when it cannot be opened.
func (t *jsTree) in(p *jsPackage) *os.Root {
	if r := t.roots[p.dir]; r != nil {
		return r
	}
	base := t.root()
	if base == nil {
		return nil
	}
	r, err := base.OpenRoot(p.dir)
	if err != nil {
		return nil
	}
	t.roots[p.dir] = r
	return r
}

// source returns the package of a file.
func (t *jsTree) source(p *jsPackage) *source {
	label := record.Path(p.label())
	return &source{base: t.base, dir: p.dir, view: record.Path(p.dir), shown: label, pkg: string(label), std: p.std, plain: withoutGlobalBlocks}
}

// entry returns what the cache knows of a file, nil when it cannot be read.
func (t *jsTree) entry(f jsFile) *entry {
	key := t.source(f.pkg).key(f.name)
	info, err := t.stat(path.Join(f.pkg.dir, f.name))
	if err != nil {
		return nil
	}
	if e := t.cache.entry(key, info.Size(), info.ModTime()); e != nil {
		return e
	}
	root := t.in(f.pkg)
	if root == nil {
		return nil
	}
	text, info, err := readFile(root, f.name)
	if err != nil {
		return nil
	}
	scan := scanScript(text)
	e := &entry{key: key, size: info.Size(), modTime: info.ModTime(), names: scan.names, passes: scan.passes}
	e.all = !scan.module && strings.HasSuffix(strings.TrimPrefix(path.Ext(f.name), "."), "js") // CommonJS
	t.cache.keep(e)
	return e
}

// parsed returns a file with its symbols, nil when it cannot be read.
func (t *jsTree) parsed(f jsFile) *File {
	e := t.entry(f)
	if e == nil {
		return nil
	}
	return t.cache.parsed(e, func() *File {
		root := t.in(f.pkg)
		if root == nil {
			return nil
		}
		return t.cache.parse(root, t.source(f.pkg), f.name)
	})
}
