package deps

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
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
	folders  map[string]*cFolder      // by absolute path
	asked    map[string]bool          // directories, while a tree is made; else nil
	looked   time.Time                // when the states in same began to be read
	looks    int                      // how often that was
	same     map[stamp]bool           // whether a file is in a state
}

// cHeader is a header in a state of its file.
type cHeader struct {
	source   source
	name     string
	record   record.Path
	state    stamp
	names    []string // that its lines can declare, sorted; a type is there as "struct name", too
	includes []cInclude
	only     *File // without its declarations; nil until it is needed
	found    cDir  // of the compiler
}

// cInclude is a line that includes a header.
type cInclude struct {
	path string
	line int
	next bool // of the directories behind the one with the header that includes it
}

// cView is the directory in which package graph knows headers.
const cView = "include/"

// cLibrary is the name space of the standard library, of which nearly every header of it has a part.
const cLibrary = "std"

var cHeaderExtension = []string{"", ".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp", ".tcc"}

func (c *clang) serves(ext string) bool {
	language := languages.Language(record.Path("file" + ext))
	return language == "c" || language == "cpp"
}

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
	isCPP := c.isCPP(file)
	first := c.include(p.dirs(from, by, isCPP), by, from, cInclude{path: include})
	if first == nil {
		return Found{}
	}
	w := cWalk{clang: c, cTree: c.tree(ctx, p, first, isCPP), counted: map[int]bool{}, aliased: map[string]bool{}, found: Found{Leads: map[graph.Lead]record.Path{{From: from, Module: include}: first.record}}}
	for _, name := range names {
		if name != cLibrary {
			w.find(ctx, name)
		}
	}
	if len(w.found.Files) == 0 {
		return Found{}
	}
	return w.found
}

// parsed returns a header, parsed. Its record has an extension, by which its language is known.
func (c *clang) parsed(h *cHeader) *File {
	return c.cache.remembered(&h.source, h.name, h.state, func() *File {
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

// isCPP reports whether a file of the workspace is of C++.
func (c *clang) isCPP(file record.Path) bool {
	switch path.Ext(string(file)) {
	case ".c":
		return false
	case ".h":
		root, err := os.OpenRoot(c.root)
		if err != nil {
			return true
		}
		defer func() { _ = root.Close() }() // it is only read
		text, state := readStamped(root, string(file))
		return state.modTime.IsZero() || languages.LooksLikeCPP(text)
	}
	return true
}

// include returns the header that a file means: beside the file, else in the directories of its
// compiler. by is nil for a file of the workspace.
func (c *clang) include(dirs []cDir, by *cHeader, from record.Path, include cInclude) *cHeader {
	switch {
	case include.next && by != nil:
		dirs = dirs[1+slices.Index(dirs, by.found):]
	case by != nil:
		dirs = append([]cDir{{base: by.source.base, dir: by.source.dir, std: by.source.std}}, dirs...)
	case path.Join(path.Dir(string(from)), include.path) != string(from):
		dirs = append([]cDir{{base: c.root, dir: path.Dir(string(from))}}, dirs...)
	}
	for _, d := range dirs {
		if h := c.header(d, include.path, by); h != nil && h != by { // uv/errno.h includes <errno.h>
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
	if !filepath.IsLocal(filepath.FromSlash(name)) || !slices.Contains(cHeaderExtension, path.Ext(name)) || d.base == c.root && hasHidden(name) || !c.has(filepath.Dir(full), filepath.Base(full)) {
		return nil
	}
	if h := c.headers[full]; h != nil && c.isSame(h.state) {
		return h
	}
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() {
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
	h := &cHeader{name: path.Base(name), state: stampOf(full), found: d}
	pkg, std := c.system.packageOf(d, include)
	shown := path.Join(pkg, path.Dir(include))
	if by != nil && !std && !strings.Contains(pkg, "@") && d.base == by.source.base && d.dir == by.source.dir && (path.Dir(include) == "." || string(by.source.shown) != by.source.pkg) {
		pkg, shown = by.source.pkg, path.Join(string(by.source.shown), path.Dir(include))
	}
	view := path.Join(cView, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(full), filepath.VolumeName(full))))
	h.source = source{base: d.base, dir: path.Dir(name), view: record.Path(view), shown: record.Path(shown), pkg: pkg, std: std || d.std, plain: withoutMacros, brief: withoutBodies}
	h.record = record.Path(path.Join(view, h.name))
	if ext := path.Ext(h.name); ext == "" || ext == ".tcc" {
		h.record += ".hpp"
	}
	h.names, h.includes = cNames(text)
	if len(c.headers) >= maxFilesKnown {
		c.forget()
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
