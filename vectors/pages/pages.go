// Package pages reads a file of bbolt page by page, without its lock and without trust
// in its contents.
//
// bbolt follows page numbers without looking: with a file that is cut off, or whose
// branch pages do not form a tree, it reads beyond its mapping or runs out of stack,
// which no recover catches. [State.Check] finds such files before bbolt opens them.
//
// A file that another process writes to can be read as well. bbolt does not write to the
// pages of a committed state before the second transaction after it: the first one
// writes to pages that were free, and only its successor gives out what it frees. So
// what was read belongs to one state if [State.Unchanged] holds afterwards. A [Cursor] reads a
// state that a transaction of bbolt keeps.
//
// The package reads and never writes. A damaged file is an error, never a panic.
package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
)

// ErrDamaged is returned for a file that bbolt did not leave like this.
var ErrDamaged = errors.New("damaged pages")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// The layout of the pages (package internal/common of bbolt, version 2 of the file),
// little-endian on every machine that ambit is built for:
//
//	page:   id 8 | flags 2 | count 2 | overflow 4 | elements
//	branch: position 4 | key bytes 4 | page 8
//	leaf:   flags 4 | position 4 | key bytes 4 | value bytes 4
//	meta:   magic 4 | version 4 | page bytes 4 | flags 4 | root 8 | sequence 8 | freelist 8 | pages 8 | transaction 8 | sum 8
//	bucket: root 8 | sequence 8 | the page itself, if root is 0
const (
	magic        = 0xED0CDAED
	headerBytes  = 16
	elementBytes = 16
	metaBytes    = 64
	bucketBytes  = 16

	branchFlag   = 0x01
	leafFlag     = 0x02
	freelistFlag = 0x10
	bucketFlag   = 0x01 // of a leaf element

	noFreelist  = ^uint64(0)
	maxDepth    = 32
	maxPageSize = 64 << 10
	firstPages  = 4 // that bbolt writes first: two metas, a freelist and a leaf
)

// State is one committed state of a file.
type State struct {
	file     *os.File
	size     uint64 // of the file
	pageSize uint64
	meta     []byte
}

// Latest returns the latest state of a file. It returns [ErrDamaged] when there is none.
func Latest(file *os.File) (*State, error) {
	s := &State{file: file}
	// bbolt finds the page size in the first meta page or else tries powers of two.
	for at := uint64(0); at <= maxPageSize; at = max(1024, 2*at) {
		b := make([]byte, metaBytes)
		if _, err := file.ReadAt(b, int64(at+headerBytes)); err != nil {
			break
		}
		sum := fnv.New64a()
		sum.Write(b[:56])
		pageSize := uint64(binary.LittleEndian.Uint32(b[8:]))
		if binary.LittleEndian.Uint32(b) != magic || sum.Sum64() != binary.LittleEndian.Uint64(b[56:]) ||
			pageSize < 1024 || pageSize > maxPageSize || at != 0 && at != pageSize {
			continue
		}
		if s.meta == nil || number(b[48:]) > s.transaction() {
			s.meta, s.pageSize = b, pageSize
		}
	}
	info, err := file.Stat() // after the meta page: the file of a state is never shorter than the state
	switch {
	case err != nil:
		return nil, err
	case s.meta == nil:
		return nil, damaged("no valid meta page")
	}
	s.size = uint64(info.Size())
	return s, nil
}

