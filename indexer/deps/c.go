package deps

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// clang is the ecosystem of C and C++. What it reads are headers.
type clang struct {
	place

	mu       sync.Mutex // guards all fields below
	system   *cSystem   // nil until it is needed
	projects map[string]*cProject
	headers  map[string]*cHeader      // by absolute path
	records  map[record.Path]*cHeader // by the path of the record
	entered  map[record.Path]bool     // the headers in which a cursor was
}

// cHeader is a header in a state of its file.
type cHeader struct {
	source   source
	name     string
	record   record.Path
	state    stamp
	names    []string // that its lines can declare, sorted
	includes []string
}

// cView is the directory in which package graph knows headers.
const cView = "include/"

const (
	// maxHeaders bounds the headers that one leads to: <iostream> leads to some 150.
	maxHeaders = 400
	// maxHeaderParses bounds the headers that are parsed for a name: lines that mention it can
	// look as those that declare it.
	maxHeaderParses = 3
	// maxParsedHeaders bounds the bytes of the headers that are parsed for one include: templates
	// of C++ have large ones, of which 100 kB take 50 ms.
	maxParsedHeaders = 256 << 10
)

var (
	cExtensions      = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".inl", ".ipp", ".tpp"}
	cHeaderExtension = []string{"", ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp", ".tcc"}
)

func (c *clang) serves(ext string) bool { return slices.Contains(cExtensions, ext) }

