package graph

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"iter"
	"math"
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
	blob  string   // all names, one after the other
	ends  []uint32 // n; name i is blob[ends[i-1]:ends[i]]
	slots []uint32 // open addressing, power of two; number of the name plus 1, 0 is empty

	defEnds []uint32 // n; definitions of name i are defs[defEnds[i-1]:defEnds[i]]
	defs    []def    // of each name by file and symbol
	useEnds []uint32 // n; users of name i are uses[useEnds[i-1]:useEnds[i]]
	uses    []uint32 // indexes into files, ascending for each name

	once   sync.Once // guards places, which is made on first use
	places places

	lowered sync.Once // guards names, which is made on first use
	names   []string  // of each file and the directory that it is in, in lower case
}

// fileEntry is the part of a file's record that the index keeps in memory.
type fileEntry struct {
	path     record.Path
	key      record.Key
	language string
	pkg      string
	test     bool
}

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
	record.KindDocument, record.KindFile, record.KindText}

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
	if len(s.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(s.slots) - 1)
	for i := hashName(name) & mask; ; i = (i + 1) & mask {
		n := s.slots[i]
		if n == 0 {
			return 0, false
		}
		if s.name(int(n-1)) == name {
			return int(n - 1), true
		}
	}
}

func (s *segment) name(i int) string { return s.blob[before(s.ends, i):s.ends[i]] }

func (s *segment) defsOf(i int) []def    { return s.defs[before(s.defEnds, i):s.defEnds[i]] }
func (s *segment) usesOf(i int) []uint32 { return s.uses[before(s.useEnds, i):s.useEnds[i]] }

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
		s.files = append(s.files, fileEntry{r.File.Path, r.File.Key, r.File.Language, strings.Clone(g.Package), g.Test})
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
	var blob strings.Builder
	s.ends = make([]uint32, len(names))
	for r, id := range order {
		rank[id] = uint32(r)
		blob.WriteString(names[id])
		s.ends[r] = uint32(blob.Len())
	}
	s.blob = blob.String()
	for i := range defs {
		defs[i].name = rank[defs[i].name]
	}
	for i := range uses {
		uses[i].name = rank[uses[i].name]
	}
	s.defEnds, s.defs = file(len(names), defs)
	s.useEnds, s.uses = file(len(names), uses)
	s.sort()
	s.dedupeUses()
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

// sort sorts the definitions and the users of each name.
func (s *segment) sort() {
	sortEach(s.defEnds, s.defs, func(a, b def) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.symbol, b.symbol)) })
	sortEach(s.useEnds, s.uses, cmp.Compare[uint32])
}

// dedupeUses keeps each user of a name once; the uses of a name are ascending.
func (s *segment) dedupeUses() {
	out := s.uses[:0]
	start := uint32(0)
	for i, end := range s.useEnds {
		out = append(out, slices.Compact(s.uses[start:end])...)
		start = end
		s.useEnds[i] = uint32(len(out))
	}
	s.uses = slices.Clip(out)
}

func (s *segment) hash() {
	size := 16
	for size < 2*len(s.ends) {
		size *= 2
	}
	s.slots = make([]uint32, size)
	mask := uint32(size - 1)
	for n := range s.ends {
		i := hashName(s.name(n)) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n + 1)
	}
}

// snapshotVersion is the version of the layout of a snapshot. The caller rebuilds a snapshot
// of another version from the records.
const snapshotVersion = 3

var errSnapshot = errors.New("graph snapshot is of another version or damaged")