func number(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func (s *State) root() uint64        { return number(s.meta[16:]) }
func (s *State) freelist() uint64    { return number(s.meta[32:]) }
func (s *State) pages() uint64       { return number(s.meta[40:]) } // in use or free
func (s *State) transaction() uint64 { return number(s.meta[48:]) }

// Bytes returns the length of the file up to the last page of the state.
func (s *State) Bytes() int64 { return int64(s.pages() * s.pageSize) }

// Unchanged reports whether the state is still the latest one.
func (s *State) Unchanged() bool {
	now, err := Latest(s.file)
	return err == nil && bytes.Equal(now.meta, s.meta)
}

// Mark identifies the state: a file with another one was written to meanwhile, or is
// another file.
func (s *State) Mark() []byte { return bytes.Clone(s.meta) }

// Unborn reports whether the file is the beginning of a new one and no more, as it is
// when a disk was full or a process killed: nothing was ever in it.
func (s *State) Unborn() bool {
	return s.size < firstPages*s.pageSize && s.pages() == firstPages && s.transaction() <= 1
}

// Check returns [ErrDamaged] when bbolt should not open the file: when it is cut off, its
// list of free pages is wrong, or its branch pages do not form trees. Leaves are not
// read but for the table of tables; 180 MB of index have about 100 branch pages.
func (s *State) Check() error {
	if s.pages() > s.size/s.pageSize {
		return damaged("cut off at %d bytes", s.size)
	}
	if err := s.checkFreePages(); err != nil {
		return err
	}
	w := s.walk()
	return w.tables(func(_, bucket []byte) error {
		if root := number(bucket); root != 0 {
			return w.tree(root, nil)
		}
		return nil
	})
}

// CheckFreelist returns [ErrDamaged] when the page of the list of free pages does not say
// what it is. A commit frees as many pages as it claims to take, one by one and without
// looking: with a header that was spoilt while the file was open, four thousand million.
func (s *State) CheckFreelist() error {
	if s.freelist() == noFreelist {
		return nil
	}
	if pg, err := s.read(s.freelist(), false); err != nil || pg.flags != freelistFlag {
		return damaged("bad list of free pages")
	}
	return nil
}

// checkFreePages checks that the list is as long as it says and names pages of the file.
func (s *State) checkFreePages() error {
	if s.freelist() == noFreelist {
		return nil
	}
	pg, err := s.read(s.freelist(), true)
	if err != nil {
		return err
	}
	n, ids := uint64(pg.count), pg.body
	if n == 0xFFFF {
		n, ids = number(ids), ids[8:]
	}
	if pg.flags != freelistFlag || n > uint64(len(ids)/8) {
		return damaged("bad list of free pages")
	}
	for prev := uint64(1); n > 0; n, ids = n-1, ids[8:] {
		free := number(ids)
		if free <= prev || free >= s.pages() {
			return damaged("bad list of free pages")
		}
		prev = free
	}
	return nil
}

// Each calls fn with the pairs of a table, in order. The slices are valid inside fn only.
func (s *State) Each(table []byte, fn func(key, value []byte) error) error {
	found := false
	w := s.walk()
	err := w.tables(func(name, bucket []byte) error {
		if !bytes.Equal(name, table) {
			return nil
		}
		found = true
		if root := number(bucket); root != 0 {
			return w.tree(root, func(leaf page) error { return leaf.pairs(fn) })
		}
		if len(bucket) < bucketBytes+headerBytes {
			return damaged("bad table of tables")
		}
		return newPage(bucket[bucketBytes:]).pairs(fn)
	})
	if err == nil && !found {
		err = damaged("no table %s", table)
	}
	return err
}

// page is a page without its header, whose fields it has.
type page struct {
	flags, count uint16
	body         []byte
}

func newPage(b []byte) page {
	return page{flags: binary.LittleEndian.Uint16(b[8:]), count: binary.LittleEndian.Uint16(b[10:]), body: b[headerBytes:]}
}

// read returns a page; that of a leaf or a freelist has its overflow only if whole.
func (s *State) read(id uint64, whole bool) (page, error) {
	if id < 2 || id >= s.pages() {
		return page{}, damaged("page %d of %d", id, s.pages())
	}
	b := make([]byte, s.pageSize)
	if _, err := s.file.ReadAt(b, int64(id*s.pageSize)); err != nil {
		return page{}, err
	}
	n, err := lengthOf(b, id, s.pages())
	if err != nil {
		return page{}, err
	}
	if n > 1 && (whole || newPage(b).flags == branchFlag) {
		b = append(b, make([]byte, (n-1)*s.pageSize)...)
		if _, err := s.file.ReadAt(b[s.pageSize:], int64((id+1)*s.pageSize)); err != nil {
			return page{}, err
		}
	}
	return newPage(b), nil
}

// lengthOf returns how many pages the page id takes with its overflow, as its first page b says. A
// state of so many pages has all of them.
func lengthOf(b []byte, id, pages uint64) (uint64, error) {
	overflow := uint64(binary.LittleEndian.Uint32(b[12:]))
	if number(b) != id || overflow >= pages-id {
		return 0, damaged("page %d does not say so", id)
	}
	return overflow + 1, nil
}

// isBranch reports whether the page is a branch with all of its elements.
func (pg *page) isBranch() bool {
	return pg.flags == branchFlag && pg.count > 0 && int(pg.count)*elementBytes <= len(pg.body)
}

// child returns the page that element i of a branch names.
func (pg *page) child(i int) uint64 { return number(pg.body[i*elementBytes+8:]) }

// key returns the first key below child i of a branch.
func (pg *page) key(i int) ([]byte, error) {
	at := i * elementBytes
	start := uint64(at) + uint64(binary.LittleEndian.Uint32(pg.body[at:]))
	end := start + uint64(binary.LittleEndian.Uint32(pg.body[at+4:]))
	if end > uint64(len(pg.body)) {
		return nil, damaged("bad branch")
	}
	return pg.body[start:end], nil
}

// pair returns pair i of a leaf.
func (pg *page) pair(i int) (key, value []byte, err error) {
	le := binary.LittleEndian
	at := i * elementBytes
	if at+elementBytes > len(pg.body) {
		return nil, nil, damaged("bad leaf")
	}
	e := pg.body[at:]
	start := uint64(at) + uint64(le.Uint32(e[4:]))
	middle := start + uint64(le.Uint32(e[8:]))
	end := middle + uint64(le.Uint32(e[12:]))
	if end > uint64(len(pg.body)) {
		return nil, nil, damaged("bad leaf")
	}
	return pg.body[start:middle:middle], pg.body[middle:end:end], nil
}

// pairs calls fn with the pairs of a leaf.
func (pg page) pairs(fn func(key, value []byte) error) error {
	for i := range int(pg.count) {
		key, value, err := pg.pair(i)
		if err == nil {
			err = fn(key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// walker walks the trees of a state; no page may be in two of them.
type walker struct {
	*State
	seen []uint64 // a bit per page: branch pages and their children
}

// walk returns a walker. A bit for each page takes 57 KB for an index of 1.9 GB, a map of the
// pages took 40 MB.
func (s *State) walk() *walker {
	return &walker{s, make([]uint64, min(s.pages(), s.size/s.pageSize)/64+1)}
}

// meet notes a page and reports whether no tree had it before.
func (w *walker) meet(id uint64) bool {
	bit := uint64(1) << (id % 64)
	if w.seen[id/64]&bit != 0 {
		return false
	}
	w.seen[id/64] |= bit
	return true
}

// tables calls fn with the name and the bucket of each table. Tables so small that they
// are inside of a leaf can make one page too little for all.
func (w *walker) tables(fn func(name, bucket []byte) error) error {
	return w.tree(w.root(), func(leaf page) error {
		for i := range int(leaf.count) {
			if at := i * elementBytes; at+elementBytes > len(leaf.body) || binary.LittleEndian.Uint32(leaf.body[at:])&bucketFlag == 0 {
				return damaged("bad table of tables")
			}
		}
		return leaf.pairs(func(name, bucket []byte) error {
			if len(bucket) < bucketBytes {
				return damaged("bad table of tables")
			}
			return fn(name, bucket)
		})
	})
}

// tree checks the pages at and below id: no page is met twice, and all leaves are at the
// depth of the first one. It calls visit, unless nil, with each leaf.
func (w *walker) tree(id uint64, visit func(page) error) error {
	depth, err := w.leafDepth(id)
	if err != nil {
		return err
	}
	return w.branch(id, depth, visit)
}

// leafDepth follows the first children of id down to a leaf.
func (w *walker) leafDepth(id uint64) (int, error) {
	for depth := range maxDepth {
		pg, err := w.read(id, false)
		if err != nil {
			return 0, err
		}
		switch {
		case pg.flags == leafFlag:
			return depth, nil
		case !pg.isBranch():
			return 0, damaged("page %d is neither branch nor leaf", id)
		}
		id = pg.child(0)
	}
	return 0, damaged("pages go round in circles")
}

// branch checks id, which has leaves depth levels below it.
func (w *walker) branch(id uint64, depth int, visit func(page) error) error {
	if id < 2 || id >= w.pages() || id >= w.size/w.pageSize {
		return damaged("page %d of %d", id, w.pages())
	}
	if !w.meet(id) {
		return damaged("page %d is used twice", id)
	}
	if depth == 0 && visit == nil {
		return nil
	}
	pg, err := w.read(id, depth == 0)
	switch {
	case err != nil:
		return err
	case depth == 0 && pg.flags != leafFlag:
		return damaged("page %d is no leaf", id)
	case depth == 0:
		return visit(pg)
	case !pg.isBranch():
		return damaged("page %d is no branch", id)
	}
	for i := range int(pg.count) {
		if err := w.branch(pg.child(i), depth-1, visit); err != nil {
			return err
		}
	}
	return nil
}
