package deps

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// python is the ecosystem of Python.
type python struct {
	place

	mu   sync.Mutex        // guards all fields below
	base *interpreter      // of PATH; nil until it is needed
	envs map[string]*pyEnv // by pyEnv.dir
	at   map[string]pyAt   // by pyEnv.dir and the name of a module
}

// pyView is the directory in which package graph looks for modules that the workspace does not
// have.
const pyView = "site-packages/"

// maxSteps bounds the modules that are looked up for one import: those that it passes through.
const maxSteps = 32

func (p *python) serves(ext string) bool { return ext == ".py" || ext == ".pyi" }

// find returns the file of a module and those of the modules from which it passes the names on.
func (p *python) find(ctx context.Context, file, from record.Path, module string, names []string) Found {
	p.mu.Lock()
	defer p.mu.Unlock()
	env := p.env(file)
	var out Found
	next := []pyStep{{from, module, names}}
	for n := 0; n < len(next) && n < maxSteps && len(out.Files) < maxFiles && ctx.Err() == nil; n++ {
		name, ok := pyModule(next[n].from, next[n].module)
		if !ok {
			continue
		}
		f := p.load(env, name)
		if f == nil {
			if f = p.alias(env, name); f != nil {
				out.Leads = map[graph.Lead]record.Path{{From: next[n].from, Module: next[n].module}: f.Record.File.Path}
			}
		}
		if f == nil || slices.Contains(out.Files, f) {
			continue
		}
		out.Files = append(out.Files, f)
		next = append(next, passedOn(f, next[n].names)...)
	}
	return out
}

// alias returns the file of a module that another one imports under the name of a module below
// itself, as os does with os.path.
func (p *python) alias(env *pyEnv, name string) *File {
	in := p.load(env, path.Dir(name))
	if in == nil {
		return nil
	}
	for _, imp := range in.Record.Graph.Imports {
		if imp.Name == "" && imp.Local == path.Base(name) {
			if at, ok := pyModule(in.Record.File.Path, imp.Path); ok {
				return p.load(env, at)
			}
		}
	}
	return nil
}

// pyStep is an import that is followed for some names.
type pyStep struct {
	from   record.Path
	module string
	names  []string
}

// passedOn returns the imports from which a module has names that it passes on.
func passedOn(f *File, names []string) []pyStep {
	var steps []pyStep
	g := &f.Record.Graph
	from := f.Record.File.Path
	rest := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(g.Symbols, func(s record.Symbol) bool { return s.Parent < 0 && s.Name == name }) ||
			slices.ContainsFunc(g.Imports, func(imp record.Import) bool { return imp.Local == name })
	})
	for i := range g.Imports {
		imp := &g.Imports[i]
		first, _, _ := strings.Cut(imp.Local, ".")
		switch {
		case imp.Path == "":
		case imp.Name == "*":
			if len(rest) > 0 {
				steps = append(steps, pyStep{from, imp.Path, rest})
			}
		case !slices.Contains(names, first):
		case imp.Name == "":
			steps = append(steps, pyStep{from, imp.Path, names})
		default:
			member := imp.Path + "." + imp.Name // can be a module
			if strings.HasSuffix(imp.Path, ".") {
				member = imp.Path + imp.Name
			}
			in := append(slices.Clone(names), imp.Name)
			steps = append(steps, pyStep{from, imp.Path, in}, pyStep{from, member, in})
		}
	}
	return steps
}

// pyModule returns the path of a module, "flask/app", as a file names it. The second value is
// false for a module of the workspace and for what is no module.
func pyModule(from record.Path, module string) (name string, ok bool) {
	rest := strings.TrimLeft(module, ".")
	name = strings.ReplaceAll(rest, ".", "/")
	if up := len(module) - len(rest); up > 0 {
		dir, outside := strings.CutPrefix(string(from), pyView)
		if !outside {
			return "", false
		}
		for range up {
			if dir == "." {
				return "", false
			}
			dir = path.Dir(dir)
		}
		name = path.Join(dir, name)
	}
	return name, name != "." && fs.ValidPath(name) && !strings.ContainsAny(name, `\:`)
}

// pyAt is where a module lies.
type pyAt struct {
	source
	name string // of the file, "" for a module that is not installed
}

// load returns the file of a module, nil when it is not installed.
func (p *python) load(env *pyEnv, name string) *File {
	key := env.dir + "\x00" + name
	at, known := p.at[key]
	if !known {
		at = env.find(name)
		p.at[key] = at
	}
	if at.name == "" {
		return nil
	}
	return p.cache.file(&at.source, at.name)
}

// find looks a module up as Python does: in the standard library, then in each directory of the
// path. A stub counts where there is no source: the source has the documentation.
func (e *pyEnv) find(name string) pyAt {
	if e.std != "" {
		if file, ok := moduleIn(e.std, ".", name); ok {
			at := newPyAt(e.std, ".", file, e.stdLabel())
			at.std = true
			return at
		}
	}
	for i := range e.sites {
		s := &e.sites[i]
		if top, _, _ := strings.Cut(name, "/"); s.only != "" && s.only != top {
			continue
		}
		if file, ok := moduleIn(s.base, s.dir, name); ok {
			top, _, _ := strings.Cut(name, "/")
			label := top
			if d := s.owner(file); d != nil {
				label = d.label()
			}
			return newPyAt(s.base, s.dir, file, label)
		}
	}
	return pyAt{}
}

// stdLabel returns the name of the standard library with its version.
func (e *pyEnv) stdLabel() string {
	if e.version == "" {
		return "python"
	}
	return "python@" + e.version
}

