package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/revisions"
)

// Apply writes a batch in one transaction: all of it is kept or nothing. It fills
// Batch.Generation, Batch.Dropped and, in Files and Touched, what the store gives:
// File.Key, File.Chunks, File.Generation and Chunk.Key. Then, before it commits, it calls
// prepare, unless nil, in which the caller makes the views that it publishes with the
// batch; an error of prepare undoes the batch. prepare must not use the store, and is called again
// when a batch is tried again. After an error the batch and the index are as they were.
//
// A removed path that is not stored is no error; a touched one is, as is a batch
// that breaks the rules of [record.Batch]. On a full disk files that were moved
// aside and the revision cache give their room to the batch; when that is not enough, the error,
// like every other one of the system, comes back with the next step in its text.
func (db *DB) Apply(ctx context.Context, b *record.Batch, prepare func() error) error {
	return db.apply(ctx, b, prepare, db.bolt.Update)
}

// apply is Apply in transactions that update begins.
func (db *DB) apply(ctx context.Context, b *record.Batch, prepare func() error, update func(func(*bbolt.Tx) error) error) error {
	db.write.Lock()
	defer db.write.Unlock()
	start := time.Now()
	if err := validate(b); err != nil {
		return fmt.Errorf("apply batch: %w", err)
	}
	a := applier{db: db, batch: b, prepare: prepare}
	err := a.commit(ctx, update)
	if isFull(err) && db.makeRoom(ctx, &a.state) {
		a = applier{db: db, batch: b, prepare: prepare, noCache: true}
		err = a.commit(ctx, update)
	}
	if err != nil {
		return fmt.Errorf("write index %s: %w", db.path, err)
	}
	db.generation.Store(a.state.generation)
	db.log.Info("batch applied", "generation", a.state.generation, "files", len(b.Files), "touched", len(b.Touched),
		"removed", len(b.Removed), "took_ms", time.Since(start).Milliseconds())
	return nil
}

// makeRoom removes the files that were moved aside and the revision cache, and reports
// whether there were any.
func (db *DB) makeRoom(ctx context.Context, s *state) bool {
	bad := removeBad(db.path)
	cache := s.cache.N > 0 && db.clearCache(ctx) == nil
	if bad || cache {
		db.log.Warn("the disk is full; removed files that were moved aside or the revision cache", "moved_aside", bad, "revisions", cache)
	}
	return bad || cache
}

// validate returns an error when b breaks the rules of [record.Batch].
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
	case len(r.Chunks) != len(r.Codes):
		return fmt.Errorf("%d chunks and %d vectors", len(r.Chunks), len(r.Codes))
	case r.File.LeftOut != "" && len(r.Chunks) > 0:
		return errors.New("left out, but has chunks")
	case len(r.Content) > MaxContentBytes:
		return fmt.Errorf("%d bytes are more than an index holds of a file", len(r.Content))
	}
	for i := range r.Chunks {
		for p := range r.Chunks[i].Places() {
			if s := p.Span; s.Start < 0 || s.End < s.Start || s.End > len(r.Content) {
				return fmt.Errorf("chunk %d at %v is outside the %d bytes of the content", i, s, len(r.Content))
			}
		}
	}
	return validateCrossFile(r.File.CrossFile, r.Chunks)
}

// applier is one run of Apply.
type applier struct {
	db      *DB
	batch   *record.Batch
	prepare func() error // see Apply; nil for none
	noCache bool         // there is no room for one
	state   state
	files   []record.File // rows of batch.Files as stored
	touched []record.File
	dropped []record.KeyRange
}

// commit runs a in a transaction that update begins. Unless commit succeeds, the batch is
// as it was.
func (a *applier) commit(ctx context.Context, update func(func(*bbolt.Tx) error) error) error {
	undo, done := func() {}, false
	defer func() {
		if !done {
			undo()
		}
	}()
	err := a.db.updateBy(ctx, update, func(t *txn) error {
		if err := a.run(ctx, t); err != nil {
			return err
		}
		undo = a.fill()
		if a.prepare == nil {
			return nil
		}
		return call(a.prepare)
	})
	if done = err == nil || a.stored(ctx); done {
		return nil
	}
	return err
}

