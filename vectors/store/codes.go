package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// The first levels of the vectors, which a search reads all of, lie apart from the second
// ones. A block has those of blockRows keys that follow one another, of whatever files, as
// the value
//
//	blockRows scales | blockRows codes
//
// under its number: its first key divided by blockRows. A row without a vector has the scale
// 0, as has that of a chunk without words. A block without any other row is absent.
type block struct {
	rows  int
	value []byte // rows*codeBytes(dim); scales are float32, little-endian
}

// blockBytes is what a block takes at most: two of them, the fewest that bbolt keeps in a leaf,
// fill two pages of 4 kB. So 256 components leave 3 % of the pages empty, and a file that
// changes has few others written with it. A block whose other files are gone stays as it is.
const blockBytes = 4<<10 - 32

// codeBytes is what the first level of a row takes.
func codeBytes(dim int) int { return 4 + quantize.CodeBytes(dim) }

// blockRows is the number of keys of a block.
func blockRows(dim int) int { return max(1, blockBytes/codeBytes(dim)) }

// openBlock returns the block with a value, which it aliases; nil is one without rows.
func openBlock(value []byte, dim int) (block, error) {
	n := blockRows(dim)
	if value != nil && len(value) != n*codeBytes(dim) {
		return block{}, corruptf("bad codes")
	}
	return block{n, value}, nil
}

// scales returns the scales, four bytes a row.
func (b block) scales() []byte { return b.value[:4*b.rows] }

// codes returns the codes, which are as long in each row.
func (b block) codes() []byte { return b.value[4*b.rows:] }

// scale returns the bytes of the scale of a row.
func (b block) scale(row int) []byte { return b.value[4*row:][:4] }

// code returns the codes of a row.
func (b block) code(row int) []byte {
	n := len(b.codes()) / b.rows
	return b.codes()[row*n:][:n]
}

// count returns how many rows from row on have a vector, of n.
func (b block) count(row, n int) (vectors uint64) {
	for ; n > 0; row, n = row+1, n-1 {
		if binary.LittleEndian.Uint32(b.scale(row)) != 0 {
			vectors++
		}
	}
	return vectors
}

// block returns block number n.
func (t *txn) block(n record.Key, dim int) (block, error) {
	value, err := t.get(tableCodes, keyBytes(n))
	if err != nil {
		return block{}, err
	}
	return openBlock(value, dim)
}

