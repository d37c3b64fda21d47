package deps

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/vectors/record"
)

// ruby is the ecosystem of Ruby.
type ruby struct {
	place

	mu       sync.Mutex // guards all fields below
	at       *rubyAt    // of PATH; nil until it is needed
	homes    []gemHome  // of the user
	projects map[string]*rubyProject
}

// rubyProject is the gems of a Gemfile.lock, or all that are installed when there is none.
type rubyProject struct {
	dir     string // of the Gemfile.lock, relative to the workspace
	lock    gemLock
	std     *gem
	gems    []gem
	tops    map[string][]*gem // by the folded names in their directories lib
	refused []Refused
	files   []stamp
	read    map[string]*gemFiles // by the directory of a gem, and a first part of the standard library
	mixed   map[string][]gemFile // by a constant
	has     map[string][]gemFile // by a constant and a name
}

// gemFile is a file of a gem.
type gemFile struct {
	*gem
	name string // below lib
}

// rubyView is the directory in which package graph knows the files of gems.
const rubyView = "vendor/bundle/gems/"

// maxGemFound bounds the files that are found for the methods of a class, which are asked for at
// once and stand in as many files.
const maxGemFound = 3 * maxFiles

func (r *ruby) serves(ext string) bool { return ext == ".rb" || ext == ".rake" || ext == ".ru" }

