package snapshot

import (
	"context"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"ambit/indexer/graph"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// The names under which the store keeps the views.
const (
	viewWords = "lexical"
	viewNames = "graph"
)

// reapplyFiles bounds the files that are in memory while a view is caught up.
const reapplyFiles = 500

// Load returns the index of a store: with the views as they were saved, and what was
// written since. It returns how many files that was. The vectors of the store have dim
// components.
func Load(ctx context.Context, db *store.DB, dim int, log *slog.Logger) (ix *Index, unsaved int, err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer tx.Close()
	files, err := tx.Files(ctx)
	if err != nil {
		return nil, 0, err
	}
	s := &state{generation: tx.Generation(), files: newCatalog(files), vectors: flat.New(dim)}
	var nWords, nNames int
	group, groupCtx := errgroup.WithContext(ctx)
	l := loader{tx, files, log}
	group.Go(func() error {
		return tx.EachCodes(groupCtx, func(first record.Key, codes []int8, scales []float32) (err error) {
			s.vectors, err = s.vectors.Load(first, codes, scales)
			return err
		})
	})
	group.Go(func() (err error) {
		s.words, nWords, err = l.words(groupCtx)
		return err
	})
	group.Go(func() (err error) {
		s.names, nNames, err = l.names(groupCtx)
		return err
	})
	group.Go(func() error {
		h, err := tx.History(groupCtx)
		s.history = newHistory(&h)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, 0, err
	}
	ix = &Index{db: db}
	ix.states.Store(&states{now: s})
	return ix, max(nWords, nNames), nil
}

// loader loads views from a transaction.
type loader struct {
	tx    *store.Reader
	files []record.File
	log   *slog.Logger
}

// words returns the word view and how many files were missing from the saved one.
func (l *loader) words(ctx context.Context) (v *lexical.View, n int, err error) {
	v = lexical.New()
	generation := l.restore(ctx, viewWords, func(data []byte) (err error) {
		var live []record.KeyRange
		for i := range l.files {
			if l.files[i].Chunks.N > 0 {
				live = append(live, l.files[i].Chunks)
			}
		}
		restored, err := lexical.Restore(data, live)
		if err == nil {
			v = restored
		}
		return err
	})
	n, err = l.reapply(generation, func(r *record.FileRecord) (err error) {
		if r.Content, err = l.tx.Content(ctx, r.File.Path); err == nil {
			r.Chunks, err = l.tx.FileChunks(ctx, r.File.Path)
		}
		return err
	}, func(b *record.Batch) (err error) {
		v, err = v.Apply(ctx, b)
		return err
	})
	return v, n, err
}

// names does for the name view what words does for the word view.
func (l *loader) names(ctx context.Context) (v *graph.View, n int, err error) {
	v = &graph.View{}
	generation := l.restore(ctx, viewNames, func(data []byte) error {
		restored, err := graph.Restore(data, l.files)
		if err == nil {
			v = restored
		}
		return err
	})
	n, err = l.reapply(generation, func(r *record.FileRecord) (err error) {
		r.Graph, err = l.tx.Graph(ctx, r.File.Path)
		return err
	}, func(b *record.Batch) error {
		v = v.Apply(b)
		return nil
	})
	return v, n, err
}

// restore hands a saved view to fill and returns its generation, 0 when there is none
// that can be used: a saved view only saves time.
func (l *loader) restore(ctx context.Context, name string, fill func(data []byte) error) (generation uint64) {
	data, generation, err := l.tx.LoadView(ctx, name)
	if err == nil && data != nil {
		err = fill(data)
	}
	if err != nil && ctx.Err() == nil {
		l.log.Warn("saved view not used", "view", name, "error", err)
	}
	if err != nil || data == nil {
		return 0
	}
	return generation
}

// reapply hands the files that were written after a generation, which it has read by
// read, to apply in batches, and returns how many there are.
func (l *loader) reapply(generation uint64, read func(*record.FileRecord) error, apply func(*record.Batch) error) (n int, err error) {
	var b record.Batch
	flush := func() error {
		if len(b.Files) == 0 {
			return nil
		}
		n += len(b.Files)
		err := apply(&b)
		b.Files = nil
		return err
	}
	for _, f := range l.files {
		if f.Generation <= generation || f.LeftOut != "" {
			continue
		}
		r := record.FileRecord{File: f}
		if err := read(&r); err != nil {
			return 0, fmt.Errorf("load %s: %w", f.Path, err)
		}
		if b.Files = append(b.Files, r); len(b.Files) == reapplyFiles {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, flush()
}

// SaveViews stores the views, so that the next Load need not make them.
func (ix *Index) SaveViews(ctx context.Context) error {
	s := ix.now()
	if err := ix.db.SaveView(ctx, viewWords, s.generation, s.words.Encode()); err != nil {
		return err
	}
	return ix.db.SaveView(ctx, viewNames, s.generation, s.names.Encode())
}