// editCodes calls edit for each block that has keys of r, and stores what edit made of it. The
// n rows from row on have the keys of r from number at on.
func (t *txn) editCodes(r record.KeyRange, dim int, edit func(b block, row, n, at int)) error {
	for at := 0; at < r.N; {
		key := r.First + record.Key(at)
		rows := record.Key(blockRows(dim))
		old, err := t.block(key/rows, dim)
		if err != nil {
			return err
		}
		b := block{old.rows, make([]byte, old.rows*codeBytes(dim), old.rows*codeBytes(dim)+sealBytes)}
		copy(b.value, old.value)
		row := int(key % rows)
		n := min(b.rows-row, r.N-at)
		edit(b, row, n, at)
		if b.count(0, b.rows) > 0 {
			err = t.put(tableCodes, keyBytes(key/rows), b.value)
		} else if old.value != nil {
			err = t.delete(tableCodes, keyBytes(key/rows))
		}
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

// putCodes stores the first levels of rows under the keys r, and returns how many of them
// are not 0.
func (t *txn) putCodes(r record.KeyRange, groups []rows, dim int) (vectors uint64, err error) {
	err = t.editCodes(r, dim, func(b block, row, n, at int) {
		for i := range n {
			g, in := &groups[(at+i)/groupChunks], (at+i)%groupChunks
			scales, codes, _, _ := g.levels()
			copy(b.scale(row+i), scales[4*in:])
			copy(b.code(row+i), codes[in*quantize.CodeBytes(dim):])
		}
		vectors += b.count(row, n)
	})
	return vectors, err
}

// deleteCodes removes the first levels of the keys r, and returns how many were not 0.
func (t *txn) deleteCodes(r record.KeyRange, dim int) (vectors uint64, err error) {
	err = t.editCodes(r, dim, func(b block, row, n, _ int) {
		vectors += b.count(row, n)
		clear(b.scales()[4*row : 4*(row+n)])
		clear(b.codes()[row*quantize.CodeBytes(dim) : (row+n)*quantize.CodeBytes(dim)])
	})
	return vectors, err
}

// rowReader reads vectors of the index. Those of keys that ascend take one look at each block.
type rowReader struct {
	t      *txn
	dim    int
	number record.Key // of block
	block  block      // without rows before the first
	zero   []byte     // the first level of a row without a vector
}

func newRowReader(t *txn, dim int) *rowReader {
	zero := make([]byte, codeBytes(dim))
	for i := range zero[4:] {
		zero[4+i] = quantize.Zero<<4 | quantize.Zero
	}
	return &rowReader{t: t, dim: dim, zero: zero}
}

// read fills row i of to with the vector of key k. residuals is the value of its group in
// tableVectors, in which it has the place at.
func (r *rowReader) read(k record.Key, residuals []byte, at int, to *rows, i int) error {
	n := record.Key(blockRows(r.dim))
	if r.block.rows == 0 || k/n != r.number {
		var err error
		if r.block, err = r.t.block(k/n, r.dim); err != nil {
			return err
		}
		r.number = k / n
	}
	scale, code := r.zero[:4], r.zero[4:]
	if r.block.value != nil && r.block.count(int(k%n), 1) > 0 {
		scale, code = r.block.scale(int(k%n)), r.block.code(int(k%n))
	}
	scales, codes, residualScales, levels := to.levels()
	copy(scales[4*i:], scale)
	copy(codes[i*len(code):], code)
	rows := len(residuals) / residualBytes(r.dim)
	copy(residualScales[4*i:][:4], residuals[4*at:])
	copy(levels[i*r.dim:][:r.dim], residuals[4*rows+at*r.dim:])
	if row := to.row(i); (row.Scale == 0) != (row.ResidualScale == 0) {
		return corruptf("half of vector %d is missing", k)
	}
	return nil
}

// EachCodes calls fn with the first level of the codes of all chunks in the order of their
// keys, from the calling goroutine: fn must not call the store. The row of key first+i has the
// codes codes[i*n:(i+1)*n] with n = [quantize.CodeBytes], each worth scales[i]. Where that is 0
// there is no chunk, or one without words. The slices are valid inside fn only and must not be
// written to.
func (r *Reader) EachCodes(ctx context.Context, fn func(first record.Key, codes []byte, scales []float32) error) error {
	return r.EachCodesBy(ctx, 1, func(_ int, first record.Key, codes []byte, scales []float32) error { return fn(first, codes, scales) })
}

// partBlocks is how many blocks a thread of EachCodesBy takes at once: 1 MB.
const partBlocks = 256

// EachCodesBy is EachCodes by some threads at once, of which the calling goroutine is the
// first: each calls fn with its number and the codes of some of the keys, in their order. A
// thread that is done with a part of the index takes the next one, since other work may slow
// one of them.
func (r *Reader) EachCodesBy(ctx context.Context, threads int, fn func(thread int, first record.Key, codes []byte, scales []float32) error) error {
	read := make([]uint64, threads)
	var next atomic.Uint64 // part
	work := func(i int) error {
		return r.view(ctx, func(t *txn) error {
			st, err := t.state()
			if err != nil || st.dim == 0 {
				return err
			}
			of, err := t.walks(tableCodes)
			if err != nil {
				return err
			}
			blocks := st.nextChunk/uint64(blockRows(st.dim)) + 1
			for ctx.Err() == nil {
				from := (next.Add(1) - 1) * partBlocks
				if from >= blocks {
					return nil
				}
				n, after, err := eachCodes(ctx, of, st.dim, from, from+partBlocks, func(first record.Key, codes []byte, scales []float32) error {
					return call(func() error { return fn(i, first, codes, scales) })
				})
				if read[i] += n; err != nil {
					return err
				}
				for part := next.Load(); part < after/partBlocks; part = next.Load() { // the others are empty
					next.CompareAndSwap(part, after/partBlocks)
				}
			}
			return ctx.Err()
		})
	}
	errs := make([]error, threads)
	var others sync.WaitGroup
	for i := 1; i < threads; i++ {
		others.Go(func() { errs[i] = work(i) })
	}
	errs[0] = work(0)
	others.Wait()
	err := errors.Join(errs...)
	if err == nil {
		err = r.view(ctx, func(t *txn) error { return t.checkCodes(read) })
	}
	if err != nil {
		return fmt.Errorf("load vectors: %w", err)
	}
	return nil
}

// checkCodes returns [ErrCorrupt] unless the threads have read all vectors.
func (t *txn) checkCodes(read []uint64) error {
	st, err := t.state()
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, n := range read {
		total += n
	}
	if total != st.vectors {
		return corruptf("%d vectors instead of %d", total, st.vectors)
	}
	return nil
}

// eachCodes calls fn with the codes of the blocks [from, to) that walks of tableCodes reach. It
// returns how many of their rows are not 0, and the number of the block after them, which is
// above all that may be when there is none.
func eachCodes(ctx context.Context, of []walk, dim int, from, to uint64, fn func(first record.Key, codes []byte, scales []float32) error) (vectors, after uint64, err error) {
	scales := make([]float32, blockRows(dim))
	after = 1 << 33
	err = seek(of, keyBytes(record.Key(from))).each(tableCodes, func(key, value []byte) (bool, error) {
		n, ok := keyOf(key)
		if ok && uint64(n) >= to {
			after = uint64(n)
			return false, nil
		}
		b, err := openBlock(value, dim)
		if err != nil || !ok || n > math.MaxUint32/record.Key(b.rows) {
			return false, corruptf("bad codes")
		}
		vectors += b.count(0, b.rows)
		if err := fn(n*record.Key(b.rows), b.codes(), decodeFloats(scales[:0], b.scales())); err != nil {
			return false, err
		}
		return true, ctx.Err()
	})
	return vectors, after, err
}

// Vectors returns the vectors of keys, in the order of keys, as both levels of
// their codes give them (see package quantize for how near that is). A key that is
// gone gives nil.
func (r *Reader) Vectors(ctx context.Context, keys []record.Key) ([][]float32, error) {
	vectors := make([][]float32, len(keys))
	order := ascending(keys)
	err := r.view(ctx, func(t *txn) error {
		st, err := t.state()
		if err != nil {
			return err
		}
		var first, end record.Key // of found
		var found []byte
		var gone []record.Key
		one, reader := makeRows(1, st.dim), newRowReader(t, st.dim)
		flat := make([]float32, len(keys)*st.dim)
		for i, at := range order {
			k := keys[at]
			if i == 0 || end > 0 && k >= end {
				if first, end, found, err = t.residualsFrom(k, st.dim); err != nil {
					return err
				}
			}
			if k < first || k >= end {
				gone = append(gone, k)
				continue
			}
			if err := reader.read(k, found, int(k-first), &one, 0); err != nil {
				return err
			}
			vectors[at] = flat[at*st.dim : (at+1)*st.dim : (at+1)*st.dim]
			one.row(0).Float(vectors[at])
		}
		return t.checkGone(gone)
	})
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	return vectors, nil
}

// residualsFrom returns the value of the first group that ends at k or later, with the keys
// [first, end); end is 0 without one.
func (t *txn) residualsFrom(k record.Key, dim int) (first, end record.Key, value []byte, err error) {
	err = t.scan(tableVectors, keyBytes(k), func(key, v []byte) (bool, error) {
		last, n, err := residualsAt(key, v, dim)
		first, end, value = last-record.Key(n)+1, last+1, v
		return false, err
	})
	return first, end, value, err
}

// residualsAt returns the key of the last row of a pair of tableVectors, and the number of rows.
func residualsAt(key, value []byte, dim int) (last record.Key, n int, err error) {
	last, ok := keyOf(key)
	if dim > 0 {
		n = len(value) / residualBytes(dim)
	}
	if !ok || n == 0 || n > groupChunks || len(value) != n*residualBytes(dim) || record.Key(n) > last {
		return 0, 0, corruptf("bad vectors")
	}
	return last, n, nil
}
