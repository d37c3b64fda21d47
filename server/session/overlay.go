package session

import (
	"cmp"
	"context"
	"slices"

	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

// vectorOverlay searches an index without the rows of some files, and the rows that
// stand in their place.
type vectorOverlay struct {
	base   *flat.Index
	over   *flat.Index // nil for none
	hidden keyRanges   // of base
	tie    func(a, b record.Key) int
}

// hide hides the rows of some files of base.
func (v *vectorOverlay) hide(rows []record.KeyRange) { v.hidden = newKeyRanges(slices.Clone(rows)) }

// Search returns at most k hits of the chunks to keep, best first.
func (v *vectorOverlay) Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	if v.over == nil {
		return v.base.Search(ctx, query, k, keep)
	}
	hits, err := v.base.Search(ctx, query, k, func(key record.Key) bool { return !v.hidden.hold(key) && (keep == nil || keep(key)) })
	if err != nil {
		return nil, err
	}
	own, err := v.over.Search(ctx, query, k, keep)
	if err != nil {
		return nil, err
	}
	hits = append(hits, own...)
	slices.SortFunc(hits, func(a, b record.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), v.tie(a.Key, b.Key)) })
	return hits[:min(len(hits), max(k, 0))], nil
}

// wordOverlay searches words by a view with the rows of open buffers.
type wordOverlay struct {
	view *lexical.View
	tie  func(a, b record.Key) int
}

// Search returns at most k hits of the chunks to keep, best first.
func (w wordOverlay) Search(ctx context.Context, query string, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	return w.view.Search(ctx, query, k, lexical.Options{Keep: keep, Tie: w.tie})
}

// keyRanges are ranges of keys, ascending and disjoint.
type keyRanges []record.KeyRange

// newKeyRanges sorts ranges, which are disjoint, and joins what adjoins.
func newKeyRanges(ranges []record.KeyRange) keyRanges {
	slices.SortFunc(ranges, func(a, b record.KeyRange) int { return cmp.Compare(a.First, b.First) })
	joined := ranges[:0]
	for _, r := range ranges {
		if n := len(joined); n > 0 && joined[n-1].First+record.Key(joined[n-1].N) == r.First {
			joined[n-1].N += r.N
		} else if r.N > 0 {
			joined = append(joined, r)
		}
	}
	return joined
}

// hold reports whether a key lies in one of the ranges.
func (k keyRanges) hold(key record.Key) bool {
	_, found := slices.BinarySearchFunc(k, key, func(r record.KeyRange, key record.Key) int {
		switch {
		case r.Contains(key):
			return 0
		case r.First > key:
			return 1
		}
		return -1
	})
	return found
}
