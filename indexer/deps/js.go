package deps

import (
	"context"
	"os"
	"path"
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

func (s *script) find(ctx context.Context, _, from record.Path, module string, names []string) Found {
	t, err := s.tree()
	if err != nil {
		return Found{}
	}
	defer t.close()
	entry, ok := t.imported(from, module)
	if !ok {
		return Found{}
	}
	w := jsWalk{ctx: ctx, tree: t, offered: map[jsOffer]bool{}, added: map[record.Path]bool{}, found: Found{Leads: map[graph.Lead]record.Path{}}}
	for _, name := range names {
		w.offers(entry, name, 0)
	}
	// The default export of a module without one is the module itself.
	if slices.Contains(names, "") || len(w.found.Files) == 0 && slices.Contains(names, "default") {
		w.add(entry)
	}
	if w.added[entry.view()] {
		w.found.Leads[graph.Lead{From: from, Module: module}] = entry.view()
	}
	return w.found
}

const (
	// maxHops bounds a chain of re-exports.
	maxHops = 12
	// maxOffers bounds the names that are looked up in files for one import: an index of
	// NestJS re-exports some 200 files.
	maxOffers = 2000
)

// jsWalk follows the re-exports of a module to the files that declare some names.
type jsWalk struct {
	ctx     context.Context // of the request that the walk lives for
	tree    *jsTree
	offered map[jsOffer]bool
	added   map[record.Path]bool
	found   Found
}

// jsOffer is a name of a file.
type jsOffer struct {
	view record.Path
	name string
}

// offers reports whether a file declares a name or passes it on, and adds the files on the way.
func (w *jsWalk) offers(at jsFile, name string, hops int) bool {
	key := jsOffer{at.view(), name}
	if known, ok := w.offered[key]; ok {
		return known
	}
	if hops > maxHops || len(w.offered) >= maxOffers || w.ctx.Err() != nil {
		return false
	}
	w.offered[key] = false // for files that re-export one another
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
		w.add(at)
	}
	w.offered[key] = found
	return found
}

// follow looks a name up in a module that a file imports.
func (w *jsWalk) follow(at jsFile, module, name string, hops int) bool {
	next, ok := w.tree.imported(at.view(), module)
	if !ok || name == "*" || !w.offers(next, name, hops+1) {
		return false
	}
	w.found.Leads[graph.Lead{From: at.view(), Module: module}] = next.view()
	return true
}

// add adds a file to what is found.
func (w *jsWalk) add(at jsFile) {
	if w.added[at.view()] || len(w.found.Files) >= maxFiles {
		return
	}
	if f := w.tree.parsed(at); f != nil {
		w.added[at.view()] = true
		w.found.Files = append(w.found.Files, f)
	}
}

// jsTree is the directories that one question reads.
type jsTree struct {
	*script
	root  *os.Root // of base
	roots map[string]*os.Root
}

// tree opens the directory below which everything is read.
func (s *script) tree() (*jsTree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.base == "" {
		s.base, s.prefix = jsBase(s.root)
		s.packages = map[string]*jsPackage{}
	}
	root, err := os.OpenRoot(s.base)
	if err != nil {
		return nil, err
	}
	return &jsTree{script: s, root: root, roots: map[string]*os.Root{}}, nil
}

func (t *jsTree) close() {
	for _, r := range t.roots {
		_ = r.Close() // nothing is written
	}
	_ = t.root.Close() // as above
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
	r, err := t.root.OpenRoot(p.dir)
	if err != nil {
		return nil
	}
	t.roots[p.dir] = r
	return r
}

// source returns the package of a file.
func (t *jsTree) source(p *jsPackage) *source {
	label := record.Path(p.label())
	return &source{base: t.base, dir: p.dir, view: record.Path(p.dir), shown: label, pkg: string(label), std: p.std}
}

// entry returns what the cache knows of a file, nil when it cannot be read.
func (t *jsTree) entry(f jsFile) *entry {
	root := t.in(f.pkg)
	if root == nil {
		return nil
	}
	info, err := root.Stat(f.name)
	if err != nil {
		return nil
	}
	key := t.source(f.pkg).key(f.name)
	if e := t.cache.entry(key, info.Size(), info.ModTime()); e != nil {
		return e
	}
	text, _, err := readFile(root, f.name)
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
	e, root := t.entry(f), t.in(f.pkg)
	if e == nil || root == nil {
		return nil
	}
	return t.cache.parsed(e, func() *File { return parse(root, t.source(f.pkg), f.name) })
}
