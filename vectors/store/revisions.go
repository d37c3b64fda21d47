package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/revisions"
)

// cache returns the cache of earlier revisions within a transaction. The Value of a
// revision holds the row of the file and the groups of its chunks. Text and graph stay in
// their tables, under the key of the file, which the file gets again when the revision
// comes back. Its chunks get new keys then, as the keys of all views ascend.
func (t *txn) cache(counts *revisions.Counts) *revisions.Cache {
	return &revisions.Cache{Values: bucketTable{t, tableRevisions}, Numbers: bucketTable{t, tableNumbers}, Counts: counts}
}

// bucketTable is a table as package revisions sees it.
type bucketTable struct {
	t  *txn
	tb table
}

func (b bucketTable) Get(key []byte) ([]byte, error) { return b.t.get(b.tb, key) }
func (b bucketTable) Put(key, value []byte) error    { return b.t.put(b.tb, key, value) }
func (b bucketTable) Delete(key []byte) error        { return b.t.delete(b.tb, key) }
func (b bucketTable) Scan(from []byte, fn func(key, value []byte) (bool, error)) error {
	return b.t.scan(b.tb, from, fn)
}

// idOf returns the name of the revision that a file is.
func idOf(f *record.File) revisions.ID {
	return revisions.ID{Path: f.Path, Hash: f.Hash, Enriched: enriched(f)}
}

// group holds at most groupChunks chunks of one file: the value of tableChunks under the key
// of the last of them, not sealed, and the rows of their vectors.
type group struct{ chunks, vectors []byte }

// open returns the chunks, with keys from 1 on, and their vectors.
func (g *group) open(dim int) (chunkGroup, rows, error) {
	chunks, ok := openGroup(keyBytes(groupChunks), g.chunks)
	vectors, okRows := openRows(g.vectors, dim)
	if !ok || !okRows || chunks.n != vectors.n {
		return chunkGroup{}, rows{}, corruptf("bad chunk group")
	}
	return chunks, vectors, nil
}

// stored holds the row and the groups of a file; its text and graph are in their tables.
type stored struct {
	file      record.File
	footprint uint64
	groups    []group
}

// Lookup returns the latest record of path with the bytes of a hash, without keys and
// marked as Recalled. ok is false when the cache does not have it, as when the index holds
// it.
func (db *DB) Lookup(ctx context.Context, path record.Path, hash record.Hash) (r record.FileRecord, ok bool, err error) {
	err = db.view(ctx, func(t *txn) error {
		return t.cache(nil).Of(path, &hash, func(rev revisions.Revision) (bool, error) {
			s, err := decodeStored(&rev)
			if err == nil {
				r, err = db.record(t, &s)
				r.Recalled, ok = true, err == nil
			}
			return false, err
		})
	})
	if err != nil {
		return record.FileRecord{}, false, fmt.Errorf("look up %q: %w", path, err)
	}
	return r, ok, nil
}

// Record returns the record of path in the index, without keys; ok is false when the index
// has none, or the file is left out.
func (db *DB) Record(ctx context.Context, path record.Path) (r record.FileRecord, ok bool, err error) {
	err = db.view(ctx, func(t *txn) error {
		f, err := t.indexed(path, true)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		s, err := t.storedOf(&f)
		if err != nil {
			return err
		}
		r, err = db.record(t, &s)
		ok = err == nil
		return err
	})
	if err != nil {
		return record.FileRecord{}, false, fmt.Errorf("read %q: %w", path, err)
	}
	return r, ok, nil
}

// record returns the record of a stored file, without keys.
func (db *DB) record(t *txn, s *stored) (r record.FileRecord, err error) {
	r = record.FileRecord{File: s.file, Chunks: make([]record.Chunk, s.file.Chunks.N)}
	r.Codes = make([]record.Codes, len(r.Chunks))
	if r.Content, err = db.content(t, &s.file); err != nil {
		return r, err
	}
	if r.Graph, err = t.graph(&s.file, allEdges); err != nil {
		return r, err
	}
	st, err := t.state()
	if err != nil {
		return r, err
	}
	at, want := 0, make([]*record.Chunk, 0, groupChunks)
	for i := range s.groups {
		g, vectors, err := s.groups[i].open(st.dim)
		if err != nil {
			return r, err
		}
		if at+g.n > len(r.Chunks) {
			return r, corruptf("too many chunks of %q", s.file.Path)
		}
		want = want[:0]
		for i := range g.n {
			want = append(want, &r.Chunks[at+i])
			r.Codes[at+i] = cloned(vectors.row(i))
		}
		if err := g.decode(want); err != nil {
			return r, err
		}
		at += g.n
	}
	if at != len(r.Chunks) {
		return r, corruptf("%d chunks of %q instead of %d", at, s.file.Path, len(r.Chunks))
	}
	for i := range r.Chunks {
		r.Chunks[i].Key = 0
	}
	r.File.Key, r.File.Chunks, r.File.Generation = 0, record.KeyRange{}, 0
	return r, nil
}

