package snapshot

import (
	"context"
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

// A process that answers many questions has a saved view in memory, but for a large one of
// words: of that it reads what the questions need, and keeps up to keptWords bytes. The words
// of a Linux kernel take 205 MB, and the median of 150 questions is not slower for it. The names
// stay in memory: to follow them takes reads all over them.
const keptWords = 64 << 20

// keptOnce is keptWords for a process that answers one question: that reads the postings of each
// word two or three times, one after the other.
const keptOnce = 8 << 20

var largeWords = 96 << 20 // a test sets it

// reapplyFiles bounds the files that are in memory while a view is caught up.
const reapplyFiles = 500

// Load returns the index of a store and the number of files written since its views were
// saved. It restores the saved views and applies these files. The vectors of the store
// have dim components. If stored is set they stay there, see [flat.NewStored], and so does
// what no question needs of the saved views. Much of a large view of words does so in any case.
func Load(ctx context.Context, db *store.DB, dim int, stored bool, log *slog.Logger) (ix *Index, unsaved int, err error) {
	tx, err := db.Begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer tx.Close()
	var m *cataloger
	if err := tx.EachFile(ctx, func(n int) { m = newCataloger(n) }, func(f record.Row) { m.add(f) }); err != nil {
		return nil, 0, err
	}
	s := &state{generation: tx.Generation(), files: m.catalog(), vectors: flat.New(dim), words: lexical.New(), names: &graph.View{}}
	if stored {
		s.vectors = flat.NewStored(dim)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if stored {
			return nil
		}
		return tx.EachCodes(groupCtx, func(first record.Key, codes []byte, scales []float32) (err error) {
			s.vectors, err = s.vectors.Load(first, codes, scales)
			return err
		})
	})
	var words, names uint64 // the generations at which the views were saved
	group.Go(func() error {
		words = restore(groupCtx, db, tx, viewWords, stored, log, func(saved *store.View, data []byte) (err error) {
			var v *lexical.View
			if saved != nil {
				v, err = lexical.Open(saved, s.files.chunks())
			} else {
				v, err = lexical.Restore(data, s.files.chunks())
			}
			if err == nil {
				s.words = v
			}
			return err
		})
		return nil
	})
	group.Go(func() error {
		names = restore(groupCtx, db, tx, viewNames, stored, log, func(saved *store.View, data []byte) (err error) {
			var v *graph.View
			if saved != nil {
				v, err = graph.Open(saved, s.files.files)
			} else {
				v, err = graph.Restore(data, s.files.files)
			}
			if err == nil {
				s.names = v
			}
			return err
		})
		return nil
	})
	group.Go(func() error {
		h, err := tx.History(groupCtx)
		s.history = newHistory(&h)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, 0, err
	}
	if unsaved, err = s.reapply(ctx, tx, words, names); err != nil {
		return nil, 0, err
	}
	ix = &Index{db: db}
	ix.states.Store(&states{now: s})
	return ix, unsaved, ctx.Err()
}

// restore hands a saved view to fill, as it is stored or as its bytes, and returns its
// generation. It returns 0 when no saved view is usable; Load then builds the view.
func restore(ctx context.Context, db *store.DB, tx *store.Reader, name string, stored bool, log *slog.Logger, fill func(saved *store.View, data []byte) error) (generation uint64) {
	var data []byte
	saved, err := openView(ctx, db, name, stored)
	switch {
	case err != nil:
	case saved != nil:
		generation = saved.Generation()
	default:
		data, generation, err = tx.LoadView(ctx, name)
	}
	if err == nil && (saved != nil || data != nil) {
		err = fill(saved, data)
	} else {
		generation = 0
	}
	if err == nil {
		return generation
	}
	if ctx.Err() == nil {
		log.Warn("saved view not used", "view", name, "error", err)
	}
	return 0
}

// openView returns a saved view that is to be read in parts, nil for any other and for none.
func openView(ctx context.Context, db *store.DB, name string, stored bool) (*store.View, error) {
	switch {
	case stored && name == viewWords:
		return db.OpenView(ctx, name, keptOnce)
	case stored: // an overview reads all names again and again
		return db.OpenView(ctx, name, 0)
	case name != viewWords:
		return nil, nil
	}
	saved, err := db.OpenView(ctx, name, keptWords)
	if err != nil || saved == nil || saved.Len() >= largeWords {
		return saved, err
	}
	saved.Close()
	return nil, nil
}

// reapply gives the views of words and names, in batches, the files that were written
// after the generation of each, and returns how many files there are. It is used while
// the state is made.
func (s *state) reapply(ctx context.Context, tx *store.Reader, words, names uint64) (n int, err error) {
	var toWords, toNames record.Batch
	flush := func() error {
		next, err := s.words.Apply(ctx, &toWords)
		if err != nil {
			return err
		}
		s.words, s.names = next, s.names.Apply(&toNames)
		toWords.Files, toNames.Files = nil, nil
		return nil
	}
	for _, f := range s.files.files {
		generation := f.Generation()
		if generation <= min(words, names) || !f.Indexed() {
			continue
		}
		n++
		r := record.FileRecord{File: f.File()}
		if generation > words {
			if r.Content, err = tx.Content(ctx, r.File.Path); err != nil {
				return 0, err
			}
			if r.Chunks, err = tx.FileChunks(ctx, r.File.Path); err != nil {
				return 0, err
			}
			toWords.Files = append(toWords.Files, r)
		}
		if generation > names {
			if r.Graph, err = tx.Graph(ctx, r.File.Path); err != nil {
				return 0, err
			}
			toNames.Files = append(toNames.Files, r)
		}
		if n%reapplyFiles == 0 {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	if n%reapplyFiles > 0 {
		err = flush()
	}
	return n, err
}

// SaveViews stores the views, so that the next Load need not make them. Of large views of
// words it then keeps in memory what the questions need, as Load does.
func (ix *Index) SaveViews(ctx context.Context) error {
	ix.write.Lock()
	defer ix.write.Unlock()
	s := ix.now()
	if err := ix.db.LoadOpen(ctx, viewWords); err != nil {
		return err
	}
	if err := ix.db.SaveView(ctx, viewWords, s.generation, s.words.Encode()...); err != nil {
		return err
	}
	if err := ix.reopenWords(ctx, s); err != nil {
		return err
	}
	if err := ix.db.LoadOpen(ctx, viewNames); err != nil {
		return err
	}
	return ix.db.SaveView(ctx, viewNames, s.generation, s.names.Encode()...)
}

// reopenWords puts the words that were saved of the state s in place of those in memory, when
// they are large. The caller holds ix.write.
func (ix *Index) reopenWords(ctx context.Context, s *state) error {
	saved, err := openView(ctx, ix.db, viewWords, false)
	if saved == nil {
		return err
	}
	words, err := lexical.Open(saved, s.files.chunks())
	if err != nil {
		saved.Close()
		return err
	}
	ix.states.Store(&states{now: &state{generation: s.generation, files: s.files, vectors: s.vectors, words: words, names: s.names, history: s.history}})
	return nil
}
