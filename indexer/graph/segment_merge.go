package graph

import (
	"cmp"
	"slices"
)

// merge returns one segment with the files of several that are not dead, and the result of
// gather. It walks the names of all parts in their order, so it needs little memory beside
// the result.
func merge(parts []*segment, dead func(part, file int) bool) (*segment, [][]uint32) {
	s := &segment{}
	numbers := s.gather(parts, dead)
	nNames, nBytes := countNames(parts)
	names := make([]byte, 0, nBytes)
	ends, defEnds, useEnds := make([]uint32, 0, nNames), make([]uint32, 0, nNames), make([]uint32, 0, nNames)
	defs, uses := make([]def, 0, total(parts, func(p *segment) int { return p.defs.n })), make([]uint32, 0, total(parts, func(p *segment) int { return p.uses.n }))
	eachName(parts, func(name string, in []int) {
		nDefs, nUses := len(defs), len(uses)
		for p, i := range in {
			if i < 0 {
				continue
			}
			for _, d := range parts[p].defsOf(i) {
				if d.file = numbers[p][d.file]; d.file != gone {
					defs = append(defs, d)
				}
			}
			for _, u := range parts[p].usesOf(i) {
				if u = numbers[p][u]; u != gone {
					uses = append(uses, u)
				}
			}
		}
		if len(defs) == nDefs && len(uses) == nUses {
			return // only dead files have it
		}
		names = append(names, name...)
		ends = append(ends, uint32(len(names)))
		defEnds, useEnds = append(defEnds, uint32(len(defs))), append(useEnds, uint32(len(uses)))
	})
	sortDefs(defEnds, defs)
	sortUses(useEnds, uses)
	s.names, s.ends = inMemory(names), inMemory(ends)
	s.defEnds, s.defs, s.useEnds, s.uses = inMemory(defEnds), inMemory(defs), inMemory(useEnds), inMemory(uses)
	s.hash()
	return s, numbers
}

// eachName calls fn with each name of some parts, in order, and its number in each part, -1
// where it is not.
func eachName(parts []*segment, fn func(name string, in []int)) {
	next, in := make([]int, len(parts)), make([]int, len(parts))
	for {
		least, found := "", false
		for p, part := range parts {
			if next[p] == part.ends.n {
				continue
			}
			if name := part.name(next[p]); !found || name < least {
				least, found = name, true
			}
		}
		if !found {
			return
		}
		for p, part := range parts {
			in[p] = -1
			if next[p] < part.ends.n && part.name(next[p]) == least {
				in[p] = next[p]
				next[p]++
			}
		}
		fn(least, in)
	}
}

// countNames returns the number of names in some parts and their length together.
func countNames(parts []*segment) (n, bytes int) {
	eachName(parts, func(name string, _ []int) {
		n++
		bytes += len(name)
	})
	return n, bytes
}

// total returns the sum of what count says of each part.
func total(parts []*segment, count func(*segment) int) (n int) {
	for _, p := range parts {
		n += count(p)
	}
	return n
}

// gone is the number of a file that a merge leaves out.
const gone = ^uint32(0)

// gather sets the files to those of the parts that are not dead, by path. It returns the
// new number of each file, gone for a dead file.
func (s *segment) gather(parts []*segment, dead func(part, file int) bool) [][]uint32 {
	var live []ref
	numbers := make([][]uint32, len(parts))
	for p, part := range parts {
		numbers[p] = make([]uint32, len(part.files))
		for f := range part.files {
			numbers[p][f] = gone
			if !dead(p, f) {
				live = append(live, ref{p, f})
			}
		}
	}
	slices.SortFunc(live, func(a, b ref) int {
		return cmp.Compare(parts[a.part].files[a.file].path, parts[b.part].files[b.file].path)
	})
	for i, r := range live {
		numbers[r.part][r.file] = uint32(i)
		s.files = append(s.files, parts[r.part].files[r.file])
	}
	return numbers
}