// maxRevisions is how many earlier revisions of one file Codes looks at.
const maxRevisions = 8

// Codes returns, for each hash of an embedding text, the codes that a chunk of path
// has or had, now or in one of the latest revisions; where none is known,
// Code is nil.
func (db *DB) Codes(ctx context.Context, path record.Path, hashes []record.TextHash) ([]record.Codes, error) {
	codes := make([]record.Codes, len(hashes))
	wanted := make(map[record.TextHash]int, len(hashes)) // to the first of equal ones
	for i, h := range hashes {
		if _, twice := wanted[h]; !twice {
			wanted[h] = i
		}
	}
	err := db.view(ctx, func(t *txn) error {
		if err := t.liveCodes(path, wanted, codes); err != nil || len(wanted) == 0 {
			return err
		}
		return t.oldCodes(path, wanted, codes)
	})
	if err != nil {
		return nil, fmt.Errorf("codes of %q: %w", path, err)
	}
	first := make(map[record.TextHash]int, len(hashes))
	for i, h := range hashes {
		if at, twice := first[h]; twice {
			codes[i] = codes[at]
		} else {
			first[h] = i
		}
	}
	return codes, nil
}

// liveCodes copies the wanted codes of the file at path to codes, and deletes them from
// wanted.
func (t *txn) liveCodes(path record.Path, wanted map[record.TextHash]int, codes []record.Codes) error {
	f, ok, err := t.file(path)
	if err != nil || !ok || f.Chunks.N == 0 {
		return err
	}
	groups, err := t.groups(&f)
	if err != nil {
		return err
	}
	return t.takeCodes(groups, wanted, codes)
}

// oldCodes is liveCodes for the earlier revisions, the latest first.
func (t *txn) oldCodes(path record.Path, wanted map[record.TextHash]int, codes []record.Codes) error {
	n := 0
	return t.cache(nil).Of(path, nil, func(rev revisions.Revision) (bool, error) {
		s, err := decodeStored(&rev)
		if err != nil {
			return false, err
		}
		n++
		return n < maxRevisions && len(wanted) > 0, t.takeCodes(s.groups, wanted, codes)
	})
}

// takeCodes copies the codes of the chunks whose embedding texts are wanted to codes, and
// deletes them from wanted.
func (t *txn) takeCodes(groups []group, wanted map[record.TextHash]int, codes []record.Codes) error {
	st, err := t.state()
	if err != nil {
		return err
	}
	for i := range groups {
		g, vectors, err := groups[i].open(st.dim)
		if err != nil {
			return err
		}
		for j := range g.n {
			hash := record.TextHash(g.value[j*sumsBytes+16 : (j+1)*sumsBytes])
			if at, ok := wanted[hash]; ok {
				codes[at] = cloned(vectors.row(j))
				delete(wanted, hash)
			}
		}
	}
	return nil
}

// cloned returns a copy of a row.
func cloned(r quantize.Row) record.Codes {
	r.Code, r.Residual = slices.Clone(r.Code), slices.Clone(r.Residual)
	return record.Codes(r)
}

