package session

import (
	"cmp"
	"context"
	"slices"

	"ambit/vectors/flat"
	"ambit/vectors/record"
)

// vectorOverlay searches an index without the rows of some files, and the rows that
// stand in their place.
type vectorOverlay struct {
	base    *flat.Index
	over    *flat.Index       // nil for none
	hidden  []record.KeyRange // of base, ascending
	nHidden int               // rows in them
}

// hide hides the rows of some files of base.
func (v *vectorOverlay) hide(rows []record.KeyRange) {
	v.hidden = slices.Clone(rows)
	slices.SortFunc(v.hidden, func(a, b record.KeyRange) int { return cmp.Compare(a.First, b.First) })
	for _, r := range rows {
		v.nHidden += r.N
	}
}

// Search returns at most k hits, best first. It asks base for as many more as may be
// hidden.
func (v *vectorOverlay) Search(ctx context.Context, query []float32, k int) ([]record.Hit, error) {
	hits, err := v.base.Search(ctx, query, k+v.nHidden)
	if err != nil || v.over == nil {
		return hits, err
	}
	hits = slices.DeleteFunc(hits, func(h record.Hit) bool {
		_, hidden := slices.BinarySearchFunc(v.hidden, h.Key, func(r record.KeyRange, key record.Key) int {
			switch {
			case r.Contains(key):
				return 0
			case r.First > key:
				return 1
			}
			return -1
		})
		return hidden
	})
	own, err := v.over.Search(ctx, query, k)
	if err != nil {
		return nil, err
	}
	hits = append(hits, own...)
	slices.SortStableFunc(hits, func(a, b record.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), max(k, 0))], nil
}
