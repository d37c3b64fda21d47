package pages

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"sort"
)

const (
	// runBytes is how much of a file a [Cursor] reads at once.
	runBytes = 256 << 10
	// maxGap is how many pages may lie between the leaves of a run.
	maxGap = 16
	// maxLeafBytes bounds a leaf. Only one long value makes a leaf longer than a page.
	maxLeafBytes = 64 << 20
)

// Tree is the tree of pages of one table in one state of a file, which nobody writes to while a
// [Cursor] goes through it.
type Tree struct {
	File     io.ReaderAt
	PageSize int    // bytes
	Pages    uint64 // in use or free in the state
	Root     uint64 // a page
}

// Cursor goes through the pairs of a [Tree] in the order of their keys. It reads leaves that lie one
// behind the other at once, into memory that it uses again: a process that reads a whole table
// through its mapping of the file makes the system map each page, which costs more than to copy it.
//
// It trusts nothing in the file: keys that do not ascend are an error, so that it ends. A Cursor is
// used by one goroutine.
type Cursor struct {
	tree  Tree
	path  []branch // from the root to the leaf, without it
	depth int      // of the leaves, once one was read
	leaf  page
	at    int    // the pair of leaf
	last  []byte // the last key of the leaf before
	run   []byte // pages that follow one another
	from  uint64 // the first of run
	err   error
}

// branch is a branch page, and the child that the cursor is in.
type branch struct {
	page
	buffer []byte
	at     int
}

// NewCursor returns a cursor that is nowhere yet.
func NewCursor(t Tree) *Cursor { return &Cursor{tree: t} }

// Err returns the error that ended the cursor: [ErrDamaged] or that of reading the file.
func (c *Cursor) Err() error { return c.err }

// Seek goes to the first key >= from and returns its pair, valid until the next call. The key is nil
// at the end and after an error.
func (c *Cursor) Seek(from []byte) (key, value []byte) {
	c.path, c.leaf, c.at, c.last, c.err = c.path[:0], page{}, 0, nil, nil
	if c.err = c.descend(c.tree.Root, from); c.err != nil {
		return nil, nil
	}
	n := int(c.leaf.count)
	c.at = sort.Search(n, func(i int) bool {
		key, _, err := c.leaf.pair(i)
		c.err = cmp.Or(c.err, err) // the first one
		return bytes.Compare(key, from) >= 0
	})
	return c.current()
}

// Next goes to the next pair, as Seek does.
func (c *Cursor) Next() (key, value []byte) {
	if c.err != nil {
		return nil, nil
	}
	c.at++
	return c.current()
}

// current returns the pair that the cursor is at, in the next leaf when it is behind the last pair
// of this one.
func (c *Cursor) current() (key, value []byte) {
	for c.err == nil && c.at >= int(c.leaf.count) {
		if n := int(c.leaf.count); n > 0 {
			last, _, err := c.leaf.pair(n - 1)
			c.last, c.err = append(c.last[:0], last...), err
		}
		if c.err == nil && !c.nextLeaf() {
			return nil, nil
		}
		c.at = 0
	}
	if c.err == nil {
		key, value, c.err = c.leaf.pair(c.at)
	}
	if c.err == nil && c.at == 0 && c.last != nil && bytes.Compare(key, c.last) <= 0 {
		c.err = damaged("the keys of a table do not ascend")
	}
	if c.err != nil {
		return nil, nil
	}
	return key, value
}

// nextLeaf goes to the leaf behind this one. It returns false at the end and after an error.
func (c *Cursor) nextLeaf() bool {
	for n := len(c.path); n > 0; n = len(c.path) {
		b := &c.path[n-1]
		if b.at++; b.at < int(b.count) {
			c.err = c.descend(b.child(b.at), nil)
			return c.err == nil
		}
		c.path = c.path[:n-1]
	}
	return false
}

// descend goes from a page down to the leaf with the first key >= from, or the one before it.
func (c *Cursor) descend(id uint64, from []byte) error {
	for len(c.path) < maxDepth {
		pg, err := c.read(id)
		switch {
		case err != nil:
			return err
		case pg.flags == leafFlag:
			c.leaf, c.depth = pg, len(c.path)
			return nil
		case !pg.isBranch():
			return damaged("page %d is neither branch nor leaf", id)
		}
		b := c.push(pg)
		b.at = sort.Search(int(b.count), func(i int) bool {
			key, keyErr := b.key(i)
			err = cmp.Or(err, keyErr)
			return bytes.Compare(key, from) > 0
		})
		if b.at = max(0, b.at-1); err != nil {
			return err
		}
		id = b.child(b.at)
	}
	return damaged("pages go round in circles")
}

// push adds a branch to the path, with memory of its own: run is soon that of others.
func (c *Cursor) push(pg page) *branch {
	if n := len(c.path); n < cap(c.path) {
		c.path = c.path[:n+1] // with the buffer that it had
	} else {
		c.path = append(c.path, branch{})
	}
	b := &c.path[len(c.path)-1]
	b.buffer = append(b.buffer[:0], pg.body...)
	b.page, b.at = page{pg.flags, pg.count, b.buffer}, 0
	return b
}

// read returns a page with its overflow, valid until the next call.
func (c *Cursor) read(id uint64) (page, error) {
	if id < 2 || id >= c.tree.Pages {
		return page{}, damaged("page %d of %d", id, c.tree.Pages)
	}
	if !c.has(id, 1) {
		if err := c.fill(id, c.behind(id)); err != nil {
			return page{}, err
		}
	}
	size := uint64(c.tree.PageSize)
	b := c.run[(id-c.from)*size:]
	n, err := lengthOf(b, id, c.tree.Pages)
	if err != nil {
		return page{}, err
	}
	if n*size > maxLeafBytes {
		return page{}, damaged("page %d has %d pages", id, n)
	}
	if !c.has(id, n) {
		if err := c.fill(id, n); err != nil {
			return page{}, err
		}
		b = c.run
	}
	return newPage(b[:n*size]), nil
}

// has reports whether n pages from id on are in run.
func (c *Cursor) has(id, n uint64) bool {
	return id >= c.from && id+n <= c.from+uint64(len(c.run)/c.tree.PageSize)
}

// behind returns how many pages to read from a page on: for a leaf as far as the next leaves lie
// behind it, as the branch above tells.
func (c *Cursor) behind(id uint64) uint64 {
	if len(c.path) == 0 || len(c.path) != c.depth {
		return 1
	}
	b, last, leaves := &c.path[len(c.path)-1], id, uint64(0)
	for i := b.at + 1; i < int(b.count); i++ {
		next := b.child(i)
		if next <= last || next-last > maxGap || next-id >= uint64(runBytes/c.tree.PageSize) {
			break
		}
		last = next
		leaves++
	}
	if leaves == 0 {
		return 1
	}
	return min(last-id+(last-id)/leaves, c.tree.Pages-id) // the last one may be as long as the others
}

// fill reads n pages from id on into run.
func (c *Cursor) fill(id, n uint64) error {
	size := int(n) * c.tree.PageSize
	if cap(c.run) < size {
		c.run = make([]byte, size)
	}
	c.run, c.from = c.run[:size], id
	_, err := c.tree.File.ReadAt(c.run, int64(id)*int64(c.tree.PageSize))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		err = damaged("cut off")
	}
	c.run = c.run[:0]
	return err
}
