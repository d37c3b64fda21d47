package store

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// inspect returns [ErrCorrupt] for a file whose pages would lead bbolt astray: one
// that is cut off, or whose branch pages do not form a tree. bbolt follows page
// numbers without looking, and a loop of them is a stack overflow, which no recover
// catches. Leaves are not read, as every value has a checksum; 180 MB of index have
// about 100 branch pages. A file that is absent or empty is fine.
func inspect(path string, timeout time.Duration) (err error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file; remove it")
	case info.Size() == 0:
		return nil
	}
	// Opened for reading, bbolt locks writers out and follows no page numbers.
	var file *os.File
	b, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: timeout, ReadOnly: true, NoStatistics: true,
		OpenFile: func(name string, flag int, perm os.FileMode) (*os.File, error) {
			var err error
			file, err = os.OpenFile(name, flag, perm)
			return file, err
		},
	})
	if err != nil {
		if _, system := errors.AsType[syscall.Errno](err); system || errors.Is(err, bolterrors.ErrTimeout) {
			return err
		}
		return corruptf("%v", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p := pages{file: file, size: info.Size()}
	return p.check()
}

// The layout of bbolt's pages (its package internal/common, version 2 of the file),
// little-endian on every machine that ambit is built for:
//
//	page:   id 8 | flags 2 | count 2 | overflow 4 | elements
//	branch: position 4 | key bytes 4 | page 8
//	leaf:   flags 4 | position 4 | key bytes 4 | value bytes 4
//	meta:   magic 4 | version 4 | page bytes 4 | flags 4 | root 8 | sequence 8 | freelist 8 | pages 8 | transaction 8 | sum 8
const (
	pageHeaderBytes = 16
	elementBytes    = 16
	metaBytes       = 64

	branchFlag   = 0x01
	leafFlag     = 0x02
	freelistFlag = 0x10
	bucketFlag   = 0x01 // of a leaf element

	noFreelist  = ^uint64(0)
	bucketBytes = 16 // of the value of a bucket: root page, sequence
	maxDepth    = 32
	maxPageSize = 64 << 10
)

// pages reads the pages of a file.
type pages struct {
	file     io.ReaderAt
	size     int64
	pageSize uint64
	n        uint64          // pages in use, or free, from 0
	seen     map[uint64]bool // branch pages and their children
}

// page is the header of one and the bytes behind it.
type page struct {
	flags, count uint16
	body         []byte
}

func (p *pages) check() error {
	meta, err := p.meta()
	if err != nil {
		return err
	}
	root, freelist := binary.LittleEndian.Uint64(meta[16:]), binary.LittleEndian.Uint64(meta[32:])
	p.n = binary.LittleEndian.Uint64(meta[40:])
	if p.n > uint64(p.size)/p.pageSize {
		return corruptf("cut off at %d bytes", p.size)
	}
	p.seen = make(map[uint64]bool)
	if freelist != noFreelist {
		if err := p.freelist(freelist); err != nil {
			return err
		}
	}
	depth, err := p.leafDepth(root)
	if err != nil {
		return err
	}
	if err := p.branch(root, depth); err != nil {
		return err
	}
	return p.tables(root, depth)
}

// tables checks the tables that are named at and below page id, which has been checked
// and has leaves depth levels below it. Tables so small that they are inside of a leaf
// can make one page too little for all.
func (p *pages) tables(id uint64, depth int) error {
	pg, err := p.read(id)
	if err != nil {
		return err
	}
	if depth == 0 && pg.flags != leafFlag {
		return corruptf("page %d is no leaf", id)
	}
	for i := range int(pg.count) {
		if depth > 0 {
			err = p.tables(binary.LittleEndian.Uint64(pg.body[i*elementBytes+8:]), depth-1)
		} else if id, err = pg.bucketRoot(i); err == nil && id != 0 {
			err = p.tree(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// meta returns the valid meta page of the later transaction.
func (p *pages) meta() ([]byte, error) {
	var best []byte
	// bbolt finds the page size in the first meta page or else tries powers of two.
	for size := int64(0); size <= maxPageSize; size = max(1024, 2*size) {
		b := make([]byte, metaBytes)
		if _, err := p.file.ReadAt(b, size+pageHeaderBytes); err != nil {
			break
		}
		sum := fnv.New64a()
		sum.Write(b[:56])
		pageSize := int64(binary.LittleEndian.Uint32(b[8:]))
		if binary.LittleEndian.Uint32(b) != 0xED0CDAED || sum.Sum64() != binary.LittleEndian.Uint64(b[56:]) ||
			pageSize < 1024 || pageSize > maxPageSize || size != 0 && size != pageSize {
			continue
		}
		if best == nil || binary.LittleEndian.Uint64(b[48:]) > binary.LittleEndian.Uint64(best[48:]) {
			best, p.pageSize = b, uint64(pageSize)
		}
	}
	if best == nil {
		return nil, corruptf("no valid meta page")
	}
	return best, nil
}

// read returns page id, overflow included only for branch pages and the freelist,
// which seldom have any.
func (p *pages) read(id uint64) (page, error) {
	if id < 2 || id >= p.n {
		return page{}, corruptf("page %d of %d", id, p.n)
	}
	b := make([]byte, p.pageSize)
	if _, err := p.file.ReadAt(b, int64(id*p.pageSize)); err != nil {
		return page{}, err
	}
	le := binary.LittleEndian
	pg := page{flags: le.Uint16(b[8:]), count: le.Uint16(b[10:]), body: b[pageHeaderBytes:]}
	overflow := uint64(le.Uint32(b[12:]))
	if le.Uint64(b) != id || overflow >= p.n-id {
		return page{}, corruptf("page %d does not say so", id)
	}
	if overflow > 0 && pg.flags != leafFlag {
		b = append(b, make([]byte, overflow*p.pageSize)...)
		if _, err := p.file.ReadAt(b[p.pageSize:], int64((id+1)*p.pageSize)); err != nil {
			return page{}, err
		}
		pg.body = b[pageHeaderBytes:]
	}
	return pg, nil
}

// freelist checks that the list is as long as it says and names pages of the file.
func (p *pages) freelist(id uint64) error {
	pg, err := p.read(id)
	if err != nil {
		return err
	}
	n, ids := uint64(pg.count), pg.body
	if n == 0xFFFF {
		n, ids = binary.LittleEndian.Uint64(ids), ids[8:]
	}
	if pg.flags != freelistFlag || n > uint64(len(ids)/8) {
		return corruptf("bad list of free pages")
	}
	for prev := uint64(1); n > 0; n, ids = n-1, ids[8:] {
		free := binary.LittleEndian.Uint64(ids)
		if free <= prev || free >= p.n {
			return corruptf("bad list of free pages")
		}
		prev = free
	}
	return nil
}

// checkFreelist returns [ErrCorrupt] when the page of the list of free pages does not say
// what it is. A commit frees as many pages as it claims to take, one by one and without
// looking: with a header that was spoilt while the file was open, four thousand million.
func checkFreelist(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p := pages{file: file, size: info.Size()}
	meta, err := p.meta()
	if err != nil {
		return err
	}
	p.n = binary.LittleEndian.Uint64(meta[40:])
	id := binary.LittleEndian.Uint64(meta[32:])
	if id == noFreelist {
		return nil
	}
	if pg, err := p.read(id); err != nil || pg.flags != freelistFlag {
		return corruptf("bad list of free pages")
	}
	return nil
}

// bucketRoot returns the root page of the table that element i of a leaf names.
func (pg *page) bucketRoot(i int) (uint64, error) {
	at := i * elementBytes
	if at+elementBytes > len(pg.body) {
		return 0, corruptf("bad table of tables")
	}
	le := binary.LittleEndian
	e := pg.body[at:]
	value := uint64(at) + uint64(le.Uint32(e[4:])) + uint64(le.Uint32(e[8:])) // behind the key
	if le.Uint32(e)&bucketFlag == 0 || le.Uint32(e[12:]) < 16 || value+16 > uint64(len(pg.body)) {
		return 0, corruptf("bad table of tables")
	}
	return le.Uint64(pg.body[value:]), nil
}

// tree checks the pages at and below id: no page is met twice, and all leaves are
// at the depth of the first one.
func (p *pages) tree(id uint64) error {
	depth, err := p.leafDepth(id)
	if err != nil {
		return err
	}
	return p.branch(id, depth)
}

// leafDepth follows the first children of id down to a leaf.
func (p *pages) leafDepth(id uint64) (int, error) {
	for depth := range maxDepth {
		pg, err := p.read(id)
		if err != nil {
			return 0, err
		}
		switch {
		case pg.flags == leafFlag:
			return depth, nil
		case pg.flags != branchFlag || pg.count == 0 || len(pg.body) < elementBytes:
			return 0, corruptf("page %d is neither branch nor leaf", id)
		}
		id = binary.LittleEndian.Uint64(pg.body[8:])
	}
	return 0, corruptf("pages go round in circles")
}

// branch checks id, which has leaves depth levels below it.
func (p *pages) branch(id uint64, depth int) error {
	if p.seen[id] || id < 2 || id >= p.n {
		return corruptf("page %d is used twice", id)
	}
	p.seen[id] = true
	if depth == 0 {
		return nil
	}
	pg, err := p.read(id)
	if err != nil {
		return err
	}
	if pg.flags != branchFlag || pg.count == 0 || int(pg.count)*elementBytes > len(pg.body) {
		return corruptf("page %d is no branch", id)
	}
	for i := range int(pg.count) {
		if err := p.branch(binary.LittleEndian.Uint64(pg.body[i*elementBytes+8:]), depth-1); err != nil {
			return err
		}
	}
	return nil
}
