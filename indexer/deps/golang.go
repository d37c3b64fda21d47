package deps

import (
	"cmp"
	"context"
	"go/build"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/module"

	"ambit/vectors/record"
)

// golang is the ecosystem of Go.
type golang struct {
	place

	mu       sync.Mutex // guards all fields below
	env      *goEnv
	projects map[string]*goProject // by the directory of the go.mod
}

// goView is the directory in which package graph looks for packages that are in no module of the
// workspace.
const goView = "vendor/"

func (g *golang) serves(ext string) bool { return ext == ".go" }

func (g *golang) find(ctx context.Context, file, from record.Path, importPath string, names []string) Found {
	s, ok := g.pkg(file, from, importPath)
	if !ok {
		return Found{}
	}
	return Found{Files: g.cache.declaring(ctx, s, names, maxFiles)}
}

// pkg returns the directory of the package that a file imports.
func (g *golang) pkg(file, from record.Path, importPath string) (s source, ok bool) {
	if importPath == "C" || module.CheckImportPath(importPath) != nil {
		return source{}, false
	}
	g.mu.Lock()
	p := g.project(file)
	g.mu.Unlock()
	std := !strings.Contains(firstElement(strings.TrimPrefix(string(from), goView)), ".") && strings.HasPrefix(string(from), goView)
	if s, ok = p.find(importPath, std); !ok {
		return source{}, false
	}
	s.view = record.Path(goView + importPath)
	s.accepts = p.env.accepts
	s.names = goNames
	return s, true
}

// find returns the directory of a package. std says that the importer is of the standard library.
func (p *goProject) find(importPath string, std bool) (source, bool) {
	if !strings.Contains(firstElement(importPath), ".") || std {
		if s, ok := p.std(importPath); ok || std {
			return s, ok
		}
	}
	if p.vendored != nil {
		if s, ok := p.inVendor(importPath); ok {
			return s, true
		}
	}
	for name := importPath; name != "." && name != "/"; name = path.Dir(name) {
		if slices.Contains(p.own, name) {
			return source{}, false // a package of the workspace
		}
		if m, ok := p.module(name); ok {
			s := m.source(strings.TrimPrefix(importPath[len(name):], "/"))
			if isDir(s) {
				return s, true
			}
		}
	}
	return source{}, false
}

func firstElement(importPath string) string {
	first, _, _ := strings.Cut(importPath, "/")
	return first
}

// isDir reports whether a source is there.
func isDir(s source) bool {
	root, err := open(s.base, s.dir)
	if err != nil {
		return false
	}
	return root.Close() == nil
}

// std returns a package of the standard library, or one that the standard library vendors.
func (p *goProject) std(importPath string) (source, bool) {
	if p.toolchain.dir == "" {
		return source{}, false
	}
	pkg := "go@" + strings.TrimPrefix(p.toolchain.version, "go")
	for _, dir := range []string{importPath, "vendor/" + importPath} {
		s := source{base: filepath.Join(p.toolchain.dir, "src"), dir: dir, shown: record.Path(pkg + "/" + dir), pkg: pkg, std: true}
		if isDir(s) {
			return s, true
		}
	}
	return source{}, false
}

// inVendor returns a package in the directory vendor of the module.
func (p *goProject) inVendor(importPath string) (source, bool) {
	for name := importPath; name != "." && name != "/"; name = path.Dir(name) {
		version, ok := p.vendored[name]
		if !ok {
			continue
		}
		dir := path.Join(p.vendor, importPath)
		s := source{base: p.root, dir: dir, shown: record.Path(dir), pkg: strings.TrimSuffix(path.Base(baseModule(name))+"@"+version, "@")}
		return s, isDir(s)
	}
	return source{}, false
}

// goModule is a module whose directory is known.
type goModule struct {
	path, version string
	base, dir     string // as in source
	shown         string
}

// source returns a package of the module.
func (m *goModule) source(pkg string) source {
	label := path.Base(baseModule(m.path))
	if m.version != "" {
		label += "@" + m.version
	}
	return source{base: m.base, dir: path.Join(m.dir, pkg), shown: record.Path(path.Join(m.shown, pkg)), pkg: label}
}

// baseModule returns the path of a module without its major version: "github.com/a/b/v2" is b.
func baseModule(name string) string {
	prefix, _, ok := module.SplitPathVersion(name)
	if !ok || strings.HasPrefix(name, "gopkg.in/") && prefix == "" {
		return name
	}
	return prefix
}

// module returns the module of the build with a path: where a replacement leads, else in the
// module cache.
func (p *goProject) module(name string) (goModule, bool) {
	version, known := p.versions[name]
	r, replaced := p.replacement(name, version)
	switch {
	case !known && !replaced:
		return goModule{}, false
	case replaced && r.dir != "":
		base, err := p.checkReplacement(name, r.dir)
		if err != nil {
			return goModule{}, false
		}
		return goModule{path: name, base: base, dir: ".", shown: name}, true
	case replaced:
		return p.cached(name, r.path, r.version)
	}
	return p.cached(name, name, version)
}

// cached returns a module in the module cache. name is the path by which it is imported.
func (p *goProject) cached(name, at, version string) (goModule, bool) {
	dir, ok := cacheDir(at, version)
	if !ok {
		return goModule{}, false
	}
	return goModule{path: name, version: version, base: p.env.modCache, dir: dir, shown: at + "@" + version}, true
}

// cacheDir returns the directory of a module below the module cache. Upper case letters are
// written "!x" there, for file systems without case.
func cacheDir(name, version string) (string, bool) {
	p, err := module.EscapePath(name)
	v, verr := module.EscapeVersion(version)
	return p + "@" + v, err == nil && verr == nil
}

// accepts reports whether a file is of a package for the system of the user.
func (e *goEnv) accepts(root *os.Root, name string) bool {
	if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
		return false
	}
	c := build.Default
	c.GOOS, c.GOARCH = cmp.Or(e.get("GOOS"), c.GOOS), cmp.Or(e.get("GOARCH"), c.GOARCH)
	c.CgoEnabled = true
	c.JoinPath = func(elem ...string) string { return elem[len(elem)-1] }
	c.OpenFile = func(name string) (io.ReadCloser, error) { return root.Open(name) }
	ok, err := c.MatchFile("", name)
	return ok && err == nil
}
