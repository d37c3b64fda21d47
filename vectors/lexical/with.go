package lexical

import (
	"context"
	"fmt"

	"ambit/vectors/record"
)

// With returns an index in which a batch is applied to what ix holds now: an overlay
// for documents that are edited and not saved. It shares the rows of ix, which stays
// as it is, and rewrites none: its cost is that of the batch, not that of ix. Rows of one
// score come as tie has them, see [Options]; nil means as in ix. Errors are those of
// [Index.Apply].
func (ix *Index) With(ctx context.Context, b *record.Batch, tie func(a, b record.Key) int) (*Index, error) {
	parts, last, err := ix.with(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("overlay of the lexical index: %w", err)
	}
	if tie == nil {
		tie = ix.tie
	}
	next := &Index{weights: ix.weights, tie: tie, recipe: ix.recipe, scratch: ix.scratch}
	next.view.Store(newView(parts, last))
	return next, nil
}
