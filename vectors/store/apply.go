package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// Apply writes a batch in one transaction: all of it is kept or nothing. It fills
// Batch.Generation, Batch.Dropped and, in Files and Touched, what the store gives:
// File.Key, File.Chunks, File.Generation and Chunk.Key. After an error the batch
// and the index are as they were.
//
// A removed path that is not stored is no error; a touched one is, as is a batch
// that breaks the rules of [record.Batch]. A full disk, like every other error of
// the system, comes back with the next step in its text.
func (db *DB) Apply(ctx context.Context, b *record.Batch) error {
	db.write.Lock()
	defer db.write.Unlock()
	start := time.Now()
	if err := validate(b); err != nil {
		return fmt.Errorf("apply batch: %w", err)
	}
	a := applier{db: db, batch: b}
	if err := db.update(ctx, func(t *txn) error { return a.run(ctx, t) }); err != nil {
		return fmt.Errorf("apply batch to %s: %w", db.path, err)
	}
	a.fill()
	db.generation.Store(a.state.generation)
	db.log.Info("batch applied", "generation", a.state.generation, "files", len(b.Files), "touched", len(b.Touched),
		"removed", len(b.Removed), "took_ms", time.Since(start).Milliseconds())
	return nil
}

// validate returns what is wrong with b before anything is written.
func validate(b *record.Batch) error {
	seen := make(map[record.Path]bool, len(b.Files)+len(b.Touched)+len(b.Removed))
	once := func(p record.Path) error {
		switch {
		case p == "" || len(p) > maxPathBytes:
			return fmt.Errorf("a path has %d bytes", len(p))
		case seen[p]:
			return fmt.Errorf("%q stands twice in the batch", p)
		}
		seen[p] = true
		return nil
	}
	for i := range b.Files {
		if err := once(b.Files[i].File.Path); err != nil {
			return err
		}
		if err := validateFile(&b.Files[i]); err != nil {
			return fmt.Errorf("%q: %w", b.Files[i].File.Path, err)
		}
	}
	for i := range b.Touched {
		if err := once(b.Touched[i].Path); err != nil {
			return err
		}
	}
	for _, p := range b.Removed {
		if err := once(p); err != nil {
			return err
		}
	}
	return nil
}

func validateFile(r *record.FileRecord) error {
	switch {
	case len(r.Chunks) != len(r.Vectors):
		return fmt.Errorf("%d chunks and %d vectors", len(r.Chunks), len(r.Vectors))
	case r.File.LeftOut != "" && len(r.Chunks) > 0:
		return errors.New("left out, but has chunks")
	case len(r.Content) > MaxContentBytes:
		return fmt.Errorf("%d bytes are more than an index holds of a file", len(r.Content))
	}
	for i := range r.Chunks {
		if s := r.Chunks[i].Span; s.Start < 0 || s.End < s.Start || s.End > len(r.Content) {
			return fmt.Errorf("chunk %d at %v is outside the %d bytes of the content", i, s, len(r.Content))
		}
	}
	return nil
}

// applier is one run of Apply.
type applier struct {
	db      *DB
	batch   *record.Batch
	state   state
	files   []record.File // rows of batch.Files as stored
	touched []record.File
	dropped []record.KeyRange
	rows    slab // of all files
	row     quantize.Row
}

func (a *applier) run(ctx context.Context, t *txn) (err error) {
	if a.state, err = t.state(); err != nil {
		return err
	}
	a.state.generation++
	tail, err := t.lastSlabs()
	if err != nil {
		return err
	}
	for i := range a.batch.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.putFile(t, &a.batch.Files[i]); err != nil {
			return err
		}
	}
	for i := range a.batch.Touched {
		if err := a.touch(t, &a.batch.Touched[i]); err != nil {
			return err
		}
	}
	for _, path := range a.batch.Removed {
		if err := a.remove(t, path); err != nil {
			return err
		}
	}
	a.dropped = joinRanges(a.dropped)
	for _, r := range a.dropped {
		if err := t.removeRows(r, a.state.dim); err != nil {
			return err
		}
	}
	if err := t.appendRows(&a.rows, tail, a.state.dim); err != nil {
		return err
	}
	if h := a.batch.History; h != nil {
		data := a.db.zip.EncodeAll(encodeHistory(a.db.packer, h), nil)
		if err := t.putBlob(historyBlob(), a.state.generation, data); err != nil {
			return err
		}
	}
	return t.putState(&a.state)
}