// encode returns s as the payload of a revision:
//
//	row of the file table | n | n times (chunks, vectors)
func (s *stored) encode() []byte {
	b := make([]byte, 0, int(s.footprint)+160)
	part := func(p []byte) {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	part(record.AppendRow(nil, &s.file))
	b = binary.AppendUvarint(b, uint64(len(s.groups)))
	for _, g := range s.groups {
		part(g.chunks)
		part(g.vectors)
	}
	return b
}

// decodeStored is the inverse of encode; it never panics. The result aliases the file.
func decodeStored(r *revisions.Revision) (s stored, err error) {
	u := unpacker{b: r.Value}
	s.footprint = r.Footprint
	row, ok := new(record.Rows).Add([]byte(r.Path), u.bytes(u.count(1)))
	if ok {
		s.file = row.File()
	}
	for range u.count(2) {
		s.groups = append(s.groups, group{u.bytes(u.count(1)), u.bytes(u.count(1))})
	}
	if !ok || !u.done() || idOf(&s.file) != r.ID || s.file.Key != r.File {
		return stored{}, corruptf("bad revision of %q", r.Path)
	}
	return s, nil
}

// footprint returns the bytes that are stored of a file, except its row of the file table.
func footprint(text, graph int, groups []group) uint64 {
	n := text + graph
	for _, g := range groups {
		n += len(g.chunks) + len(g.vectors)
	}
	return uint64(n)
}

// groups returns the groups of f.
func (t *txn) groups(f *record.File) ([]group, error) {
	if f.Chunks.N == 0 {
		return nil, nil
	}
	st, err := t.state()
	if err != nil {
		return nil, err
	}
	var groups []group
	reader := newRowReader(t, st.dim)
	end := f.Chunks.First + record.Key(f.Chunks.N)
	for first := f.Chunks.First; first < end; first += groupChunks {
		key := keyBytes(min(first+groupChunks, end) - 1)
		chunks, err := t.get(tableChunks, key)
		if err != nil {
			return nil, err
		}
		residuals, err := t.get(tableVectors, key)
		if err != nil {
			return nil, err
		}
		if chunks == nil || residuals == nil {
			return nil, corruptf("chunks of %q are missing", f.Path)
		}
		_, n, err := residualsAt(key, residuals, st.dim)
		if err != nil {
			return nil, err
		}
		vectors := makeRows(n, st.dim)
		for i := range n {
			if err := reader.read(first+record.Key(i), residuals, i, &vectors, i); err != nil {
				return nil, err
			}
		}
		groups = append(groups, group{chunks, vectors.value})
	}
	return groups, nil
}

// storedOf returns the row and the groups of an indexed file.
func (t *txn) storedOf(f *record.File) (s stored, err error) {
	text, err := t.get(tableContents, keyBytes(f.Key))
	if err != nil {
		return stored{}, err
	}
	graph, err := t.get(tableGraphs, keyBytes(f.Key))
	if err != nil {
		return stored{}, err
	}
	if s.groups, err = t.groups(f); err != nil {
		return stored{}, err
	}
	s.file, s.footprint = *f, footprint(len(text), len(graph), s.groups)
	return s, nil
}

// keep adds s, whose file the index no longer has, to the cache. It reports false when s
// does not fit the cache.
func (a *applier) keep(t *txn, s *stored) (kept bool, err error) {
	if s.file.Chunks.N == 0 || s.footprint > a.cacheLimit() {
		return false, nil
	}
	return t.cache(&a.state.cache).Add(&revisions.Revision{ID: idOf(&s.file), File: s.file.Key, Footprint: s.footprint, Value: s.encode()})
}

// deleteTexts deletes the text and the graph of a file.
func (t *txn) deleteTexts(file record.Key) error {
	if err := t.delete(tableContents, keyBytes(file)); err != nil {
		return err
	}
	return t.delete(tableGraphs, keyBytes(file))
}

// forget drops all earlier revisions of path.
func (a *applier) forget(t *txn, path record.Path) error {
	c := t.cache(&a.state.cache)
	return c.Of(path, nil, func(r revisions.Revision) (bool, error) {
		return true, errors.Join(c.Remove(&r), t.deleteTexts(r.File))
	})
}

// cacheLimit is how many bytes the cache may take.
func (a *applier) cacheLimit() uint64 {
	switch limit := a.db.cacheBytes; {
	case limit < 0 || a.noCache:
		return 0
	case limit > 0:
		return uint64(limit)
	}
	return min(max(a.state.bytes, MinCacheBytes), MaxCacheBytes)
}

// clearCache drops all revisions. The caller holds db.write.
func (db *DB) clearCache(ctx context.Context) error {
	a := applier{db: db, noCache: true}
	return db.update(ctx, func(t *txn) (err error) {
		if a.state, err = t.state(); err != nil {
			return err
		}
		if err := a.trimCache(t); err != nil {
			return err
		}
		return t.putState(&a.state)
	})
}

// trimCache drops the oldest revisions when the cache is over its limit.
func (a *applier) trimCache(t *txn) error {
	return t.cache(&a.state.cache).Trim(a.cacheLimit(), func(r *revisions.Revision) error { return t.deleteTexts(r.File) })
}
