package deps

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"ambit/indexer/project"
	"ambit/vectors/record"
)

// pyManifests are the files that say what a project of Python depends on.
var pyManifests = []string{"pyproject.toml", "requirements.txt", "setup.cfg", "setup.py"}

func (p *python) report(files []record.Path) (r Report, ok bool) {
	r = Report{Ecosystem: "Python", Remedy: "an environment in .venv (uv sync, poetry install, or python3 -m venv .venv and pip install)"}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return r, false
	}
	defer func() { _ = root.Close() }() // it is only read
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := map[string]bool{}
	for _, file := range files {
		manifest := slices.Contains(pyManifests, path.Base(string(file)))
		if !manifest && !p.serves(path.Ext(string(file))) {
			continue
		}
		ok = ok || p.serves(path.Ext(string(file)))
		dir := path.Dir(string(file))
		if !manifest && seen[dir] {
			continue
		}
		seen[dir] = true
		env := p.env(file)
		env.addTo(&r)
		r.Refused = append(r.Refused, linkedEnvs(root, dir)...)
		if text, _, err := readFile(root, filepath.FromSlash(string(file))); manifest && err == nil {
			m := project.Read(path.Base(string(file)), text)
			for _, name := range m.Dependencies {
				env.addPackage(&r, name)
			}
		}
	}
	if ok && r.Std == nil {
		r.Missing = append(r.Missing, Package{Name: "the standard library"})
		r.Remedy += "; for the standard library put python3 on PATH"
	}
	return r, ok
}

// linkedEnvs returns the environments in a directory of the workspace that lead out of it.
func linkedEnvs(root *os.Root, dir string) (refused []Refused) {
	for _, name := range envNames {
		at := path.Join(dir, name)
		info, err := root.Lstat(filepath.FromSlash(at))
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		if _, err := root.Stat(filepath.FromSlash(at)); err != nil {
			refused = append(refused, Refused{at, "it is a link out of the workspace; activate the environment in its place"})
		}
	}
	return refused
}

func (e *pyEnv) addTo(r *Report) {
	if r.Std == nil && e.std != "" {
		r.Std = &Package{"python", e.version, e.std}
	}
	r.Refused = append(r.Refused, e.refused...)
}

// addPackage adds a direct dependency. The directory of one that is installed in editable mode is that
// of its sources.
func (e *pyEnv) addPackage(r *Report, name string) {
	for i := range e.sites {
		s := &e.sites[i]
		if s.dists == nil {
			continue
		}
		for _, d := range s.dists.all {
			if normalized(d.name) != normalized(name) {
				continue
			}
			if at := slices.IndexFunc(e.sites, func(linked pySite) bool { return linked.dist == d }); at >= 0 {
				s = &e.sites[at]
			}
			r.Found = append(r.Found, Package{d.name, d.version, s.absolute()})
			return
		}
	}
	r.Missing = append(r.Missing, Package{Name: name})
}
