package graph

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"unsafe"

	"ambit/vectors/record"
)

// snapshotVersion is the version of the layout of a snapshot. The caller rebuilds a snapshot
// of another version from the records. From 6 on the files are columns.
const snapshotVersion = 6

var errSnapshot = errors.New("graph snapshot is of another version or damaged")

// Source is a snapshot, of which a [View] reads what it needs. *store.View satisfies it.
type Source interface {
	Len() int
	// Bytes returns the bytes [from, to), which the caller does not change. They are aligned
	// to four bytes where from is.
	Bytes(from, to int) []byte
}

// memory is a Source in memory.
type memory []byte

// Len implements [Source].
func (m memory) Len() int { return len(m) }

// Bytes implements [Source].
func (m memory) Bytes(from, to int) []byte { return m[from:to:to] }

// column is an array of n elements, in memory or in a Source from an offset on.
type column[T any] struct {
	data []T
	src  Source // nil for one in memory
	at   int
	n    int
}

func inMemory[T any](data []T) column[T] { return column[T]{data: data, n: len(data)} }

// cut returns the elements [from, to), none unless they are in the column. The caller does not change them.
func (c *column[T]) cut(from, to int) []T {
	switch {
	case from >= to || from < 0 || to > c.n:
		return nil
	case c.src == nil:
		return c.data[from:to:to]
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	return viewAs[T](c.src.Bytes(c.at+from*size, c.at+to*size))
}

func (c *column[T]) get(i int) T {
	if c.src == nil {
		return c.data[i]
	}
	return c.cut(i, i+1)[0]
}

// of returns the elements that are filed under number i, of which ends has the ends.
func (c *column[T]) of(ends *column[uint32], i int) []T {
	switch {
	case ends.src == nil:
		return c.cut(int(before(ends.data, i)), int(ends.data[i]))
	case i == 0:
		return c.cut(0, int(ends.get(0)))
	}
	both := ends.cut(i-1, i+1)
	return c.cut(int(both[0]), int(both[1]))
}

// viewAs views bytes as an array. It copies them when they are not aligned.
func viewAs[T any](b []byte) []T {
	var zero T
	n := len(b) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	if uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(zero) != 0 {
		out := make([]T, n)
		copy(bytesOf(out), b)
		return out
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// bytesOf views an array as bytes.
func bytesOf[T any](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(a[0])))
}

// A segment in a snapshot is a head, see the constants, then its arrays, what its files are, and the
// sum of all that, in a multiple of four bytes. Of the files there is an array each of their keys, of the number of
// their kin and whether they are tests, see factsOf, of their shares, see [ranks], and of the ends of
// their paths; then the paths, and the kins. Numbers are little endian, as the arrays are
// in memory on every platform that ambit is built for.
const (
	headVersion = iota
	headFiles
	headNames // their number
	headSlots
	headDefs
	headUses
	headNameBytes
	headPathBytes
	headKins // their number
	headKinBytes
	headWords
)

const sumBytes = 4

// encode returns the segment in pieces that share its memory. Shares are those of its files,
// see [ranks].
func (s *segment) encode(shares []int) [][]byte {
	n := len(s.files)
	keys, facts, saved, ends := make([]record.Key, n), make([]uint32, n), make([]uint32, n), make([]uint32, n)
	var paths, kins []byte
	numbers := map[kin]uint32{}
	for i, f := range s.files {
		number, ok := numbers[*f.kin]
		if !ok {
			number = uint32(len(numbers))
			numbers[*f.kin] = number
			kins = appendString(appendString(kins, f.language), f.pkg)
		}
		paths = append(paths, f.path...)
		keys[i], facts[i], saved[i], ends[i] = f.key, factsOf(number, f.test), uint32(shares[i]), uint32(len(paths))
	}
	for (s.names.n+len(paths)+len(kins))%4 != 0 {
		kins = append(kins, 0)
	}
	head := []uint32{snapshotVersion, uint32(n), uint32(s.ends.n), uint32(s.slots.n), uint32(s.defs.n), uint32(s.uses.n), uint32(s.names.n),
		uint32(len(paths)), uint32(len(numbers)), uint32(len(kins))}
	pieces := [][]byte{bytesOf(head), bytesOf(whole(&s.ends)), bytesOf(whole(&s.slots)), bytesOf(whole(&s.defEnds)), bytesOf(whole(&s.defs)),
		bytesOf(whole(&s.useEnds)), bytesOf(whole(&s.uses)), bytesOf(keys), bytesOf(facts), bytesOf(saved), bytesOf(ends), whole(&s.names), paths, kins}
	sum := uint32(0)
	for _, piece := range pieces {
		sum = crc32.Update(sum, castagnoli, piece)
	}
	return append(pieces, binary.LittleEndian.AppendUint32(nil, sum))
}

// factsOf packs the number of the kin of a file and whether it is a test.
func factsOf(kin uint32, test bool) uint32 {
	if test {
		return kin<<1 | 1
	}
	return kin << 1
}

func whole[T any](c *column[T]) []T { return c.cut(0, c.n) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openSegment opens the segment that begins at an offset of a snapshot, and reads its files.
// It returns their list and the end of the segment. Live are the files of the index.
func openSegment(src Source, at int, live []record.Row) (s *segment, l savedFiles, end int, err error) {
	c := cutter{src: src, at: at, ok: true}
	headColumn := cut[uint32](&c, headWords)
	if !c.ok {
		return nil, l, 0, errSnapshot
	}
	head := whole(&headColumn)
	if head[headVersion] != snapshotVersion {
		return nil, l, 0, errSnapshot
	}
	number := func(i int) int { return int(head[i]) }
	s = &segment{}
	s.ends = cut[uint32](&c, number(headNames))
	s.slots = cut[uint32](&c, number(headSlots))
	s.defEnds = cut[uint32](&c, number(headNames))
	s.defs = cut[def](&c, number(headDefs))
	s.useEnds = cut[uint32](&c, number(headNames))
	s.uses = cut[uint32](&c, number(headUses))
	files := fileColumns{
		keys: cut[record.Key](&c, number(headFiles)), facts: cut[uint32](&c, number(headFiles)), shares: cut[uint32](&c, number(headFiles)),
		ends: cut[uint32](&c, number(headFiles)),
	}
	s.names = cut[byte](&c, number(headNameBytes))
	files.paths = cut[byte](&c, number(headPathBytes))
	kins := cut[byte](&c, number(headKinBytes))
	cut[byte](&c, sumBytes)
	if !c.ok {
		return nil, l, 0, errSnapshot
	}
	if files.kins, err = readKins(whole(&kins), number(headKins)); err != nil {
		return nil, l, 0, err
	}
	if l, err = files.read(live); err != nil {
		return nil, l, 0, err
	}
	s.files = l.files
	return s, l, c.at, nil
}

// savedFiles are the files of a saved segment.
type savedFiles struct {
	files  []fileEntry
	shares []int  // of each, see [ranks]
	gone   []bool // whether each is not in the index, or has another key there
}

// fileColumns are the files of a saved segment as they are stored.
type fileColumns struct {
	keys                column[record.Key]
	facts, shares, ends column[uint32]
	paths               column[byte]
	kins                []*kin
}

// read reads the files. Live are those of the index, by path: what they know of a file is not read.
func (c *fileColumns) read(live []record.Row) (savedFiles, error) {
	n := c.keys.n
	l := savedFiles{make([]fileEntry, n), make([]int, n), make([]bool, n)}
	keys, facts, shares := whole(&c.keys), whole(&c.facts), whole(&c.shares)
	for i, key := range keys {
		number := int(facts[i] >> 1)
		if number >= len(c.kins) {
			return l, errSnapshot
		}
		f := &l.files[i]
		f.kin, f.key, f.test, l.shares[i] = c.kins[number], key, facts[i]&1 == 1, int(shares[i])
		for len(live) > 0 && !live[0].Indexed() {
			live = live[1:]
		}
		if len(live) == 0 || live[0].Key() != key { // no two files have one key
			path := record.Path(c.paths.of(&c.ends, i))
			at, found := slices.BinarySearchFunc(live, path, func(r record.Row, p record.Path) int { return cmp.Compare(r.Path(), p) })
			if live = live[at:]; !found || live[0].Key() != key {
				f.path, l.gone[i] = path, true
				continue
			}
		}
		f.path, live = live[0].Path(), live[1:]
	}
	return l, nil
}

// readKins reads n kins. It keeps nothing of data.
func readKins(data []byte, n int) ([]*kin, error) {
	f := fieldReader{data: data, ok: true}
	var kins []*kin
	for len(kins) < n && f.ok {
		kins = append(kins, &kin{strings.Clone(f.str()), strings.Clone(f.str())})
	}
	if !f.ok {
		return nil, errSnapshot
	}
	return kins, nil
}

// checkSum compares the sum of the segment that lies in data.
func checkSum(data []byte) error {
	n := len(data) - sumBytes
	if crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return errSnapshot
	}
	return nil
}

// valid reports whether every index of the segment lies in its array. The checksum detects
// damage; valid detects a blob that encode has not written.
func (s *segment) valid() bool {
	n, nFiles := s.ends.n, uint32(len(s.files))
	if !ascending(whole(&s.ends), s.names.n) || !ascending(whole(&s.defEnds), s.defs.n) || !ascending(whole(&s.useEnds), s.uses.n) {
		return false
	}
	// An empty slot ends every search, so there has to be one.
	if size := s.slots.n; size&(size-1) != 0 || size <= n && size > 0 || size == 0 && n > 0 {
		return false
	}
	filled := 0
	for _, slot := range whole(&s.slots) {
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
	for _, d := range whole(&s.defs) {
		if d.file >= nFiles || int(d.kind) >= len(kinds) || d.symbol > math.MaxInt32 {
			return false
		}
	}
	for _, u := range whole(&s.uses) {
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

// cutter cuts columns off a Source.
type cutter struct {
	src Source
	at  int
	ok  bool
}

func cut[T any](r *cutter, n int) column[T] {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if left := r.src.Len() - r.at; !r.ok || n < 0 || n > left/size {
		r.ok = false
		return column[T]{}
	}
	c := column[T]{src: r.src, at: r.at, n: n}
	if m, ok := r.src.(memory); ok { // read where it is, without a call
		c = inMemory(viewAs[T](m[r.at : r.at+n*size]))
	}
	r.at += n * size
	return c
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
