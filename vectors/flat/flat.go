// Package flat finds the vectors nearest to a query by an exact scan.
//
// The view holds half a byte a component: the first level of package quantize. A
// search scans all of it, keeps the best few in a bounded heap, reads those as
// floats and orders them by their exact cosine. The scan reads memory as fast as
// the machine can; only the choice of the few is approximate. (Weber, Schek, Blott: A
// Quantitative Analysis and Performance Study for Similarity-Search Methods in
// High-Dimensional Spaces, VLDB 1998: the vector approximation file.)
//
// A [View] is immutable. The next one is made of shared blocks of rows, so that a batch
// costs its own size. A dropped row is a bit until its block is rewritten.
//
// The package reads no disk and never sees text: vectors are handed to it.
package flat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

const (
	// rescoreFactor times k rows are read as floats. Of the true first 100 of 1.3 million
	// vectors of the built-in embedder, the first 100 rows by their codes have 83, the first
	// 200 98 and the first 400 all.
	rescoreFactor = 4
	// minRescore is the least number of rows that are rescored: with a small k, few
	// misses cost much.
	minRescore = 64
	// maxThreads bounds the threads of one scan; more do not read memory faster.
	maxThreads = 8
	// minRowsPerThread is worth a thread.
	minRowsPerThread = 8192
	// firstRows and maxRows bound the rows of one kernel call. Calls start small
	// and double, so that the heap has a high bar before most rows are seen. A cancelled
	// search ends with the call.
	firstRows, maxRows = 256, 2048
)

// FloatReader reads vectors by key. *store.Reader satisfies it.
type FloatReader interface {
	// Vectors returns one vector per key, in the order of keys, which ascend. A key
	// that is gone gives nil.
	Vectors(ctx context.Context, keys []record.Key) ([][]float32, error)
}

// CodeReader reads the codes of an index. *store.Reader satisfies it.
type CodeReader interface {
	// EachCodesBy calls fn, from some threads at once, with the rows of all keys; see
	// [View.Load] for their form. The slices are valid inside fn only.
	EachCodesBy(ctx context.Context, threads int, fn func(thread int, first record.Key, codes []byte, scales []float32) error) error
}

// Options tunes [View.Search]. The zero value is ready for use. Both functions are
// called from several goroutines.
type Options struct {
	// Keep reports whether a row may be a hit; nil keeps all. It is not called for
	// every row.
	Keep func(record.Key) bool
	// Tie says which of two rows of one score comes first, as cmp.Compare does. nil
	// means the smaller key, which depends on when the rows were written.
	Tie func(a, b record.Key) int
	// Stored has further rows, which the search reads as it goes; nil for none. Those that
	// the view has dropped are left out. One search takes less time than loading them, and
	// none of the memory.
	Stored CodeReader
}

// View is one immutable state of the vectors. All methods are safe for concurrent use.
type View struct {
	layout
	blocks []*block          // none empty; keys ascend within and across blocks
	live   int               // rows that are not dead
	last   record.Key        // the largest ever added
	own    *block            // the last block, while this view is built and alone has it
	apart  bool              // this view adds rows to blocks of its own alone
	stored bool              // see NewStored
	gone   []record.KeyRange // dropped rows of Options.Stored, in order
}

// layout is what all views that come of one have in common.
type layout struct {
	dim     int
	bytes   int    // of the codes of a row
	stride  int    // bytes per row: the codes rounded up to strideAlign
	padding []byte // stride-bytes zeros
	kernel  kernel
	pool    *sync.Pool // *[]rowHit, the hits of one kernel call
}

// New returns an empty view of vectors with dim components, dim > 0.
func New(dim int) *View {
	n := quantize.CodeBytes(dim)
	stride := (n + strideAlign - 1) / strideAlign * strideAlign
	return &View{layout: layout{
		dim:     dim,
		bytes:   n,
		stride:  stride,
		padding: make([]byte, stride-n),
		kernel:  fastestKernel(),
		pool:    &sync.Pool{},
	}}
}

// NewStored returns an empty view for the searches of an index whose rows stay where they
// are stored, see Options.Stored. The rows of a batch of [View.Apply] are stored too, so the
// view does not keep them. It keeps those of [View.With].
func NewStored(dim int) *View {
	v := New(dim)
	v.stored = true
	return v
}

// Stored reports whether the view comes of one of NewStored.
func (v *View) Stored() bool { return v.stored }

