package snapshot

import (
	"context"
	"runtime"
)

// WatchState calls gone with the generation of the latest state when nothing refers to that
// state any more.
func WatchState(ix *Index, gone func(generation uint64)) {
	s := ix.now()
	runtime.AddCleanup(s, gone, s.generation)
}

// OverlayOf returns the overlay of a snapshot, to be compared.
func OverlayOf(v *Snapshot) any { return v.over }

// SetLargeWords sets the size from which a saved view of words is read in parts.
func SetLargeWords(n int) (restore func()) {
	old := largeWords
	largeWords = n
	return func() { largeWords = old }
}

// Words returns the view of words, to be compared.
func Words(ix *Index) any { return ix.now().words }

// SpoilNames saves names that cannot be read.
func SpoilNames(ctx context.Context, ix *Index) error {
	return ix.db.SaveView(ctx, viewNames, ix.now().generation, []byte("spoilt"))
}
