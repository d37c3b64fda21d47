package deps

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Place is a file of a dependency that an editor shows.
type Place struct {
	File    *File             // its record has its uses, too
	Outline languages.Outline // of File.Text
	From    record.Path       // a file of the workspace whose manifest leads to the dependency
	// Module is the import by which Find finds what the file can name without an import; "" in
	// languages in which there is nothing.
	Module string
}

// located is where a file of a dependency lies.
type located struct {
	source  *source
	name    string   // in the directory of the source
	as      string   // the name in the path of the record; "" for name
	archive *archive // that has the file as entry; nil for a file of the disk
	entry   string
	module  string
}

// errUnknown means that no import of the workspace leads to a package with a file.
var errUnknown = errors.New("it is in no package that the files of the workspace depend on")

// maxAskedDirs bounds the directories of the workspace whose manifests are asked for a file.
const maxAskedDirs = 2000

// Locate returns the file of a dependency with an absolute name, as [File.Name] has it. files are
// those of the workspace: it returns an error for a file of a package that none of them can import.
func (f *Finder) Locate(files []record.Path, name string) (*Place, error) {
	ext, isEntry := path.Ext(filepath.ToSlash(name)), strings.Contains(name, archiveMark)
	for _, e := range f.ecosystems {
		if !e.serves(ext) && !e.reads(ext) {
			continue
		}
		asked := map[string]bool{}
		for _, file := range files {
			own := path.Ext(string(file))
			key := path.Dir(string(file)) + own
			if !e.serves(own) || asked[key] || len(asked) >= maxAskedDirs {
				continue
			}
			asked[key] = true
			at, ok := e.locate(file, name)
			if !ok || isEntry != (at.archive != nil) {
				continue
			}
			p, err := at.place()
			if err != nil {
				return nil, err
			}
			p.From = file
			return p, nil
		}
	}
	return nil, errUnknown
}

// place reads and parses the file.
func (at *located) place() (*Place, error) {
	text, err := at.read()
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, errors.New("it is no text")
	}
	p := &Place{Module: at.module}
	p.File, p.Outline = analyze(at.source, cmp.Or(at.as, at.name), text, true)
	p.File.Path, p.File.Name = at.source.shown+"/"+record.Path(at.name), at.source.absolute(at.name)
	if at.archive != nil {
		p.File.Name, p.File.InArchive = at.archive.nameOf(at.entry), true
	}
	return p, nil
}

func (at *located) read() ([]byte, error) {
	if at.archive != nil {
		return at.archive.read(at.entry)
	}
	root, err := open(at.source.base, at.source.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it is only read
	if info, err := root.Lstat(at.name); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is a link")
	}
	text, _, err := readFile(root, at.name)
	return text, err
}

// belowOf returns the path of a file below a directory, with slashes. Editors name files as an
// import leads to them, or by their real path.
func belowOf(dir, name string) (string, bool) {
	if dir == "" {
		return "", false
	}
	for range 2 {
		if rel, err := filepath.Rel(dir, name); err == nil && rel != "." && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || real == dir {
			break
		}
		dir = real
	}
	return "", false
}

func (g *golang) reads(string) bool { return false }

func (g *golang) locate(file record.Path, name string) (located, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.project(file)
	s, importPath, ok := p.packageOf(name)
	if !ok {
		return located{}, false
	}
	s.view = record.Path(goView + importPath)
	return located{source: &s, name: filepath.Base(name), module: importPath}, true
}

// packageOf returns the directory of the package with a file, and the path by which it is imported.
func (p *goProject) packageOf(name string) (s source, importPath string, ok bool) {
	if p.toolchain.dir != "" {
		if rel, below := belowOf(filepath.Join(p.toolchain.dir, "src"), name); below {
			importPath = strings.TrimPrefix(path.Dir(rel), "vendor/")
			s, ok = p.std(importPath)
			return s, importPath, ok
		}
	}
	if p.vendored != nil {
		if rel, below := belowOf(filepath.Join(p.root, filepath.FromSlash(p.vendor)), name); below {
			importPath = path.Dir(rel)
			s, ok = p.inVendor(importPath)
			return s, importPath, ok
		}
	}
	best := ""
	find := func(module string) {
		m, known := p.module(module)
		if !known || len(module) <= len(best) {
			return
		}
		if rel, below := belowOf(filepath.Join(m.base, filepath.FromSlash(m.dir)), name); below {
			best, ok = module, true
			s, importPath = m.source(path.Dir(rel)), path.Join(module, path.Dir(rel))
		}
	}
	for module := range p.versions {
		find(module)
	}
	for _, r := range p.replaced {
		find(r.old)
	}
	return s, importPath, ok
}

func (p *python) reads(string) bool { return false }

