package deps

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ambit/vectors/record"
)

func (r *ruby) report(files []record.Path) (out Report, ok bool) {
	out = Report{Ecosystem: "Ruby", Remedy: "bundle install"}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.projectsOf(files) {
		ok = true
		p.addTo(&out)
	}
	if ok && out.Std == nil {
		out.Missing = append(out.Missing, Package{Name: "the standard library"})
		out.Remedy += "; for the standard library put ruby on PATH"
	}
	return out, ok
}

// projectsOf returns the projects of files, each once. The caller holds the mutex.
func (r *ruby) projectsOf(files []record.Path) (all []*rubyProject) {
	seen := map[string]bool{}
	for _, file := range files {
		dir := path.Dir(string(file))
		if !r.serves(path.Ext(string(file))) || seen[dir] {
			continue
		}
		seen[dir] = true
		if p := r.project(file); !slices.ContainsFunc(all, func(other *rubyProject) bool { return other.dir == p.dir }) {
			all = append(all, p)
		}
	}
	return all
}

// addTo adds the direct dependencies of a project: without a lock file those of its Gemfile, and
// without that one all gems that are installed.
func (p *rubyProject) addTo(r *Report) {
	if p.std != nil && r.Std == nil {
		r.Std = &Package{"ruby", p.std.version, p.std.base}
	}
	r.Refused = append(r.Refused, p.refused...)
	for _, name := range p.lock.direct {
		locked := slices.IndexFunc(p.lock.gems, func(l lockedGem) bool { return l.name == name })
		switch g := p.gem(name); {
		case g != nil:
			r.Found = append(r.Found, Package{g.name, g.version, filepath.Join(g.base, filepath.FromSlash(g.dir))})
		case locked >= 0 && p.lock.gems[locked].section != "PATH":
			r.Missing = append(r.Missing, Package{Name: name, Version: p.lock.gems[locked].version})
		case len(p.lock.gems) == 0:
			r.Missing = append(r.Missing, Package{Name: name})
		}
	}
}

// gem returns the gem with a name, nil when it is not installed.
func (p *rubyProject) gem(name string) *gem {
	if i := slices.IndexFunc(p.gems, func(g gem) bool { return g.name == name }); i >= 0 {
		return &p.gems[i]
	}
	return nil
}

// trees returns the gems that report has found.
func (r *ruby) trees(files []record.Path) (out []tree) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.projectsOf(files) {
		for _, name := range p.lock.direct {
			if g := p.gem(name); g != nil {
				out = append(out, g.tree())
			}
		}
	}
	return out
}

// tree returns the files of a gem that users require.
func (g *gem) tree() tree {
	t := tree{source: source{base: g.base, dir: g.dir, shown: record.Path(g.label()), pkg: g.label()}, exts: []string{".rb"}, within: "lib"}
	if !g.flat {
		return t
	}
	t.within, t.tops = "", []string{}
	if root, err := open(g.base, g.dir); err == nil {
		for _, name := range namesIn(root, ".") {
			if name = strings.TrimSuffix(name, ".rb"); fold(name) == fold(g.name) {
				t.tops = append(t.tops, name)
			}
		}
		_ = root.Close() // it was only read
	}
	return t
}

func gemNames(gems []gem) []string {
	names := make([]string, 0, len(gems))
	for i := range gems {
		names = append(names, gems[i].name)
	}
	return names
}
