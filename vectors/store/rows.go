package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// rows are the vectors of a group of chunks, one row each. On disk they are two values
// under the key of the group, so that a scan reads the first level alone: in tableCodes
// the codes of that level, in tableResiduals those of the second, each as
//
//	a scale per row | the codes of each row
type rows struct {
	n, dim    int
	codes     []byte // n*(4+dim); scales are float32, little-endian
	residuals []byte // n*(4+quantize.ResidualBytes(dim))
}

// makeRows returns n rows of zeros.
func makeRows(n, dim int) rows {
	value := func(width int) []byte { return make([]byte, n*(4+width), n*(4+width)+sealBytes) }
	return rows{n, dim, value(dim), value(quantize.ResidualBytes(dim))}
}

// openRows returns the rows of a group, which alias it; ok is false when its values do
// not fit each other.
func openRows(g *group) (r rows, ok bool) {
	r.codes, r.residuals = g.codes, g.residuals
	if len(g.chunks) > 0 {
		r.n = int(g.chunks[0])
	}
	if r.n == 0 || len(r.codes)%r.n != 0 {
		return rows{}, false
	}
	r.dim = len(r.codes)/r.n - 4
	return r, r.dim > 0 && len(r.residuals) == r.n*(4+quantize.ResidualBytes(r.dim))
}

// row returns row i; it aliases r.
func (r *rows) row(i int) quantize.Row {
	float := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }
	half := quantize.ResidualBytes(r.dim)
	return quantize.Row{
		Code:          asInt8s(r.codes[4*r.n+i*r.dim:][:r.dim]),
		Scale:         float(r.codes),
		Residual:      r.residuals[4*r.n+i*half:][:half],
		ResidualScale: float(r.residuals),
	}
}

// set copies row to row i.
func (r *rows) set(i int, row *quantize.Row) {
	to := r.row(i)
	copy(to.Code, row.Code)
	copy(to.Residual, row.Residual)
	binary.LittleEndian.PutUint32(r.codes[4*i:], math.Float32bits(row.Scale))
	binary.LittleEndian.PutUint32(r.residuals[4*i:], math.Float32bits(row.ResidualScale))
}

// codesAt returns the first level of the group under key, and the key of its first row.
func codesAt(key, value []byte, dim int) (first record.Key, n int, err error) {
	last, ok := keyOf(key)
	n = len(value) / (4 + dim)
	if !ok || dim == 0 || n == 0 || n > groupChunks || len(value) != n*(4+dim) || record.Key(n) > last {
		return 0, 0, corruptf("bad vectors")
	}
	return last - record.Key(n) + 1, n, nil
}

// EachCodes calls fn with the codes of all chunks in the order of their keys, from
// the calling goroutine: fn must not call the store. The row of key first+i has the
// codes codes[i*dim:(i+1)*dim], each worth scales[i]. The slices are valid inside fn
// only and must not be written to.
func (r *Reader) EachCodes(ctx context.Context, fn func(first record.Key, codes []int8, scales []float32) error) error {
	err := r.view(ctx, func(t *txn) error {
		st, err := t.state()
		if err != nil {
			return err
		}
		var scales []float32
		total, next := uint64(0), record.Key(0)
		err = t.scan(tableCodes, nil, func(key, value []byte) (bool, error) {
			first, n, err := codesAt(key, value, st.dim)
			if err != nil || first < next {
				return false, corruptf("bad vectors")
			}
			scales = decodeFloats(scales[:0], value[:4*n])
			total, next = total+uint64(n), first+record.Key(n)
			if err := call(func() error { return fn(first, asInt8s(value[4*n:]), scales) }); err != nil {
				return false, err
			}
			return true, ctx.Err()
		})
		if err == nil && total != st.chunks {
			return corruptf("%d vectors instead of %d", total, st.chunks)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("load vectors: %w", err)
	}
	return nil
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
	err = t.scan(tableCodes, keyBytes(k), func(key, value []byte) (bool, error) {
		var n int
		if first, n, err = codesAt(key, value, dim); err != nil {
			return false, err
		}
		residuals, err := t.get(tableResiduals, key)
		if err == nil && len(residuals) != n*(4+quantize.ResidualBytes(dim)) {
			err = corruptf("bad vectors")
		}
		end, r = first+record.Key(n), rows{n, dim, value, residuals}
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

// asInt8s sees the same memory as the other type of one byte.
func asInt8s(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}
