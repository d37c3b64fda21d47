package flat_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"ambit/vectors/embed"
	"ambit/vectors/flat"
	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// floats is a FloatReader over a map, safe for concurrent use.
type floats struct {
	mu   sync.RWMutex
	rows map[record.Key][]float32
}

func (f *floats) Vectors(_ context.Context, keys []record.Key) ([][]float32, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	out := make([][]float32, len(keys))
	for i, k := range keys {
		out[i] = f.rows[k]
	}
	return out, nil
}

func TestTieOrdersRowsOfOneScore(t *testing.T) {
	m := newModel(64)
	m.tie = func(a, b record.Key) int { return int(b) - int(a) }
	v := make([]float32, 64)
	v[3] = 1
	m.apply(t, slices.Repeat([][]float32{v}, 200)) // more than are rescored
	hits, err := m.Search(t.Context(), v, 3, nil)
	if err != nil || len(hits) != 3 || hits[0].Key != 200 || hits[1].Key != 199 || hits[2].Key != 198 {
		t.Errorf("Search = %v, %v; want the keys 200, 199 and 198", hits, err)
	}
}

// model is the latest view beside what it should hold.
type model struct {
	view   atomic.Pointer[flat.View]
	floats *floats
	tie    func(a, b record.Key) int
	next   record.Key
}

func newModel(dim int) *model {
	m := &model{floats: &floats{rows: make(map[record.Key][]float32)}, next: 1}
	m.view.Store(flat.New(dim))
	return m
}

// Apply makes the view with a batch the latest.
func (m *model) Apply(b *record.Batch) error {
	next, err := m.view.Load().Apply(b)
	if err == nil {
		m.view.Store(next)
	}
	return err
}

func (m *model) Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	return m.view.Load().Search(ctx, m.floats, query, k, flat.Options{Keep: keep, Tie: m.tie})
}

func (m *model) Len() int     { return m.view.Load().Len() }
func (m *model) Shape() []int { return m.view.Load().Shape() }

// apply adds vectors under the next keys and drops ranges, as a store would.
func (m *model) apply(t testing.TB, vectors [][]float32, dropped ...record.KeyRange) {
	t.Helper()
	batch := &record.Batch{Dropped: dropped}
	m.floats.mu.Lock()
	for _, r := range dropped {
		for i := range r.N {
			delete(m.floats.rows, r.First+record.Key(i))
		}
	}
	var f record.FileRecord
	for _, v := range vectors {
		m.floats.rows[m.next] = v
		f.Chunks = append(f.Chunks, record.Chunk{Key: m.next})
		m.next++
	}
	m.floats.mu.Unlock()
	if f.Codes = storetest.Codes(vectors...); len(vectors) > 0 {
		batch.Files = append(batch.Files, f)
	}
	if err := m.Apply(batch); err != nil {
		t.Fatalf("Apply: %v", err)
	}
}

// bruteForce is what Search must return.
func (m *model) bruteForce(query []float32, k int) []record.Hit {
	var hits []record.Hit
	for key, v := range m.floats.rows {
		if n := math.Sqrt(dot(v, v) * dot(query, query)); n > 0 {
			hits = append(hits, record.Hit{Key: key, Score: dot(query, v) / n})
		}
	}
	slices.SortFunc(hits, func(a, b record.Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return int(a.Key) - int(b.Key)
	})
	return hits[:min(k, len(hits))]
}

func (m *model) search(t testing.TB, query []float32, k int) []record.Hit {
	t.Helper()
	hits, err := m.Search(t.Context(), query, k, nil)
	if err != nil {
		t.Fatalf("Search: %v", err)
	}
	return hits
}

func keysOf(hits []record.Hit) []record.Key {
	var keys []record.Key
	for _, h := range hits {
		keys = append(keys, h.Key)
	}
	return keys
}

