package graph

import (
	"math"

	"ambit/vectors/record"
)

// maxSharedDefs is the number of definitions above which a name tells nothing of
// the file it is defined in: `String`, `Close`, `new`.
const maxSharedDefs = 8

// centrality returns the weight of each file in the graph of names: a name that n
// files define gives 1/n of its users to each, and the sum is taken as its
// logarithm over the largest. It is the degree centrality of the graph whose edges
// are names; walking it further (PageRank) costs resolving every edge.
func (v *View) centrality() map[record.Path]float64 {
	weight := make(map[record.Path]float64, len(v.place.byPath))
	for i, s := range v.parts {
		for n := range s.ends {
			defs := s.defsOf(n)
			if len(defs) == 0 || len(defs) > maxSharedDefs {
				continue
			}
			users := 0
			for _, u := range s.usesOf(n) {
				if !v.dead[i][u] && !s.files[u].test {
					users++
				}
			}
			for _, d := range defs {
				if !v.dead[i][d.file] && users > 1 {
					weight[s.files[d.file].path] += float64(users-1) / float64(len(defs))
				}
			}
		}
	}
	most := 0.0
	for p, w := range weight {
		weight[p] = math.Log1p(w)
		most = max(most, weight[p])
	}
	if most > 0 {
		for p := range weight {
			weight[p] /= most
		}
	}
	return weight
}