// Load returns the view with the rows of a slab: row i has the key first+i, the codes
// codes[i*n:(i+1)*n] and scales[i], as package quantize made them, of n =
// [quantize.CodeBytes] bytes. Keys must ascend from call to call. It copies what it keeps. It returns an error when the
// lengths do not fit each other or a key is not above the last.
func (v *View) Load(first record.Key, codes []byte, scales []float32) (*View, error) {
	if len(codes) != len(scales)*v.bytes {
		return nil, fmt.Errorf("load vectors: %d codes for %d rows of %d components", len(codes), len(scales), v.dim)
	}
	next := v.next()
	for i, scale := range scales {
		if scale == 0 {
			continue
		}
		if err := next.add(first+record.Key(i), codes[i*v.bytes:(i+1)*v.bytes], scale); err != nil {
			return nil, err
		}
	}
	next.own = nil
	return next, nil
}

// With returns the view with the vectors of batch.Files and without the rows of
// batch.Dropped. The store, or an overlay, has given the batch its keys, which are
// above all earlier ones. v stays as it is, and any number of views may be made of
// it; those that are not used cost nothing. It returns an error that says which
// vector does not fit.
//
// The time and the memory are those of the batch: no block is rewritten or extended, see
// [View.Apply].
func (v *View) With(batch *record.Batch) (*View, error) {
	next := v.next()
	next.apart = true
	if v.stored {
		next.gone = append(slices.Clone(v.gone), batch.Dropped...)
		slices.SortFunc(next.gone, func(a, b record.KeyRange) int { return cmp.Compare(a.First, b.First) })
	}
	if err := next.change(batch); err != nil {
		return nil, err
	}
	return next, nil
}

// change drops and adds the rows of a batch. The view is then complete.
func (v *View) change(batch *record.Batch) error {
	for _, r := range batch.Dropped {
		v.drop(r)
	}
	for i := range batch.Files {
		f := &batch.Files[i]
		if len(f.Codes) != len(f.Chunks) {
			return fmt.Errorf("apply %s: %d vectors for %d chunks", f.File.Path, len(f.Codes), len(f.Chunks))
		}
		for j, vector := range f.Codes {
			if len(vector.Residual) != v.dim || len(vector.Code) != v.bytes {
				return fmt.Errorf("apply %s: vector of %d components in %d bytes, want %d in %d", f.File.Path, len(vector.Residual), len(vector.Code), v.dim, v.bytes)
			}
			if vector.Scale == 0 {
				continue
			}
			if err := v.add(f.Chunks[j].Key, vector.Code, vector.Scale); err != nil {
				return fmt.Errorf("apply %s: %w", f.File.Path, err)
			}
		}
	}
	v.own = nil
	return nil
}

// Apply returns the view that follows v in an index. It has the rows of [View.With]. It
// extends the last block of v in place and rewrites the blocks that are mostly dead, so that
// there are few.
func (v *View) Apply(batch *record.Batch) (*View, error) {
	if v.stored {
		return v, nil
	}
	next := v.next()
	if err := next.change(batch); err != nil {
		return nil, err
	}
	if len(batch.Dropped) > 0 {
		next.compact()
	}
	return next, nil
}

// Search returns the k rows with the largest cosine to query, best first, of those
// that o keeps. The floats of the best few come from floats. Scores lie in [-1, 1]. A
// zero query finds nothing. It returns the error of ctx, of the FloatReader, or one
// that says that the query is not finite or has not dim components.
func (v *View) Search(ctx context.Context, floats FloatReader, query []float32, k int, o Options) ([]record.Hit, error) {
	if o.Tie == nil {
		o.Tie = cmp.Compare[record.Key]
	}
	if len(query) != v.dim {
		return nil, fmt.Errorf("search vectors: query of %d components, want %d", len(query), v.dim)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Stored == nil {
		k = min(k, v.live)
	}
	if k <= 0 {
		return nil, nil
	}
	if norm := dot(query, query); math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, errors.New("search vectors: the query is not finite")
	}
	codes := v.query(query)
	if codes == nil {
		return nil, nil
	}
	found, err := v.scan(ctx, codes, max(rescoreFactor*k, minRescore), o)
	if err != nil {
		return nil, err
	}
	return rescore(ctx, floats, query, found, k, o.Tie)
}

// query returns the codes of a question as the kernels read them: its even components,
// padded with zeros to the stride, then the odd ones. It returns nil for the zero vector.
func (v *View) query(vector []float32) []int8 {
	codes, query := make([]int8, v.dim), make([]int8, 2*v.stride)
	if quantize.Bytes(vector, codes) == 0 {
		return nil
	}
	for j, c := range codes {
		query[j%2*v.stride+j/2] = c
	}
	return query
}