// find returns the header that a file includes and those on the way to the headers that declare
// the names.
func (c *clang) find(ctx context.Context, file, from record.Path, include string, names []string) Found {
	include = strings.Trim(include, `<>"`)
	if include == "" || !filepath.IsLocal(filepath.FromSlash(strings.TrimPrefix(include, "../"))) {
		return Found{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.project(file)
	by := c.records[from]
	if by != nil && !c.entered[from] { // what the header of a dependency leads to was searched with it
		return Found{}
	}
	first := c.include(p, by, from, include)
	if first == nil {
		return Found{}
	}
	w := cWalk{clang: c, found: Found{Leads: map[graph.Lead]record.Path{{From: from, Module: include}: first.record}}}
	w.all = p.known(first)
	if w.all == nil {
		w.follow(ctx, p, first)
		if ctx.Err() == nil {
			p.walks[first] = w.all
		}
	}
	for _, name := range names {
		w.find(ctx, name)
	}
	if len(w.found.Files) == 0 {
		return Found{}
	}
	return w.found
}

// cWalk is the headers that one leads to, the nearest first.
type cWalk struct {
	*clang
	all   []cStep
	bytes int64 // of the headers that were parsed
	found Found
}

// cStep is a header and the one that includes it.
type cStep struct {
	*cHeader
	by      int    // in the list; -1 for the first
	include string // as that one writes it
}

// known returns the headers that one is known to lead to, nil when there are none or when one of
// them has changed.
func (p *cProject) known(first *cHeader) []cStep {
	all := p.walks[first]
	if slices.ContainsFunc(all, func(s cStep) bool { return stampOf(s.state.name) != s.state }) {
		delete(p.walks, first)
		return nil
	}
	return all
}

func (w *cWalk) follow(ctx context.Context, p *cProject, first *cHeader) {
	seen := map[*cHeader]bool{first: true}
	w.all = []cStep{{first, -1, ""}}
	for i := 0; i < len(w.all) && ctx.Err() == nil; i++ {
		h := w.all[i].cHeader
		for _, include := range h.includes {
			to := w.include(p, h, h.record, include)
			if to != nil && !seen[to] && len(w.all) < maxHeaders {
				seen[to] = true
				w.all = append(w.all, cStep{to, i, include})
			}
		}
	}
}

// find adds the nearest header that declares a name, and those that lead to it.
func (w *cWalk) find(ctx context.Context, name string) {
	parses := 0
	for i := range w.all {
		if _, ok := slices.BinarySearch(w.all[i].names, name); !ok {
			continue
		}
		w.bytes += w.all[i].state.size
		if parses++; parses > maxHeaderParses || w.bytes > maxParsedHeaders || len(w.found.Files) >= maxFiles || ctx.Err() != nil {
			return
		}
		f := w.parsed(w.all[i].cHeader)
		if f == nil || !slices.ContainsFunc(f.Record.Graph.Symbols, func(s record.Symbol) bool {
			return s.Name == name && !strings.HasPrefix(s.Qualified, "std.pmr.") // another name for the same with an allocator
		}) {
			continue
		}
		for at := i; at >= 0; at = w.all[at].by {
			step := &w.all[at]
			if f := w.parsed(step.cHeader); f != nil && !slices.Contains(w.found.Files, f) {
				w.found.Files = append(w.found.Files, f)
			}
			if step.by >= 0 {
				w.found.Leads[graph.Lead{From: w.all[step.by].record, Module: step.include}] = step.record
			}
		}
		return
	}
}

// parsed returns a header, parsed. Its record has an extension, by which its language is known.
func (c *clang) parsed(h *cHeader) *File {
	info, err := os.Stat(h.source.absolute(h.name))
	if err != nil {
		return nil
	}
	return c.cache.remembered(&h.source, h.name, info, func() *File {
		root, err := open(h.source.base, h.source.dir)
		if err != nil {
			return nil
		}
		defer func() { _ = root.Close() }() // nothing is written
		text, _, err := readFile(root, h.name)
		if err != nil {
			return nil
		}
		f := c.cache.parseText(&h.source, path.Base(string(h.record)), text)
		f.Path, f.Name = h.source.shown+"/"+record.Path(h.name), h.source.absolute(h.name)
		return f
	})
}

// include returns the header that a file means: beside the file, else in the directories of its
// compiler. by is nil for a file of the workspace.
func (c *clang) include(p *cProject, by *cHeader, from record.Path, include string) *cHeader {
	beside := cDir{base: c.root, dir: path.Dir(string(from))}
	if by != nil {
		beside = cDir{base: by.source.base, dir: by.source.dir, std: by.source.std}
	}
	for _, d := range append([]cDir{beside}, p.dirs(from, by)...) {
		if h := c.header(d, include, by); h != nil {
			return h
		}
	}
	return nil
}

// header returns a header in a directory, nil when there is none. When pkg-config does not know
// its package, it is of that of a header beside it which includes it.
func (c *clang) header(d cDir, include string, by *cHeader) *cHeader {
	name := path.Join(d.dir, include)
	full := filepath.Join(d.base, filepath.FromSlash(name))
	if h := c.headers[full]; h != nil && h.state == stampOf(full) {
		return h
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || !slices.Contains(cHeaderExtension, path.Ext(name)) || d.base == c.root && hasHidden(name) {
		return nil
	}
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() { // most are not there
		return nil
	}
	root, err := os.OpenRoot(d.base)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // it is only read
	text, _, err := readFile(root, filepath.FromSlash(name))
	if err != nil {
		return nil
	}
	h := &cHeader{name: path.Base(name), state: stampOf(full)}
	pkg, std := c.system.packageOf(d, include)
	shown := path.Join(pkg, path.Dir(include))
	if by != nil && !std && !strings.Contains(pkg, "@") && d.base == by.source.base && d.dir == by.source.dir && (path.Dir(include) == "." || string(by.source.shown) != by.source.pkg) {
		pkg, shown = by.source.pkg, path.Join(string(by.source.shown), path.Dir(include))
	}
	view := path.Join(cView, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(full), filepath.VolumeName(full))))
	h.source = source{base: d.base, dir: path.Dir(name), view: record.Path(view), shown: record.Path(shown), pkg: pkg, std: std || d.std, plain: withoutMacros}
	h.record = record.Path(path.Join(view, h.name))
	if ext := path.Ext(h.name); ext == "" || ext == ".tcc" {
		h.record += ".hpp"
	}
	h.names, h.includes = cNames(text)
	if len(c.headers) >= maxFilesKnown {
		clear(c.headers)
		clear(c.records)
		clear(c.entered)
	}
	c.headers[full], c.records[h.record] = h, h
	return h
}

// maxFilesKnown bounds the headers whose names are kept.
const maxFilesKnown = 5000

// hasHidden reports whether a path has a hidden directory.
func hasHidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") && part != "." && part != ".." })
}
