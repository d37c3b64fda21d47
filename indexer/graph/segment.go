package graph

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// segment is an immutable part of the index: the names that some files define and
// use, as flat arrays that are read in place after a restore.
//
// Names are numbered by their byte order, files by the byte order of their paths.
type segment struct {
	files []fileEntry
	names column[byte]   // one after the other
	ends  column[uint32] // n; name i is names[ends[i-1]:ends[i]]
	slots column[uint32] // open addressing, power of two; number of the name plus 1, 0 is empty

	defEnds column[uint32] // n; definitions of name i are defs[defEnds[i-1]:defEnds[i]]
	defs    column[def]    // of each name by file and symbol
	useEnds column[uint32] // n; users of name i are uses[useEnds[i-1]:useEnds[i]]
	uses    column[uint32] // indexes into files, ascending for each name

	once   sync.Once // guards places, which is made on first use
	places places
}

// fileEntry is the part of a file's record that the index keeps in memory.
type fileEntry struct {
	*kin
	path record.Path
	key  record.Key
	test bool
}

// kin is what many files have in common, and share: of 200,000 files each takes 32 bytes less.
type kin struct{ language, pkg string }

// def is one definition. Its size decides that of the index: the Go standard library has
// 250,000 definitions.
type def struct {
	file      uint32
	symbol    uint32 // index into FileGraph.Symbols
	container uint32 // hash of the last component of the container's name, 0 for none
	kind      uint8
	flags     uint8
	_         uint16
}

const (
	flagExported = 1 << iota
	flagTest
	flagBodiless // a declaration without a body: a prototype, an abstract method
)

// kinds numbers the kinds of symbols for def.kind. New kinds go to the end.
var kinds = []record.Kind{"", record.KindFunction, record.KindMethod, record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindType,
	record.KindModule, record.KindField, record.KindVariable, record.KindConstant, record.KindMacro, record.KindImpl, record.KindTest, record.KindSection,
	record.KindDocument, record.KindFile, record.KindText, record.KindView}

func kindNumber(k record.Kind) uint8 { return uint8(max(0, slices.Index(kinds, k))) }

// hashName returns the 32-bit FNV-1a hash of a name. Snapshots store it.
func hashName(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// containerHash returns the hash in def.container of the members of a type.
func containerHash(container string) uint32 {
	if container == "" {
		return 0
	}
	_, last := languages.CutLast(container)
	return max(hashName(last), 1)
}

// lookup returns the number of a name.
func (s *segment) lookup(name string) (int, bool) {
	if s.slots.n == 0 {
		return 0, false
	}
	mask := uint32(s.slots.n - 1)
	for i := hashName(name) & mask; ; i = (i + 1) & mask {
		n := s.slots.get(int(i))
		if n == 0 || int(n) > s.ends.n {
			return 0, false
		}
		if s.name(int(n-1)) == name {
			return int(n - 1), true
		}
	}
}

func (s *segment) name(i int) string {
	b := s.names.of(&s.ends, i)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

func (s *segment) defsOf(i int) []def    { return s.defs.of(&s.defEnds, i) }
func (s *segment) usesOf(i int) []uint32 { return s.uses.of(&s.useEnds, i) }

// users yields the files that use a name, each once. With library these are also those that use the
// name in a standard library.
func (s *segment) users(name string, library bool) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		var plain []uint32
		if n, ok := s.lookup(name); ok {
			plain = s.usesOf(n)
		}
		for _, f := range plain {
			if !yield(f) {
				return
			}
		}
		if !library {
			return
		}
		n, ok := s.lookup(languages.Library + name)
		if !ok {
			return
		}
		for _, f := range s.usesOf(n) {
			if _, both := slices.BinarySearch(plain, f); !both && !yield(f) {
				return
			}
		}
	}
}

