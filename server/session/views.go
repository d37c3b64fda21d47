package session

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"ambit/indexer/enrich"
	"ambit/indexer/graph"
	"ambit/indexer/pipeline"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// The names under which the store keeps the snapshots of the views.
const (
	viewWords = "lexical"
	viewNames = "graph"
)

// maxUnsaved is how many files may have been written since the snapshots for Close
// to leave them: applying that many anew costs an Open less than 20 ms, while
// saving costs every Close as much as the whole workspace is large.
const maxUnsaved = 64

// reapplyFiles bounds the files that are in memory while a view is caught up.
const reapplyFiles = 500

// sinks hands each batch to the store, which gives the keys, and then to the views.
type sinks []pipeline.Sink

// Apply hands a batch to each sink. When the first has it, the others get it even when
// ctx is done: no later batch says what this one has dropped.
func (s sinks) Apply(ctx context.Context, b *record.Batch) error {
	for _, sink := range s {
		if err := sink.Apply(ctx, b); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
	}
	return nil
}

// loadViews fills the views from the store, side by side.
func (s *Session) loadViews(ctx context.Context) error {
	files, err := s.db.Files(ctx)
	if err != nil {
		return err
	}
	s.files.load(files)
	s.enrich = enrich.NewIndex(files)
	s.vectors = flat.NewIndex(s.embed.Dim(), s.db, s.files.compare)
	s.words = lexical.NewIndex(s.files.compare)
	s.names = graph.New()
	var nWords, nNames int
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.db.EachCodes(ctx, s.vectors.Load) })
	group.Go(func() (err error) {
		nWords, err = s.loadWords(ctx, files)
		return err
	})
	group.Go(func() (err error) {
		nNames, err = s.loadNames(ctx, files)
		return err
	})
	group.Go(func() error {
		h, err := s.db.History(ctx)
		s.history.load(h)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	s.unsaved = max(nWords, nNames)
	return nil
}

// loadWords restores the word view, applies what was written since and returns how
// many files that were.
func (s *Session) loadWords(ctx context.Context, files []record.File) (int, error) {
	live := make([]record.KeyRange, 0, len(files))
	for i := range files {
		if files[i].Chunks.N > 0 {
			live = append(live, files[i].Chunks)
		}
	}
	generation := s.restore(ctx, viewWords, func(data []byte) error { return s.words.Restore(data, live) })
	return s.reapply(ctx, files, generation, s.words, func(r *record.FileRecord) (err error) {
		if r.Content, err = s.db.Content(ctx, r.File.Path); err != nil {
			return err
		}
		r.Chunks, err = s.db.FileChunks(ctx, r.File.Path)
		return err
	})
}

// loadNames does for the name view what loadWords does for the word view.
func (s *Session) loadNames(ctx context.Context, files []record.File) (int, error) {
	generation := s.restore(ctx, viewNames, func(data []byte) error { return s.names.Restore(data, files) })
	return s.reapply(ctx, files, generation, s.names, func(r *record.FileRecord) (err error) {
		r.Graph, err = s.db.Graph(ctx, r.File.Path)
		return err
	})
}

// restore fills a view from its snapshot and returns the generation that the view
// then stands at, 0 when it is empty: a snapshot is a shortcut, and one that cannot
// be read costs time only.
func (s *Session) restore(ctx context.Context, name string, fill func(data []byte) error) uint64 {
	data, generation, err := s.db.LoadView(ctx, name)
	if err == nil && data != nil {
		err = fill(data)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("snapshot not used", "view", name, "error", err)
	}
	if err != nil || data == nil {
		return 0
	}
	return generation
}

// reapply hands to a view the files that were written after a generation, read by
// read, in batches, and returns how many there are.
func (s *Session) reapply(ctx context.Context, files []record.File, generation uint64, view pipeline.Sink,
	read func(*record.FileRecord) error) (n int, err error) {
	b := record.Batch{Generation: s.db.Generation()}
	for i, f := range files {
		if f.Generation > generation && f.LeftOut == "" {
			r := record.FileRecord{File: f}
			if err := read(&r); err != nil {
				return 0, fmt.Errorf("load %s: %w", f.Path, err)
			}
			b.Files = append(b.Files, r)
			n++
		}
		if len(b.Files) == reapplyFiles || i+1 == len(files) && len(b.Files) > 0 {
			if err := view.Apply(ctx, &b); err != nil {
				return 0, err
			}
			b.Files = nil
		}
	}
	return n, nil
}

// saveViews stores the snapshots of the views. They are shortcuts: a disk that has no
// room for them costs the next Open time only, and is not asked again until twice as
// much is unsaved. The caller holds s.writing.
func (s *Session) saveViews(ctx context.Context) {
	err := s.storeViews(ctx)
	switch {
	case err == nil:
		s.unsaved, s.refusedViews = 0, 0
	case ctx.Err() == nil:
		s.refusedViews = s.unsaved
		s.log.Warn("snapshots not saved", "error", err)
	}
}

func (s *Session) storeViews(ctx context.Context) error {
	generation := s.db.Generation()
	if err := s.db.SaveView(ctx, viewWords, generation, s.words.View().Encode()); err != nil {
		return err
	}
	return s.db.SaveView(ctx, viewNames, generation, s.names.Snapshot())
}

// discard removes an index file that no other process uses.
func discard(path string, o store.Options) error {
	db, err := store.Open(path, o)
	if errors.Is(err, store.ErrInUse) {
		return err
	}
	if err == nil {
		err = db.Close()
	}
	if removeErr := os.Remove(path); removeErr != nil && !errors.Is(removeErr, os.ErrNotExist) {
		return fmt.Errorf("remove the old index: %w", errors.Join(removeErr, err))
	}
	return nil
}
