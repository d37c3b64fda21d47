package pipeline

import (
	"iter"

	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// Change is one path whose record in the index may be out of date.
type Change struct {
	Path  record.Path
	Entry watch.Entry // of the tree; ignored when Gone
	Old   record.File // of the index; zero for a new path
	Gone  bool        // the tree no longer has the path
}

// Plan compares the index with the tree and returns the paths to read, in order. Both are
// sorted by path. Plan takes a file for unchanged when its size and time are equal to
// those in the index.
func Plan(known []record.Row, tree iter.Seq[watch.Entry]) []Change {
	var changes []Change
	var path string // of the first of known
	pass := func(n int) {
		if known = known[n:]; len(known) > 0 {
			path = string(known[0].Path())
		}
	}
	gone := func() {
		changes = append(changes, Change{Path: known[0].Path(), Old: known[0].File(), Gone: true})
		pass(1)
	}
	pass(0)
	for e := range tree {
		for len(known) > 0 && path != e.Path && path < e.Path {
			gone()
		}
		if len(known) == 0 || path != e.Path {
			changes = append(changes, Change{Path: record.Path(e.Path), Entry: e})
			continue
		}
		if stale(known[0], e) {
			changes = append(changes, Change{Path: record.Path(path), Entry: e, Old: known[0].File()})
		}
		pass(1)
	}
	for len(known) > 0 {
		gone()
	}
	return changes
}

// stale reports whether the index may differ from the tree. A file that the scan leaves
// out is never read, so its record has no hash; a file that was left out for its
// contents has one.
func stale(old record.Row, e watch.Entry) bool {
	if old.Size() != e.Size || old.ModTime() != e.ModTime {
		return true
	}
	if e.LeftOut != "" {
		return old.LeftOut() != e.LeftOut
	}
	return old.Hash() == record.Hash{}
}