// scan returns the size rows with the best scores of their codes, of those to keep,
// best first. The query is as v.query makes it.
func (v *View) scan(ctx context.Context, query []int8, size int, o Options) ([]candidate, error) {
	threads := min(runtime.GOMAXPROCS(0), maxThreads, (v.live+minRowsPerThread-1)/minRowsPerThread, len(v.blocks))
	heaps := make([]topK, threads, 2*maxThreads)
	for t := range heaps {
		heaps[t] = topK{size: size, keep: o.Keep, tie: o.Tie}
	}
	var taken atomic.Int64 // blocks
	work := func(t int) {
		rows := firstRows
		for ctx.Err() == nil {
			i := int(taken.Add(1)) - 1
			if i >= len(v.blocks) {
				return
			}
			rows = v.scanBlock(ctx, v.blocks[i], query, rows, &heaps[t])
		}
	}
	var others sync.WaitGroup
	for t := 1; t < threads; t++ {
		others.Go(func() { work(t) })
	}
	if threads > 0 {
		work(0)
	}
	others.Wait()
	if o.Stored != nil {
		stored, err := v.scanStored(ctx, query, size, o)
		if err != nil {
			return nil, err
		}
		heaps = append(heaps, stored...)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return best(heaps), nil
}

// scanBlock pushes the live rows of b to top in calls of rows, then of twice as
// many and so on, and returns how many the next call may have. It stops when ctx
// is done.
func (v *View) scanBlock(ctx context.Context, b *block, query []int8, rows int, top *topK) int {
	hits := v.hits()
	defer v.pool.Put(hits)
	for at := 0; at < len(b.keys) && ctx.Err() == nil; {
		floor := float32(math.Inf(-1))
		if top.full() {
			floor = top.heap[0].score
		}
		end := min(at+rows, len(b.keys))
		for _, h := range v.kernel.scan(b.codes[at*v.stride:], b.scales[at:end], query, floor, *hits) {
			if row := at + int(h.row); !b.isDead(row) && b.scales[row] != 0 {
				top.push(candidate{key: b.keys[row], score: h.score})
			}
		}
		at, rows = end, min(2*rows, maxRows)
	}
	return rows
}

// hits returns room for the hits of one kernel call.
func (v *View) hits() *[]rowHit {
	if hits, ok := v.pool.Get().(*[]rowHit); ok {
		return hits
	}
	hits := make([]rowHit, maxRows)
	return &hits
}

// rescore orders the candidates by their exact cosine to query and returns the
// first k. A row that the FloatReader does not have is left out.
func rescore(ctx context.Context, floats FloatReader, query []float32, found []candidate, k int, tie func(a, b record.Key) int) ([]record.Hit, error) {
	keys := make([]record.Key, len(found))
	for i, c := range found {
		keys[i] = c.key
	}
	slices.Sort(keys)
	vectors, err := floats.Vectors(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("rescore %d vectors: %w", len(keys), err)
	}
	if len(vectors) != len(keys) {
		return nil, fmt.Errorf("rescore: %d vectors for %d keys", len(vectors), len(keys))
	}
	square := dot(query, query)
	hits := make([]record.Hit, 0, len(keys))
	for i, v := range vectors {
		if v == nil {
			continue
		}
		if len(v) != len(query) {
			return nil, fmt.Errorf("rescore: vector %d has %d components, want %d", keys[i], len(v), len(query))
		}
		if n := math.Sqrt(square * dot(v, v)); n > 0 {
			cosine := dot(query, v) / n
			hits = append(hits, record.Hit{Key: keys[i], Score: min(max(cosine, -1), 1)})
		}
	}
	slices.SortFunc(hits, func(a, b record.Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return tie(a.Key, b.Key)
	})
	return hits[:min(k, len(hits))], nil
}

// dot returns the scalar product of two vectors of one length, summed in float64.
func dot(a, b []float32) float64 {
	b = b[:len(a)]
	var s, s0, s1, s2, s3 float64 // four sums do not wait for each other
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s0 += float64(a[0]) * float64(b[0])
		s1 += float64(a[1]) * float64(b[1])
		s2 += float64(a[2]) * float64(b[2])
		s3 += float64(a[3]) * float64(b[3])
	}
	for j, x := range a {
		s += float64(x) * float64(b[j])
	}
	return s + s0 + s1 + s2 + s3
}
