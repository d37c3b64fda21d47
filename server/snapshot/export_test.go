package snapshot

import "runtime"

// WatchState calls gone with the generation of the latest state when nothing refers to that
// state any more.
func WatchState(ix *Index, gone func(generation uint64)) {
	s := ix.now()
	runtime.AddCleanup(s, gone, s.generation)
}

// OverlayOf returns the overlay of a snapshot, to be compared.
func OverlayOf(v *Snapshot) any { return v.over }
