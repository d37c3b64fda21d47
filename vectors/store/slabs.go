package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// slabBytes bounds the rows of a slab. bbolt writes leaves of at least two values,
// and two slabs of this size with their keys just fill eight pages of 4 KB, the second
// levels of two of them four.
//
// A slab is read whole when the index is opened and written whole when one of its
// rows goes. At 61 rows of 256 components a save of five chunks writes 33 to 130 KB
// instead of the 500 KB of slabs of 256 rows, and loading them takes the same time.
const slabBytes = 16<<10 - 512

// slab is the rows of ascending keys, not all of them next to each other. On disk
// it is two values, one in tableCodes and one in tableResiduals, under the last key
// that it ever held, each with
//
//	n | n runs (gap since the last run, rows) | a scale per row | the codes of each row
type slab struct {
	runs           []record.KeyRange
	scales         []byte // rows*4, float32 little-endian
	codes          []byte // rows*dim, int8
	residualScales []byte // rows*4
	residuals      []byte // rows*quantize.ResidualBytes(dim)
}

// slabRows returns how many rows a slab has at most.
func slabRows(dim int) int { return max(1, slabBytes/(dim+4)) }

// rows returns how many rows s has.
func (s *slab) rows() int { return len(s.scales) / 4 }

// last returns the last key of s, which has a row.
func (s *slab) last() record.Key {
	r := s.runs[len(s.runs)-1]
	return r.First + record.Key(r.N) - 1
}

// add appends the row of key k, which is beyond all others.
func (s *slab) add(k record.Key, r *quantize.Row) {
	s.addRun(record.KeyRange{First: k, N: 1})
	s.scales = binary.LittleEndian.AppendUint32(s.scales, math.Float32bits(r.Scale))
	s.codes = append(s.codes, asBytes(r.Code)...)
	s.residualScales = binary.LittleEndian.AppendUint32(s.residualScales, math.Float32bits(r.ResidualScale))
	s.residuals = append(s.residuals, r.Residual...)
}

func (s *slab) addRun(r record.KeyRange) {
	if n := len(s.runs); n > 0 && s.last()+1 == r.First {
		s.runs[n-1].N += r.N
		return
	}
	s.runs = append(s.runs, r)
}

// addRows appends rows [at, at+r.N) of o under the keys r.
func (s *slab) addRows(o *slab, at int, r record.KeyRange) {
	if r.N <= 0 {
		return
	}
	dim := len(o.codes) / o.rows()
	s.addRun(r)
	s.scales = append(s.scales, o.scales[at*4:(at+r.N)*4]...)
	s.codes = append(s.codes, o.codes[at*dim:(at+r.N)*dim]...)
	s.residualScales = append(s.residualScales, o.residualScales[at*4:(at+r.N)*4]...)
	half := quantize.ResidualBytes(dim)
	s.residuals = append(s.residuals, o.residuals[at*half:(at+r.N)*half]...)
}

// addSlab appends all rows of o.
func (s *slab) addSlab(o *slab) {
	at := 0
	for _, r := range o.runs {
		s.addRows(o, at, r)
		at += r.N
	}
}

// without returns s without the rows whose keys are in gone.
func (s *slab) without(gone record.KeyRange) *slab {
	end := gone.First + record.Key(gone.N)
	kept, at := new(slab), 0
	for _, r := range s.runs {
		last := r.First + record.Key(r.N)
		before := int(min(max(gone.First, r.First), last) - r.First) // rows before the gap
		after := int(last - max(min(end, last), r.First))            // rows after it
		kept.addRows(s, at, record.KeyRange{First: r.First, N: before})
		kept.addRows(s, at+r.N-after, record.KeyRange{First: last - record.Key(after), N: after})
		at += r.N
	}
	return kept
}

// part returns rows [from, to) of s, not copied.
func (s *slab) part(from, to int) *slab {
	dim := len(s.codes) / s.rows()
	half := quantize.ResidualBytes(dim)
	p := &slab{
		scales: s.scales[from*4 : to*4], codes: s.codes[from*dim : to*dim],
		residualScales: s.residualScales[from*4 : to*4], residuals: s.residuals[from*half : to*half],
	}
	at := 0
	for _, r := range s.runs {
		lo, hi := max(from, at), min(to, at+r.N)
		if lo < hi {
			p.addRun(record.KeyRange{First: r.First + record.Key(lo-at), N: hi - lo})
		}
		at += r.N
	}
	return p
}