func TestSearchReturnsTheOrderOfTheExactCosine(t *testing.T) {
	m := newModel(3)
	m.apply(t, [][]float32{{1, 0, 0}, {0, 2, 0}, {1, 1, 0}, {0, 0, 0}, {-1, 0, 0}, {3, 3, 0}})
	tests := []struct {
		name  string
		query []float32
		k     int
		want  []record.Key
	}{
		{"the nearest comes first, equal ones by key, length does not matter", []float32{1, 1, 0}, 9, []record.Key{3, 6, 1, 2, 5}},
		{"k bounds the answer", []float32{0, 5, 0}, 2, []record.Key{2, 3}},
		{"a k of zero finds nothing", []float32{1, 0, 0}, 0, nil},
		{"a negative k finds nothing", []float32{1, 0, 0}, -1, nil},
		{"a zero query finds nothing", []float32{0, 0, 0}, 5, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := m.search(t, tt.query, tt.k)
			if diff := cmp.Diff(tt.want, keysOf(got)); diff != "" {
				t.Errorf("Search(%v, %d) (-want +got):\n%s", tt.query, tt.k, diff)
			}
		})
	}
	if m.Len() != 5 {
		t.Errorf("Len() = %d, want 5: a zero vector is not kept", m.Len())
	}
}

func TestInputThatDoesNotFitIsRefusedAndChangesNothing(t *testing.T) {
	file := func(keys []record.Key, vectors ...[]float32) *record.Batch {
		f := record.FileRecord{File: record.File{Path: "a.go"}, Codes: storetest.Codes(vectors...)}
		for _, k := range keys {
			f.Chunks = append(f.Chunks, record.Chunk{Key: k})
		}
		return &record.Batch{Files: []record.FileRecord{f}, Dropped: []record.KeyRange{{First: 1, N: 2}}}
	}
	m := newModel(2)
	m.apply(t, [][]float32{{1, 0}, {0, 1}})
	tests := []struct {
		name string
		do   func() error
	}{
		{"a vector of another dimension", func() error { return m.Apply(file([]record.Key{3}, []float32{1})) }},
		{"fewer vectors than chunks", func() error { return m.Apply(file([]record.Key{3, 4}, []float32{1, 1})) }},
		{"a key that was given before", func() error { return m.Apply(file([]record.Key{2}, []float32{1, 1})) }},
		{"a slab with a missing scale", func() error { _, err := m.view.Load().Load(3, []byte{1, 2, 3, 4}, []float32{1}); return err }},
		{"a slab below the last key", func() error { _, err := m.view.Load().Load(2, []byte{1}, []float32{1}); return err }},
		{"a query of another dimension", func() error { _, err := m.Search(t.Context(), []float32{1}, 1, nil); return err }},
		{"a query that is not finite", func() error {
			_, err := m.Search(t.Context(), []float32{1, float32(math.NaN())}, 1, nil)
			return err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.do(); err == nil {
				t.Error("no error")
			}
			if diff := cmp.Diff([]record.Key{1, 2}, keysOf(m.search(t, []float32{2, 1}, 9))); diff != "" {
				t.Errorf("rows afterwards (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACancelledSearchReturnsTheErrorOfItsContext(t *testing.T) {
	m := newModel(64)
	m.apply(t, randomVectors(rand.New(rand.NewPCG(1, 1)), 100, 64))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Search(ctx, m.floats.rows[1], 3, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestARowThatTheStoreLostIsLeftOut(t *testing.T) {
	m := newModel(2)
	m.apply(t, [][]float32{{1, 0}, {1, 0.1}, {1, 0.2}})
	delete(m.floats.rows, 1)
	if diff := cmp.Diff([]record.Key{2, 3}, keysOf(m.search(t, []float32{1, 0}, 3))); diff != "" {
		t.Errorf("Search (-want +got):\n%s", diff)
	}
}

func TestEveryKernelGivesTheScoresOfTheReference(t *testing.T) {
	for i, name := range flat.Kernels() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			stride := 64 * rapid.IntRange(1, 20).Draw(t, "stride/64")
			n := rapid.IntRange(1, 300).Draw(t, "rows")
			seed := rapid.Uint64().Draw(t, "seed")
			extreme := rapid.Bool().Draw(t, "extreme")
			rng := rand.New(rand.NewPCG(seed, 0))
			codes, query, scales := randomCodes(rng, n*stride, extreme), randomQuery(rng, 2*stride, extreme), make([]float32, n)
			want := make(map[int]float32)
			floor := float32(rng.NormFloat64() * 1000)
			for row := range n {
				scales[row] = rng.Float32()
				if score := float32(reference(codes[row*stride:], query)) * scales[row]; score >= floor {
					want[row] = score
				}
			}
			if diff := cmp.Diff(want, flat.Scan(i, codes, scales, query, floor)); diff != "" {
				t.Fatalf("n=%d stride=%d (-want +got):\n%s", n, stride, diff)
			}
		}))
	}
}

// TestAnyHistoryEqualsBruteForce keeps fewer rows than a search rescores, so the
// answer must be that of the floats, hit for hit.
func TestAnyHistoryEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dim := rapid.SampledFrom([]int{1, 3, 63, 64, 65, 256}).Draw(rt, "dim")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		m := newModel(dim)
		for range rapid.IntRange(1, 12).Draw(rt, "batches") {
			var dropped []record.KeyRange
			if m.next > 1 && rapid.Bool().Draw(rt, "drop") {
				first := record.Key(rapid.IntRange(1, int(m.next)-1).Draw(rt, "first"))
				n := rapid.IntRange(1, int(m.next-first)).Draw(rt, "n")
				dropped = append(dropped, record.KeyRange{First: first, N: n})
			}
			m.apply(t, randomVectors(rng, rapid.IntRange(0, 30).Draw(rt, "add"), dim), dropped...)
			query, k := randomVectors(rng, 1, dim)[0], 100
			got, want := m.search(t, query, k), m.bruteForce(query, k)
			if diff := cmp.Diff(keysOf(want), keysOf(got)); diff != "" {
				rt.Fatalf("Search (-want +got):\n%s", diff)
			}
			if m.Len() != len(m.floats.rows) {
				rt.Fatalf("Len() = %d, want %d", m.Len(), len(m.floats.rows))
			}
		}
	})
}

func TestLoadEqualsApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	vectors := randomVectors(rng, 20_000, 70)
	m := newModel(70)
	m.apply(t, vectors)
	m.apply(t, nil, record.KeyRange{First: 5000, N: 300})
	loaded := load(t, flat.New(70), 1, vectors[:4999])
	loaded = load(t, loaded, 5300, vectors[5299:])
	query := randomVectors(rng, 1, 70)[0]
	got, err := loaded.Search(t.Context(), m.floats, query, 50, flat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.search(t, query, 50), got); diff != "" {
		t.Errorf("loaded against applied (-want +got):\n%s", diff)
	}
}

func TestDeadRowsAreCompactedAndNeverFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	m := newModel(64)
	m.apply(t, randomVectors(rng, 40_000, 64))
	if diff := cmp.Diff([]int{8192, 8192, 8192, 8192, 7232}, m.Shape()); diff != "" {
		t.Fatalf("blocks (-want +got):\n%s", diff)
	}
	for first := record.Key(1); first < 30_000; first += 10 {
		m.apply(t, nil, record.KeyRange{First: first, N: 9})
	}
	rows := 0
	for _, n := range m.Shape() {
		rows += n
	}
	if rows > 2*m.Len() {
		t.Errorf("%d rows kept for %d live ones, want at most twice as many: %v", rows, m.Len(), m.Shape())
	}
	query := randomVectors(rng, 1, 64)[0]
	if diff := cmp.Diff(keysOf(m.bruteForce(query, 10)), keysOf(m.search(t, query, 10))); diff != "" {
		t.Errorf("Search (-want +got):\n%s", diff)
	}
	m.apply(t, nil, record.KeyRange{First: 1, N: 40_000})
	if m.Len() != 0 || len(m.Shape()) != 0 {
		t.Errorf("%d rows in blocks %v after everything was dropped", m.Len(), m.Shape())
	}
}