func (p *python) locate(file record.Path, name string) (located, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	env := p.env(file)
	for i := range env.sites {
		s := &env.sites[i]
		rel, ok := belowOf(filepath.Join(s.base, filepath.FromSlash(s.dir)), name)
		top, _, _ := strings.Cut(rel, "/")
		if !ok || s.only != "" && s.only != top {
			continue
		}
		label := strings.TrimSuffix(top, path.Ext(top))
		if d := s.owner(rel); d != nil {
			label = d.label()
		}
		at := newPyAt(s.base, s.dir, rel, label)
		return located{source: &at.source, name: at.name}, true
	}
	if rel, ok := belowOf(env.std, name); ok {
		at := newPyAt(env.std, ".", rel, env.stdLabel())
		at.std = true
		return located{source: &at.source, name: at.name}, true
	}
	return located{}, false
}

func (r *ruby) reads(string) bool { return false }

func (r *ruby) locate(file record.Path, name string) (located, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.project(file).all() {
		s := g.lib()
		rel, ok := belowOf(s.absolute(""), name)
		if top, _, _ := strings.Cut(rel, "/"); ok && (!g.flat || fold(strings.TrimSuffix(top, ".rb")) == fold(g.name)) {
			return located{source: gemFile{g, rel}.source(), name: path.Base(rel)}, true
		}
	}
	return located{}, false
}

func (s *script) reads(string) bool { return false }

func (s *script) locate(_ record.Path, name string) (located, bool) {
	t := s.tree()
	defer t.close()
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	rel, ok := belowOf(t.base, name)
	if !ok {
		return located{}, false
	}
	p, ok := t.owner(record.Path(rel))
	if !ok {
		return located{}, false
	}
	f, ok := t.regular(p, strings.TrimPrefix(rel, p.dir+"/"))
	return located{source: t.source(p), name: f.name}, ok
}

func (r *rust) reads(string) bool { return false }

func (r *rust) locate(file record.Path, name string) (located, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lockOf(file)
	for _, c := range r.candidates(l, file, name) {
		if c == nil {
			continue
		}
		s := c.source()
		if rel, ok := belowOf(s.absolute(""), name); ok {
			l.used[c.name] = c
			return located{source: s, name: rel}, true
		}
	}
	return located{}, false
}

// candidates returns the crates that may have a file: those of the standard library, those of the
// packages with the name in the Cargo.toml above the file, and those that the manifest names.
func (r *rust) candidates(l *rsLock, file record.Path, name string) []*rsCrate {
	all := []*rsCrate{l.std("std"), l.std("core"), l.std("alloc")}
	pkg := ""
	for dir := filepath.Dir(name); pkg == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		pkg = parseCargo([]byte(smallFile(filepath.Join(dir, "Cargo.toml")))).name
	}
	for _, locked := range l.packages[pkg] {
		if c, err := r.fetched(l, pkg, locked); err == nil {
			all = append(all, c)
		}
	}
	member := l.member(file)
	if member == nil || pkg == "" {
		return all
	}
	for _, d := range member.manifest.inherit(l.manifest) {
		if d.pkg != pkg {
			continue
		}
		if c, err := r.resolve(l, member, d); err == nil {
			all = append(all, c)
		}
	}
	return all
}

func (j *java) reads(string) bool { return false }

func (j *java) locate(file record.Path, name string) (located, bool) {
	i := strings.LastIndex(name, archiveMark)
	if i < 0 {
		return located{}, false
	}
	at, entry := filepath.FromSlash(name[:i]), name[i+len(archiveMark):]
	j.mu.Lock()
	defer j.mu.Unlock()
	p := j.project(file)
	for _, a := range p.artifacts {
		if a.sources != nil && a.sources.entries[entry] != nil && a.sources.file() == at {
			return jvLocated(a.sources, entry, path.Dir(entry), a.label(), false), true
		}
	}
	if j.std == nil || j.std.archive.file() != at || j.std.archive.entries[entry] == nil {
		return located{}, false
	}
	return jvLocated(j.std.archive, entry, path.Dir(jdkClass(entry)), j.jdkLabel(), true), true
}

func jvLocated(a *archive, entry, pkg, label string, std bool) located {
	return located{source: a.sourceOf(entry, jvView+pkg, label, std), name: path.Base(entry), archive: a, entry: entry, module: strings.ReplaceAll(pkg, "/", ".")}
}

func (c *clang) reads(ext string) bool { return slices.Contains(cHeaderExtension, ext) }

func (c *clang) locate(file record.Path, name string) (located, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.project(file)
	for _, d := range p.dirs(file, nil, c.isCPP(file)) {
		rel, ok := belowOf(filepath.Join(d.base, filepath.FromSlash(d.dir)), name)
		if !ok {
			continue
		}
		if h := c.header(d, rel, nil); h != nil {
			c.entered[h.record] = true
			return located{source: &h.source, name: h.name, as: path.Base(string(h.record))}, true
		}
	}
	return located{}, false
}