// openSlab splits a value into its runs, scales and codes, of which a row has width
// bytes; the last two alias it. runs are appended to a slice that may be nil; ok is false when b is no slab.
func openSlab(b []byte, width int, runs []record.KeyRange) (_ []record.KeyRange, scales, codes []byte, ok bool) {
	u := unpacker{b: b}
	rows, next := 0, uint64(0)
	for range u.count(2) {
		first := next + u.uint()
		n := u.uint()
		if next = first + n; n == 0 || n > uint64(len(b)) || next > math.MaxUint32 {
			return nil, nil, nil, false
		}
		runs = append(runs, record.KeyRange{First: record.Key(first), N: int(n)})
		rows += int(n)
	}
	if u.bad || rows == 0 || width <= 0 || u.left() != rows*(4+width) {
		return nil, nil, nil, false
	}
	return runs, u.bytes(rows * 4), u.bytes(rows * width), true
}

// encodeSlab returns the value of one level of a slab.
func encodeSlab(runs []record.KeyRange, scales, codes []byte) []byte {
	b := make([]byte, 0, binary.MaxVarintLen32*(1+2*len(runs))+len(scales)+len(codes)+sealBytes)
	b = binary.AppendUvarint(b, uint64(len(runs)))
	next := uint64(0)
	for _, r := range runs {
		b = binary.AppendUvarint(b, uint64(r.First)-next)
		b = binary.AppendUvarint(b, uint64(r.N))
		next = uint64(r.First) + uint64(r.N)
	}
	b = append(b, scales...)
	return append(b, codes...)
}

// putSlab stores s under key, which is at least its last one.
func (t *txn) putSlab(key []byte, s *slab) error {
	if err := t.put(tableCodes, key, encodeSlab(s.runs, s.scales, s.codes)); err != nil {
		return err
	}
	return t.put(tableResiduals, key, encodeSlab(s.runs, s.residualScales, s.residuals))
}

func (t *txn) deleteSlab(key []byte) error {
	if err := t.delete(tableCodes, key); err != nil {
		return err
	}
	return t.delete(tableResiduals, key)
}

// slabAt opens the slab under key, whose value in tableCodes is codes; the result
// aliases the file.
func (t *txn) slabAt(key, codes []byte, dim int) (s slab, err error) {
	residuals, err := t.get(tableResiduals, key)
	if err != nil {
		return slab{}, err
	}
	var ok, okRest bool
	s.runs, s.scales, s.codes, ok = openSlab(codes, dim, nil)
	_, s.residualScales, s.residuals, okRest = openSlab(residuals, quantize.ResidualBytes(dim), nil)
	if last, okKey := keyOf(key); !ok || !okRest || !okKey || len(s.scales) != len(s.residualScales) || s.last() > last {
		return slab{}, corruptf("bad slab")
	}
	return s, nil
}

// nextSlab opens the first slab that may hold k or later keys; key is nil when
// there is none.
func (t *txn) nextSlab(k record.Key, dim int) (key []byte, s slab, err error) {
	err = t.scan(tableCodes, keyBytes(k), func(at, value []byte) (bool, error) {
		key = slices.Clone(at)
		s, err = t.slabAt(key, value, dim)
		return false, err
	})
	return key, s, err
}

// removeRows takes the rows of gone out of their slabs. A slab that is less than
// half full afterwards joins its successor when both fit into one, so that slabs do
// not wear away.
func (t *txn) removeRows(gone record.KeyRange, dim int) error {
	end := gone.First + record.Key(gone.N)
	for k := gone.First; k < end; {
		key, s, err := t.nextSlab(k, dim)
		if err != nil {
			return err
		}
		if key == nil || s.runs[0].First >= end {
			return nil
		}
		last, _ := keyOf(key)
		kept := s.without(gone)
		if kept.rows() == 0 {
			err = t.deleteSlab(key)
		} else {
			err = t.shrink(key, kept, dim)
		}
		if err != nil || last == math.MaxUint32 {
			return err
		}
		k = last + 1
	}
	return nil
}

// shrink stores what is left of the slab under key.
func (t *txn) shrink(key []byte, kept *slab, dim int) error {
	last, _ := keyOf(key)
	if kept.rows() < slabRows(dim)/2 && last < math.MaxUint32 {
		nextKey, next, err := t.nextSlab(last+1, dim)
		if err != nil {
			return err
		}
		if nextKey != nil && kept.rows()+next.rows() <= slabRows(dim) {
			kept.addSlab(&next)
			if err := t.deleteSlab(key); err != nil {
				return err
			}
			key = nextKey
		}
	}
	return t.putSlab(key, kept)
}

