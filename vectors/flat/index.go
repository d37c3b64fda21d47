package flat

import (
	"context"
	"sync"
	"sync/atomic"

	"ambit/vectors/record"
)

// Index publishes the latest view of one store. It is safe for concurrent use.
type Index struct {
	floats FloatReader
	tie    func(a, b record.Key) int
	view   atomic.Pointer[View]
	mu     sync.Mutex // held while the next view is made
}

// NewIndex returns an empty index of vectors with dim components, dim > 0, whose
// searches read floats and order rows of one score by tie.
func NewIndex(dim int, floats FloatReader, tie func(a, b record.Key) int) *Index {
	ix := &Index{floats: floats, tie: tie}
	ix.view.Store(New(dim))
	return ix
}

// View returns the latest view.
func (ix *Index) View() *View { return ix.view.Load() }

// Load is [View.Load].
func (ix *Index) Load(first record.Key, codes []int8, scales []float32) error {
	return ix.publish(func(v *View) (*View, error) { return v.Load(first, codes, scales) })
}

// Apply is [View.Apply].
func (ix *Index) Apply(ctx context.Context, batch *record.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ix.publish(func(v *View) (*View, error) { return v.Apply(batch) })
}

func (ix *Index) publish(next func(*View) (*View, error)) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	v, err := next(ix.View())
	if err == nil {
		ix.view.Store(v)
	}
	return err
}

// Search is [View.Search] of the latest view.
func (ix *Index) Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	return ix.View().Search(ctx, ix.floats, query, k, Options{Keep: keep, Tie: ix.tie})
}
