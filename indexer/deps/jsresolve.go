package deps

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/vectors/record"
)

// jsPackage is an installed package. It does not change, except what is known of its files.
type jsPackage struct {
	name     string // of its directory below node_modules, in a store of Yarn that of its manifest
	version  string // "" when the manifest has none that can be shown
	link     string // where it was found, below the base
	dir      string // the same without links
	std      bool   // it has the declarations of the language or of Node.js itself
	manifest *jsManifest
	state    fs.FileInfo // of the manifest
	known    *jsKnown
}

// jsKnown is what is known of the files of a package. It counts as long as the manifest is the
// same file in the same state: package managers replace a package as a whole.
type jsKnown struct {
	mu     sync.Mutex        // guards all fields below
	files  map[string]string // the file that a path means, "" for none
	offers map[jsName]*jsOffer

	globals   map[string][]string // see jsTree.globalIndex; nil until it is made
	libraries map[string]jsLibrary
	texts     map[string]*jsLibraryFile // of the library, by name
}

// maxKnown bounds the paths of a package that are remembered.
const maxKnown = 4096

// label returns the name with the version.
func (p *jsPackage) label() string {
	if p.version == "" {
		return p.name
	}
	return p.name + "@" + p.version
}

const nodeModules = "node_modules"

// imported returns the file that an import means. from is the path of a file of the workspace or
// of the record of a dependency.
func (t *jsTree) imported(from record.Path, module string) (jsFile, bool) {
	dir := path.Join(t.prefix, path.Dir(string(from)))
	own, inside := t.owner(from)
	if inside {
		dir = path.Dir(string(from))
	}
	switch {
	case strings.HasPrefix(module, "."):
		if !inside {
			return jsFile{}, false // a file of the workspace
		}
		return t.file(own, path.Join(strings.TrimPrefix(strings.TrimPrefix(dir, own.dir), "/"), module))
	case strings.HasPrefix(module, "#"):
		if !inside {
			return jsFile{}, false
		}
		targets, _ := own.manifest.exported(module)
		return t.first(own, targets)
	}
	builtin, isNode := strings.CutPrefix(module, "node:")
	name, subpath, ok := splitSpecifier(builtin)
	if !ok {
		return jsFile{}, false
	}
	if !isNode {
		if f, ok := t.lookUp(dir, name, subpath); ok {
			return f, true
		}
	}
	return t.builtin(dir, builtin)
}

// owner returns the package that the file of a record is of.
func (t *jsTree) owner(view record.Path) (*jsPackage, bool) {
	before, after, ok := cutLast("/"+string(view), "/"+nodeModules+"/")
	if !ok {
		return nil, false
	}
	name, ok := storeName(after)
	if !ok {
		name, _, ok = splitSpecifier(after)
	}
	if !ok {
		return nil, false
	}
	p, err := t.at(strings.TrimPrefix(before+"/"+nodeModules, "/"), name)
	return p, err == nil
}

// storeName returns the directory of the package that a path below node_modules is of when that is
// in the store of Yarn's linker pnpm: ".store/ky-npm-1.14.3-f00d5ff478/package".
func storeName(below string) (string, bool) {
	parts := strings.SplitN(below, "/", 4)
	if len(parts) < 3 || parts[0] != ".store" || parts[2] != "package" {
		return "", false
	}
	return strings.Join(parts[:3], "/"), true
}

// cutLast cuts a text around the last separator.
func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return "", text, false
}

// splitSpecifier splits the name of a module into the package and the path in it: "." or "./x".
// It returns false for one that no package can have.
func splitSpecifier(module string) (name, subpath string, ok bool) {
	if !fs.ValidPath(module) || module == "." || strings.ContainsAny(module, "\\:\x00") {
		return "", "", false
	}
	parts := strings.SplitN(module, "/", 3)
	n := 1
	if strings.HasPrefix(module, "@") {
		n = 2
	}
	if len(parts) < n || strings.HasPrefix(module, ".") || parts[0] == nodeModules || n == 2 && strings.HasPrefix(parts[1], ".") {
		return "", "", false
	}
	name = strings.Join(parts[:n], "/")
	return name, "." + module[len(name):], true
}

// lookUp returns the file of a package that an import from a directory means. As TypeScript does,
// it looks for declarations in every directory node_modules first, and for code without them then.
func (t *jsTree) lookUp(dir, name, subpath string) (jsFile, bool) {
	for _, typed := range []bool{true, false} {
		for at := dir; ; at = path.Dir(at) {
			if path.Base(at) != nodeModules {
				if f, ok := t.inModules(path.Join(at, nodeModules), name, subpath, typed); ok {
					return f, true
				}
			}
			if at == "." || at == "/" {
				break
			}
		}
	}
	return jsFile{}, false
}

