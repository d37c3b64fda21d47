package graph

import (
	"io"
	"unsafe"
)

// blockBytes is how much of a Source a passage reads at a time: what *store.View stores as
// one, and then keeps nothing of.
const blockBytes = 64 << 10

// passageBlocks bounds the blocks that a passage has in memory, 4 MB.
const passageBlocks = 64

// passage reads the segments of one Source, one after the other, for what is needed once. It
// uses the memory of what it has read again: what its segments return is valid until renew.
// The zero value is ready for use, by one goroutine.
type passage struct {
	src    io.ReaderAt
	n      int
	blocks [][]byte // by number, nil for one that is not in memory
	held   []int    // numbers of blocks in memory
	free   [][]byte
}

// over returns the segment as the passage reads it, or s itself, if that is in memory.
func (p *passage) over(s *segment) *segment {
	src, ok := s.names.src.(io.ReaderAt)
	if !ok {
		return s
	}
	if p.src != src {
		n := s.names.src.Len()
		*p = passage{src: src, n: n, blocks: make([][]byte, n/blockBytes+1)}
	}
	t := &segment{files: s.files, names: s.names, ends: s.ends, slots: s.slots, defEnds: s.defEnds, defs: s.defs, useEnds: s.useEnds, uses: s.uses}
	for _, c := range []*Source{&t.names.src, &t.ends.src, &t.slots.src, &t.defEnds.src, &t.defs.src, &t.useEnds.src, &t.uses.src} {
		*c = p
	}
	return t
}

// renew makes room, when the blocks in memory are many: no value that was read is in use.
func (p *passage) renew() {
	if len(p.held) < passageBlocks {
		return
	}
	for _, i := range p.held {
		p.free = append(p.free, p.blocks[i])
		p.blocks[i] = nil
	}
	p.held = p.held[:0]
}

// Len implements [Source].
func (p *passage) Len() int { return p.n }

// Bytes implements [Source].
func (p *passage) Bytes(from, to int) []byte {
	if from >= to {
		return nil
	}
	first, last := from/blockBytes, (to-1)/blockBytes
	if first == last {
		return p.block(first)[from-first*blockBytes : to-first*blockBytes : to-first*blockBytes]
	}
	out := make([]byte, 0, to-from)
	for i := first; i <= last; i++ {
		start := i * blockBytes
		out = append(out, p.block(i)[max(from-start, 0):min(to-start, blockBytes)]...)
	}
	return out
}

// block returns a block, of zeros when it cannot be read.
func (p *passage) block(i int) []byte {
	if b := p.blocks[i]; b != nil {
		return b
	}
	var b []byte
	if n := len(p.free); n > 0 {
		b, p.free = p.free[n-1][:blockBytes], p.free[:n-1]
	} else {
		b = make([]byte, blockBytes)
	}
	b = b[:min(blockBytes, p.n-i*blockBytes)]
	if _, err := p.src.ReadAt(b, int64(i*blockBytes)); err != nil {
		clear(b)
	}
	p.blocks[i], p.held = b, append(p.held, i)
	return b
}

// eachSpan calls fn with the elements of a column, in spans that a passage need not copy.
func eachSpan[T any](c *column[T], p *passage, fn func(first int, span []T)) {
	if c.src == nil {
		fn(0, c.data)
		return
	}
	var zero T
	size := int(unsafe.Sizeof(zero))
	for from := 0; from < c.n; {
		p.renew()
		at := c.at + from*size
		to := min(c.n, from+max(1, (blockBytes-at%blockBytes)/size))
		fn(from, c.cut(from, to))
		from = to
	}
}
