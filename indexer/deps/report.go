package deps

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// Report says what of an ecosystem a workspace can reach.
type Report struct {
	Ecosystem string    // "Go"
	Std       *Package  // the standard library; nil when it is missing
	Found     []Package // direct dependencies, by name
	Missing   []Package // direct dependencies without sources on this machine
	Remedy    string    // what brings the missing ones
	Refused   []Refused
}

// Package is a direct dependency.
type Package struct {
	Name, Version string
	Dir           string // absolute; "" when it is missing
}

// Report says what the manifests among the files of the workspace depend on, and where the sources
// are. An ecosystem without a manifest or a file is left out.
func (f *Finder) Report(files []record.Path) []Report {
	var all []Report
	for _, e := range f.ecosystems {
		if r, ok := e.report(files); ok {
			r.order()
			all = append(all, r)
		}
	}
	return all
}

// order sorts the lists of a report and removes what is in one twice.
func (r *Report) order() {
	byName := func(a, b Package) int { return strings.Compare(a.Name+"@"+a.Version, b.Name+"@"+b.Version) }
	for _, list := range []*[]Package{&r.Found, &r.Missing} {
		slices.SortFunc(*list, byName)
		*list = slices.Compact(*list)
	}
	slices.SortFunc(r.Refused, func(a, b Refused) int { return strings.Compare(a.What, b.What) })
	r.Refused = slices.Compact(r.Refused)
}

func (g *golang) report(files []record.Path) (r Report, ok bool) {
	r = Report{Ecosystem: "Go", Remedy: "go mod download"}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, file := range files {
		switch {
		case path.Base(string(file)) == "go.mod":
			g.project(file).addTo(&r)
		case path.Ext(string(file)) != ".go" || r.Std != nil:
			continue
		default:
			g.project(file).addStd(&r)
		}
		ok = true
	}
	if ok && r.Std == nil {
		r.Missing = append(r.Missing, Package{Name: "the standard library"})
		r.Remedy += "; for the standard library put go on PATH, or its directory into GOROOT"
	}
	return r, ok
}

func (p *goProject) addStd(r *Report) {
	if r.Std != nil {
		return
	}
	if _, ok := p.std("fmt"); ok {
		r.Std = &Package{"go", strings.TrimPrefix(p.toolchain.version, "go"), filepath.Join(p.toolchain.dir, "src")}
	}
}

// addTo adds the direct dependencies of a module.
func (p *goProject) addTo(r *Report) {
	p.addStd(r)
	r.Refused = append(r.Refused, p.refused...)
	for _, x := range p.replaced {
		if x.dir != "" {
			if _, err := p.checkReplacement(x.old, x.dir); err != nil {
				r.Refused = append(r.Refused, Refused{x.old + " => " + x.dir, err.Error()})
			}
		}
	}
	for _, name := range p.direct {
		if slices.Contains(p.own, name) {
			continue
		}
		d := Package{Name: name, Version: p.versions[name]}
		if replaced, ok := p.replacement(name, d.Version); ok && replaced.dir != "" {
			d.Version = ""
		}
		m, ok := p.module(name)
		if version, vendored := p.vendored[name]; vendored {
			m, ok = goModule{base: p.root, dir: path.Join(p.vendor, name)}, true
			d.Version = version
		}
		if s := m.source(""); ok && isDir(s) {
			d.Dir = s.absolute("")
			r.Found = append(r.Found, d)
			continue
		}
		r.Missing = append(r.Missing, d)
	}
}
