// Package quantize turns float vectors into int8 codes and back.
//
// A vector becomes two levels of codes: one byte a component that a scan reads, and
// half a byte for what the first level leaves over, so that both together stand for
// the floats in three eighths of their size. The store keeps both levels and the flat
// view the first; they agree because both call this package.
//
// The codes are a pure function of the floats and the same on every machine.
// Nothing here allocates when the caller's slices are large enough and the floats are numbers.
package quantize

import "math"

// MaxCode is the largest absolute value of a code. -128 is never used: a range
// that is symmetric needs no offset, and products of two codes fit the signed
// 16-bit sums of SIMD instructions in pairs (2*127*127 < 32768).
const MaxCode = 127

// MaxResidual is the largest absolute value of a code of the second level. Cosines
// are then off by at most some 1e-4, far less than what tells hits apart; a byte
// would take a tenth of an index for 1e-5.
const MaxResidual = 7

// maxComponent bounds what is encoded, far from where float32 overflows.
const maxComponent = 1e30

// minScale is the least scale; vectors below minScale*MaxCode in every component
// become zero rows, far from where float32 loses digits.
const minScale = 1e-30

// Row is one quantized vector of d components; component j is about
//
//	Code[j]*Scale + residual(j)*ResidualScale
//
// With m the largest absolute component, Scale is m/127 and the first level alone
// is off by at most Scale/2 = m/254 per component. Both levels together are off by
// at most ResidualScale/2 <= Scale/28 = m/3556, plus float32 rounding of about
// m*2^-23. A zero row has Scale 0; ResidualScale is 0 when nothing is left over.
type Row struct {
	Code          []int8 // d, each in [-127, 127]
	Scale         float32
	Residual      []byte // ResidualBytes(d); see residual
	ResidualScale float32
}

// ResidualBytes is the length of the second level of d components.
func ResidualBytes(d int) int { return (d + 1) / 2 }

// residual returns the code of component j of the second level, in [-7, 7]: two in a
// byte as numbers of four bits, the even component in the lower half.
func residual(codes []byte, j int) int8 {
	return int8(codes[j/2]<<(4-4*(j%2))) >> 4
}

// Quantize fills r with the codes of v and reuses its slices when they are large
// enough. A component that is not a number counts as 0 and one beyond ±1e30 as
// ±1e30; a vector whose components are all below about 1e-28 is the zero row.
func Quantize(v []float32, r *Row) {
	r.Code, r.Residual = sized(r.Code, len(v)), sized(r.Residual, ResidualBytes(len(v)))
	clear(r.Residual)
	largest := maxAbs(v)
	if !(largest <= maxComponent) { // or not a number
		v = cleaned(v)
		largest = maxAbs(v)
	}
	r.Scale = scaleFor(largest)
	if r.Scale == 0 {
		clear(r.Code)
		r.ResidualScale = 0
		return
	}
	inv := 1 / r.Scale
	var left uint32 // bits of the largest absolute residual
	codes := r.Code[:len(v)]
	for j, x := range v {
		c := round(x * inv)
		codes[j] = c
		left = max(left, absBits(x-float32(float32(c)*r.Scale)))
	}
	r.ResidualScale = math.Float32frombits(left) / MaxResidual
	if r.ResidualScale < minScale {
		r.ResidualScale = 0
		return
	}
	inv = 1 / r.ResidualScale
	for j, x := range v {
		// The inner conversion forbids a fused multiply-add, which would give other
		// codes on other machines.
		rest := x - float32(float32(codes[j])*r.Scale)
		c := min(max(round(rest*inv), -MaxResidual), MaxResidual)
		r.Residual[j/2] |= byte(c) & 0xf << (4 * (j % 2))
	}
}

// Float writes the components that r stands for to dst, which has len(r.Code)
// elements. Without Residual it writes the first level alone.
func (r Row) Float(dst []float32) {
	dst = dst[:len(r.Code)]
	if len(r.Residual) == 0 {
		for j, c := range r.Code {
			dst[j] = float32(c) * r.Scale
		}
		return
	}
	for j, c := range r.Code {
		dst[j] = float32(float32(c)*r.Scale) + float32(float32(residual(r.Residual, j))*r.ResidualScale)
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

// scaleFor returns the scale that maps m to MaxCode, 0 for what counts as zero.
func scaleFor(m float32) float32 {
	s := m / MaxCode
	if s < minScale {
		return 0
	}
	return s
}

func cleaned(v []float32) []float32 {
	out := make([]float32, len(v))
	for j, x := range v {
		out[j] = clean(x)
	}
	return out
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

// round returns x, which lies in about [-127, 127], rounded half to even. The sum
// with 1.5*2^23 leaves no bits for a fraction: four times as fast as math.Round.
func round(x float32) int8 {
	const magic = 3 << 22
	n := int32(float32(x+magic) - magic)
	return int8(min(max(n, -MaxCode), MaxCode))
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
