// Package flat finds the vectors nearest to a query by an exact scan.
//
// The view holds one byte a component: the first level of package quantize. A
// search scans all of it, keeps the best few in a bounded heap, reads those as
// floats and orders them by their exact cosine. The scan reads memory as fast as
// the machine can; only the choice of the few is approximate.
//
// Searches never wait: each loads one immutable view and keeps it, while Apply
// builds the next from shared blocks of rows and publishes it with one atomic
// store. A dropped row is a bit until its block is rewritten.
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
	// rescoreFactor times k rows are read as floats. The codes of hashed text
	// vectors alone find .98 of the true first ten, the best 4k of them all of it.
	rescoreFactor = 4
	// minRescore is what is rescored at least: small k have few rows to be wrong by.
	minRescore = 64
	// maxThreads bounds the threads of one scan; more do not read memory faster.
	maxThreads = 8
	// minRowsPerThread is what is worth a thread: about 60 us of scanning.
	minRowsPerThread = 8192
	// firstRows and maxRows bound the rows of one kernel call. Calls start small
	// and double, so that the heap has a high bar before most rows are seen; the
	// largest takes about 20 us, which is how soon a cancelled search ends.
	firstRows, maxRows = 256, 2048
)

// FloatReader reads vectors by key. *store.DB satisfies it.
type FloatReader interface {
	// Vectors returns one vector per key, in the order of keys, which ascend. A key
	// that is gone gives nil.
	Vectors(ctx context.Context, keys []record.Key) ([][]float32, error)
}

// Options tunes [New]. The zero value is ready for use.
type Options struct {
	// Tie says which of two rows of one score comes first, as cmp.Compare does; it is
	// called from several goroutines. nil means the smaller key, which depends on
	// when the rows were written.
	Tie func(a, b record.Key) int
}

// Index is the vector view. It is safe for concurrent use; Load and Apply wait
// for each other, Search waits for nobody.
type Index struct {
	dim    int
	stride int // bytes per row: dim rounded up to strideAlign
	kernel kernel
	floats FloatReader
	tie    func(a, b record.Key) int
	pool   sync.Pool // *[]rowHit, the hits of one kernel call
	view   atomic.Pointer[view]
	mu     sync.Mutex // held while the next view is built
}

// New returns an empty index of vectors with dim components, dim > 0.
func New(dim int, floats FloatReader, o Options) *Index {
	ix := &Index{
		dim:    dim,
		stride: (dim + strideAlign - 1) / strideAlign * strideAlign,
		kernel: fastestKernel(),
		floats: floats,
		tie:    o.Tie,
	}
	if ix.tie == nil {
		ix.tie = cmp.Compare[record.Key]
	}
	ix.view.Store(new(view))
	return ix
}

// Len returns the number of vectors that a search scans. Zero vectors are not
// kept, they are near nothing.
func (ix *Index) Len() int { return ix.view.Load().live }

// Bytes returns the memory that the rows take, dead ones included.
func (ix *Index) Bytes() int {
	n := 0
	for _, b := range ix.view.Load().blocks {
		n += cap(b.codes) + 4*cap(b.keys) + 4*cap(b.scales) + 8*cap(b.dead)
	}
	return n
}

// Load adds the rows of a slab: row i has the key first+i, the codes
// codes[i*dim:(i+1)*dim] and scales[i], as package quantize made them. Keys must
// ascend from call to call. It copies what it keeps. It returns an error, and adds
// nothing, when the lengths do not fit each other or a key is not above the last.
func (ix *Index) Load(first record.Key, codes []int8, scales []float32) error {
	if len(codes) != len(scales)*ix.dim {
		return fmt.Errorf("load vectors: %d codes for %d rows of %d components", len(codes), len(scales), ix.dim)
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	next := ix.view.Load().next()
	for i, scale := range scales {
		if scale == 0 {
			continue
		}
		if err := next.add(first+record.Key(i), codes[i*ix.dim:(i+1)*ix.dim], scale, ix.stride); err != nil {
			return err
		}
	}
	ix.view.Store(next)
	return nil
}

// Apply adds the vectors of batch.Files and drops the rows of batch.Dropped, both
// or neither. The store has given the batch its keys, which are above all earlier
// ones. It returns the error of ctx, or one that says which vector does not fit.
func (ix *Index) Apply(ctx context.Context, batch *record.Batch) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	next := ix.view.Load().next()
	for _, r := range batch.Dropped {
		next.drop(r)
	}
	if len(batch.Dropped) > 0 {
		next.compact(ix.stride)
	}
	var row quantize.Row
	for i := range batch.Files {
		f := &batch.Files[i]
		if len(f.Vectors) != len(f.Chunks) {
			return fmt.Errorf("apply %s: %d vectors for %d chunks", f.File.Path, len(f.Vectors), len(f.Chunks))
		}
		for j, v := range f.Vectors {
			code, scale := []int8(nil), float32(0)
			if j < len(f.Codes) {
				code, scale = f.Codes[j].Code, f.Codes[j].Scale
			}
			if code == nil {
				quantize.Quantize(v, &row)
				code, scale = row.Code, row.Scale
			}
			if len(code) != ix.dim {
				return fmt.Errorf("apply %s: vector of %d components, want %d", f.File.Path, len(code), ix.dim)
			}
			if scale == 0 {
				continue
			}
			if err := next.add(f.Chunks[j].Key, code, scale, ix.stride); err != nil {
				return fmt.Errorf("apply %s: %w", f.File.Path, err)
			}
		}
	}
	ix.view.Store(next)
	return nil
}