// inModules returns the file of a package in one directory node_modules: with declarations of its
// own or of a package @types, or, if typed is not set, with code.
func (t *jsTree) inModules(modules, name, subpath string, typed bool) (jsFile, bool) {
	if p, err := t.at(modules, name); err == nil {
		if f, ok := t.entryOf(p, subpath); ok && (isTyped(f.name) || !typed) {
			return f, true
		}
	}
	if !typed || strings.HasPrefix(name, "@types/") {
		return jsFile{}, false
	}
	p, err := t.at(modules, "@types/"+strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "__"))
	if err != nil {
		return jsFile{}, false
	}
	return t.entryOf(p, subpath)
}

func isTyped(name string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts"}, path.Ext(name))
}

// builtin returns the declarations of a module of Node.js.
func (t *jsTree) builtin(dir, module string) (jsFile, bool) {
	for at := dir; ; at = path.Dir(at) {
		if p, err := t.at(path.Join(at, nodeModules), "@types/node"); err == nil {
			first, _, _ := strings.Cut(module, "/")
			for _, name := range []string{module + ".d.ts", first + ".d.ts"} {
				if f, ok := t.file(p, name); ok {
					return f, true
				}
			}
			return jsFile{}, false
		}
		if at == "." || at == "/" {
			return jsFile{}, false
		}
	}
}

var (
	errWorkspace = errors.New("it is in the workspace")
	errAbsent    = errors.New("it is not installed")
)

// at returns the package with a name in a directory node_modules. A link is followed to another
// directory node_modules below the base, as pnpm sets them; one that leads to the workspace itself
// is errWorkspace.
func (t *jsTree) at(modules, name string) (*jsPackage, error) {
	link := path.Join(modules, name)
	l, ok := t.looked[link]
	if !ok {
		l.pkg, l.err = t.lookAt(link, name)
		t.looked[link] = l
	}
	return l.pkg, l.err
}

// isCurrent reports whether a package is as it was found.
func (t *jsTree) isCurrent(p *jsPackage) bool {
	before, name, _ := cutLast("/"+p.link, "/"+nodeModules+"/")
	now, err := t.at(strings.TrimPrefix(before+"/"+nodeModules, "/"), name)
	return err == nil && now == p
}

