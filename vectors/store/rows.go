package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// rows are the vectors of a group of chunks, one row each, as the value
//
//	n scales | n codes | n scales of residuals | n residuals
//
// One value holds both levels although a scan reads the first alone: bbolt would leave a
// quarter of the pages of a table for the second level empty.
type rows struct {
	n, dim int
	value  []byte // n*rowBytes(dim); scales are float32, little-endian
}

// rowBytes is the length of a row.
func rowBytes(dim int) int { return 4 + dim + 4 + quantize.ResidualBytes(dim) }

// makeRows returns n rows of zeros.
func makeRows(n, dim int) rows {
	size := n * rowBytes(dim)
	return rows{n, dim, make([]byte, size, size+sealBytes)}
}

// openRows returns the rows of value, which they alias; ok is false for anything else.
func openRows(value []byte, dim int) (r rows, ok bool) {
	n := len(value) / rowBytes(dim)
	return rows{n, dim, value}, dim > 0 && n > 0 && n <= groupChunks && len(value) == n*rowBytes(dim)
}

// levels returns the scales and codes of each level.
func (r *rows) levels() (scales, codes, residualScales, residuals []byte) {
	scales, codes = r.value[:4*r.n], r.value[4*r.n:]
	residualScales = codes[r.n*r.dim:]
	return scales, codes[:r.n*r.dim], residualScales[:4*r.n], residualScales[4*r.n:]
}

// row returns row i; it aliases r.
func (r *rows) row(i int) quantize.Row {
	float := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }
	scales, codes, residualScales, residuals := r.levels()
	half := quantize.ResidualBytes(r.dim)
	return quantize.Row{
		Code:          asInt8s(codes[i*r.dim:][:r.dim]),
		Scale:         float(scales),
		Residual:      residuals[i*half:][:half],
		ResidualScale: float(residualScales),
	}
}

// set copies row to row i.
func (r *rows) set(i int, row *quantize.Row) {
	to := r.row(i)
	copy(to.Code, row.Code)
	copy(to.Residual, row.Residual)
	scales, _, residualScales, _ := r.levels()
	binary.LittleEndian.PutUint32(scales[4*i:], math.Float32bits(row.Scale))
	binary.LittleEndian.PutUint32(residualScales[4*i:], math.Float32bits(row.ResidualScale))
}

// rowsAt returns the rows of a pair of tableVectors, and the key of the first.
func rowsAt(key, value []byte, dim int) (first record.Key, r rows, err error) {
	last, ok := keyOf(key)
	r, okRows := openRows(value, dim)
	if !ok || !okRows || record.Key(r.n) > last {
		return 0, rows{}, corruptf("bad vectors")
	}
	return last - record.Key(r.n) + 1, r, nil
}

// EachCodes calls fn with the codes of all chunks in the order of their keys, from
// the calling goroutine: fn must not call the store. The row of key first+i has the
// codes codes[i*dim:(i+1)*dim], each worth scales[i]. The slices are valid inside fn
// only and must not be written to.
func (r *Reader) EachCodes(ctx context.Context, fn func(first record.Key, codes []int8, scales []float32) error) error {
	return r.EachCodesBy(ctx, 1, func(_ int, first record.Key, codes []int8, scales []float32) error { return fn(first, codes, scales) })
}

// EachCodesBy is EachCodes by some threads at once, of which the calling goroutine is the
// first: each calls fn with its number and the codes of a part of the keys, in their order.
func (r *Reader) EachCodesBy(ctx context.Context, threads int, fn func(thread int, first record.Key, codes []int8, scales []float32) error) error {
	read := make([]uint64, threads)
	work := func(i int) error {
		return r.view(ctx, func(t *txn) error {
			st, err := t.state()
			if err != nil {
				return err
			}
			part := func(i int) record.Key { return record.Key(st.nextChunk * uint64(i) / uint64(threads)) }
			read[i], err = t.eachCodes(ctx, st.dim, part(i), part(i+1), func(first record.Key, codes []int8, scales []float32) error {
				return call(func() error { return fn(i, first, codes, scales) })
			})
			return err
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

// checkCodes returns [ErrCorrupt] unless the threads have read the vectors of all chunks.
func (t *txn) checkCodes(read []uint64) error {
	st, err := t.state()
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, n := range read {
		total += n
	}
	if total != st.chunks {
		return corruptf("%d vectors instead of %d", total, st.chunks)
	}
	return nil
}

// eachCodes calls fn with the codes of the groups whose last keys lie in [from, to). It
// returns the number of chunks.
func (t *txn) eachCodes(ctx context.Context, dim int, from, to record.Key, fn func(first record.Key, codes []int8, scales []float32) error) (n uint64, err error) {
	var scales []float32
	next := record.Key(0)
	err = t.sweep(tableVectors, keyBytes(from), func(key, value []byte) (bool, error) {
		if last, ok := keyOf(key); ok && last >= to {
			return false, nil
		}
		first, r, err := rowsAt(key, value, dim)
		if err != nil || first < next {
			return false, corruptf("bad vectors")
		}
		packed, codes, _, _ := r.levels()
		scales = decodeFloats(scales[:0], packed)
		n, next = n+uint64(r.n), first+record.Key(r.n)
		if err := fn(first, asInt8s(codes), scales); err != nil {
			return false, err
		}
		return true, ctx.Err()
	})
	return n, err
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
		var found rows
		var gone []record.Key
		flat := make([]float32, len(keys)*st.dim)
		for i, at := range order {
			k := keys[at]
			if i == 0 || end > 0 && k >= end {
				if first, end, found, err = t.rowsFrom(k, st.dim); err != nil {
					return err
				}
			}
			if k < first || k >= end {
				gone = append(gone, k)
				continue
			}
			vectors[at] = flat[at*st.dim : (at+1)*st.dim : (at+1)*st.dim]
			found.row(int(k - first)).Float(vectors[at])
		}
		return t.checkGone(gone)
	})
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	return vectors, nil
}

// rowsFrom returns the first group of rows that ends at k or later, with the keys
// [first, end); end is 0 without one.
func (t *txn) rowsFrom(k record.Key, dim int) (first, end record.Key, r rows, err error) {
	err = t.scan(tableVectors, keyBytes(k), func(key, value []byte) (bool, error) {
		first, r, err = rowsAt(key, value, dim)
		end = first + record.Key(r.n)
		return false, err
	})
	return first, end, r, err
}

// decodeFloats appends little-endian floats to dst.
func decodeFloats(dst []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst
}

// asInt8s returns the same memory as signed bytes.
func asInt8s(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}