// Search returns the k rows with the largest cosine to query of those that keep, nil
// for all, reports true for, best first, rows of equal cosine as Options.Tie has them.
// It calls keep from several goroutines, and not for every row. Scores lie in [-1, 1].
// A zero query finds nothing. It returns the error of ctx, of the FloatReader, or one
// that says that the query is
// not finite or has not dim components.
func (ix *Index) Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	if len(query) != ix.dim {
		return nil, fmt.Errorf("search vectors: query of %d components, want %d", len(query), ix.dim)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := ix.view.Load()
	k = min(k, v.live)
	if k <= 0 {
		return nil, nil
	}
	if norm := dot(query, query); math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, errors.New("search vectors: the query is not finite")
	}
	row := quantize.Row{Code: make([]int8, 0, ix.stride)}
	if quantize.Quantize(query, &row); row.Scale == 0 {
		return nil, nil
	}
	found, err := ix.scan(ctx, v, row.Code[:ix.stride], max(rescoreFactor*k, minRescore), keep)
	if err != nil {
		return nil, err
	}
	return ix.rescore(ctx, query, found, k)
}

// scan returns the size rows of v with the best scores of their codes, of those to
// keep, best first. The query is padded to the stride.
func (ix *Index) scan(ctx context.Context, v *view, query []int8, size int, keep func(record.Key) bool) ([]candidate, error) {
	threads := min(runtime.GOMAXPROCS(0), maxThreads, (v.live+minRowsPerThread-1)/minRowsPerThread, len(v.blocks))
	heaps := make([]topK, threads)
	var taken atomic.Int64 // blocks
	work := func(t int) {
		heaps[t].size, heaps[t].keep, heaps[t].tie = size, keep, ix.tie
		rows := firstRows
		for ctx.Err() == nil {
			i := int(taken.Add(1)) - 1
			if i >= len(v.blocks) {
				return
			}
			rows = ix.scanBlock(ctx, v.blocks[i], query, rows, &heaps[t])
		}
	}
	var others sync.WaitGroup
	for t := 1; t < threads; t++ {
		others.Go(func() { work(t) })
	}
	work(0)
	others.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return best(heaps), nil
}

// scanBlock pushes the live rows of b to top in calls of rows, then of twice as
// many and so on, and returns how many the next call may have. It stops when ctx
// is done.
func (ix *Index) scanBlock(ctx context.Context, b *block, query []int8, rows int, top *topK) int {
	hits := ix.hits()
	defer ix.pool.Put(hits)
	for at := 0; at < len(b.keys) && ctx.Err() == nil; {
		floor := float32(math.Inf(-1))
		if top.full() {
			floor = top.heap[0].score
		}
		end := min(at+rows, len(b.keys))
		for _, h := range ix.kernel.scan(b.codes[at*ix.stride:], b.scales[at:end], query, floor, *hits) {
			if row := at + int(h.row); !b.isDead(row) {
				top.push(candidate{key: b.keys[row], score: h.score})
			}
		}
		at, rows = end, min(2*rows, maxRows)
	}
	return rows
}

// hits returns room for the hits of one kernel call.
func (ix *Index) hits() *[]rowHit {
	if hits, ok := ix.pool.Get().(*[]rowHit); ok {
		return hits
	}
	hits := make([]rowHit, maxRows)
	return &hits
}

// rescore orders the candidates by their exact cosine to query and returns the
// first k. A row that the FloatReader no longer has is left out: its file changed
// after this search loaded its view.
func (ix *Index) rescore(ctx context.Context, query []float32, found []candidate, k int) ([]record.Hit, error) {
	keys := make([]record.Key, len(found))
	for i, c := range found {
		keys[i] = c.key
	}
	slices.Sort(keys)
	vectors, err := ix.floats.Vectors(ctx, keys)
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
		return ix.tie(a.Key, b.Key)
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