// lookAt is at without a memory.
func (t *jsTree) lookAt(link, name string) (*jsPackage, error) {
	manifest := path.Join(link, "package.json")
	info, err := t.stat(manifest)
	if err != nil {
		if _, err := os.Lstat(filepath.Join(t.base, filepath.FromSlash(link))); err == nil {
			return nil, errors.New("it has no package.json below " + t.base)
		}
		return nil, errAbsent
	}
	t.mu.Lock()
	known := t.packages[link]
	t.mu.Unlock()
	if known != nil && os.SameFile(known.state, info) && known.state.Size() == info.Size() && known.state.ModTime().Equal(info.ModTime()) {
		return known, nil
	}
	root := t.root()
	if root == nil {
		return nil, errAbsent
	}
	if info, err = root.Stat(manifest); err != nil {
		return nil, errors.New("it has no package.json below " + t.base)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(t.base, filepath.FromSlash(link)))
	if err != nil {
		return nil, errAbsent
	}
	dir, err := filepath.Rel(t.base, real)
	if err != nil || !filepath.IsLocal(dir) {
		return nil, errors.New("it leads out of " + t.base)
	}
	dir = filepath.ToSlash(dir)
	before, _, installed := strings.Cut("/"+dir+"/", "/"+nodeModules+"/")
	if hidden := hiddenPart(t.base, filepath.Join(t.base, filepath.FromSlash(strings.TrimPrefix(before, "/")))); hidden != "" {
		return nil, fmt.Errorf("%s is a hidden directory", hidden)
	}
	if !installed {
		return nil, errWorkspace
	}
	text, _, err := readFile(root, path.Join(dir, "package.json"))
	if err != nil {
		return nil, errors.New("its package.json cannot be read")
	}
	p := &jsPackage{name: name, link: link, dir: dir, manifest: parseManifest(text), state: info, known: &jsKnown{files: map[string]string{}, offers: map[jsName]*jsOffer{}}}
	if own, _, ok := splitSpecifier(p.manifest.Name); ok && own == p.manifest.Name && strings.HasPrefix(name, ".") {
		p.name = own
	}
	p.std = p.name == "@types/node"
	if isVersion(p.manifest.Version) {
		p.version = p.manifest.Version
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.packages[link] = p
	return p, nil
}

// isVersion reports whether a text can be shown as a version: a package can write what it likes.
func isVersion(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '.' && r != '-' && r != '+' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// entryOf returns the file that a subpath of a package means.
func (t *jsTree) entryOf(p *jsPackage, subpath string) (jsFile, bool) {
	m := p.manifest
	if targets, sealed := m.exported(subpath); sealed {
		if f, ok := t.first(p, targets); ok && isTyped(f.name) {
			return f, true
		}
		if len(targets) > 0 && subpath == "." { // declarations that only older manifests name
			if f, ok := t.first(p, []string{m.Types, m.Typings}); ok {
				return f, true
			}
		}
		return t.first(p, targets)
	}
	if subpath != "." {
		return t.first(p, m.versioned(strings.TrimPrefix(subpath, "./")))
	}
	var candidates []string
	for _, entry := range []string{m.Types, m.Typings, m.Main} {
		if entry != "" {
			candidates = append(candidates, m.versioned(entry)...)
		}
	}
	if f, ok := t.first(p, candidates); ok && isTyped(f.name) {
		return f, true
	}
	if f, ok := t.first(p, m.versioned("index")); ok && isTyped(f.name) {
		return f, true
	}
	return t.first(p, append(candidates, "index"))
}

// first returns the first of some paths in a package that is a file with declarations, or the
// first one that is a file.
func (t *jsTree) first(p *jsPackage, targets []string) (jsFile, bool) {
	var found jsFile
	for _, target := range targets {
		f, ok := t.file(p, target)
		if ok && isTyped(f.name) {
			return f, true
		}
		if ok && found.pkg == nil {
			found = f
		}
	}
	return found, found.pkg != nil
}

var (
	// declarationOf has the extensions of the declarations of code.
	declarationOf = map[string][]string{
		".js": {".d.ts", ".ts", ".tsx"}, ".jsx": {".d.ts", ".tsx"}, ".mjs": {".d.mts", ".mts"}, ".cjs": {".d.cts", ".cts"},
	}
	// compiledOf has what code that is written with its own extension leaves as declarations.
	compiledOf = map[string]string{".ts": ".d.ts", ".tsx": ".d.ts", ".mts": ".d.mts", ".cts": ".d.cts"}
)

// file returns the file that a path in a package means.
func (t *jsTree) file(p *jsPackage, target string) (jsFile, bool) {
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	name, ok := p.known.files[target]
	if !ok {
		f, _ := t.look(p, target)
		if name = f.name; len(p.known.files) >= maxKnown {
			clear(p.known.files)
		}
		p.known.files[target] = name
	}
	return jsFile{p, name}, name != ""
}

// look looks for the file that a path in a package means: its declarations, the path itself, the
// path with an extension, or the index of a directory.
func (t *jsTree) look(p *jsPackage, target string) (jsFile, bool) {
	name := path.Clean(target)
	if target == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return jsFile{}, false
	}
	ext := path.Ext(name)
	for _, e := range declarationOf[ext] {
		if f, ok := t.regular(p, strings.TrimSuffix(name, ext)+e); ok {
			return f, true
		}
	}
	if f, ok := t.regular(p, name); ok {
		return f, true
	}
	if e := compiledOf[ext]; e != "" {
		if f, ok := t.regular(p, strings.TrimSuffix(name, ext)+e); ok {
			return f, true
		}
	}
	if name != "." {
		for _, e := range []string{".d.ts", ".ts", ".tsx", ".d.mts", ".d.cts"} {
			if f, ok := t.regular(p, name+e); ok {
				return f, true
			}
		}
	}
	if f, ok := t.directory(p, name); ok {
		return f, true
	}
	for _, e := range []string{".js", ".mjs", ".cjs", "/index.js"} {
		if f, ok := t.regular(p, name+e); ok {
			return f, true
		}
	}
	return jsFile{}, false
}

// directory returns the declarations that a directory of a package stands for: those that a
// package.json of its own names, or its index.
func (t *jsTree) directory(p *jsPackage, name string) (jsFile, bool) {
	root := t.in(p)
	if root == nil {
		return jsFile{}, false
	}
	if info, err := root.Stat(name); err != nil || !info.IsDir() {
		return jsFile{}, false
	}
	if name != "." {
		if text, _, err := readFile(root, path.Join(name, "package.json")); err == nil {
			m := parseManifest(text)
			for _, entry := range []string{m.Types, m.Typings, m.Main} {
				inside := path.Join(name, entry)
				if entry == "" || !filepath.IsLocal(filepath.FromSlash(inside)) {
					continue
				}
				for _, e := range append(slices.Clone(declarationOf[path.Ext(inside)]), path.Ext(inside)) {
					if f, ok := t.regular(p, strings.TrimSuffix(inside, path.Ext(inside))+e); ok {
						return f, true
					}
				}
			}
		}
	}
	for _, e := range []string{"index.d.ts", "index.ts", "index.tsx", "index.d.mts", "index.d.cts"} {
		if f, ok := t.regular(p, path.Join(name, e)); ok {
			return f, true
		}
	}
	return jsFile{}, false
}

// regular returns a file of a package that can be read as code, if it is there.
func (t *jsTree) regular(p *jsPackage, name string) (jsFile, bool) {
	root := t.in(p)
	if root == nil || !slices.Contains(scriptExtensions[:8], path.Ext(name)) {
		return jsFile{}, false
	}
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return jsFile{}, false
	}
	return jsFile{p, name}, true
}
