package graph

import (
	"cmp"
	"slices"
	"strings"
)

// merge returns one segment with the files of several that are not dead, and the result of
// gather. It walks the names of all parts in their order, so it needs little memory beside
// the result.
func merge(parts []*segment, dead func(part, file int) bool) (*segment, [][]uint32) {
	s := &segment{}
	numbers := s.gather(parts, dead)
	nNames, nBytes := countNames(parts)
	var blob strings.Builder
	blob.Grow(nBytes)
	s.ends, s.defEnds, s.useEnds = make([]uint32, 0, nNames), make([]uint32, 0, nNames), make([]uint32, 0, nNames)
	s.defs, s.uses = make([]def, 0, total(parts, func(p *segment) int { return len(p.defs) })), make([]uint32, 0, total(parts, func(p *segment) int { return len(p.uses) }))
	eachName(parts, func(name string, in []int) {
		nDefs, nUses := len(s.defs), len(s.uses)
		for p, i := range in {
			if i < 0 {
				continue
			}
			for _, d := range parts[p].defsOf(i) {
				if d.file = numbers[p][d.file]; d.file != gone {
					s.defs = append(s.defs, d)
				}
			}
			for _, u := range parts[p].usesOf(i) {
				if u = numbers[p][u]; u != gone {
					s.uses = append(s.uses, u)
				}
			}
		}
		if len(s.defs) == nDefs && len(s.uses) == nUses {
			return // only dead files have it
		}
		blob.WriteString(name)
		s.ends = append(s.ends, uint32(blob.Len()))
		s.defEnds, s.useEnds = append(s.defEnds, uint32(len(s.defs))), append(s.useEnds, uint32(len(s.uses)))
	})
	s.blob = blob.String()
	s.sort()
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
			if next[p] == len(part.ends) {
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
			if next[p] < len(part.ends) && part.name(next[p]) == least {
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