// find returns the files of a constant and of the constants below it among the names. A constant
// that the workspace declares is not asked for. In a file of a gem the constant is that of a class
// or module there, from the top, and the files declare the names that it has from other files.
func (r *ruby) find(ctx context.Context, file, from record.Path, constant string, names []string) Found {
	if constant == "" || constant[0] < 'A' || constant[0] > 'Z' {
		return Found{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.project(file)
	var out Found
	files := p.below(constant, names)
	if strings.HasPrefix(string(from), rubyView) {
		files = nil
		for _, name := range names {
			files = append(files, p.declaring(constant, name)...)
		}
	}
	for _, f := range files {
		if ctx.Err() != nil || len(out.Files) >= maxGemFound {
			break
		}
		if x := r.cache.file(f.source(), path.Base(f.name)); x != nil && !slices.Contains(out.Files, x) {
			out.Files = append(out.Files, x)
		}
	}
	return out
}

// source returns the directory of a file of a gem.
func (f gemFile) source() *source {
	s := f.lib()
	in := path.Dir(f.name)
	lib := "lib"
	if f.std || f.flat {
		lib = "."
	}
	return &source{base: s.base, dir: path.Join(s.dir, in), std: f.std, pkg: f.label(), extend: addDocumented,
		view: record.Path(path.Join(rubyView, f.gem.name, lib, in)), shown: record.Path(path.Join(f.label(), lib, in))}
}

// below returns the files of a constant and of the constants below it that have one of the names.
func (p *rubyProject) below(constant string, names []string) []gemFile {
	constants := []string{constant}
	out := p.constant(constant)
	for i := 0; i < len(constants) && i < maxSteps; i++ {
		for _, name := range names {
			below := constants[i] + "." + name
			if name == "" || name[0] < 'A' || name[0] > 'Z' || slices.Contains(constants, below) {
				continue
			}
			if found := p.constant(below); len(found) > 0 {
				constants, out = append(constants, below), append(out, found...)
			}
		}
	}
	return out
}

// constant returns the file that a constant is named after.
func (p *rubyProject) constant(constant string) []gemFile {
	parts := strings.Split(constant, ".")
	for i := range parts {
		parts[i] = fold(parts[i])
	}
	for _, g := range p.tops[parts[0]] {
		if name, ok := p.filesOf(g, parts[0]).paths[strings.Join(parts, "/")]; ok {
			return []gemFile{{g, name}}
		}
	}
	return nil
}

// filesOf returns the files of a gem; of the standard library those of one first part.
func (p *rubyProject) filesOf(g *gem, top string) *gemFiles {
	key := g.base + "\x00" + g.dir
	switch {
	case g.flat:
		top = fold(g.name)
	case !g.std:
		top = ""
	}
	key += "\x00" + top
	if p.read[key] == nil {
		p.read[key] = g.list(top)
		s := g.lib()
		p.files = append(p.files, stampOf(s.absolute("")))
	}
	return p.read[key]
}

// declaring returns the files that declare a name for a constant: its own, those that it mixes in
// and parts of these; when none of them does, those of its gem where there are few.
func (p *rubyProject) declaring(constant, name string) []gemFile {
	key := constant + " " + name
	out, known := p.has[key]
	if !known {
		out = p.findDeclaring(constant, name)
		p.has[key] = out
	}
	return out
}

func (p *rubyProject) findDeclaring(constant, name string) []gemFile {
	mixed := p.mixedIn(constant)
	if len(mixed) == 0 {
		return nil
	}
	top := fold(strings.SplitN(constant, ".", 2)[0])
	isPart := func(f gemFile) bool {
		return slices.ContainsFunc(mixed[1:], func(m gemFile) bool {
			return m.gem == f.gem && strings.TrimSuffix(m.name, ".rb") == path.Dir(f.name)
		})
	}
	var own, parts, elsewhere []gemFile
	var gems []*gem
	for _, m := range mixed {
		if slices.Contains(gems, m.gem) {
			continue
		}
		gems = append(gems, m.gem)
		for _, file := range p.scanned(m.gem, top).names[name] {
			switch f := (gemFile{m.gem, file}); {
			case slices.Contains(mixed, f):
				own = append(own, f)
			case isPart(f):
				parts = append(parts, f)
			case len(gems) == 1:
				elsewhere = append(elsewhere, f)
			}
		}
	}
	out := append(own, parts...)
	if len(out) == 0 && len(elsewhere) <= maxElsewhere {
		return elsewhere
	}
	return out[:min(len(out), maxDeclaring)]
}

// scanned returns the files of a gem with the names in them.
func (p *rubyProject) scanned(g *gem, top string) *gemFiles {
	f := p.filesOf(g, top)
	if f.names == nil {
		f.scan(g)
	}
	return f
}

// mixedIn returns the file of a constant and those of the modules and classes that it has the
// methods of, as far as the names of files tell.
func (p *rubyProject) mixedIn(constant string) []gemFile {
	if all, ok := p.mixed[constant]; ok {
		return all
	}
	all := p.constant(constant)
	for i := 0; i < len(all) && len(all) < maxMixed; i++ {
		f := all[i]
		if f.std {
			continue
		}
		within := strings.Split(strings.TrimSuffix(f.name, ".rb"), "/")
		for _, c := range p.scanned(f.gem, "").mixed[f.name] {
			for n := len(within); n >= 0; n-- {
				full := strings.Join(append(slices.Clone(within[:n]), strings.Split(strings.TrimPrefix(c, "::"), "::")...), ".")
				if found := p.constant(full); len(found) > 0 {
					if !slices.Contains(all, found[0]) {
						all = append(all, found[0])
					}
					break
				}
			}
		}
	}
	p.mixed[constant] = all
	return all
}

// project returns the gems of a file. The caller holds the mutex.
func (r *ruby) project(file record.Path) *rubyProject {
	if r.at == nil {
		at := rubyOnPath(r.getenv)
		r.at, r.homes, r.projects = &at, at.homes(r.getenv), map[string]*rubyProject{}
	}
	dir := path.Dir(string(file))
	for dir != "." && dir != "/" && stampOf(filepath.Join(r.root, filepath.FromSlash(dir), "Gemfile.lock")).modTime.IsZero() {
		dir = path.Dir(dir)
	}
	if p := r.projects[dir]; p != nil && p.isCurrent() {
		return p
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return &rubyProject{}
	}
	defer func() { _ = root.Close() }() // nothing is written
	p := &rubyProject{dir: dir, tops: map[string][]*gem{}, read: map[string]*gemFiles{}, mixed: map[string][]gemFile{}, has: map[string][]gemFile{}}
	r.load(p, root)
	r.projects[dir] = p
	return p
}

// load finds the gems of a project.
func (r *ruby) load(p *rubyProject, root *os.Root) {
	text, _, err := readFile(root, filepath.FromSlash(path.Join(p.dir, "Gemfile.lock")))
	p.files = append(p.files, stampOf(filepath.Join(r.root, filepath.FromSlash(p.dir), "Gemfile.lock")))
	homes := r.homes
	bundle := path.Join(p.dir, "vendor", "bundle", "ruby")
	for _, version := range namesIn(root, bundle) {
		homes = append([]gemHome{{base: r.root, dir: path.Join(bundle, version)}}, homes...)
	}
	for _, h := range homes {
		s := h.at("gems")
		p.files = append(p.files, stampOf(s.absolute("")))
	}
	if err != nil {
		p.gems = latestGems(homes)
		gemfile := filepath.Join(filepath.FromSlash(p.dir), "Gemfile")
		p.files = append(p.files, stampOf(filepath.Join(r.root, gemfile)))
		if text, _, err := readFile(root, gemfile); err == nil {
			p.lock.direct = gemfileNames(text)
		} else {
			p.lock.direct = gemNames(p.gems)
		}
	} else {
		p.lock = parseGemLock(string(text))
		for i := range p.lock.gems {
			r.addLocked(p, &p.lock.gems[i], homes)
		}
	}
	if std, ok := r.at.std(); ok {
		p.std = &std
	}
	p.index()
}

// addLocked adds a gem of the lock file. One below the workspace is in the index.
func (r *ruby) addLocked(p *rubyProject, l *lockedGem, homes []gemHome) {
	if l.section != "PATH" {
		if g, ok := l.locate(homes); ok {
			p.gems = append(p.gems, g)
		}
		return
	}
	dir := filepath.FromSlash(l.remote)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.root, filepath.FromSlash(p.dir), dir)
	}
	if isBelow(r.root, dir) {
		return
	}
	real, err := checkPathGem(r.root, l.name, dir)
	if err != nil {
		p.refused = append(p.refused, Refused{"Gemfile.lock: " + l.name + " in " + l.remote, err.Error()})
		return
	}
	p.gems = append(p.gems, gem{name: l.name, version: l.version, base: real, dir: ".", needs: l.needs})
}

