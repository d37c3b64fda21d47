package lexical

import (
	"context"
	"sync"
	"sync/atomic"

	"ambit/vectors/record"
)

// Index publishes the latest view. It is safe for concurrent use.
type Index struct {
	tie  func(a, b record.Key) int
	view atomic.Pointer[View]
	mu   sync.Mutex // held while the next view is made
}

// NewIndex returns an empty index whose searches order rows of one score by tie.
func NewIndex(tie func(a, b record.Key) int) *Index {
	ix := &Index{tie: tie}
	ix.view.Store(New())
	return ix
}

// View returns the latest view.
func (ix *Index) View() *View { return ix.view.Load() }

// Apply is [View.Apply].
func (ix *Index) Apply(ctx context.Context, b *record.Batch) error {
	return ix.publish(func(v *View) (*View, error) { return v.Apply(ctx, b) })
}

// Restore is [Restore].
func (ix *Index) Restore(data []byte, live []record.KeyRange) error {
	return ix.publish(func(*View) (*View, error) { return Restore(data, live) })
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
func (ix *Index) Search(ctx context.Context, query string, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	return ix.View().Search(ctx, query, k, Options{Keep: keep, Tie: ix.tie})
}
