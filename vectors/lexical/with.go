package lexical

import (
	"context"

	"ambit/vectors/record"
)

// With returns an index in which a batch is applied to what ix holds now: an overlay
// for documents that are edited and not saved. It shares the rows of ix, which stays
// as it is, and costs what [Index.Apply] costs. Errors are those of Apply.
func (ix *Index) With(ctx context.Context, b *record.Batch) (*Index, error) {
	next := &Index{weights: ix.weights, tie: ix.tie, recipe: ix.recipe}
	next.view.Store(ix.view.Load())
	if err := next.Apply(ctx, b); err != nil {
		return nil, err
	}
	return next, nil
}