// all returns the gems, then the standard library, which can have an older state of one of them.
func (p *rubyProject) all() []*gem {
	all := make([]*gem, 0, len(p.gems)+1)
	for i := range p.gems {
		all = append(all, &p.gems[i])
	}
	if p.std != nil {
		all = append(all, p.std)
	}
	return all
}

// index notes which gems have a file or a directory of a name at the top of lib.
func (p *rubyProject) index() {
	for _, g := range p.all() {
		s := g.lib()
		root, err := open(s.base, s.dir)
		if err != nil {
			continue
		}
		for _, name := range namesIn(root, ".") {
			top := fold(strings.TrimSuffix(name, ".rb"))
			if g.flat && top != fold(g.name) {
				continue
			}
			if list := p.tops[top]; len(list) == 0 || list[len(list)-1] != g {
				p.tops[top] = append(list, g)
			}
		}
		_ = root.Close() // it was only read
	}
}

// isCurrent reports whether the files of a project are as they were read.
func (p *rubyProject) isCurrent() bool {
	return areCurrent(p.files)
}

// stampOf returns the state of a file or directory.
func stampOf(name string) stamp {
	s := stamp{name: name}
	if info, err := os.Stat(name); err == nil {
		s.size, s.modTime = info.Size(), info.ModTime()
	}
	return s
}
