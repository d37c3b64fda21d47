package session

import (
	"ambit/indexer/deps"
	"ambit/server/api"
	"ambit/vectors/record"
)

// ecosystems says where the sources of the dependencies of the indexed files are.
func (s *Session) ecosystems() []api.Ecosystem {
	files := s.index.Files()
	paths := make([]record.Path, 0, len(files))
	for i := range files {
		paths = append(paths, files[i].Path)
	}
	var all []api.Ecosystem
	for _, r := range s.deps.Report(paths) {
		e := api.Ecosystem{Name: r.Ecosystem, Found: packages(r.Found), Missing: packages(r.Missing), Remedy: r.Remedy}
		if r.Std != nil {
			e.Std = (*api.Package)(r.Std)
		}
		for _, x := range r.Refused {
			e.Refused = append(e.Refused, api.Refusal(x))
		}
		all = append(all, e)
	}
	return all
}

func packages(list []deps.Package) []api.Package {
	out := make([]api.Package, 0, len(list))
	for _, p := range list {
		out = append(out, api.Package(p))
	}
	return out
}
