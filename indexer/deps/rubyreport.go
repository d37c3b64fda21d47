package deps

import (
	"path"
	"path/filepath"
	"slices"

	"ambit/vectors/record"
)

func (r *ruby) report(files []record.Path) (out Report, ok bool) {
	out = Report{Ecosystem: "Ruby", Remedy: "bundle install"}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	for _, file := range files {
		if !r.serves(path.Ext(string(file))) || seen[path.Dir(string(file))] {
			continue
		}
		ok, seen[path.Dir(string(file))] = true, true
		p := r.project(file)
		if !seen["\x00"+p.dir] {
			seen["\x00"+p.dir] = true
			p.addTo(&out)
		}
	}
	if ok && out.Std == nil {
		out.Missing = append(out.Missing, Package{Name: "the standard library"})
		out.Remedy += "; for the standard library put ruby on PATH"
	}
	return out, ok
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
		found := slices.IndexFunc(p.gems, func(g gem) bool { return g.name == name })
		switch {
		case found >= 0:
			g := &p.gems[found]
			r.Found = append(r.Found, Package{g.name, g.version, filepath.Join(g.base, filepath.FromSlash(g.dir))})
		case locked >= 0 && p.lock.gems[locked].section != "PATH":
			r.Missing = append(r.Missing, Package{Name: name, Version: p.lock.gems[locked].version})
		case len(p.lock.gems) == 0:
			r.Missing = append(r.Missing, Package{Name: name})
		}
	}
}

func gemNames(gems []gem) []string {
	names := make([]string, 0, len(gems))
	for i := range gems {
		names = append(names, gems[i].name)
	}
	return names
}