// putFile stores a file in place of what its path held.
func (a *applier) putFile(t *txn, r *record.FileRecord) error {
	if err := a.remove(t, r.File.Path); err != nil {
		return err
	}
	s, n := &a.state, uint64(len(r.Chunks))
	if s.nextFile == math.MaxUint32 || s.nextChunk+n >= math.MaxUint32 {
		return fmt.Errorf("%w: its keys are used up", ErrFormat)
	}
	f := r.File
	f.Key, f.Generation = record.Key(s.nextFile), s.generation
	f.Chunks = record.KeyRange{First: record.Key(s.nextChunk), N: len(r.Chunks)}
	s.nextFile++
	s.nextChunk += n
	s.files++
	s.chunks += n
	a.files = append(a.files, f)
	if err := t.put(tableFiles, []byte(f.Path), encodeFile(&f)); err != nil || f.LeftOut != "" {
		return err
	}

	text := a.db.zip.EncodeAll(r.Content, make([]byte, 0, len(r.Content)/3+64))
	if err := t.put(tableContents, keyBytes(f.Key), text); err != nil {
		return err
	}
	graph := encodeGraph(a.db.packer, make([]byte, 0, 2048), &r.Graph)
	if err := t.put(tableGraphs, keyBytes(f.Key), graph); err != nil {
		return err
	}
	if err := t.putChunks(a.db.packer, f.Path, f.Chunks.First, r.Chunks); err != nil {
		return err
	}
	return a.addVectors(f.Chunks.First, r)
}

// addVectors quantizes the vectors of r.
func (a *applier) addVectors(first record.Key, r *record.FileRecord) error {
	for i, v := range r.Vectors {
		if a.state.dim == 0 {
			a.state.dim = len(v)
		}
		if len(v) != a.state.dim || len(v) == 0 {
			return fmt.Errorf("%q: %w: a vector of %d instead of %d", r.File.Path, ErrModel, len(v), a.state.dim)
		}
		quantize.Quantize(v, &a.row)
		a.rows.add(first+record.Key(i), &a.row)
	}
	return nil
}

// touch replaces size and time of a stored file.
func (a *applier) touch(t *txn, to *record.File) error {
	f, ok, err := t.file(to.Path)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("touch %q: %w", to.Path, ErrNotFound)
	}
	f.Size, f.ModTime = to.Size, to.ModTime
	a.touched = append(a.touched, f)
	return t.put(tableFiles, []byte(f.Path), encodeFile(&f))
}

// remove deletes all of path but its vectors, which go with all others at the end.
func (a *applier) remove(t *txn, path record.Path) error {
	f, ok, err := t.file(path)
	if err != nil || !ok {
		return err
	}
	if err := t.delete(tableFiles, []byte(path)); err != nil {
		return err
	}
	if err := t.delete(tableContents, keyBytes(f.Key)); err != nil {
		return err
	}
	if err := t.delete(tableGraphs, keyBytes(f.Key)); err != nil {
		return err
	}
	if err := t.deleteChunks(f.Chunks); err != nil {
		return err
	}
	a.state.files--
	a.state.chunks -= uint64(f.Chunks.N)
	if f.Chunks.N > 0 {
		a.dropped = append(a.dropped, f.Chunks)
	}
	return nil
}

// fill tells the batch what was stored.
func (a *applier) fill() {
	a.batch.Generation, a.batch.Dropped = a.state.generation, a.dropped
	for i, f := range a.files {
		r := &a.batch.Files[i]
		r.File = f
		for j := range r.Chunks {
			r.Chunks[j].Key = f.Chunks.First + record.Key(j)
		}
	}
	copy(a.batch.Touched, a.touched)
}

// joinRanges sorts disjoint ranges and joins those that touch.
func joinRanges(ranges []record.KeyRange) []record.KeyRange {
	slices.SortFunc(ranges, func(x, y record.KeyRange) int { return cmp.Compare(x.First, y.First) })
	joined := ranges[:0]
	for _, r := range ranges {
		if n := len(joined); n > 0 && joined[n-1].First+record.Key(joined[n-1].N) == r.First {
			joined[n-1].N += r.N
			continue
		}
		joined = append(joined, r)
	}
	return joined
}