// encode returns the segment as one blob, in pieces that share its memory: a header of
// counts, the arrays, the files, a checksum. Little endian, as the arrays are in memory on
// every platform that ambit is built for.
func (s *segment) encode() [][]byte {
	var files []byte
	for _, f := range s.files {
		files = appendString(files, string(f.path))
		files = binary.AppendUvarint(files, uint64(f.key))
		files = appendString(files, f.language)
		files = appendString(files, f.pkg)
		t := byte(0)
		if f.test {
			t = 1
		}
		files = append(files, t)
	}
	head := []uint32{snapshotVersion, uint32(len(s.files)), uint32(len(s.ends)), uint32(len(s.slots)), uint32(len(s.defs)), uint32(len(s.uses)), uint32(len(s.blob)), uint32(len(files))}
	blob := unsafe.Slice(unsafe.StringData(s.blob), len(s.blob))
	pieces := [][]byte{bytesOf(head), bytesOf(s.ends), bytesOf(s.slots), bytesOf(s.defEnds), bytesOf(s.defs), bytesOf(s.useEnds), bytesOf(s.uses), blob, files}
	sum := uint32(0)
	for _, piece := range pieces {
		sum = crc32.Update(sum, castagnoli, piece)
	}
	return append(pieces, binary.LittleEndian.AppendUint32(nil, sum))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// decode reads a blob that encode wrote. The segment keeps data.
func decode(data []byte) (*segment, error) {
	const headWords = 8
	n := len(data) - 4
	if n < headWords*4 || crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, errSnapshot
	}
	r := blobReader{data: data[:n], ok: true}
	head := array[uint32](&r, headWords)
	if !r.ok || head[0] != snapshotVersion {
		return nil, errSnapshot
	}
	s := &segment{}
	s.ends = array[uint32](&r, int(head[2]))
	s.slots = array[uint32](&r, int(head[3]))
	s.defEnds = array[uint32](&r, int(head[2]))
	s.defs = array[def](&r, int(head[4]))
	s.useEnds = array[uint32](&r, int(head[2]))
	s.uses = array[uint32](&r, int(head[5]))
	blob := array[byte](&r, int(head[6]))
	files := array[byte](&r, int(head[7]))
	if !r.ok {
		return nil, errSnapshot
	}
	s.blob = unsafe.String(unsafe.SliceData(blob), len(blob))
	if uint64(head[1]) > uint64(len(files)) { // a file takes more than a byte
		return nil, errSnapshot
	}
	s.files = make([]fileEntry, 0, head[1])
	f := fieldReader{data: files, ok: true}
	for range head[1] {
		e := fileEntry{path: record.Path(f.str()), key: record.Key(f.number()), language: f.str(), pkg: f.str(), test: f.number() == 1}
		s.files = append(s.files, e)
	}
	if !f.ok || !s.valid() {
		return nil, errSnapshot
	}
	return s, nil
}

// valid reports whether every index of the segment lies in its array. The checksum detects
// damage; valid detects a blob that encode has not written.
func (s *segment) valid() bool {
	n, nFiles := len(s.ends), uint32(len(s.files))
	if !ascending(s.ends, len(s.blob)) || !ascending(s.defEnds, len(s.defs)) || !ascending(s.useEnds, len(s.uses)) {
		return false
	}
	// An empty slot ends every search, so there has to be one.
	if size := len(s.slots); size&(size-1) != 0 || size <= n && size > 0 || size == 0 && n > 0 {
		return false
	}
	filled := 0
	for _, slot := range s.slots {
		if int64(slot) > int64(n) {
			return false
		}
		if slot != 0 {
			filled++
		}
	}
	if filled > n {
		return false
	}
	if !slices.IsSortedFunc(s.files, func(a, b fileEntry) int { return cmp.Compare(a.path, b.path) }) {
		return false
	}
	for i := range s.defs {
		if d := &s.defs[i]; d.file >= nFiles || int(d.kind) >= len(kinds) || d.symbol > math.MaxInt32 {
			return false
		}
	}
	for _, u := range s.uses {
		if u >= nFiles {
			return false
		}
	}
	return true
}

// ascending reports whether ends never descend and the last one is total.
func ascending(ends []uint32, total int) bool {
	return slices.IsSorted(ends) && int(before(ends, len(ends))) == total
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// bytesOf views an array as bytes.
func bytesOf[T any](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(a[0])))
}

// blobReader cuts arrays off a blob.
type blobReader struct {
	data []byte
	ok   bool
}

func array[T any](r *blobReader, n int) []T {
	var zero T
	size := n * int(unsafe.Sizeof(zero))
	if !r.ok || n < 0 || n > len(r.data) || size > len(r.data) {
		r.ok = false
		return nil
	}
	part := r.data[:size]
	r.data = r.data[size:]
	if n == 0 {
		return nil
	}
	if uintptr(unsafe.Pointer(&part[0]))%unsafe.Alignof(zero) != 0 {
		out := make([]T, n)
		copy(bytesOf(out), part)
		return out
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&part[0])), n)
}

// fieldReader cuts strings and numbers off a blob.
type fieldReader struct {
	data []byte
	ok   bool
}

func (f *fieldReader) number() uint64 {
	n, size := binary.Uvarint(f.data)
	if size <= 0 {
		f.ok = false
		return 0
	}
	f.data = f.data[size:]
	return n
}

func (f *fieldReader) str() string {
	n := f.number()
	if n > uint64(len(f.data)) {
		f.ok = false
		return ""
	}
	s := unsafe.String(unsafe.SliceData(f.data), int(n))
	f.data = f.data[n:]
	return s
}
