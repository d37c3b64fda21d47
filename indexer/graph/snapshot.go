package graph

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"unsafe"

	"ambit/vectors/record"
)

// snapshotVersion is the version of the layout of a snapshot. The caller rebuilds a snapshot
// of another version from the records. From 5 on the uses have the sources that files include.
const snapshotVersion = 5

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

// A segment in a snapshot is a head, see the constants, then its arrays, its files and the
// sum of all that, in a multiple of four bytes. Numbers are little endian, as the arrays are
// in memory on every platform that ambit is built for.
const (
	headVersion = iota
	headFiles
	headNames // their number
	headSlots
	headDefs
	headUses
	headNameBytes
	headFileBytes
	headWords
)

const sumBytes = 4

// encode returns the segment in pieces that share its memory. Shares are those of its files,
// see [ranks].
func (s *segment) encode(shares []int) [][]byte {
	var files []byte
	for i, f := range s.files {
		files = appendString(files, string(f.path))
		files = binary.AppendUvarint(files, uint64(f.key))
		files = appendString(files, f.language)
		files = appendString(files, f.pkg)
		t := byte(0)
		if f.test {
			t = 1
		}
		files = append(files, t)
		files = binary.AppendUvarint(files, uint64(shares[i]))
	}
	for (len(files)+s.names.n)%4 != 0 {
		files = append(files, 0)
	}
	head := []uint32{snapshotVersion, uint32(len(s.files)), uint32(s.ends.n), uint32(s.slots.n), uint32(s.defs.n), uint32(s.uses.n), uint32(s.names.n), uint32(len(files))}
	pieces := [][]byte{bytesOf(head), bytesOf(whole(&s.ends)), bytesOf(whole(&s.slots)), bytesOf(whole(&s.defEnds)), bytesOf(whole(&s.defs)),
		bytesOf(whole(&s.useEnds)), bytesOf(whole(&s.uses)), whole(&s.names), files}
	sum := uint32(0)
	for _, piece := range pieces {
		sum = crc32.Update(sum, castagnoli, piece)
	}
	return append(pieces, binary.LittleEndian.AppendUint32(nil, sum))
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
	s.names = cut[byte](&c, number(headNameBytes))
	files := cut[byte](&c, number(headFileBytes))
	cut[byte](&c, sumBytes)
	if !c.ok || number(headFiles) > files.n { // a file takes more than a byte
		return nil, l, 0, errSnapshot
	}
	if l, err = readFiles(&files, number(headFiles), live); err != nil {
		return nil, l, 0, err
	}
	s.files = l.files
	return s, l, c.at, nil
}

// windowBytes is how much of the files of a segment is read at a time, and leastWindow what is
// left of it when more is read; a file that takes more makes the window that of all files.
const (
	windowBytes = 1 << 20
	leastWindow = 64 << 10
)

// window returns a function that returns the bytes [from, to) as long as it is not called again.
func (c *column[T]) window() func(from, to int) []T {
	source, ok := c.src.(io.ReaderAt)
	if !ok {
		return c.cut
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	var room []T
	return func(from, to int) []T {
		if from >= to || from < 0 || to > c.n {
			return nil
		}
		room = slices.Grow(room[:0], to-from)[:to-from]
		if _, err := source.ReadAt(bytesOf(room), int64(c.at+from*size)); err != nil {
			clear(room)
		}
		return room
	}
}

// savedFiles are the files of a saved segment.
type savedFiles struct {
	files  []fileEntry
	shares []int  // of each, see [ranks]
	gone   []bool // whether each is not in the index, or has another key there
}

// readFiles reads n files of a segment. It keeps nothing of data: the paths are those of live,
// the files of the index by path, where they are equal.
func readFiles(data *column[byte], n int, live []record.Row) (savedFiles, error) {
	l := savedFiles{make([]fileEntry, 0, n), make([]int, 0, n), make([]bool, n)}
	kins, last := map[kin]*kin{}, &kin{}
	shared := func(k kin) *kin {
		if k == *last { // that of the file before, which is mostly of the same directory
			return last
		}
		if last = kins[k]; last == nil {
			last = &kin{strings.Clone(k.language), strings.Clone(k.pkg)}
			kins[*last] = last
		}
		return last
	}
	window := data.window()
	f, read := fieldReader{ok: true}, 0
	for i := range n {
		if left := len(f.data); left < leastWindow && read < data.n {
			to := min(read-left+windowBytes, data.n)
			f.data, read = window(read-left, to), to
		}
		start := read - len(f.data)
		e, of, share := f.entry()
		if !f.ok && read < data.n {
			f, read = fieldReader{data: data.cut(start, data.n), ok: true}, data.n
			e, of, share = f.entry()
		}
		for len(live) > 0 && live[0].Path() != e.path && live[0].Path() < e.path {
			live = live[1:]
		}
		if len(live) > 0 && live[0].Path() == e.path {
			e.path, l.gone[i] = live[0].Path(), live[0].Key() != e.key
		} else {
			e.path, l.gone[i] = record.Path(strings.Clone(string(e.path))), true
		}
		e.kin = shared(of)
		l.files, l.shares = append(l.files, e), append(l.shares, share)
	}
	if !f.ok {
		return l, errSnapshot
	}
	return l, nil
}

// entry reads a file, less its kin, which it returns too, and its share. The strings are those
// of the data.
func (f *fieldReader) entry() (e fileEntry, of kin, share int) {
	e.path, e.key = record.Path(f.str()), record.Key(f.number())
	of.language, of.pkg = f.str(), f.str()
	e.test = f.number() == 1
	return e, of, int(f.number())
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