// newPyAt returns the place of a file below a directory from which modules are imported.
func newPyAt(base, dir, file, label string) pyAt {
	in, name := path.Split(file)
	in = path.Clean(in)
	module := in // a package of stubs has the modules of the package without its suffix
	if top, rest, _ := strings.Cut(in, "/"); strings.HasSuffix(top, "-stubs") {
		module = path.Join(strings.TrimSuffix(top, "-stubs"), rest)
	}
	return pyAt{source{base: base, dir: path.Join(dir, in), view: record.Path(path.Join(pyView, module)), shown: record.Path(path.Join(label, in)), pkg: label}, name}
}

// moduleIn returns the file of a module below a directory.
func moduleIn(base, dir, name string) (file string, ok bool) {
	root, err := open(base, dir)
	if err != nil {
		return "", false
	}
	defer func() { _ = root.Close() }() // it is only read
	top, rest, sub := strings.Cut(name, "/")
	stub := top + "-stubs"
	if sub {
		stub += "/" + rest
	} else {
		stub += "/__init__"
	}
	for _, file := range []string{name + "/__init__.py", name + ".py", name + "/__init__.pyi", name + ".pyi", stub + ".pyi", stub + "/__init__.pyi"} {
		if info, err := root.Lstat(filepath.FromSlash(file)); err == nil && info.Mode().IsRegular() && info.Size() <= maxFileBytes {
			return file, true
		}
	}
	return "", false
}

// env returns the environment of a file. The caller holds the mutex.
func (p *python) env(file record.Path) *pyEnv {
	if p.envs == nil {
		p.envs, p.at = map[string]*pyEnv{}, map[string]pyAt{}
	}
	base, dir := p.envDir(path.Dir(string(file)))
	name := filepath.Join(base, filepath.FromSlash(dir))
	if e := p.envs[name]; e != nil && e.isCurrent() {
		return e
	}
	clear(p.at)
	e := &pyEnv{dir: name}
	if base == "" {
		e.setInterpreter(p.interpreter(), homeOf(p.getenv), p.root)
	} else {
		p.read(e, base, dir)
	}
	p.envs[name] = e
	return e
}

// envNames are the names that tools give the environment in a directory of a project.
var envNames = []string{".venv", "venv", "env"}

// envDir returns the directory of the environment for the files in a directory of the workspace:
// the nearest one of the workspace, else the one that the user has activated. It returns "" when
// there is none.
func (p *python) envDir(dir string) (base, at string) {
	for ; ; dir = path.Dir(dir) {
		for _, name := range envNames {
			if at := path.Join(dir, name); p.has(at + "/pyvenv.cfg") {
				return p.root, at
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := p.getenv(variable); filepath.IsAbs(dir) && isFolder(dir) {
			return dir, "."
		}
	}
	return "", ""
}

// has reports whether the workspace has a file that no link leads out of it.
func (p *python) has(name string) bool {
	if _, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(name))); err != nil {
		return false // without opening a directory
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }() // it is only read
	info, err := root.Stat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

// interpreter returns the interpreter of PATH.
func (p *python) interpreter() interpreter {
	if p.base == nil {
		in := interpreterOnPath(p.getenv)
		p.base = &in
	}
	return *p.base
}

// read reads the environment at dir below base.
func (p *python) read(e *pyEnv, base, dir string) {
	root, err := open(base, dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // it is only read
	text, _, err := readFile(root, "pyvenv.cfg")
	e.stamp(filepath.Join(e.dir, "pyvenv.cfg"))
	if err != nil { // of conda, which has an interpreter of its own
		e.setInterpreter(interpreterAt(e.dir, ""), "", p.root)
		return
	}
	c := parsePyConfig(string(text))
	in := c.interpreter()
	if in.prefix == "" {
		in = p.interpreter()
		if c.home != "" {
			e.refused = append(e.refused, Refused{filepath.Join(e.dir, "pyvenv.cfg") + ": home = " + c.home, "there is no Python with a standard library"})
		}
	}
	e.std, e.version = in.std, in.version
	if e.version == "" {
		e.version = c.version
	}
	for _, site := range sitePackages(root, ".") {
		e.addSite(p.root, base, path.Join(dir, site))
	}
	if c.system {
		for _, site := range in.sites("") {
			e.addSite(p.root, site, ".")
		}
	}
}

// setInterpreter makes an environment of what is installed for an interpreter.
func (e *pyEnv) setInterpreter(in interpreter, home, workspace string) {
	e.std, e.version = in.std, in.version
	for _, site := range in.sites(home) {
		e.addSite(workspace, site, ".")
	}
}

// addSite adds a directory of installed packages, and those that it links.
func (e *pyEnv) addSite(workspace, base, dir string) {
	root, err := open(base, dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }() // it is only read
	e.stamp(filepath.Join(base, filepath.FromSlash(dir)))
	names := namesIn(root, ".")
	s := pySite{base: base, dir: dir, dists: readDists(root, names)}
	linked, refused := s.linkedSites(workspace, root, names)
	e.sites = append(append(e.sites, s), linked...)
	e.refused = append(e.refused, refused...)
}

// stamp remembers the state of a file or directory.
func (e *pyEnv) stamp(name string) {
	s := stamp{name: name}
	if info, err := os.Stat(name); err == nil {
		s.size, s.modTime = info.Size(), info.ModTime()
	}
	e.files = append(e.files, s)
}

// isCurrent reports whether an environment is as it was read.
func (e *pyEnv) isCurrent() bool {
	return !slices.ContainsFunc(e.files, func(s stamp) bool {
		info, err := os.Stat(s.name)
		if err != nil {
			return !s.modTime.IsZero()
		}
		return !info.ModTime().Equal(s.modTime) || info.Size() != s.size
	})
}