func before(ends []uint32, i int) uint32 {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

// below returns the files in and below a directory that is not the root: from first up to
// end, end excluded.
func (s *segment) below(dir string) (first, end int) {
	at := func(prefix string) int {
		i, _ := s.find(record.Path(prefix))
		return i
	}
	return at(dir + "/"), at(dir + "0") // the character after the slash
}

// find returns the number of a file.
func (s *segment) find(p record.Path) (int, bool) {
	return slices.BinarySearchFunc(s.files, p, func(f fileEntry, p record.Path) int { return strings.Compare(string(f.path), string(p)) })
}

// build returns a segment with the graphs of some files.
func build(records []record.FileRecord) *segment {
	s := &segment{}
	interned := make(map[string]uint32, 1<<12)
	var names []string
	var defs []pair[def]
	var uses []pair[uint32]
	intern := func(n string) uint32 {
		id, ok := interned[n]
		if !ok {
			id = uint32(len(names))
			n = strings.Clone(n) // a name is a slice of its file's text
			interned[n] = id
			names = append(names, n)
		}
		return id
	}
	for _, r := range byPath(records) {
		if r.File.LeftOut != "" {
			continue
		}
		f := uint32(len(s.files))
		g := &r.Graph
		s.files = append(s.files, fileEntry{&kin{r.File.Language, strings.Clone(g.Package)}, r.File.Path, r.File.Key, g.Test})
		for i := range g.Symbols {
			y := &g.Symbols[i]
			d := def{file: f, symbol: uint32(i), container: containerHash(y.Container), kind: kindNumber(y.Kind)}
			if y.Exported {
				d.flags |= flagExported
			}
			if y.Test {
				d.flags |= flagTest
			}
			if y.Body.End <= y.Body.Start {
				d.flags |= flagBodiless
			}
			defs = append(defs, pair[def]{intern(y.Name), d})
		}
		for i := range g.Edges {
			name := g.Edges[i].Name
			if strings.HasPrefix(g.Edges[i].Receiver, languages.Library) {
				name = languages.Library + name // no use of what the workspace declares
			}
			uses = append(uses, pair[uint32]{intern(name), f})
		}
		for _, name := range append(includedSources(g), defaultImports(g)...) {
			uses = append(uses, pair[uint32]{intern(name), f})
		}
	}
	s.fill(names, defs, uses)
	return s
}

// byPath returns the records ordered by path.
func byPath(records []record.FileRecord) []*record.FileRecord {
	sorted := make([]*record.FileRecord, len(records))
	for i := range records {
		sorted[i] = &records[i]
	}
	slices.SortFunc(sorted, func(a, b *record.FileRecord) int { return cmp.Compare(a.File.Path, b.File.Path) })
	return sorted
}

// pair is a value filed under the number of a name.
type pair[T any] struct {
	name  uint32
	value T
}

// fill sets the arrays from names in any order and the values that are filed under them.
func (s *segment) fill(names []string, defs []pair[def], uses []pair[uint32]) {
	order := make([]uint32, len(names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(names[a], names[b]) })
	rank := make([]uint32, len(names))
	var all []byte
	ends := make([]uint32, len(names))
	for r, id := range order {
		rank[id] = uint32(r)
		all = append(all, names[id]...)
		ends[r] = uint32(len(all))
	}
	s.names, s.ends = inMemory(slices.Clip(all)), inMemory(ends)
	for i := range defs {
		defs[i].name = rank[defs[i].name]
	}
	for i := range uses {
		uses[i].name = rank[uses[i].name]
	}
	defEnds, sortedDefs := file(len(names), defs)
	useEnds, sortedUses := file(len(names), uses)
	sortDefs(defEnds, sortedDefs)
	sortUses(useEnds, sortedUses)
	s.defEnds, s.defs = inMemory(defEnds), inMemory(sortedDefs)
	s.useEnds, s.uses = inMemory(useEnds), inMemory(dedupeUses(useEnds, sortedUses))
	s.hash()
}

// file sorts values by name with a counting sort, which keeps their order.
func file[T any](n int, pairs []pair[T]) (ends []uint32, values []T) {
	ends = make([]uint32, n)
	for _, p := range pairs {
		ends[p.name]++
	}
	sum := uint32(0)
	next := make([]uint32, n)
	for i := range ends {
		next[i] = sum
		sum += ends[i]
		ends[i] = sum
	}
	values = make([]T, len(pairs))
	for _, p := range pairs {
		values[next[p.name]] = p.value
		next[p.name]++
	}
	return ends, values
}

// sortEach sorts the values of each name, unless they are sorted: values of one part are.
func sortEach[T any](ends []uint32, values []T, compare func(a, b T) int) {
	for i := range ends {
		if part := values[before(ends, i):ends[i]]; !slices.IsSortedFunc(part, compare) {
			slices.SortFunc(part, compare)
		}
	}
}

func sortDefs(ends []uint32, defs []def) {
	sortEach(ends, defs, func(a, b def) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.symbol, b.symbol)) })
}

func sortUses(ends, uses []uint32) { sortEach(ends, uses, cmp.Compare[uint32]) }

// dedupeUses keeps each user of a name once; the uses of a name are ascending. It moves the
// ends.
func dedupeUses(ends, uses []uint32) []uint32 {
	out := uses[:0]
	start := uint32(0)
	for i, end := range ends {
		out = append(out, slices.Compact(uses[start:end])...)
		start = end
		ends[i] = uint32(len(out))
	}
	return slices.Clip(out)
}

// hash makes the table of slots.
func (s *segment) hash() {
	size := 16
	for size < 2*s.ends.n {
		size *= 2
	}
	slots := make([]uint32, size)
	mask := uint32(size - 1)
	for n := range s.ends.n {
		i := hashName(s.name(n)) & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = uint32(n + 1)
	}
	s.slots = inMemory(slots)
}
