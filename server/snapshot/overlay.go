package snapshot

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"ambit/indexer/graph"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// firstOpenKey is the first key of the chunks of replacements, far above those of the
// index.
const firstOpenKey record.Key = 1 << 31

// overlay is a state with replacements in place of some of its files. It is immutable.
type overlay struct {
	client   *Documents
	state    *state
	set      *documentSet
	changes  *changes
	replaced map[record.Path]*replacement // those that differ from the index
	names    *graph.View
	search   func() (*searched, error) // the first search makes it
}

// maxOverlays bounds the overlays that a state keeps. Further clients with open documents get
// theirs made again for each question, which takes milliseconds.
const maxOverlays = 8

// overlays are the latest overlays on one state, one for each client, the last made first.
// They belong to the state because they share its views: kept by a client, they would keep
// the views of an old generation until the client asks again.
type overlays struct {
	mu   sync.Mutex // guards kept
	kept []*overlay
}

// of returns the latest overlay of a client, nil for none.
func (k *overlays) of(d *Documents) *overlay {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range k.kept {
		if o.client == d {
			return o
		}
	}
	return nil
}

// keep keeps an overlay in place of the last one of its client.
func (k *overlays) keep(o *overlay) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = slices.DeleteFunc(k.kept, func(other *overlay) bool { return other.client == o.client })
	k.kept = slices.Insert(k.kept, 0, o)
	if len(k.kept) > maxOverlays {
		k.kept = slices.Delete(k.kept, maxOverlays, len(k.kept))
	}
}

// overlay returns the state with the changes, and the documents in place of both.
func (d *Documents) overlay(s *state, set *documentSet, c *changes) *overlay {
	if o := s.overlays.of(d); o != nil && o.set == set && o.changes == c {
		return o
	}
	o := &overlay{client: d, state: s, set: set, changes: c, replaced: map[record.Path]*replacement{}}
	shown := map[record.Path]*replacement{}
	maps.Copy(shown, c.files)
	maps.Copy(shown, *set)
	var records []record.FileRecord
	for _, path := range slices.Sorted(maps.Keys(shown)) {
		r := shown[path]
		if f, ok := s.files.find(path); ok && f.Hash == r.hash() {
			continue
		}
		o.replaced[path] = r
		records = append(records, r.analyze().FileRecord)
	}
	o.names = s.names.With(records...)
	o.search = sync.OnceValues(func() (*searched, error) { return o.searched(records) })
	if len(records) > 0 && set == d.set.Load() {
		s.overlays.keep(o)
	}
	return o
}

// searched has the views that searches use. Words are counted over all rows together,
// because the weight of a word depends on all of them.
type searched struct {
	vectors  *flat.View
	words    *lexical.View
	indexed  *catalog       // whose chunks have keys below firstOpenKey
	replaced *catalog       // the replacements that answers show
	chunks   []record.Chunk // of replaced, by key from firstOpenKey on
	floats   [][]float32    // of chunks
}

// searched makes the views without the rows of the files that are replaced, and with
// those of their replacements.
func (o *overlay) searched(files []record.FileRecord) (*searched, error) {
	s := &searched{vectors: o.state.vectors, words: o.state.words, indexed: o.state.files, replaced: newCatalog(nil)}
	if len(files) == 0 {
		return s, nil
	}
	var b record.Batch
	var shown []record.Row
	for _, r := range files {
		if f, ok := o.state.files.find(r.File.Path); ok && f.Chunks.N > 0 {
			b.Dropped = append(b.Dropped, f.Chunks)
		}
		if r.File.LeftOut != "" {
			continue
		}
		var err error
		if r.Codes, err = o.replaced[r.File.Path].embed(); err != nil {
			return nil, err
		}
		r.File.Chunks = record.KeyRange{First: firstOpenKey + record.Key(len(s.chunks)), N: len(r.Chunks)}
		r.Chunks = slices.Clone(r.Chunks)
		for i := range r.Chunks {
			r.Chunks[i].Key = r.File.Chunks.First + record.Key(i)
		}
		shown = append(shown, record.RowOf(&r.File))
		s.chunks = append(s.chunks, r.Chunks...)
		s.floats = append(s.floats, floatsOf(r.Codes)...)
		b.Files = append(b.Files, r)
	}
	s.replaced = newCatalog(shown)
	var err error
	if s.vectors, err = o.state.vectors.With(&b); err != nil {
		return nil, err
	}
	s.words, err = o.state.words.With(context.Background(), &b) // the result outlives the request
	return s, err
}

// floatsOf returns vectors as the store returns them, so that a document ranks as it will
// when it is saved.
func floatsOf(vectors []record.Codes) [][]float32 {
	out := make([][]float32, len(vectors))
	for i, v := range vectors {
		out[i] = make([]float32, len(v.Residual))
		quantize.Row(v).Float(out[i])
	}
	return out
}

// filesOf returns the catalog of the file that has a chunk.
func (s *searched) filesOf(key record.Key) *catalog {
	if key >= firstOpenKey {
		return s.replaced
	}
	return s.indexed
}

// compare orders chunks by path, then by position in the file. Keys follow the order of
// writes, and no answer may depend on that: an unsaved chunk ranks where it will rank
// when it is saved. Deleted chunks come last.
func (s *searched) compare(a, b record.Key) int {
	x, y := s.filesOf(a), s.filesOf(b)
	p, q := x.pathOf(a), y.pathOf(b)
	switch {
	case p == "" && q == "":
		return cmp.Compare(a, b)
	case p == "":
		return 1
	case q == "":
		return -1
	}
	return cmp.Or(cmp.Compare(p, q), cmp.Compare(a, b))
}

// chunk returns the chunk of a replacement.
func (s *searched) chunk(key record.Key) record.Chunk {
	if i := int(key - firstOpenKey); i < len(s.chunks) {
		return s.chunks[i]
	}
	return record.Chunk{}
}

// floatReader reads the vectors of the index from a transaction, and those of
// replacements from the overlay.
type floatReader struct {
	tx *store.Reader
	s  *searched
}

// Vectors implements [flat.FloatReader].
func (r floatReader) Vectors(ctx context.Context, keys []record.Key) ([][]float32, error) {
	n, _ := slices.BinarySearch(keys, firstOpenKey)
	out, err := r.tx.Vectors(ctx, keys[:n])
	if err != nil {
		return nil, err
	}
	for _, key := range keys[n:] {
		out = append(out, r.s.floats[key-firstOpenKey])
	}
	return out, nil
}
