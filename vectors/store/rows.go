package store

import (
	"encoding/binary"
	"math"
	"unsafe"

	"ambit/vectors/quantize"
)

// rows are the vectors of a group of chunks, one row each, as the value
//
//	n scales | n codes | n scales of residuals | n residuals
//
// This is their form in a revision. Of those in the index tableVectors has the second half
// and tableCodes the first, see block.
type rows struct {
	n, dim int
	value  []byte // n*rowBytes(dim); scales are float32, little-endian
}

// residualBytes is what the second level of a row takes.
func residualBytes(dim int) int { return 4 + dim }

// rowBytes is the length of a row.
func rowBytes(dim int) int { return codeBytes(dim) + residualBytes(dim) }

// makeRows returns n rows of zeros.
func makeRows(n, dim int) rows {
	return rows{n, dim, make([]byte, n*rowBytes(dim))}
}

// openRows returns the rows of value, which they alias; ok is false for anything else.
func openRows(value []byte, dim int) (r rows, ok bool) {
	n := len(value) / rowBytes(dim)
	return rows{n, dim, value}, dim > 0 && n > 0 && n <= groupChunks && len(value) == n*rowBytes(dim)
}

// residuals returns the second level of the rows, which tableVectors has.
func (r *rows) residuals() []byte { return r.value[r.n*codeBytes(r.dim):] }

// levels returns the scales and codes of each level.
func (r *rows) levels() (scales, codes, residualScales, residuals []byte) {
	scales, codes = r.value[:4*r.n], r.value[4*r.n:r.n*codeBytes(r.dim)]
	return scales, codes, r.residuals()[:4*r.n], r.residuals()[4*r.n:]
}

// row returns row i; it aliases r.
func (r *rows) row(i int) quantize.Row {
	float := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])) }
	scales, codes, residualScales, residuals := r.levels()
	n := quantize.CodeBytes(r.dim)
	return quantize.Row{
		Code:          codes[i*n:][:n],
		Scale:         float(scales),
		Residual:      asInt8s(residuals[i*r.dim:][:r.dim]),
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
