package quantize_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/quantize"
)

func TestKnownVectorsHaveKnownCodes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name  string
		in    []float32
		want  []byte // even components in the lower half, 8 is 0
		bytes []int8 // see [quantize.Bytes]
	}{
		{"nothing", nil, nil, []int8{}},
		{"zeros", []float32{0, 0, 0}, []byte{0x88, 0x88}, []int8{0, 0, 0}},
		{"the largest component gets the largest code", []float32{1, -1, 0.6}, []byte{0x1f, 0x0c}, []int8{127, -127, 76}},
		{"a negative maximum gives no code below", []float32{-3, 1}, []byte{0xa1}, []int8{-127, 42}},
		{"halves round to even", []float32{7, 0.5, 1.5, 2.5, -0.5}, []byte{0x8f, 0xaa, 0x08}, []int8{127, 9, 27, 45, -9}},
		{"not a number counts as zero", []float32{nan, 1}, []byte{0xf8}, []int8{0, 127}},
		{"infinities are bounded", []float32{inf, -inf, 1}, []byte{0x1f, 0x08}, []int8{127, -127, 0}},
		{"numbers too small to scale are zero", []float32{1e-40, -1e-40}, []byte{0x88}, []int8{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r quantize.Row
			quantize.Quantize(tt.in, &r)
			if diff := cmp.Diff(tt.want, r.Code); diff != "" {
				t.Errorf("codes of %v (-want +got):\n%s", tt.in, diff)
			}
			codes := make([]int8, len(tt.in))
			quantize.Bytes(tt.in, codes)
			if diff := cmp.Diff(tt.bytes, codes); diff != "" {
				t.Errorf("bytes of %v (-want +got):\n%s", tt.in, diff)
			}
			check(t, tt.in)
		})
	}
}

func TestASecondQuantizationGivesTheSameRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		v := unit(rng, 256)
		var first, second quantize.Row
		quantize.Quantize(v, &first)
		first.Float(v)
		quantize.Quantize(v, &second)
		if diff := cmp.Diff(first.Code, second.Code); diff != "" {
			t.Fatalf("codes after a round trip (-first +second):\n%s", diff)
		}
	}
}

func TestSlicesAreReused(t *testing.T) {
	v := unit(rand.New(rand.NewPCG(3, 4)), 256)
	var r quantize.Row
	quantize.Quantize(v, &r)
	if n := testing.AllocsPerRun(100, func() { quantize.Quantize(v, &r); r.Float(v) }); n != 0 {
		t.Errorf("%v allocations a row, want 0", n)
	}
}

func TestUnitVectorsKeepTheirCosine(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		a, b := unit(rng, 256), unit(rng, 256)
		var r quantize.Row
		quantize.Quantize(a, &r)
		got := make([]float32, len(a))
		r.Float(got)
		if d := math.Abs(dot(a, b) - dot(got, b)); d > 2e-4 {
			t.Fatalf("two levels change a cosine by %g, want at most 2e-4", d)
		}
		r.Residual = nil
		r.Float(got)
		if d := math.Abs(dot(a, b) - dot(got, b)); d > 5e-2 {
			t.Fatalf("one level changes a cosine by %g, want at most 5e-2", d)
		}
		codes := make([]int8, len(a))
		scale := quantize.Bytes(a, codes)
		for j, c := range codes {
			got[j] = float32(c) * scale
		}
		if d := math.Abs(dot(a, b) - dot(got, b)); d > 5e-3 {
			t.Fatalf("bytes change a cosine by %g, want at most 5e-3", d)
		}
	}
}

func FuzzAnyFloatsStayWithinTheBound(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x7f, 0, 0, 0xc0, 0x7f, 1, 0, 0, 0, 0xff, 0xff, 0x7f, 0x7f})
	f.Add(binary.LittleEndian.AppendUint32(nil, math.Float32bits(0.1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		v := make([]float32, len(data)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		check(t, v)
	})
}

// check fails when a component of v is farther from its codes than Row says.
func check(t *testing.T, v []float32) {
	t.Helper()
	var r quantize.Row
	quantize.Quantize(v, &r)
	both, one := make([]float32, len(v)), make([]float32, len(v))
	r.Float(both)
	quantize.Row{Code: r.Code, Scale: r.Scale}.Float(one)
	clean, m := make([]float64, len(v)), 0.0
	for j, x := range v {
		if x == x {
			clean[j] = min(max(float64(x), -1e30), 1e30)
		}
		m = max(m, math.Abs(clean[j]))
	}
	rounding := m/(1<<22) + 128e-30
	codes := make([]int8, len(v))
	scale := quantize.Bytes(v, codes)
	for j, x := range clean {
		if nibble := r.Code[j/2] >> (4 * (j % 2)) & 0xf; nibble == 0 {
			t.Fatalf("component %d has the code -8", j)
		}
		if r.Residual[j] == -128 || codes[j] == -128 {
			t.Fatalf("component %d has the code -128", j)
		}
		if d := math.Abs(x - float64(one[j])); !(d <= m/14+rounding) {
			t.Fatalf("component %d of %v: one level gives %g, off by %g of at most %g", j, v, one[j], d, m/14)
		}
		if d := math.Abs(x - float64(both[j])); !(d <= m/3556+rounding) {
			t.Fatalf("component %d of %v: two levels give %g, off by %g of at most %g", j, v, both[j], d, m/3556)
		}
		if d := math.Abs(x - float64(codes[j])*float64(scale)); !(d <= m/254+rounding) {
			t.Fatalf("component %d of %v: a byte gives %g, off by %g of at most %g", j, v, float64(codes[j])*float64(scale), d, m/254)
		}
	}
}

func BenchmarkQuantize(b *testing.B) {
	v := unit(rand.New(rand.NewPCG(7, 8)), 256)
	var r quantize.Row
	for b.Loop() {
		quantize.Quantize(v, &r)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "vec/s")
}

// unit returns a random vector of length 1.
func unit(rng *rand.Rand, dim int) []float32 {
	v, sum := make([]float32, dim), 0.0
	for j := range v {
		x := rng.NormFloat64()
		v[j], sum = float32(x), sum+x*x
	}
	for j := range v {
		v[j] /= float32(math.Sqrt(sum))
	}
	return v
}

func dot(a, b []float32) float64 {
	var s float64
	for j := range a {
		s += float64(a[j]) * float64(b[j])
	}
	return s
}
