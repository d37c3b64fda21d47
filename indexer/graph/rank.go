package graph

import (
	"math"

	"ambit/vectors/record"
)

// maxSharedDefs is the number of definitions above which a name tells nothing of
// the file it is defined in: `String`, `Close`, `new`.
const maxSharedDefs = 8

// allShares is what a user gives, in shares that maxSharedDefs files and any fewer
// can have the same number of: sums of whole numbers do not depend on their order.
const allShares = 840

// centrality returns the weight of each file in the graph of names: a name that n
// files define gives 1/n of its users to each, and the sum is taken as its
// logarithm over the largest. It is the degree centrality of the graph whose edges
// are names; walking it further (PageRank) costs resolving every edge.
func (v *View) centrality() map[record.Path]float64 {
	shares := make(map[record.Path]int, len(v.place.byPath))
	for i, s := range v.parts {
		for n := range s.ends {
			if name := s.name(n); len(s.defsOf(n)) > 0 && !v.inParts(i, name) {
				v.weigh(name, shares)
			}
		}
	}
	weight := make(map[record.Path]float64, len(shares))
	most := 0.0
	for p, n := range shares {
		weight[p] = math.Log1p(float64(n) / allShares)
		most = max(most, weight[p])
	}
	if most > 0 {
		for p := range weight {
			weight[p] /= most
		}
	}
	return weight
}

// inParts reports whether one of the first n parts defines a name.
func (v *View) inParts(n int, name string) bool {
	for _, s := range v.parts[:n] {
		if i, ok := s.lookup(name); ok && len(s.defsOf(i)) > 0 {
			return true
		}
	}
	return false
}

// weigh adds the users of a name to the files that define it.
func (v *View) weigh(name string, shares map[record.Path]int) {
	var definers []ref
	v.eachDef(name, func(r ref, _ def) bool {
		definers = append(definers, r)
		return len(definers) <= maxSharedDefs
	})
	if len(definers) == 0 || len(definers) > maxSharedDefs {
		return
	}
	users := 0
	for i, s := range v.parts {
		if n, ok := s.lookup(name); ok {
			for _, u := range s.usesOf(n) {
				if !v.dead[i][u] && !s.files[u].test {
					users++
				}
			}
		}
	}
	for _, r := range definers {
		if users > 1 {
			shares[v.file(r).path] += (users - 1) * (allShares / len(definers))
		}
	}
}
