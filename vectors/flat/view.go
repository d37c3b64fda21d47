package flat

import (
	"fmt"
	"slices"
	"sort"
	"sync/atomic"

	"ambit/vectors/record"
)

// blockRows is the most rows of a block: 1 MB of codes at 256 dimensions, so that
// a block is a fair share of a parallel scan and few blocks make an index.
const blockRows = 8192

// copyRows is the most rows of a block that another view has extended for which a view
// copies the block; a longer one is left as it is and a new block begun.
const copyRows = 1024

// block is a run of rows. What a view sees of it is immutable. The arrays may have room
// beyond their lengths: the first view to claim it extends them in place.
type block struct {
	keys    []record.Key  // n, ascending
	scales  []float32     // n
	codes   []byte        // n*stride, row-major; row i belongs to keys[i], padded with zeros
	claimed *atomic.Int64 // rows of the arrays that some view has filled, at least n
	dead    []uint64      // a bit per row; rows beyond its end are alive
	nDead   int
}

// next returns a view that starts equal to v and may be changed until it is
// returned to a caller.
func (v *View) next() *View {
	return &View{layout: v.layout, blocks: slices.Clone(v.blocks), live: v.live, last: v.last, gone: v.gone, stored: v.stored}
}

// add appends one row. Its codes are len(code) <= stride bytes; the key must
// be larger than every one before.
func (v *View) add(key record.Key, code []byte, scale float32) error {
	if key <= v.last {
		return fmt.Errorf("add vector: key %d is not above %d", key, v.last)
	}
	b, stride := v.tail(), v.stride
	n := len(b.keys)
	b.keys = append(b.keys, key)
	b.scales = append(b.scales, scale)
	b.codes = b.codes[:(n+1)*stride]
	clear(b.codes[n*stride+copy(b.codes[n*stride:], code):])
	v.live++
	v.last = key
	return nil
}

// tail returns the last block, as the view's own, with room for one more row that the
// view has claimed.
func (v *View) tail() *block {
	n := len(v.blocks)
	switch {
	case n == 0 || v.apart && v.own == nil:
		return v.begin(0)
	case len(v.blocks[n-1].keys) >= blockRows:
		return v.begin(blockRows) // growing step by step would allocate twice as much
	}
	b := v.blocks[n-1]
	rows := len(b.keys)
	if rows < cap(b.keys) && b.claimed.CompareAndSwap(int64(rows), int64(rows)+1) {
		if b == v.own {
			return b
		}
		own := *b
		v.blocks[n-1], v.own = &own, &own
		return v.own
	}
	if rows == cap(b.keys) || rows <= copyRows {
		v.blocks = v.blocks[:n-1]
		grown := v.begin(2 * rows)
		grown.keys = append(grown.keys, b.keys...)
		grown.scales = append(grown.scales, b.scales...)
		grown.codes = append(grown.codes, b.codes...)
		grown.dead, grown.nDead = b.dead, b.nDead
		grown.claimed.Store(int64(rows) + 1)
		return grown
	}
	return v.begin(0)
}

// begin appends a block with room for n rows, but not fewer than 64 or more than
// blockRows. The view has claimed the first row.
func (v *View) begin(n int) *block {
	b := newBlock(min(blockRows, max(64, n)), v.stride)
	b.claimed.Store(1)
	v.blocks, v.own = append(v.blocks, b), b
	return b
}

// drop marks the rows whose keys lie in r as dead. Blocks that change are copied,
// without their rows.
func (v *View) drop(r record.KeyRange) {
	end := int64(r.First) + int64(r.N)
	i := sort.Search(len(v.blocks), func(i int) bool {
		keys := v.blocks[i].keys
		return keys[len(keys)-1] >= r.First
	})
	for ; i < len(v.blocks) && int64(v.blocks[i].keys[0]) < end; i++ {
		b := *v.blocks[i]
		from, _ := slices.BinarySearch(b.keys, r.First)
		b.dead = append(make([]uint64, 0, blockRows/64), b.dead...)[:(len(b.keys)+63)/64]
		for row := from; row < len(b.keys) && int64(b.keys[row]) < end; row++ {
			if b.dead[row/64]&(1<<(row%64)) == 0 {
				b.dead[row/64] |= 1 << (row % 64)
				b.nDead++
				v.live--
			}
		}
		v.blocks[i] = &b
	}
}

// compact rewrites every block that is more than half dead, together with its
// left neighbour where both fill at most half a block. A rewrite copies fewer rows
// than have died since the last one, so dropping stays constant time per row.
func (v *View) compact() {
	out := v.blocks[:0]
	for _, b := range v.blocks {
		live := len(b.keys) - b.nDead
		switch {
		case 2*b.nDead <= len(b.keys):
			out = append(out, b)
		case live == 0:
		case len(out) > 0 && out[len(out)-1].live()+live <= blockRows/2:
			out[len(out)-1] = rewrite(v.stride, out[len(out)-1], b)
		default:
			out = append(out, rewrite(v.stride, b))
		}
	}
	clear(v.blocks[len(out):])
	v.blocks = out
}

// rewrite returns one block with the live rows of bs.
func rewrite(stride int, bs ...*block) *block {
	n := 0
	for _, b := range bs {
		n += b.live()
	}
	to := newBlock(n, stride)
	for _, b := range bs {
		for i, key := range b.keys {
			if !b.isDead(i) {
				to.keys = append(to.keys, key)
				to.scales = append(to.scales, b.scales[i])
				to.codes = append(to.codes, b.codes[i*stride:(i+1)*stride]...)
			}
		}
	}
	to.claimed.Store(int64(n))
	return to
}

// newBlock returns an empty block with room for n rows.
func newBlock(n, stride int) *block {
	return &block{
		keys:   make([]record.Key, 0, n),
		scales: make([]float32, 0, n),
		codes:  make([]byte, 0, n*stride),

		claimed: new(atomic.Int64),
	}
}

func (b *block) live() int { return len(b.keys) - b.nDead }

func (b *block) isDead(row int) bool {
	return row/64 < len(b.dead) && b.dead[row/64]&(1<<(row%64)) != 0
}