// appendRows stores the rows of added, whose keys are beyond all stored ones; tail
// is what lastSlabs gave at the start of the transaction.
//
// Slabs at the end that are not full and not larger than what is added are joined
// with it. So small batches leave few small slabs, like the digits of a binary
// counter, and a row is written again at most log2(slabRows) times.
func (t *txn) appendRows(added *slab, tail [][]byte, dim int) error {
	if added.rows() == 0 {
		return nil
	}
	var joined []slab // last first
	rows := added.rows()
	for _, key := range tail {
		codes, err := t.get(tableCodes, key)
		if err != nil {
			return err
		}
		if codes == nil { // removeRows took it away
			continue
		}
		s, err := t.slabAt(key, codes, dim)
		if err != nil {
			return err
		}
		if s.rows() >= slabRows(dim) || s.rows() > rows {
			break
		}
		if err := t.deleteSlab(key); err != nil {
			return err
		}
		joined, rows = append(joined, s), rows+s.rows()
	}
	all := added
	if len(joined) > 0 {
		all = new(slab)
		for _, s := range slices.Backward(joined) {
			all.addSlab(&s)
		}
		all.addSlab(added)
	}
	for from := 0; from < rows; from += slabRows(dim) {
		s := all.part(from, min(from+slabRows(dim), rows))
		if err := t.putSlab(keyBytes(s.last()), s); err != nil {
			return err
		}
	}
	return nil
}

// maxTail is how many slabs at the end appendRows looks at. Their sizes about
// double from the last one on, so that 16 is more than there are small ones.
const maxTail = 16

// lastSlabs returns the keys of up to maxTail slabs, last first. It is called before
// the transaction deletes anything: backwards, a cursor of bbolt stops at a page
// that deletes have emptied, and Last never returns when all pages are empty.
func (t *txn) lastSlabs() (keys [][]byte, err error) {
	b, err := t.bucket(tableCodes)
	if err != nil {
		return nil, err
	}
	c := b.Cursor()
	for k, _ := c.Last(); k != nil && len(keys) < maxTail; k, _ = c.Prev() {
		keys = append(keys, slices.Clone(k))
	}
	return keys, nil
}

// EachCodes calls fn with the codes of all chunks in the order of their keys, from
// the calling goroutine: fn must not call the store. The row of
// key first+i has the codes codes[i*dim:(i+1)*dim], each worth scales[i]. The slices
// are valid inside fn only and must not be written to.
func (r *Reader) EachCodes(ctx context.Context, fn func(first record.Key, codes []int8, scales []float32) error) error {
	err := r.view(ctx, func(t *txn) error {
		st, err := t.state()
		if err != nil {
			return err
		}
		var runs []record.KeyRange
		var scales []float32
		rows, next := uint64(0), record.Key(0)
		err = t.scan(tableCodes, nil, func(key, value []byte) (bool, error) {
			var rawScales, codes []byte
			var ok bool
			if runs, rawScales, codes, ok = openSlab(value, st.dim, runs[:0]); !ok || runs[0].First < next {
				return false, corruptf("bad slab")
			}
			scales = decodeFloats(scales[:0], rawScales)
			at := 0
			for _, r := range runs {
				to := at + r.N
				err := call(func() error { return fn(r.First, asInt8s(codes[at*st.dim:to*st.dim]), scales[at:to]) })
				if err != nil {
					return false, err
				}
				at, next = to, r.First+record.Key(r.N)
			}
			rows += uint64(at)
			return true, ctx.Err()
		})
		if err == nil && rows != st.chunks {
			return corruptf("%d vectors instead of %d", rows, st.chunks)
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
		var slabKey record.Key // of s
		var s slab
		var gone []record.Key
		flat := make([]float32, len(keys)*st.dim)
		for i, at := range order {
			k := keys[at]
			if i == 0 || s.runs != nil && k > slabKey {
				var raw []byte
				if raw, s, err = t.nextSlab(k, st.dim); err != nil {
					return err
				}
				slabKey, _ = keyOf(raw)
			}
			row := s.find(k)
			if row < 0 {
				gone = append(gone, k)
				continue
			}
			vectors[at] = flat[at*st.dim : (at+1)*st.dim : (at+1)*st.dim]
			s.row(row, st.dim).Float(vectors[at])
		}
		return t.checkGone(gone)
	})
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	return vectors, nil
}

// find returns the row of k, -1 when s has none.
func (s *slab) find(k record.Key) int {
	at := 0
	for _, r := range s.runs {
		if r.Contains(k) {
			return at + int(k-r.First)
		}
		at += r.N
	}
	return -1
}

// row returns row i; it aliases s.
func (s *slab) row(i, dim int) quantize.Row {
	half := quantize.ResidualBytes(dim)
	return quantize.Row{
		Code:          asInt8s(s.codes[i*dim : (i+1)*dim]),
		Scale:         math.Float32frombits(binary.LittleEndian.Uint32(s.scales[i*4:])),
		Residual:      s.residuals[i*half : (i+1)*half],
		ResidualScale: math.Float32frombits(binary.LittleEndian.Uint32(s.residualScales[i*4:])),
	}
}

// decodeFloats appends little-endian floats to dst.
func decodeFloats(dst []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst
}

// asInt8s and asBytes see the same memory as the other type of one byte.
func asInt8s(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}
func asBytes(b []int8) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}