func TestASearchIgnoresRowsThatKeepRejects(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	m := newModel(64)
	m.apply(t, randomVectors(rng, 20_000, 64))
	keep := func(k record.Key) bool { return k%500 == 0 }
	for _, q := range randomVectors(rng, 4, 64) {
		var want []record.Hit
		for _, h := range m.search(t, q, 20_000) {
			if keep(h.Key) {
				want = append(want, h)
			}
		}
		got, err := m.Search(t.Context(), q, 10, keep)
		if err != nil {
			t.Fatalf("Search: %v", err)
		}
		if diff := cmp.Diff(keysOf(want[:10]), keysOf(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAViewDoesNotChangeUnderItsReaders(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	m := newModel(64)
	m.apply(t, randomVectors(rng, 9000, 64))
	queries := randomVectors(rng, 4, 64)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for _, q := range queries {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				hits, err := m.Search(t.Context(), q, 10, nil)
				if err != nil {
					t.Errorf("Search: %v", err)
					return
				}
				for i := 1; i < len(hits); i++ {
					if hits[i].Score > hits[i-1].Score {
						t.Errorf("hit %d is better than the one before", i)
					}
				}
			}
		})
	}
	for i := range 60 {
		m.apply(t, randomVectors(rng, 100, 64), record.KeyRange{First: record.Key(1 + 120*i), N: 120})
	}
	close(done)
	readers.Wait()
	for _, q := range queries {
		if diff := cmp.Diff(keysOf(m.bruteForce(q, 10)), keysOf(m.search(t, q, 10))); diff != "" {
			t.Errorf("Search (-want +got):\n%s", diff)
		}
	}
}

// TestViewsMadeOfOneViewAreIndependent makes several views of one, which may all
// extend the same block, uses any of them or none, and goes on from any.
func TestViewsMadeOfOneViewAreIndependent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const dim = 8
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		type state struct {
			view *flat.View
			rows map[record.Key][]float32
			last record.Key
		}
		states := []state{{view: flat.New(dim)}}
		for range rapid.IntRange(1, 12).Draw(rt, "views") {
			from := states[rapid.IntRange(0, len(states)-1).Draw(rt, "from")]
			next := state{rows: maps.Clone(from.rows), last: from.last}
			if next.rows == nil {
				next.rows = map[record.Key][]float32{}
			}
			var b record.Batch
			if from.last > 0 && rapid.Bool().Draw(rt, "drop") {
				r := record.KeyRange{First: record.Key(rapid.IntRange(1, int(from.last)).Draw(rt, "first")), N: rapid.IntRange(1, 40).Draw(rt, "n")}
				b.Dropped = append(b.Dropped, r)
				maps.DeleteFunc(next.rows, func(k record.Key, _ []float32) bool { return r.Contains(k) })
			}
			var f record.FileRecord
			for _, v := range randomVectors(rng, rapid.SampledFrom([]int{0, 1, 5, 70, 1500}).Draw(rt, "add"), dim) {
				next.last++
				next.rows[next.last] = v
				f.Chunks, f.Codes = append(f.Chunks, record.Chunk{Key: next.last}), append(f.Codes, storetest.Codes(v)...)
			}
			b.Files = append(b.Files, f)
			var err error
			if rapid.Bool().Draw(rt, "overlay") {
				next.view, err = from.view.With(&b)
			} else {
				next.view, err = from.view.Apply(&b)
			}
			if err != nil {
				rt.Fatal(err)
			}
			states = append(states, next)
		}
		query := randomVectors(rng, 1, dim)[0]
		for i, s := range states {
			m := model{floats: &floats{rows: s.rows}}
			m.view.Store(s.view)
			if diff := cmp.Diff(keysOf(m.bruteForce(query, 5000)), keysOf(m.search(t, query, 5000))); diff != "" {
				rt.Fatalf("view %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

func TestOverlaysCopyNoRows(t *testing.T) {
	const dim = 8
	rng := rand.New(rand.NewPCG(1, 0))
	view, last := flat.New(dim), record.Key(0)
	batch := func(rows int) *record.Batch {
		var f record.FileRecord
		for _, v := range randomVectors(rng, rows, dim) {
			last++
			f.Chunks, f.Codes = append(f.Chunks, record.Chunk{Key: last}), append(f.Codes, storetest.Codes(v)...)
		}
		return &record.Batch{Files: []record.FileRecord{f}}
	}
	shape := func(v *flat.View, err error, want ...int) *flat.View {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, v.Shape()); diff != "" {
			t.Errorf("rows of the blocks (-want +got):\n%s", diff)
		}
		return v
	}
	view, err := view.Apply(batch(100))
	view = shape(view, err, 100)
	for range 3 {
		over, err := view.With(batch(70))
		shape(over, err, 100, 70)
	}
	next, err := view.Apply(batch(5))
	shape(next, err, 105)
}

func TestRecallOnRandomVectorsIsComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	m := newModel(256)
	m.apply(t, randomVectors(rng, 20_000, 256))
	checkRecall(t, m, randomVectors(rng, 50, 256))
}

func TestRecallOnEmbeddedTextIsComplete(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("sources %v: %v", files, err)
	}
	var texts [][]byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for piece := range slices.Chunk(data, 250) {
			texts = append(texts, fmt.Appendf(nil, "# File: %s\n%s", f, piece))
		}
	}
	e := embed.NewBuiltin()
	rows := make([]float32, len(texts)*e.Dim())
	if err := e.Embed(t.Context(), texts, rows); err != nil {
		t.Fatal(err)
	}
	vectors := slices.Collect(slices.Chunk(rows, e.Dim()))
	m := newModel(e.Dim())
	m.apply(t, vectors)
	var queries [][]float32
	for _, q := range []string{"open the index file", "quantize a vector", "which error is returned", "heap of the best", "key range", "lock"} {
		v, err := e.EmbedQuery(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		queries = append(queries, v)
	}
	for i := 0; i < len(vectors); i += 10 {
		queries = append(queries, vectors[i])
	}
	checkRecall(t, m, queries)
}

// checkRecall fails unless the first ten of every query are those of the floats.
func checkRecall(t *testing.T, m *model, queries [][]float32) {
	t.Helper()
	found, wanted := 0, 0
	for _, q := range queries {
		got := keysOf(m.search(t, q, 10))
		for _, k := range keysOf(m.bruteForce(q, 10)) {
			wanted++
			if slices.Contains(got, k) {
				found++
			}
		}
	}
	if found != wanted {
		t.Errorf("recall@10 is %.4f (%d of %d), want 1", float64(found)/float64(wanted), found, wanted)
	}
}

func BenchmarkSearch(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if !testing.Short() {
		sizes = append(sizes, 1_000_000) // 128 MB
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("n=%d/d=256", n), func(b *testing.B) {
			v, query := syntheticView(b, n)
			// The limit: the same bytes read once, in order, by one thread.
			v.Read()
			const reads = 20
			start := time.Now()
			for range reads {
				v.Read()
			}
			limit := time.Since(start).Seconds() / reads
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Search(b.Context(), constant(query), query, 10, flat.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			perSearch := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(float64(n)/perSearch, "vec/s")
			b.ReportMetric(float64(v.Bytes())/float64(n), "B/vec")
			b.ReportMetric(perSearch/limit, "x-seq-read")
		})
	}
}

func BenchmarkApply(b *testing.B) {
	rng := rand.New(rand.NewPCG(8, 8))
	v, _ := syntheticView(b, 100_000)
	codes := storetest.Codes(randomVectors(rng, 10, 256)...)
	next := record.Key(100_001)
	for b.Loop() {
		f := record.FileRecord{Codes: codes}
		for range codes {
			f.Chunks = append(f.Chunks, record.Chunk{Key: next})
			next++
		}
		batch := &record.Batch{Files: []record.FileRecord{f}, Dropped: []record.KeyRange{{First: next - 20, N: 10}}}
		var err error
		if v, err = v.Apply(batch); err != nil {
			b.Fatal(err)
		}
	}
}

// constant answers every key with one vector: rescoring without the store's cost.
type constant []float32

func (c constant) Vectors(_ context.Context, keys []record.Key) ([][]float32, error) {
	out := make([][]float32, len(keys))
	for i := range out {
		out[i] = c
	}
	return out, nil
}

// syntheticView returns a view of n rows of random codes, and a query.
func syntheticView(tb testing.TB, n int) (*flat.View, []float32) {
	rng := rand.New(rand.NewPCG(3, 3))
	query := randomVectors(rng, 1, 256)[0]
	v := flat.New(256)
	const slab = 1000
	scales := make([]float32, slab)
	for i := range scales {
		scales[i] = 0.002
	}
	for at := 0; at < n; at += slab {
		var err error
		if v, err = v.Load(record.Key(at+1), randomCodes(rng, slab*128, false), scales); err != nil {
			tb.Fatal(err)
		}
	}
	return v, query
}

// load quantizes vectors and loads them in slabs under keys from first on.
func load(t *testing.T, view *flat.View, first record.Key, vectors [][]float32) *flat.View {
	t.Helper()
	var row quantize.Row
	for slab := range slices.Chunk(vectors, 256) {
		var codes []byte
		var scales []float32
		for _, v := range slab {
			quantize.Quantize(v, &row)
			codes, scales = append(codes, row.Code...), append(scales, row.Scale)
		}
		var err error
		if view, err = view.Load(first, codes, scales); err != nil {
			t.Fatalf("Load: %v", err)
		}
		first += record.Key(len(slab))
	}
	return view
}

// randomVectors returns n random vectors of length 1.
func randomVectors(rng *rand.Rand, n, dim int) [][]float32 {
	vectors := make([][]float32, n)
	for i := range vectors {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32(rng.NormFloat64())
		}
		norm := float32(math.Sqrt(dot(v, v)))
		for j := range v {
			v[j] /= norm
		}
		vectors[i] = v
	}
	return vectors
}

// randomCodes returns n bytes of two codes each, only the extremes if asked for.
func randomCodes(rng *rand.Rand, n int, extreme bool) []byte {
	codes := make([]byte, n)
	half := func() byte {
		if extreme {
			return byte(1 + 14*rng.IntN(2))
		}
		return byte(1 + rng.IntN(15))
	}
	for i := range codes {
		codes[i] = half() | half()<<4
	}
	return codes
}

// randomQuery returns n codes, only the extremes if asked for.
func randomQuery(rng *rand.Rand, n int, extreme bool) []int8 {
	codes := make([]int8, n)
	for i := range codes {
		codes[i] = int8(rng.IntN(255) - 127)
		if extreme {
			codes[i] = int8(127 - 254*(int(codes[i])&1))
		}
	}
	return codes
}

// reference is the dot product that every kernel must give.
func reference(row []byte, query []int8) int32 {
	var sum int32
	for j, b := range row[:len(query)/2] {
		sum += (int32(b&15)-8)*int32(query[j]) + (int32(b>>4)-8)*int32(query[len(query)/2+j])
	}
	return sum
}

func dot(a, b []float32) float64 {
	var s float64
	for j := range a {
		s += float64(a[j]) * float64(b[j])
	}
	return s
}
