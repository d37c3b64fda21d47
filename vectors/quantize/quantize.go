// Package quantize turns float vectors into codes of few bits and back.
//
// A vector becomes two levels of codes: half a byte a component that a scan reads, and
// a byte for what the first level leaves over, so that both together stand for
// the floats in three eighths of their size. The store keeps both levels and the flat
// view the first; they agree because both call this package.
//
// The codes are a pure function of the floats and the same on every machine.
// Nothing here allocates when the caller's slices are large enough and the floats are numbers.
package quantize

import "math"

// MaxCode is the largest absolute value of a code of the first level. Of 1.3 million rows the 400
// whose first levels are nearest to a question have its 100 nearest ones; with three bits a
// component, 3,200 rows did not have all.
const MaxCode = 7

// Zero is the code of 0 as it is stored: a scan multiplies numbers without a sign, and a
// code c is stored as c+Zero, in [1, 15].
const Zero = MaxCode + 1

// MaxByte is the largest absolute value of a code of one byte. -128 is never used: a range
// that is symmetric needs no offset.
const MaxByte = 127

// maxComponent bounds what is encoded, far from where float32 overflows.
const maxComponent = 1e30

// minScale is the least scale; vectors below minScale*MaxCode in every component
// become zero rows, far from where float32 loses digits.
const minScale = 1e-30

// Row is one quantized vector of d components; component j is about
//
//	code(j)*Scale + Residual[j]*ResidualScale
//
// With m the largest absolute component, Scale is m/7 and the first level alone
// is off by at most Scale/2 = m/14 per component. Both levels together are off by
// at most ResidualScale/2 <= Scale/508 = m/3556, plus float32 rounding of about
// m*2^-23: cosines by at most some 1e-4, far less than what tells hits apart. Both scales
// of the zero row are 0, and neither is of any other: so half a row is known for what it is.
type Row struct {
	Code          []byte // CodeBytes(d); see code
	Scale         float32
	Residual      []int8 // d, each in [-127, 127]
	ResidualScale float32
}

// CodeBytes is the length of the first level of d components.
func CodeBytes(d int) int { return (d + 1) / 2 }

// code returns the code of component j of the first level, in [-7, 7]: two in a byte, the
// even component in the lower half.
func code(codes []byte, j int) int8 {
	return int8(codes[j/2]>>(4*(j%2))&0xf) - Zero
}

// Quantize fills r with the codes of v and reuses its slices when they are large
// enough. A component that is not a number counts as 0 and one beyond ±1e30 as
// ±1e30; a vector whose components are all below about 1e-29 is the zero row.
func Quantize(v []float32, r *Row) {
	r.Code, r.Residual = sized(r.Code, CodeBytes(len(v))), sized(r.Residual, len(v))
	v, largest := cleaned(v)
	r.Scale = scaleFor(largest, MaxCode)
	if r.Scale == 0 {
		for i := range r.Code {
			r.Code[i] = Zero<<4 | Zero
		}
		clear(r.Residual)
		r.ResidualScale = 0
		return
	}
	inv := 1 / r.Scale
	var left uint32 // bits of the largest absolute residual
	codes := r.Residual[:len(v)]
	for j, x := range v {
		c := round(x*inv, MaxCode)
		codes[j] = c
		left = max(left, absBits(x-float32(float32(c)*r.Scale)))
	}
	pack(codes, r.Code)
	r.ResidualScale = scaleFor(math.Float32frombits(left), MaxByte)
	if r.ResidualScale == 0 {
		r.ResidualScale = r.Scale / (2 * MaxByte) // as if a component were off by as much as one may be
		clear(r.Residual)
		return
	}
	inv = 1 / r.ResidualScale
	for j, x := range v {
		// The inner conversion forbids a fused multiply-add, which would give other
		// codes on other machines.
		rest := x - float32(float32(codes[j])*r.Scale)
		codes[j] = round(rest*inv, MaxByte)
	}
}

// pack writes codes in [-7, 7] to dst as code reads them.
func pack(codes []int8, dst []byte) {
	for i := range len(codes) / 2 {
		dst[i] = byte(codes[2*i]+Zero) | byte(codes[2*i+1]+Zero)<<4
	}
	if n := len(codes); n%2 == 1 {
		dst[n/2] = byte(codes[n-1] + Zero)
	}
}

// Bytes writes v as one code of a byte a component to dst, which has len(v) elements, each in
// [-127, 127]: the form of a question in a scan. It returns what a code is worth, 0 when
// all components are 0. See [Quantize] for numbers that are not usual.
func Bytes(v []float32, dst []int8) (scale float32) {
	v, largest := cleaned(v)
	if scale = scaleFor(largest, MaxByte); scale == 0 {
		clear(dst)
		return 0
	}
	inv := 1 / scale
	for j, x := range v {
		dst[j] = round(x*inv, MaxByte)
	}
	return scale
}

// Float writes the components that r stands for to dst, which has as many as r. Without
// Residual it writes the first level alone.
func (r Row) Float(dst []float32) {
	for j := range dst {
		dst[j] = float32(float32(code(r.Code, j)) * r.Scale)
	}
	for j, c := range r.Residual {
		dst[j] += float32(float32(c) * r.ResidualScale)
	}
}

// maxAbs returns the largest absolute component of v, and what is not a number if a component is.
func maxAbs(v []float32) float32 {
	var m uint32
	for _, x := range v {
		m = max(m, absBits(x))
	}
	return math.Float32frombits(m)
}

// scaleFor returns the scale that maps m to the code most, 0 for what counts as zero.
func scaleFor(m, most float32) float32 {
	s := m / most
	if s < minScale {
		return 0
	}
	return s
}

// cleaned returns v with all components as clean returns them, and their largest absolute
// value. It copies v only if some change.
func cleaned(v []float32) (out []float32, largest float32) {
	if largest = maxAbs(v); largest <= maxComponent {
		return v, largest
	}
	out = make([]float32, len(v))
	for j, x := range v {
		out[j] = clean(x)
	}
	return out, maxAbs(out)
}

// clean returns x for ordinary numbers, 0 for NaN, and the nearest bound otherwise.
func clean(x float32) float32 {
	if x >= -maxComponent && x <= maxComponent {
		return x
	}
	switch {
	case x > 0:
		return maxComponent
	case x < 0:
		return -maxComponent
	}
	return 0
}

// round returns x, which lies in about [-most, most], rounded half to even and into that
// range. The sum with 1.5*2^23 leaves no bits for a fraction: four times as fast as math.Round.
func round(x float32, most int32) int8 {
	const magic = 3 << 22
	n := int32(float32(float32(x)+magic) - magic) // x may be a product, see Quantize
	return int8(min(max(n, -most), most))
}

// absBits returns the bits of the absolute value of x. They have the order of the values, and
// those of what is not a number come last.
func absBits(x float32) uint32 { return math.Float32bits(x) &^ (1 << 31) }

// sized returns a slice of n codes in the memory of s when that is large enough.
func sized[T int8 | byte](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n)
}
