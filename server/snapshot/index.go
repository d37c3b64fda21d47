// Package snapshot gives each request one immutable state of the workspace.
//
// [Index] publishes the state of the index after each batch: the catalog of the files,
// the views and the history, of one generation, behind one pointer. A [Snapshot] is one
// published state, one read transaction of the store at the same generation, and one
// overlay: the open documents of a client, and the files that have changed on disk and
// are not indexed yet, in place of the files of the index. Nothing that a request reads
// from its snapshot can change.
//
// A request takes one snapshot, keeps it to its end and releases it. It never takes a
// second one while it holds the first: a goroutine that begins a transaction while it
// has one can wait for a writer that waits for it.
package snapshot

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"ambit/indexer/graph"
	"ambit/indexer/pipeline"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

var _ pipeline.Sink = (*Index)(nil)

// Index publishes the state of one store. It is the sink that batches go to. All
// methods are safe for concurrent use.
type Index struct {
	db     *store.DB
	states atomic.Pointer[states]
	write  sync.Mutex // held by Apply
}

// state is the index after the batches up to a generation. It is immutable but for the
// overlays, which cache results.
type state struct {
	generation uint64
	files      *catalog
	vectors    *flat.View
	words      *lexical.View
	names      *graph.View
	history    *History
	overlays   overlays
}

// states are the latest state and, from the start of a commit, the next state. The
// generation of a transaction tells which of the two it reads. A commit that failed may
// be in the file, when only the sync of the disk failed.
type states struct{ now, next *state }

// at returns the state of a generation, nil for none.
func (s *states) at(generation uint64) *state {
	switch {
	case s.now.generation == generation:
		return s.now
	case s.next != nil && s.next.generation == generation:
		return s.next
	}
	return nil
}

// Apply stores a batch and publishes the state that it leaves. The views are made within
// the transaction, so that after an error the store and the views are as they were.
func (ix *Index) Apply(ctx context.Context, b *record.Batch) error {
	ix.write.Lock()
	defer ix.write.Unlock()
	var next *state
	err := ix.db.Apply(ctx, b, func() (err error) {
		base := ix.states.Load().at(b.Generation - 1)
		if base == nil {
			return fmt.Errorf("%w: the views are not those of generation %d", store.ErrCorrupt, b.Generation-1)
		}
		if next, err = base.with(ctx, b); err == nil {
			ix.states.Store(&states{base, next})
		}
		return err
	})
	if err == nil {
		ix.states.Store(&states{now: next})
	}
	return err
}

// with returns the state after a batch whose keys the store has set.
func (s *state) with(ctx context.Context, b *record.Batch) (next *state, err error) {
	next = &state{generation: b.Generation, files: s.files.with(b), history: s.history}
	if next.vectors, err = s.vectors.Apply(b); err != nil {
		return nil, err
	}
	if next.words, err = s.words.Apply(ctx, b); err != nil {
		return nil, err
	}
	next.names = s.names.Apply(b)
	if b.History != nil {
		next.history = newHistory(b.History)
	}
	return next, nil
}

// begin returns a transaction and the state of its generation.
func (ix *Index) begin(ctx context.Context) (*store.Reader, *state, error) {
	for {
		before := ix.states.Load()
		tx, err := ix.db.Begin(ctx)
		if err != nil {
			return nil, nil, err
		}
		after := ix.states.Load()
		for _, s := range []*states{after, before} {
			if st := s.at(tx.Generation()); st != nil {
				return tx, st, nil
			}
		}
		generation := tx.Generation()
		tx.Close()
		if after == before { // otherwise more than one batch was applied meanwhile
			return nil, nil, fmt.Errorf("read generation %d of the index: the views are those of generation %d", generation, before.now.generation)
		}
	}
}

func (ix *Index) now() *state { return ix.states.Load().now }

// Files returns the files of the index, sorted by path. The caller does not change the list.
func (ix *Index) Files() []record.Row { return ix.now().files.files }

// File returns the file of the index at a path.
func (ix *Index) File(path record.Path) (record.File, bool) { return ix.now().files.find(path) }

// Indexed returns the number of files that are not left out.
func (ix *Index) Indexed() int { return ix.now().files.indexed }

// Generation returns the number of the latest batch.
func (ix *Index) Generation() uint64 { return ix.now().generation }

// History returns the git history that the index has.
func (ix *Index) History() *History { return ix.now().history }
