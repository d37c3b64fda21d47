package chunk

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxDependencies is the number of used names in the prefix.
const maxDependencies = 3

// usage counts the uses of names and imports, chunk by chunk.
type usage struct {
	ready   bool
	imports map[string]int // local name → index into Outline.Imports
	ids     map[string]int // name → index into names and counts
	names   []string
	counts  []int32
	defined []int32  // the last round that defines the name
	touched []int    // ids counted in this round
	round   int32    // number of the current chunk
	top     []string // the most used names of this round
}

// of returns the import paths that a piece uses, and sets top to the names that it uses most.
func (u *usage) of(s *splitter, p *piece) []string {
	if !u.ready {
		u.prepare(s)
	}
	u.round++
	u.top, u.touched = u.top[:0], u.touched[:0]
	for i, last := s.declsIn(p.span); i < last; i++ {
		u.defined[u.id(s.o.Decls[i].Name)] = u.round
	}
	if p.decl >= 0 {
		u.defined[u.id(s.o.Decls[p.decl].Name)] = u.round
	}
	var paths []string
	seen := -1
	refs := s.o.Refs
	i, _ := slices.BinarySearchFunc(refs, p.span.Start, func(r languages.Ref, at int) int { return r.Span.Start - at })
	for ; i < len(refs) && refs[i].Span.Start < p.span.End; i++ {
		r := &refs[i]
		name, base := r.Name, r.Name
		if r.Receiver != "" {
			base, _, _ = strings.Cut(r.Receiver, ".")
		}
		if k, ok := u.imports[base]; ok {
			if k != seen && !slices.Contains(paths, s.o.Imports[k].Path) {
				paths = append(paths, s.o.Imports[k].Path)
			}
			seen = k
			if base == r.Receiver {
				name = base + "." + name
			}
		}
		switch r.Kind {
		case record.EdgeCalls, record.EdgeCreates, record.EdgeType, record.EdgeExtends, record.EdgeAssociates:
			u.count(name)
		}
	}
	u.rank()
	return paths
}

func (u *usage) prepare(s *splitter) {
	u.ready = true
	u.ids = make(map[string]int, len(s.o.Refs)/4+len(s.o.Decls))
	u.imports = make(map[string]int, len(s.o.Imports))
	for i := range s.o.Imports {
		im := &s.o.Imports[i]
		local := im.Local
		if local == "" {
			local = im.Name
		}
		if _, taken := u.imports[local]; local != "" && local != "*" && !taken {
			u.imports[local] = i
		}
	}
}

func (u *usage) id(name string) int {
	i, ok := u.ids[name]
	if !ok {
		i = len(u.names)
		u.ids[name] = i
		u.names, u.counts, u.defined = append(u.names, name), append(u.counts, 0), append(u.defined, 0)
	}
	return i
}

func (u *usage) count(name string) {
	i := u.id(name)
	if u.counts[i] == 0 {
		u.touched = append(u.touched, i)
	}
	u.counts[i]++
}

// rank fills top with the most used names that the piece does not define; of equally used
// names the first wins.
func (u *usage) rank() {
	for range maxDependencies {
		best := -1
		for _, i := range u.touched {
			if u.defined[i] != u.round && u.counts[i] > 0 && (best < 0 || u.counts[i] > u.counts[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		u.top = append(u.top, u.names[best])
		u.counts[best] = 0
	}
	for _, i := range u.touched {
		u.counts[i] = 0
	}
}