// stored reports whether the file holds the batch although its commit failed: bbolt also
// returns an error when it has written everything and the synchronization fails.
func (a *applier) stored(ctx context.Context) bool {
	if a.state.generation <= a.db.generation.Load() {
		return false
	}
	var s state
	err := a.db.view(context.WithoutCancel(ctx), func(t *txn) (err error) {
		s, err = t.state()
		return err
	})
	if err != nil || s.generation != a.state.generation {
		return false
	}
	a.db.log.Warn("a batch is stored, but a power failure would lose it", "generation", s.generation)
	return true
}

func (a *applier) run(ctx context.Context, t *txn) (err error) {
	if a.state, err = t.state(); err != nil {
		return err
	}
	a.state.generation++
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
		if err := a.remove(t, path, revisions.ID{}, !slices.Contains(a.batch.Forget, path)); err != nil {
			return err
		}
	}
	for _, path := range a.batch.Forget {
		if err := a.forget(t, path); err != nil {
			return err
		}
	}
	a.dropped = joinRanges(a.dropped)
	if err := a.trimCache(t); err != nil {
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

// putFile stores a file in place of the one that its path held. The earlier revisions of
// a file that is left out are dropped: it may be left out for its contents.
func (a *applier) putFile(t *txn, r *record.FileRecord) error {
	if err := a.remove(t, r.File.Path, idOf(&r.File), r.File.LeftOut == ""); err != nil {
		return err
	}
	if r.File.LeftOut != "" {
		if err := a.forget(t, r.File.Path); err != nil {
			return err
		}
	}
	s, n := &a.state, uint64(len(r.Chunks))
	if s.nextFile == math.MaxUint32 || s.nextChunk+n >= math.MaxUint32 {
		return fmt.Errorf("%w: its keys are used up", ErrFormat)
	}
	f := r.File
	f.Key, f.Generation = record.Key(s.nextFile), s.generation
	f.Chunks = record.KeyRange{First: record.Key(s.nextChunk), N: len(r.Chunks)}
	rev, cached, err := t.cache(&s.cache).Get(idOf(&f))
	if err != nil {
		return err
	}
	var old stored
	if cached {
		if old, err = decodeStored(&rev); err != nil {
			return err
		}
	}
	recalled := cached && r.Recalled && old.file.Chunks.N == len(r.Chunks)
	if recalled {
		f.Key = old.file.Key
		s.recalled++
	} else {
		s.nextFile++
	}
	s.nextChunk += n
	s.files++
	s.chunks += n
	a.files = append(a.files, f)
	if err := t.put(tableFiles, []byte(f.Path), record.AppendRow(nil, &f)); err != nil {
		return err
	}
	if cached {
		if err := t.cache(&s.cache).Remove(&rev); err != nil {
			return err
		}
		if recalled {
			return a.putBack(t, &f, &old)
		}
		if err := t.deleteTexts(old.file.Key); err != nil {
			return err
		}
	}
	if f.LeftOut != "" {
		return nil
	}
	return a.putNew(t, &f, r)
}

// putNew stores the record of f.
func (a *applier) putNew(t *txn, f *record.File, r *record.FileRecord) error {
	text := a.db.zip.EncodeAll(r.Content, make([]byte, 0, len(r.Content)/3+64))
	graph := encodeGraph(a.db.packer, nil, &r.Graph)
	var groups []group
	sums := make([]byte, 0, 1+groupChunks*sumsBytes)
	for at := 0; at < len(r.Chunks); at += groupChunks {
		to := min(at+groupChunks, len(r.Chunks))
		vectors, err := a.rowsOf(r, at, to)
		if err != nil {
			return err
		}
		chunks := encodeGroup(a.db.packer, sums[:0], f.Path, r.Chunks[at:to])
		groups = append(groups, group{chunks, vectors.value})
	}
	a.state.bytes += footprint(len(text), len(graph), groups)
	a.state.embedded += uint64(r.Embedded)
	a.state.kept += uint64(len(r.Codes) - r.Embedded)
	if err := t.put(tableContents, keyBytes(f.Key), text); err != nil {
		return err
	}
	if err := t.put(tableGraphs, keyBytes(f.Key), graph); err != nil {
		return err
	}
	return t.putGroups(&a.state, f, groups)
}

// putBack stores the groups that the revision cache has of f. Its text and graph are in
// place.
func (a *applier) putBack(t *txn, f *record.File, old *stored) error {
	a.state.bytes += old.footprint
	a.state.kept += uint64(f.Chunks.N)
	for i := range old.groups {
		g := &old.groups[i]
		g.chunks = append(make([]byte, 0, len(g.chunks)+sealBytes), g.chunks...)
	}
	return t.putGroups(&a.state, f, old.groups)
}

// rowsOf returns the vectors of chunks [from, to) of r.
func (a *applier) rowsOf(r *record.FileRecord, from, to int) (vectors rows, err error) {
	for i := from; i < to; i++ {
		row := quantize.Row(r.Codes[i])
		if a.state.dim == 0 {
			a.state.dim = len(row.Residual)
		}
		n := len(row.Residual)
		if n != a.state.dim || n == 0 {
			return rows{}, fmt.Errorf("%q: %w: a vector of %d instead of %d", r.File.Path, ErrModel, n, a.state.dim)
		}
		if len(row.Code) != quantize.CodeBytes(n) {
			return rows{}, fmt.Errorf("%q: a vector of %d has %d bytes of codes instead of %d", r.File.Path, n, len(row.Code), quantize.CodeBytes(n))
		}
		if i == from {
			vectors = makeRows(to-from, a.state.dim)
		}
		vectors.set(i-from, &row)
	}
	return vectors, nil
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
	return t.put(tableFiles, []byte(f.Path), record.AppendRow(nil, &f))
}

// remove takes path out of the index. If keep is set, remove adds the revision that path
// held to the cache, unless that is next, which takes its place, or the workspace may never
// have held it: the original of a copy did.
func (a *applier) remove(t *txn, path record.Path, next revisions.ID, keep bool) error {
	f, ok, err := t.file(path)
	if err != nil || !ok {
		return err
	}
	if err := t.delete(tableFiles, []byte(path)); err != nil {
		return err
	}
	a.state.files--
	a.state.chunks -= uint64(f.Chunks.N)
	if f.Chunks.N > 0 {
		a.dropped = append(a.dropped, f.Chunks)
	}
	if f.LeftOut != "" {
		return nil
	}
	old, err := t.storedOf(&f)
	if err != nil {
		return err
	}
	a.state.bytes -= old.footprint
	if keep = keep && idOf(&f) != next && f.ModTime != copied; keep {
		keep, err = a.keep(t, &old)
	}
	if err == nil && !keep {
		err = t.deleteTexts(f.Key)
	}
	if err != nil {
		return err
	}
	return t.deleteGroups(&a.state, f.Chunks)
}

// fill sets the fields of the batch that the store gives, and returns a function that
// resets them.
func (a *applier) fill() (undo func()) {
	b, old := a.batch, *a.batch
	files, touched := make([]record.File, len(b.Files)), slices.Clone(b.Touched)
	var keys []record.Key
	b.Generation, b.Dropped = a.state.generation, a.dropped
	for i, f := range a.files {
		r := &b.Files[i]
		files[i], r.File = r.File, f
		for j := range r.Chunks {
			keys = append(keys, r.Chunks[j].Key)
			r.Chunks[j].Key = f.Chunks.First + record.Key(j)
		}
	}
	copy(b.Touched, a.touched)
	return func() {
		b.Generation, b.Dropped = old.Generation, old.Dropped
		copy(b.Touched, touched)
		for i := range files {
			r := &b.Files[i]
			r.File = files[i]
			for j := range r.Chunks {
				r.Chunks[j].Key, keys = keys[0], keys[1:]
			}
		}
	}
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
